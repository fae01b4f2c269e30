package main

import (
	"slices"
	"sync"

	"yaap/core"
)

// approvals are the tools that may only be called when the user allows it.
type approvals struct {
	names []string // of tools or of their experts; "all"

	mu      sync.Mutex
	allowed []string // tools, until the program ends
}

// Needs implements [agent.Approvals].
func (a *approvals) Needs(tool core.ToolSpec) bool {
	named := func(name string) bool { return name != "" && slices.Contains(a.names, name) }
	if !named("all") && !named(tool.Name) && !named(tool.Owner) {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return !slices.Contains(a.allowed, tool.Name)
}

// Allow implements [agent.Approvals].
func (a *approvals) Allow(tool core.ToolSpec) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.allowed = append(a.allowed, tool.Name)
}

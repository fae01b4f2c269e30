package main

import (
	"slices"
	"strings"
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

// describe lists the names in words, and says of each that is in none of the
// known ones that nobody has it: it may be yet to join, or a slip of the pen.
func (a *approvals) describe(known []string) string {
	list := slices.Clone(a.names)
	for i, name := range list {
		if name != "all" && !slices.Contains(known, name) {
			list[i] += " (nobody here has it)"
		}
	}
	return strings.Join(list, ", ")
}

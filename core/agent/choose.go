package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"yaap/core"
	"yaap/core/llm"
)

// What a model sees of a room with many tools.
const (
	maxOffered      = 24       // tools, beside those that it has found itself
	maxOfferedBytes = 20 << 10 // of their names, descriptions and schemas
	maxFound        = 5        // tools that one search finds
	maxFoundText    = 300      // bytes of the description of a found tool
	pinnedMessages  = 40       // whose calls keep their tools offered

	findName = "find_expert" // no expert may be called so
)

// Rank orders tools by how well they fit a text: first the tools of those who bid
// on it, then by words. It blocks for a fraction of a second.
type Rank func(ctx context.Context, scope core.Scope, text string, tools []core.ToolSpec, said []core.Message) []core.ToolSpec

// offered are the tools that the model is shown: all of them, or where there are
// more than 24 those that are pinned (the room's own, an expert that the user
// names, what was called a moment ago), then those that fit the prompt best, and a
// tool to find others. In a run the list grows at its end only, so that what a
// provider has cached of the prompt stays good. Each tool of the room can be called
// by its name, shown or not.
func (r *run) offered(ctx context.Context, tools core.Toolset) []core.ToolSpec {
	all := tools.Specs()
	if !r.chooses(len(all)) {
		return all
	}
	if len(r.Offered) == 0 {
		r.Offered = r.choose(ctx, all)
	}
	for _, spec := range all { // what has come since: a handoff, say
		if spec.Owner == "" && !slices.Contains(r.Offered, spec.Name) {
			r.Offered = append(r.Offered, spec.Name)
		}
	}
	var shown []core.ToolSpec
	for _, name := range r.Offered {
		if tool, ok := tools.Find(name); ok {
			shown = append(shown, tool.Spec())
		}
	}
	return shown
}

// chooses reports whether the model is shown some of so many tools only.
func (r *run) chooses(tools int) bool {
	_, every := r.model.(llm.AllTools)
	return !every && r.cfg.Rank != nil && tools > maxOffered
}

// choose are the names of the tools for the prompt of this run, by name.
func (r *run) choose(ctx context.Context, all []core.ToolSpec) []string {
	recent := r.messages[max(0, len(r.messages)-pinnedMessages):]
	prompt := strings.ToLower(r.prompt())
	var names []string
	bytes := 0
	take := func(spec core.ToolSpec, pinned bool) {
		size := len(spec.Name) + len(spec.Description) + len(spec.Schema)
		if !slices.Contains(names, spec.Name) && (pinned || len(names) < maxOffered && bytes+size <= maxOfferedBytes) {
			names, bytes = append(names, spec.Name), bytes+size
		}
	}
	for _, spec := range all {
		called := slices.ContainsFunc(recent, func(m core.Message) bool { return m.Role == core.RoleTool && m.Name == spec.Name })
		if spec.Owner == "" || called || strings.Contains(prompt+" ", "@"+strings.ToLower(spec.Owner)+" ") {
			take(spec, spec.Owner == "")
		}
	}
	for _, spec := range r.cfg.Rank(ctx, r.at(), r.prompt(), all, everybodys(r.messages[:max(0, r.first-1)])) {
		take(spec, false)
	}
	slices.Sort(names)
	return names
}

// prompt is what the user asked.
func (r *run) prompt() string {
	if r.first < 1 || r.first > len(r.messages) {
		return ""
	}
	return r.messages[r.first-1].Text
}

// finder is the tool by which a model finds tools that it is not shown.
type finder struct{ run *run }

// Spec implements [core.Tool].
func (finder) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name:        findName,
		Description: "Finds experts of the room that are not listed here. Say what you need to know or to do, in words; those that it finds can be called from the next turn on.",
		Schema:      json.RawMessage(`{"type":"object","required":["query"],"properties":{"query":{"type":"string","minLength":1,"maxLength":1000}}}`),
	}
}

// Call implements [core.Tool].
func (f finder) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	var args struct{ Query string }
	if err := json.Unmarshal(c.Args, &args); err != nil || strings.TrimSpace(args.Query) == "" {
		return core.ToolFailure(core.ToolValidationError, core.ToolCodeInvalidInput, "query must say what you need"), nil
	}
	var others []core.ToolSpec
	for _, spec := range f.run.cfg.Tools.Tools().Specs() {
		if spec.Owner != "" {
			others = append(others, spec)
		}
	}
	var found []any
	var text strings.Builder
	for _, spec := range f.run.cfg.Rank(ctx, c.Scope, args.Query, others, nil) {
		if len(found) == maxFound {
			break
		}
		found = append(found, spec.Name)
		f.run.offer(spec.Name)
		does, _ := cut(spec.Description, maxFoundText)
		usage, _ := cut(spec.Usage(), maxShown)
		fmt.Fprintf(&text, "- %s: %q. It takes %s\n", spec.Name, does, cmp.Or(usage, "nothing"))
	}
	if len(found) == 0 {
		return core.ToolResult{Status: core.ToolSuccess, Text: "Nobody in the room fits that."}, nil
	}
	return core.ToolResult{Status: core.ToolSuccess, Text: strings.TrimSpace(text.String()), Data: map[string]any{"found": found}}, nil
}

// offer shows a tool to the model from the next turn on.
func (r *run) offer(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.Offered, name) {
		r.Offered = append(r.Offered, name)
	}
}

package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
)

// What a model sees of a room with many tools.
const (
	maxOffered      = 24       // tools, before it has found others
	maxOfferedBytes = 18 << 10 // of all of them, with those that it has found
	maxToolBytes    = 560      // of one
	maxFound        = 5        // tools that one search finds
	maxFoundText    = 120      // bytes of the description of a found tool, and of what it takes
	exchanges       = 3        // before the prompt, whose calls keep their tools offered
)

// FindName is the tool by which a model finds tools that it is not shown. No expert may be called so.
const FindName = "find_expert"

// IsOwnTool reports whether an agent adds the tool of that name itself, to those of the room.
func IsOwnTool(name string) bool {
	return slices.Contains([]string{FindName, clarifyName, handoffName, returnName, todoName, earlierName}, name)
}

// Rank orders tools by how well they fit a text: first the tools of those who bid
// on it, then by words. It blocks for a fraction of a second.
type Rank func(ctx context.Context, scope core.Scope, text string, tools []core.ToolSpec, said []core.Message) []core.ToolSpec

// offered are the tools that the model is shown: all of them, or where there are
// more than 24 those that were chosen for the prompt, by name, and behind them those
// that it has found since; each in few bytes. In a run the list grows at its end
// only, so that what a provider has cached of the prompt stays good. Each tool of the
// room can be called by its name, shown or not.
func (r *run) offered(ctx context.Context, tools core.Toolset) []core.ToolSpec {
	all := tools.Specs()
	if !r.chooses(len(all)) {
		return all
	}
	if len(r.Offered) == 0 {
		r.Offered = r.choose(ctx, all)
	}
	var shown []core.ToolSpec
	bytes := 0
	for n, name := range slices.Concat(r.Offered, r.found(), []string{earlierName}) {
		tool, ok := tools.Find(name)
		if !ok || slices.ContainsFunc(shown, func(spec core.ToolSpec) bool { return spec.Name == name }) {
			continue
		}
		size := maxToolBytes
		if tool.Spec().Owner == "" && bytes < maxOfferedBytes/4 { // to which agents a conversation may go, say
			size *= 4
		}
		spec := shortened(tool.Spec(), size)
		if bytes += bytesOf(spec); n >= len(r.Offered) && bytes > maxOfferedBytes {
			break
		}
		shown = append(shown, spec)
	}
	return shown
}

// chooses reports whether the model is shown some of so many tools only.
func (r *run) chooses(tools int) bool {
	_, every := r.model.(llm.AllTools)
	return !every && r.cfg.Rank != nil && tools > maxOffered
}

// choose are the names of the tools for the prompt of this run, by name: first the
// room's own, then those of an expert that the user names, those that were called a
// moment ago, and those that fit; of the same sort those that fit best.
func (r *run) choose(ctx context.Context, all []core.ToolSpec) []string {
	var names []string
	take := func(spec core.ToolSpec) {
		if len(names) < maxOffered && !slices.Contains(names, spec.Name) {
			names = append(names, spec.Name)
		}
	}
	fitting := r.cfg.Rank(ctx, r.at(), r.prompt(), all, visibleToAll(recent(r.messages[:max(0, r.first-1)])))
	prompt, called := r.prompt(), r.calledOfLate()
	for _, pinned := range []func(core.ToolSpec) bool{
		func(spec core.ToolSpec) bool { return spec.Owner == "" },
		func(spec core.ToolSpec) bool { return mentions(prompt, spec) },
		func(spec core.ToolSpec) bool { return called[spec.Name] },
	} {
		for _, spec := range slices.Concat(fitting, all) {
			if pinned(spec) {
				take(spec)
			}
		}
	}
	for _, spec := range fitting {
		take(spec)
	}
	slices.Sort(names)
	return names
}

// prompt is what the user asked, without what is attached: those who bid are not told it.
func (r *run) prompt() string {
	if r.first < 1 || r.first > len(r.messages) {
		return ""
	}
	return core.WithoutAttached(r.messages[r.first-1].Text)
}

// mentions reports whether a text has @ and the name of a tool or of its expert.
func mentions(text string, spec core.ToolSpec) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	for _, part := range strings.Split(text, "@")[1:] {
		name := part[:len(part)-len(strings.TrimLeft(part, letters))]
		if name != "" && (strings.EqualFold(name, spec.Owner) || strings.EqualFold(name, spec.Name)) {
			return true
		}
	}
	return false
}

// calledOfLate are the tools that were called in this run and in the exchanges before.
func (r *run) calledOfLate() map[string]bool {
	called, prompts := map[string]bool{}, 0
	for i, m := range slices.Backward(r.messages) {
		if m.Role == core.RoleUser && i < r.first {
			prompts++
		}
		if prompts > exchanges {
			break
		}
		if m.Role == core.RoleTool {
			called[m.Name] = true
		}
	}
	return called
}

// found are the tools that the model has found in this run. They are taken from the
// results, which are stored: a run that is resumed has them.
func (r *run) found() (names []string) {
	for _, m := range r.messages[min(r.first, len(r.messages)):] {
		if m.Role != core.RoleTool || m.Name != FindName || m.Result == nil {
			continue
		}
		list, _ := m.Result.Data["found"].([]any)
		for _, name := range list {
			if name, ok := name.(string); ok {
				names = append(names, name)
			}
		}
	}
	return names
}

// finder is the tool by which a model finds tools that it is not shown.
type finder struct{ run *run }

// Spec implements [core.Tool].
func (finder) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name:        FindName,
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
	fitting := f.run.cfg.Rank(ctx, c.Scope, args.Query, others, nil)
	if len(fitting) == 0 {
		return core.ToolResult{Status: core.ToolSuccess, Text: "Nobody in the room fits that."}, nil
	}
	var found []any
	var text strings.Builder
	for _, spec := range fitting[:min(len(fitting), maxFound)] {
		found = append(found, spec.Name)
		usage := cmp.Or(beginning(spec.Usage(), maxFoundText), "nothing")
		fmt.Fprintf(&text, "- %s: %q. It takes %s\n", spec.Name, beginning(spec.Description, maxFoundText), usage)
	}
	return core.ToolResult{Status: core.ToolSuccess, Text: strings.TrimSpace(text.String()), Data: map[string]any{"found": found}}, nil
}

package replay

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

// Stored is what a store keeps of a question that was answered.
type Stored struct {
	Head
	Root     core.RunRow
	Said     []core.Message         // in the conversation, the question and the outcome included
	Events   []core.Event           // of the run and of those below it, in order
	Saved    map[string]core.Saved  // by run
	Adds     func(tool string) bool // tools that are made again, and not given: those of agents, and chains
	Finder   string                 // the tool by which a model finds tools that it is not shown
	Choosing string                 // the model that chooses among all tools
}

// Recording makes a recording of it, as far as that can be: a store has no replies that were given up and asked for again.
func (s Stored) Recording() (*Recording, error) {
	r := newRecording()
	r.Head, r.stored = s.Head, true
	r.Thread, r.Said = s.Root.Thread, nil
	for i, m := range s.Said {
		if m.Run == s.Root.ID {
			r.Prompt, r.Said = m.Text, s.Said[:i]
			break
		}
	}
	for _, e := range s.Events {
		line, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		r.Events = append(r.Events, Event{e, line})
		if why := s.lost(e); why != "" {
			return nil, unstored(why)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.Saved)) { // those above before those below them
		saved := s.Saved[id]
		if r.answered(id) {
			continue
		}
		if err := r.said(id, saved, s); err != nil {
			return nil, err
		}
		if name, ok := strings.CutPrefix(saved.Run.Runner, "expert/"); ok {
			r.Experts[name] = r.found(name, id)
		}
	}
	r.offered(s.Adds)
	if !strings.HasPrefix(s.Root.Runner, "expert/") {
		r.Runner = s.Root.Runner
	}
	r.complete()
	return r, nil
}

// lost says what of an event a store has not got; nothing where it has all.
func (s Stored) lost(e core.Event) string {
	switch b := e.Body.(type) {
	case core.AgentProcessing:
		if slices.Contains(b.Tools, s.Finder) {
			return "a model was shown some of many tools"
		}
	case core.RunStart:
		if b.Resumed {
			return "it was gone on with"
		}
	case core.LLMCallEnd:
		if b.Error != "" {
			return "a model failed"
		}
	case core.ContextFitted:
		return "the conversation was longer than the model reads"
	case core.Fallback:
		return "another model took over"
	case core.ApprovalGiven, core.ClarificationProvided:
		return "the user was asked"
	case core.Steered:
		return "the user said more while it went on"
	default:
	}
	return ""
}

func unstored(why string) error {
	return core.Fail(core.CodeRefused, why+", and not all of that is stored", "yaap run --record FILE keeps all of it")
}

// said takes what the model and the experts said in a run.
func (r *Recording) said(run string, saved core.Saved, s Stored) error {
	var replies []Reply
	for _, m := range saved.Messages {
		switch {
		case m.Role == core.RoleTool && m.Result != nil && !s.Adds(m.Name):
			key := core.Scope{Run: run}.CallKey(m.CallID)
			r.result(Result{Key: key, Tool: m.Name, Result: *m.Result})
		case m.Role == core.RoleAssistant && m.Model != "":
			x := Reply{Run: run, Model: m.Model, AllTools: m.Model == s.Choosing, Thinking: m.Thinking, Text: m.Text, Opaque: m.Opaque}
			for _, c := range m.Calls {
				x.Calls = append(x.Calls, Call{ID: c.ID, Tool: c.Tool, Args: string(c.Args), Bid: c.Bid})
			}
			replies = append(replies, x)
		}
	}
	n := 0
	for _, e := range r.Events {
		if end, ok := e.Body.(core.LLMCallEnd); ok && e.Run == run {
			if n < len(replies) {
				replies[n].Reason, replies[n].Usage = end.Reason, end.Usage
			}
			n++
		}
	}
	if n != len(replies) {
		return unstored("a model was asked again for what could not be read, or an answer was put together without one")
	}
	for _, x := range replies {
		r.reply(x)
	}
	return nil
}

// offered finds which tools there were, and what shaped the run. Of tools that were not called only the names are known.
func (r *Recording) offered(adds func(string) bool) {
	called, after := map[string]core.ToolSpec{}, 0
	for _, e := range r.Events {
		if start, ok := e.Body.(core.ToolCallStart); ok {
			called[start.Tool] = core.ToolSpec{Name: start.Tool, Owner: start.Expert, Schema: anyObject()}
		}
	}
	for _, e := range r.Events {
		switch b := e.Body.(type) {
		case core.LLMCallStart:
			after++
		case core.GuardrailViolation:
			r.Masked = true // what it found is not stored
		case core.ToolCallStart:
			if e.Depth == 0 && after == 0 { // of an expert that the user asked by its name
				r.there(0, []string{b.Tool}, map[string]core.ToolSpec{b.Tool: asCalled(b)})
			}
		case core.AgentProcessing:
			r.MaxTurns = b.MaxTurns
			if e.Depth == 0 || r.Model == "" {
				r.Model = b.Model
			}
			r.there(after, slices.DeleteFunc(slices.Clone(b.Tools), adds), called)
		default:
		}
	}
}

// there adds tools to those from a time on.
func (r *Recording) there(after int, names []string, specs map[string]core.ToolSpec) {
	if n := len(r.Tools); n == 0 || r.Tools[n-1].After != after {
		r.Tools = append(r.Tools, Tools{After: after})
	}
	now := &r.Tools[len(r.Tools)-1]
	for _, name := range names {
		if slices.ContainsFunc(now.Tools, func(spec core.ToolSpec) bool { return spec.Name == name }) {
			continue
		}
		spec, called := specs[name]
		if !called {
			owner, _, _ := strings.Cut(name, "__")
			spec = core.ToolSpec{Name: name, Owner: owner, Schema: anyObject()}
		}
		now.Tools = append(now.Tools, spec)
	}
	slices.SortFunc(now.Tools, func(a, b core.ToolSpec) int { return strings.Compare(a.Name, b.Name) })
}

// anyObject is the schema of a tool of which none is known: what did not fit then has its result.
func anyObject() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }

// asCalled is a tool that takes what the user called it with.
func asCalled(c core.ToolCallStart) core.ToolSpec {
	var args map[string]any
	_ = json.Unmarshal(c.Args, &args) // without them it takes anything
	properties := map[string]any{}
	for name, value := range args {
		kind := "string"
		switch value.(type) {
		case float64:
			kind = "number"
		case bool:
			kind = "boolean"
		case []any:
			kind = "array"
		case map[string]any:
			kind = "object"
		}
		properties[name] = map[string]any{"type": kind}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	if err != nil {
		schema = anyObject()
	}
	return core.ToolSpec{Name: c.Tool, Owner: c.Expert, Schema: schema}
}

// found is what an expert was asked with in a run that the user asked it by name, or why it could not be.
func (r *Recording) found(name, run string) Expert {
	x := Expert{Name: name}
	for _, e := range r.Events {
		if e.Run != run {
			continue
		}
		switch b := e.Body.(type) {
		case core.ToolCallStart:
			if x.Spec == nil {
				spec := asCalled(b)
				x.Spec = &spec
			}
		case core.RunEnd:
			if x.Spec == nil {
				x.Error = &Failure{Code: b.Code, Message: b.Error, Hint: b.Hint}
			}
		default:
		}
	}
	return x
}

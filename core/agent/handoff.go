package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/schema"
)

// Peer is an agent that a conversation may be handed to. It then has the
// messages and answers in its own words with its own tools, until it returns
// its result.
type Peer struct {
	Name        string
	Description string // for the agents that may hand over to it
	Prompt      string
	Tools       []string  // the only tools it may use, by name or owner; nil: all
	Handoffs    []string  // whom it may hand over to itself
	Model       llm.Model // nil: that of the run
	Plain       bool      // as [Config.Plain]

	MaxTurns   int             // of a run that it begins; 0: as the room's agent
	DataSchema json.RawMessage // as [Config.DataSchema]
	Tells      EventDetail     // of a run of it below another one
	Answer     string          // the key of the data that whoever calls it is given in place of its message
}

// Check says what of an agent cannot be meant.
func (p Peer) Check() error {
	switch {
	case p.MaxTurns < 0 || p.MaxTurns > maxTurns:
		return fmt.Errorf("max_turns is a number up to %d", maxTurns)
	case p.Tells != "" && !slices.Contains(EventDetails(), p.Tells):
		return errors.New("events is all, summary or none")
	case p.Plain && (len(p.DataSchema) > 0 || p.Answer != ""):
		return errors.New("an agent that answers in plain words has no data")
	case len(p.DataSchema) > 0:
		if _, err := schema.Compile(p.DataSchema); err != nil {
			return fmt.Errorf("data_schema is no JSON Schema: %w", err)
		}
	}
	return nil
}

// As is the configuration of p, with all else as in c.
func (c Config) As(p Peer) Config {
	c.Name, c.Prompt, c.Plain, c.DataSchema = p.Name, p.Prompt, p.Plain, p.DataSchema
	c.MaxTurns = cmp.Or(p.MaxTurns, c.MaxTurns)
	if p.Tools != nil && c.Tools != nil {
		c.Tools = namedTools{c.Tools, p.Tools}
		c.Clarify, c.Todo = c.Clarify && slices.Contains(p.Tools, clarifyName), c.Todo && slices.Contains(p.Tools, todoName)
	}
	if p.Model != nil {
		c.Model, c.ModelFor = p.Model, nil
	}
	return c
}

const (
	handoffName = "handoff_to_agent"
	returnName  = "return_to_caller"

	maxTurns       = 100 // that an agent may be given
	maxHandedDeep  = 4   // agents that wait for one another
	maxHandedTimes = 3   // to the same agent, in one run
)

// has returns who has the conversation; nil is the agent that was asked.
func (r *run) has() *Peer {
	if len(r.Agents) == 0 {
		return nil
	}
	return r.peer(r.Agents[len(r.Agents)-1])
}

func (r *run) peer(name string) *Peer {
	if i := slices.IndexFunc(r.peers, func(p Peer) bool { return p.Name == name }); i >= 0 {
		return &r.peers[i]
	}
	return nil
}

// become makes the run speak as who has the conversation.
func (r *run) become() {
	r.cfg, r.model = r.own, r.ownModel
	if p := r.has(); p == nil {
		r.Agents = nil // it is not there any more
	} else {
		r.cfg = r.own.As(*p)
		if p.Model != nil {
			r.model = p.Model
		}
	}
	r.Scope.Agent, r.modelName, r.standing = r.cfg.Name, r.model.Name(), standing{now: r.standing.now}
}

// caller is who gets the conversation back.
func (r *run) caller() string {
	if len(r.Agents) < 2 {
		return r.own.Name
	}
	return r.Agents[len(r.Agents)-2]
}

// mayHandTo lists whom the present agent may hand over to.
func (r *run) mayHandTo() []Peer {
	p := r.has()
	if p == nil {
		return r.peers
	}
	var list []Peer
	for _, name := range p.Handoffs {
		if to := r.peer(name); to != nil {
			list = append(list, *to)
		}
	}
	return list
}

func namesOf(peers []Peer) (names []string) {
	for _, p := range peers {
		names = append(names, p.Name)
	}
	return names
}

// toolset is what the present agent may call now.
func (r *run) toolset() core.Toolset {
	set := r.cfg.Tools.Tools()
	_, chooses := r.model.(llm.AllTools)
	var own []core.Tool
	if r.cfg.Clarify && !chooses {
		own = append(own, clarify{r})
	}
	if r.cfg.Todo && !chooses {
		own = append(own, todo{r})
	}
	if r.rereads && !chooses {
		own = append(own, earlier{r})
	}
	if r.chooses(len(set.Tools)) {
		own = append(own, finder{r})
	}
	moved := new(bool)
	if to := r.mayHandTo(); len(to) > 0 {
		if r.standing.handoff.Name == "" {
			r.standing.handoff = handoffSpec(to)
		}
		own = append(own, handoff{run: r, to: to, moved: moved, spec: r.standing.handoff})
	}
	if len(r.Agents) > 0 {
		own = append(own, comeBack{run: r, moved: moved})
	}
	if len(own) == 0 {
		return set
	}
	all := slices.Concat(set.Tools, own)
	slices.SortFunc(all, func(a, b core.Tool) int { return cmp.Compare(a.Spec().Name, b.Spec().Name) })
	return core.Toolset{Rev: set.Rev, Tools: all}
}

// handoff is the tool by which an agent hands the conversation over. Nothing
// else does: what a tool answers never can.
type handoff struct {
	run   *run
	to    []Peer
	moved *bool // in this turn, by another call
	spec  core.ToolSpec
}

// Spec implements [core.Tool].
func (h handoff) Spec() core.ToolSpec { return h.spec }

func handoffSpec(to []Peer) core.ToolSpec {
	var b strings.Builder
	b.WriteString("Hands the conversation to another agent, whose answer comes back to you. There are:")
	for _, p := range to {
		fmt.Fprintf(&b, "\n- %s: %s", p.Name, p.Description)
	}
	schema, _ := json.Marshal(map[string]any{ // strings
		"type": "object", "required": []string{"agent", "reason"},
		"properties": map[string]any{
			"agent":  map[string]any{"type": "string", "enum": namesOf(to)},
			"reason": map[string]any{"type": "string", "description": "What it is to do, and why it."},
		},
	})
	return core.ToolSpec{Name: handoffName, Description: b.String(), Schema: schema, Sequential: true}
}

// Call implements [core.Tool].
func (h handoff) Call(_ context.Context, c core.Call) (core.ToolResult, error) {
	var args struct{ Agent, Reason string }
	if err := json.Unmarshal(c.Args, &args); err != nil || args.Agent == "" {
		return core.ToolFailure(core.ToolValidationError, core.ToolCodeInvalidInput, "agent must be the name of one"), nil
	}
	from := h.run.Scope.Agent
	if why := h.denies(args.Agent); why != "" {
		h.run.emit(c.Scope, core.HandoffDenied{From: from, To: args.Agent, Reason: why})
		return core.ToolFailure(core.ToolPermissionDenied, core.ToolCodePermissionDenied, why), nil
	}
	*h.moved = true
	h.run.Agents, h.run.Offered = append(slices.Clone(h.run.Agents), args.Agent), nil
	h.run.become()
	h.run.emit(c.Scope, core.Handoff{From: from, To: args.Agent, Reason: args.Reason})
	return core.ToolResult{
		Status: core.ToolSuccess, Text: fmt.Sprintf("%s has the conversation now.", args.Agent),
		Data: map[string]any{"handoff_to": args.Agent, "reason": args.Reason},
	}, nil
}

// denies says why the conversation cannot be handed over, or nothing.
func (h handoff) denies(to string) string {
	r := h.run
	switch {
	case *h.moved:
		return "the conversation has changed hands in this turn already"
	case to == r.own.Name || slices.Contains(r.Agents, to):
		return to + " waits for what you come to: answer, or use " + returnName
	case !slices.ContainsFunc(h.to, func(p Peer) bool { return p.Name == to }):
		return fmt.Sprintf("%s may not hand over to %.64q", r.Scope.Agent, to)
	case len(r.Agents) >= maxHandedDeep:
		return fmt.Sprintf("%d agents wait for one another already: answer with what there is", maxHandedDeep)
	case r.handedTo(to) >= maxHandedTimes:
		return fmt.Sprintf("%s has had the conversation %d times: answer with what there is", to, maxHandedTimes)
	}
	return ""
}

// handedTo counts how often the run was handed to an agent.
func (r *run) handedTo(name string) (n int) {
	for _, m := range r.messages[r.first:] {
		if m.Name == handoffName && m.Result != nil && m.Result.OK() && m.Result.Data["handoff_to"] == name {
			n++
		}
	}
	return n
}

// comeBack is the tool by which an agent gives the conversation back.
type comeBack struct {
	run   *run
	moved *bool
}

// Spec implements [core.Tool].
func (b comeBack) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: returnName, Description: "Gives the conversation back to " + b.run.caller() + ", with what you came to. To answer does the same.",
		Schema:     json.RawMessage(`{"type":"object","required":["summary"],"properties":{"summary":{"type":"string"}}}`),
		Sequential: true,
	}
}

// Call implements [core.Tool].
func (b comeBack) Call(_ context.Context, c core.Call) (core.ToolResult, error) {
	var args struct {
		Summary string
		Status  core.Status
		Data    map[string]any
	}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return core.ToolFailure(core.ToolValidationError, core.ToolCodeInvalidInput, "summary must be a text"), nil
	}
	if *b.moved {
		return core.ToolFailure(core.ToolPermissionDenied, core.ToolCodePermissionDenied, "the conversation has changed hands in this turn already"), nil
	}
	*b.moved = true
	from, to := b.run.Scope.Agent, b.run.caller()
	b.run.Agents, b.run.Offered = slices.Clone(b.run.Agents[:len(b.run.Agents)-1]), nil
	b.run.become()
	b.run.emit(c.Scope, core.Handoff{From: from, To: to, Reason: args.Summary, Returned: true})
	result := core.ToolResult{Status: core.ToolSuccess, Text: args.Summary, Data: args.Data}
	if args.Status == core.StatusFailure {
		result.Status, result.Code = core.ToolError, core.ToolCodeExecutionFailed
	}
	return result, nil
}

// givesBack turns the answer of an agent that was handed the conversation into
// the call that gives it back. A question to the user goes to the user.
func (r *run) givesBack(got answer) (core.Call, bool) {
	if len(r.Agents) == 0 || got.reply.Status == core.StatusClarification {
		return core.Call{}, false
	}
	raw, _ := json.Marshal(map[string]any{"summary": got.reply.Message, "status": got.reply.Status, "data": got.reply.Data}) // it was JSON
	calls := []core.Call{{Tool: returnName, Args: raw}}
	r.nameCalls(calls)
	return calls[0], true
}

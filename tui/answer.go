package tui

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"yaap/core"
	"yaap/core/runlog"
	"yaap/core/safe"
)

const (
	maxDraft = 1 << 20 // bytes of an answer kept while it streams
	maxCalls = 200     // calls of a run that are shown
	maxAsk   = 400     // bytes of a call's arguments that are looked at
)

// answer is one run of the conversation, built from its events. Applying them
// to an answer that has ended is allowed: what the caller was told by a return
// value may be here before the events that report it.
type answer struct {
	prompt  string // the text that asked for it
	run     string // empty until the run has started
	agent   string
	facts   facts
	steps   []*step
	calls   map[string]*call // by the run that calls, "/" and the call's id
	draft   draft
	reply   *core.Reply
	end     *core.RunEnd       // nil while it runs
	busy    string             // what it is doing, in words
	chain   *progress          // of a chain: how far it is
	options []core.Option      // what the user may choose from, where it asks
	allow   map[string]*waited // what the user was asked to allow, by pause
	open    *bool              // folded by the user; nil: as the detail level says
	view    answerView
}

// facts is what the line below an answer tells.
type facts struct {
	model    string
	started  time.Time
	turn     int
	maxTurns int
	tools    int
	tokens   int
	fallback bool
	direct   bool   // an expert was asked by name
	has      string // the agent that has it after a handoff
}

// step is one turn.
type step struct {
	turn    int
	thought prose
	clean   cleaner // of the thought as it streams
	said    string  // text beside calls: reasoning, not the answer
	calls   []*call
	stream  string // the request to the model that is read
	note    string // model, tools and tokens, for the highest detail
	notes   []lineNote
	bids    bids
}

// call is one use of a tool.
type call struct {
	name, ask string
	expert    string
	started   time.Time
	took      time.Duration
	over, ok  bool
	again     bool   // it was made before, and it is not known whether it was answered
	text      string // the answer or the error
	progress  string
	fraction  float64        // negative: unknown
	calls     []*call        // of the run it started
	state     core.NodeState // where it is a node of a chain, or waits
	said      string         // the last that run said
}

func newAnswer(prompt string, now time.Time) *answer {
	return &answer{prompt: prompt, calls: map[string]*call{}, facts: facts{started: now}, busy: "starting"}
}

// running reports whether the run goes on.
func (a *answer) running() bool { return a.end == nil }

// touch makes the rows be drawn again.
func (a *answer) touch() { a.view.version++ }

func (a *answer) fold() {
	open := a.open == nil || !*a.open
	a.open = &open
	a.touch()
}

func (a *answer) copied() string {
	if a.reply != nil {
		return safe.Text(a.reply.Message)
	}
	return a.draft.text.String()
}

// apply takes one event of the run or of a run below it. What a guardrail finds
// in what was streamed is taken back: what is said instead follows.
func (a *answer) apply(e core.Event) {
	a.touch()
	if e.Depth > 0 {
		a.applyBelow(e)
		return
	}
	switch b := e.Body.(type) {
	case core.RunStart:
		if b.Resumed || a.reply == nil { // it is gone on with
			a.end, a.reply, a.options = nil, nil, nil
			a.draft.reset("")
		}
		a.run, a.agent = e.Run, safe.Line(e.Agent)
		a.facts.started, a.facts.direct = e.Time, strings.HasPrefix(b.Runner, "expert/")
		a.busy = "starting"
		if name, ok := strings.CutPrefix(b.Runner, "chain/"); ok {
			a.chain = a.chain.of(name)
		}
	case core.AgentProcessing:
		a.facts.model, a.facts.maxTurns, a.facts.tools = safe.Line(b.Model), b.MaxTurns, len(b.Tools)
	case core.TurnStart:
		a.step(e.Turn)
		a.facts.turn, a.busy = e.Turn, "thinking"
	case core.LLMCallStart:
		a.request(e.Turn, b)
	case core.Delta:
		a.delta(e.Turn, b)
	case core.BidsMade:
		a.step(e.Turn).bids.add(b)
	case core.LLMCallEnd:
		s := a.step(e.Turn)
		if s.note != "" && b.Usage.Total() > 0 {
			s.note += ", " + short(b.Usage.Total()) + " tokens"
		}
		a.cutShort(s, b)
	case core.TokenUsage:
		a.facts.tokens = b.Usage.Total()
	case core.AssistantMessage:
		if b.Calls > 0 {
			a.reason(a.step(e.Turn), safe.Text(b.Text))
		}
	case core.ToolRequests:
		a.reason(a.step(e.Turn), "")
		for _, c := range b.Calls {
			a.call(e, c.ID, c.Tool, "", c.Args)
		}
	case core.GuardrailViolation:
		if b.Stage == core.GuardOutput {
			a.step(e.Turn).thought.set("")
			a.draft.reset("")
		}
	case core.Retry:
		a.busy = "trying again: " + safe.Line(b.Reason)
	case core.FinalOutput:
		a.final(e.Turn, b)
	case core.RunEnd:
		a.finish(b)
	default:
		a.applyCall(e)
		a.applyNode(e)
	}
}

// applyCall takes the events of one call, at any depth.
func (a *answer) applyCall(e core.Event) {
	switch b := e.Body.(type) {
	case core.BeforeToolExecution:
		a.call(e, b.Call, b.Tool, b.Expert, b.Args)
	case core.ToolCallStart:
		c := a.call(e, b.Call, b.Tool, b.Expert, b.Args)
		c.started, c.over, c.state = e.Time, false, ""
		c.again = c.again || b.Again
		a.busy = a.calling()
	case core.ToolCallProgress:
		if c := a.calls[e.Run+"/"+b.Call]; c != nil {
			c.progress, c.fraction = safe.Line(b.Message), min(b.Fraction, 1)
		}
	case core.ToolCallEnd:
		c := a.call(e, b.Call, b.Tool, b.Expert, nil)
		c.over, c.state = true, ""
		c.ok, c.took = b.Status == core.ToolSuccess, time.Duration(b.MS)*time.Millisecond
		c.text, c.progress = safe.Text(b.Text), ""
		if b.Status == core.ToolWaiting {
			c.wait()
		}
		a.busy = a.calling()
	default:
	}
}

// applyBelow takes the events of a run that a call started: they are shown
// below that call.
func (a *answer) applyBelow(e core.Event) {
	parent := a.calls[e.Run]
	switch b := e.Body.(type) {
	case core.RunStart:
		a.startBelow(e)
	case core.ToolRequests:
		for _, c := range b.Calls {
			a.call(e, c.ID, c.Tool, "", c.Args)
		}
	case core.ClarificationRequested:
		if len(a.options) == 0 {
			a.offer(b.Options)
		}
	case core.Delta:
		if parent != nil && b.Field == core.FieldThought {
			said := parent.said + safe.Line(b.Text)
			parent.said = said[max(0, len(said)-maxAsk):]
		}
	case core.GuardrailViolation:
		if parent != nil && b.Stage == core.GuardOutput {
			parent.said = ""
		}
	case core.FinalOutput:
		if parent != nil {
			parent.said = safe.Line(safe.Cut(b.Reply.Thought, maxAsk))
		}
	default:
		a.applyCall(e)
	}
}

// step returns the turn of that number, which is begun when it is new.
func (a *answer) step(turn int) *step {
	// The reply may be here before what led to it.
	i, found := slices.BinarySearchFunc(a.steps, turn, func(s *step, turn int) int { return cmp.Compare(s.turn, turn) })
	if !found {
		a.steps = slices.Insert(a.steps, i, &step{turn: turn})
	}
	return a.steps[i]
}

// request begins to read a model's answer. What an earlier request of the same
// turn streamed is void.
func (a *answer) request(turn int, b core.LLMCallStart) {
	s := a.step(turn)
	if s.stream != "" {
		s.thought.set("")
	}
	a.draft.reset(b.Call)
	s.stream = b.Call
	a.facts.model = safe.Line(b.Model)
	s.note = "turn " + itoa(turn) + ", " + a.facts.model + ", " + count(b.Tools, "tool")
	a.busy = "thinking"
}

// cutShort takes what was streamed of a request that failed. Where it was not
// seen as it came, it is told by this.
func (a *answer) cutShort(s *step, b core.LLMCallEnd) {
	if b.Error == "" {
		return
	}
	if s.thought.empty() && b.Thought != "" {
		s.thought.write(s.clean.write(b.Thought))
	}
	if a.draft.text.Len() == 0 && b.Text != "" {
		a.draft.write(b.Call, core.FieldText, b.Text)
	}
}

func (a *answer) delta(turn int, b core.Delta) {
	s := a.step(turn)
	if s.stream != "" && b.Stream != s.stream {
		return
	}
	switch b.Field {
	case core.FieldThought:
		if s.thought.text.Len() < maxDraft {
			s.thought.write(s.clean.write(b.Text))
		}
		a.busy = "thinking"
	case core.FieldMessage, core.FieldText:
		if b.Reset {
			a.draft.reset(b.Stream)
		}
		a.draft.write(b.Stream, b.Field, b.Text)
		a.busy = "answering"
	}
}

// reason turns the draft of a turn that calls tools into reasoning.
func (a *answer) reason(s *step, text string) {
	if text == "" && a.draft.text.Len() > 0 && s.said == "" {
		text = a.draft.text.String()
	}
	if text = strings.TrimSpace(text); text != "" {
		s.said = text
	}
	a.draft.reset("")
}

// call returns the call of that id, which is added when it is new.
func (a *answer) call(e core.Event, id, tool, expert string, args json.RawMessage) *call {
	key := e.Run + "/" + id
	c := a.calls[key]
	if c == nil {
		c = &call{fraction: -1, took: -1, started: e.Time}
		if len(a.calls) >= maxCalls {
			return c
		}
		a.calls[key] = c
		if parent := a.calls[e.Run]; parent != nil && e.Depth > 0 {
			parent.calls = append(parent.calls, c)
		} else if a.chain == nil {
			s := a.step(e.Turn)
			s.calls = append(s.calls, c)
		}
	}
	if expert != "" {
		c.expert = safe.Line(expert)
	}
	c.name = callName(safe.Line(tool), c.expert)
	if len(args) > 0 {
		c.ask = ask(args)
	}
	return c
}

// callName is how a tool is called on screen: its expert, and what it is of it
// when the expert has several.
func callName(tool, expert string) string {
	owner, own, typed := strings.Cut(tool, "__")
	switch {
	case typed:
		return owner + " " + own
	case expert != "":
		return expert
	}
	return tool
}

// calling says in words which calls run.
func (a *answer) calling() string {
	var names []string
	for _, s := range a.steps {
		for _, c := range s.calls {
			if !c.over {
				names = append(names, c.name)
			}
		}
	}
	switch len(names) {
	case 0:
		return "thinking"
	case 1:
		return "calling " + names[0]
	}
	return "calling " + itoa(len(names)) + " experts"
}

// final takes the reply, which stands for all that was streamed of it. A
// thought that an earlier turn streamed is not shown twice.
func (a *answer) final(turn int, b core.FinalOutput) {
	a.reply, a.facts.fallback = &b.Reply, b.Fallback
	a.offer(offered(b.Reply.Data))
	a.draft.reset("")
	last := a.step(turn)
	thought := strings.TrimSpace(safe.Text(b.Reply.Thought))
	if thought == "" {
		return // what was streamed led to this
	}
	last.thought.set("")
	for _, s := range a.steps {
		if s == last || s.thought.empty() {
			continue
		}
		if strings.Contains(thought, strings.TrimSpace(s.thought.text.String())) {
			s.thought.set(thought)
			return
		}
	}
	last.thought.set(thought)
}

// finish ends the run; calls that were not answered are over too.
func (a *answer) finish(b core.RunEnd) {
	b.Error, b.Hint = safe.Text(b.Error), safe.Text(b.Hint)
	a.end, a.busy = &b, ""
	a.view.whole = drawn{} // what may be chosen depends on it
	if b.Turns > 0 {
		a.facts.turn = b.Turns
	}
	for _, c := range a.calls {
		switch {
		case c.over:
		case runlog.Waits(b):
			c.wait()
		case c.state != "":
			c.over, c.state = true, core.NodeCancelled
		default:
			c.over, c.text = true, "not answered"
		}
	}
}

// ask is what a call asks, from its arguments: the prompt where there is one,
// else the arguments by name.
func ask(args json.RawMessage) string {
	var m map[string]any
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	if d.Decode(&m) != nil {
		return safe.Line(safe.Cut(string(args), maxAsk))
	}
	if s, ok := m["prompt"].(string); ok && len(m) == 1 {
		return safe.Line(safe.Cut(s, maxAsk))
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		v, ok := m[k].(string)
		if !ok {
			raw, err := json.Marshal(m[k])
			if err != nil {
				continue
			}
			v = string(raw)
		}
		parts = append(parts, k+": "+v)
	}
	return safe.Line(safe.Cut(strings.Join(parts, ", "), maxAsk))
}

// experts counts those that were asked.
func (a *answer) experts() int {
	names := map[string]bool{}
	for _, c := range a.calls {
		name, _, _ := strings.Cut(c.name, " ")
		names[name] = true
	}
	return len(names)
}

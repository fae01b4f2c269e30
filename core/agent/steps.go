package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/yaap-chat/yaap/core"
	runs "github.com/yaap-chat/yaap/core/run"
)

// steps keeps what a run has done: its messages, within the frame that takes
// them to disk.
type steps struct {
	*runs.Recorder
	cfg       Config
	modelName string // empty when none is asked

	messages []core.Message // the conversation and what this run added
	first    int            // index of the run's first own message
	sources  sources        // that results named
	state
	hooked sync.Mutex // of state.Hooked

	recalled []core.Message      // what memory knows
	answers  map[string]decision // of the user, by the id of the pause
	alive    func()              // told of every sign of life
	pauses   []core.Pause        // that calls wait with
}

// decision is what the user said to a question.
type decision struct {
	core.Answer
	asked core.Pause
}

// state is the checkpoint of a run; its messages are stored beside it.
type state struct {
	Turn   int        `json:"turn"`
	Usage  core.Usage `json:"usage"`
	Agents []string   `json:"agents,omitempty"` // to whom the run was handed, one by the other
	Begun  []string   `json:"begun,omitempty"`  // calls that may have been made, by their ids

	Offered []string `json:"offered,omitempty"` // tools that the model is shown of many, by their names

	// Hooked are the arguments of the calls of this turn that the hooks have let pass, as
	// they left them, by the ids of the calls. Calls of one turn write it at the same time.
	Hooked map[string]json.RawMessage `json:"hooked,omitempty"`
}

// answer is how a run ends well.
type answer struct {
	id       string // of the message that it is stored as; made when empty
	reply    core.Reply
	text     string // as the model wrote it
	thinking string
	fallback bool
	said     core.Status // what it was before a guardrail saw it; empty: the same
	outcome  string      // how the text was read: read, repaired, fallback; or composed by us
}

const roomToGrow = 32 // messages that a run may add before its conversation is copied

func newSteps(cfg Config, scope core.Scope, runner string) *steps {
	frame := &runs.Recorder{Scope: scope, Runner: runner, Journal: cfg.Journal, Sink: cfg.Sink, Now: cfg.Now}
	return &steps{Recorder: frame, cfg: cfg, alive: func() {}}
}

// conduct lets work find the answer of a run within its frame.
func (s *steps) conduct(ctx context.Context, in core.Input, work func(context.Context) (answer, error)) (core.Result, error) {
	if in.Alive != nil {
		s.alive = in.Alive
	}
	saved, err := s.Open(ctx, in.Asked())
	if err != nil {
		return s.finish(ctx, answer{}, err)
	}
	if reply, ok := saved.Final(); ok {
		var st state
		_ = json.Unmarshal(saved.Last().State, &st) // without it the reply is still the reply
		return core.Result{Reply: reply, Usage: st.Usage, Turns: st.Turn}, nil
	}
	s.recalled = in.Context
	s.restore(in, saved)
	s.emit(s.Scope, core.MemoryOperation{Operation: "load", Status: "start"})
	s.emit(s.Scope, core.MemoryOperation{Operation: "load", Status: "end", Messages: len(s.messages)})
	got, err := work(ctx)
	return s.finish(ctx, got, err)
}

// restore puts the conversation and what the run did before together, by the
// messages' ids.
func (s *steps) restore(in core.Input, saved core.Saved) {
	missing := map[string]bool{} // of the messages that it has stored
	for _, m := range saved.Messages {
		missing[m.ID] = true
	}
	for i := 0; i < len(in.Messages) && len(missing) > 0; i++ {
		delete(missing, in.Messages[i].ID)
	}
	said := sinceCompact(in.Messages)
	s.messages = append(make([]core.Message, 0, len(said)+roomToGrow), said...)
	s.first = slices.IndexFunc(s.messages, func(m core.Message) bool { return m.Run == in.Run }) + 1
	if s.first == 0 { // its question was not stored
		s.first = len(s.messages)
	}
	for _, m := range saved.Messages {
		if missing[m.ID] {
			s.messages = append(s.messages, m)
		}
	}
	// An answer of this run was given because the turns were at an end. It is
	// void now that there are more: the model goes on from what was found. What the
	// user said to a call that waited is in that call's result.
	own := slices.DeleteFunc(s.messages[s.first:], func(m core.Message) bool {
		return m.Run == in.Run && (m.Reply != nil || m.Role == core.RoleUser && !m.Steers())
	})
	s.messages = s.messages[:s.first+len(own)]
	for _, m := range s.messages {
		s.sources.take(m)
	}
	var st state
	if json.Unmarshal(saved.Last().State, &st) == nil {
		s.state = st
	}
	s.answers = map[string]decision{}
	for _, a := range saved.Answers {
		i := slices.IndexFunc(saved.Pauses, func(p core.Pause) bool { return p.ID == a.Pause })
		d := decision{Answer: a}
		if i >= 0 {
			d.asked = saved.Pauses[i]
		}
		s.answers[a.Pause] = d
	}
}

// at is the scope of the present turn.
func (s *steps) at() core.Scope {
	scope := s.Scope
	scope.Turn = s.Turn
	return scope
}

// emit reports an event and keeps it for the next step.
func (s *steps) emit(scope core.Scope, b core.Body) {
	s.alive()
	s.Emit(scope, b)
}

// passing reports an event that is not stored.
func (s *steps) passing(scope core.Scope, b core.Body) {
	s.alive()
	s.Report(scope, b)
}

// announce reports the answer of the run.
func (s *steps) announce(a answer) answer {
	s.emit(s.at(), core.FinalOutput{Reply: a.reply, Fallback: a.fallback})
	return a
}

func (s *steps) newMessage(role core.Role, text string) core.Message {
	return core.Message{ID: runs.NewID(), Run: s.Scope.Run, Role: role, Name: s.Scope.Agent, Text: text, Time: s.cfg.Now()}
}

// step adds messages to the conversation and stores them with the events so
// far. It returns when they are on disk.
func (s *steps) step(ctx context.Context, messages ...core.Message) error {
	s.messages = append(s.messages, messages...)
	return s.put(ctx, messages)
}

// put stores messages, the state and what waits. Calls of one turn put at the
// same time.
func (s *steps) put(ctx context.Context, messages []core.Message) error {
	rows, err := s.rows(messages)
	if err != nil {
		return err
	}
	return s.Put(ctx, rows...)
}

func (s *steps) rows(messages []core.Message) ([]core.Row, error) {
	rows := make([]core.Row, 0, len(messages)+1)
	for _, m := range messages {
		rows = append(rows, core.MessageRow{Thread: s.Scope.Thread, Message: m})
	}
	s.hooked.Lock()
	step, err := s.Step(&s.state)
	s.hooked.Unlock()
	return append(rows, step), err
}

// finish stores how the run ended and closes it.
func (s *steps) finish(ctx context.Context, got answer, cause error) (core.Result, error) {
	result := core.Result{Reply: got.reply, Usage: s.Usage, Turns: s.Turn}
	if ctx.Err() != nil && got.reply.Status == "" { // what was found before the cancel arrived is an answer
		cause = core.Cancelled(ctx)
		if err := s.keep(s.cancelledCalls(cause)); err != nil {
			return result, err
		}
		return result, cmp.Or(s.Abort(ctx, s.Ending(result, cause)), cause)
	}
	if errors.Is(cause, errWaits) {
		return s.wait(ctx, result)
	}
	var last []core.Message
	if got.reply.Status != "" {
		message := s.newMessage(core.RoleAssistant, got.text)
		message.ID = cmp.Or(got.id, message.ID)
		message.Reply, message.Thinking, message.Model = &got.reply, got.thinking, s.modelName
		last = append(last, message)
		s.audit(message, got)
	}
	return result, cmp.Or(s.store(ctx, s.Ending(result, cause), last), cause)
}

// store takes the last messages of the run and how it ended to disk, and reports
// that.
func (s *steps) store(ctx context.Context, end core.RunEnd, last []core.Message) error {
	s.emit(s.Scope, core.MemoryOperation{Operation: "store", Status: "start", Messages: len(last)})
	err := s.keep(last)
	if err == nil {
		err = s.Store(ctx, end)
	}
	if err != nil {
		s.passing(s.Scope, core.MemoryOperation{Operation: "store", Status: "fail", Error: err.Error()})
	} else {
		s.emit(s.Scope, core.MemoryOperation{Operation: "store", Status: "end", Messages: len(last)})
	}
	s.Close(ctx, end, err)
	return err
}

// keep adds the last messages of the run to its conversation, and holds them and
// its state for the step that ends it.
func (s *steps) keep(last []core.Message) error {
	s.messages = append(s.messages, last...)
	rows, err := s.rows(last)
	s.Queue(rows...)
	return err
}

// errWaits says that calls wait for the user.
var errWaits = errors.New("a call waits for the user")

// wait stores that the run waits for the user, and closes it until there is an
// answer.
func (s *steps) wait(ctx context.Context, result core.Result) (core.Result, error) {
	result.Pauses, s.Begun = s.pauses, nil // all others have their results
	p := s.pauses[0]
	result.Reply = core.Reply{Status: core.StatusClarification, Message: p.Question, Data: map[string]any{"pause": p.ID}}
	s.announce(answer{reply: result.Reply})
	question := s.newMessage(core.RoleAssistant, p.Question)
	question.ID, question.Reply = s.Scope.Run+"/"+p.ID, &result.Reply
	for _, p := range s.pauses {
		if p.Run == s.Scope.Run { // the others were stored by who asks
			s.Queue(p)
		}
	}
	end := s.Ending(result, nil)
	end.Outcome = "interrupted"
	return result, s.store(ctx, end, []core.Message{question})
}

// audit keeps the reply of a message for the audit log.
func (s *steps) audit(m core.Message, got answer) {
	s.QueueAudit(core.AuditRow{
		ID: m.ID, Time: m.Time, Actor: s.actor(), Node: s.Scope.Node,
		AuditReply: core.Audited(got.reply, cmp.Or(got.said, got.reply.Status), got.text, cmp.Or(got.outcome, "composed")),
		Model:      s.modelName, Tokens: s.Usage.Total(),
	})
}

// actor is who speaks: the runner, or the agent that it was handed to.
func (s *steps) actor() string {
	if len(s.Agents) == 0 {
		return s.Runner
	}
	return "agent/" + s.Scope.Agent
}

// unanswered returns the calls of the last turn that have no result yet.
func (s *steps) unanswered() []core.Call {
	results := map[string]bool{}
	for i := len(s.messages) - 1; i >= s.first; i-- {
		switch m := s.messages[i]; {
		case m.Role == core.RoleTool:
			results[m.CallID] = true
		case m.Role == core.RoleUser: // what a call that waited was answered
		case len(m.Calls) > 0:
			var calls []core.Call
			for _, c := range m.Calls {
				if !results[c.ID] {
					calls = append(calls, c)
				}
			}
			return calls
		default:
			return nil
		}
	}
	return nil
}

// cancelledCalls answers the calls that the cancel cut off, so that the
// history stays one that a model can go on from.
func (s *steps) cancelledCalls(why error) []core.Message {
	var messages []core.Message
	for _, c := range s.unanswered() {
		result := core.ToolFailure(core.ToolError, core.ToolCodeCancelled, "cut off before it answered: "+why.Error())
		messages = append(messages, s.resultMessage(c, result))
	}
	return messages
}

// answered returns a history as models want it: behind every message that asks
// for calls stand their results, in the order of the calls. Stored results
// stand in the order in which they came, and those of a run that was cut off
// are missing; for these one is made up. It may be messages itself.
func answered(messages []core.Message) []core.Message {
	if inOrder(messages) {
		return messages
	}
	type key struct{ run, call string }
	results := map[key]core.Message{}
	for _, m := range messages {
		if m.Role == core.RoleTool {
			results[key{m.Run, m.CallID}] = m
		}
	}
	list := make([]core.Message, 0, len(messages))
	for _, m := range messages {
		if m.Role == core.RoleTool {
			continue
		}
		list = append(list, m)
		for _, c := range m.Calls {
			result, ok := results[key{m.Run, c.ID}]
			if !ok {
				lost := core.ToolFailure(core.ToolError, core.ToolCodeCancelled, "it was cut off before it answered")
				result = core.Message{Run: m.Run, Role: core.RoleTool, Name: c.Tool, CallID: c.ID, Text: envelope(c.Tool, lost), Result: &lost}
			}
			list = append(list, result)
		}
	}
	return list
}

// inOrder reports whether the results of calls, and no others, stand behind the message
// that asks for them, in the order of the calls.
func inOrder(messages []core.Message) bool {
	var due []core.Call // that have had no result yet
	var run string      // that asks for them
	for i := range messages {
		switch m := &messages[i]; {
		case m.Role != core.RoleTool && len(due) == 0:
			due, run = m.Calls, m.Run
		case m.Role == core.RoleTool && len(due) > 0 && m.Run == run && m.CallID == due[0].ID:
			due = due[1:]
		default:
			return false
		}
	}
	return len(due) == 0
}

// question is what a conversation asks: the last message of the user.
func question(messages []core.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == core.RoleUser {
			return messages[i].Text
		}
	}
	return ""
}

// envelope is a call's result as a model reads it.
func envelope(tool string, r core.ToolResult) string {
	body := struct {
		Status    core.ToolStatus `json:"status"`
		Code      core.ToolCode   `json:"code,omitempty"`
		Tool      string          `json:"tool"`
		Answer    core.Status     `json:"answer_status,omitempty"`
		Result    string          `json:"result"`
		Data      map[string]any  `json:"data,omitempty"`
		LeftOut   string          `json:"data_left_out,omitempty"`
		Truncated bool            `json:"truncated,omitempty"`
	}{r.Status, r.Code, tool, "", r.Text, r.Data, "", r.Truncated}
	if r.Reply != nil {
		body.Answer = r.Reply.Status
	}
	raw, err := json.Marshal(body)
	if err != nil || len(raw) > 2*maxResultText {
		body.Data, body.LeftOut = nil, "it is no JSON"
		if err == nil {
			body.LeftOut = fmt.Sprintf("it is too large: with it the result has %s", size(len(raw)))
		}
		raw, _ = json.Marshal(body) // strings
	}
	return string(raw)
}

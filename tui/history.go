package tui

import (
	"slices"
	"time"

	"yaap/core"
	"yaap/core/safe"
)

// A stored conversation is told as it was told live: what the user said and what
// was reported is taken by the same chat, in the order of time.

// restore shows a stored conversation, the last of it.
func (c *chat) restore(messages []core.Message, events []core.Event) {
	part, from := latest(messages, "")
	old := c.retell(part, events)
	c.items, c.runs, c.log, c.earlier = old.items, old.runs, old.log, from > 0
	if line := c.room.line; line != nil {
		line.tight = len(c.items) == 0
		line.version++
		c.items = append(c.items, line)
	}
}

// prepend shows older messages above those that are shown.
func (c *chat) prepend(messages []core.Message, events []core.Event) {
	part, from := latest(messages, c.firstRun())
	old := c.retell(part, events)
	for run, a := range old.runs {
		if c.runs[run] == nil {
			c.runs[run] = a
		}
	}
	c.log.Before(&old.log)
	if s, ok := c.items[0].(*spoken); ok {
		s.first = false
		s.version++
	}
	c.items = append(old.items, c.items...)
	c.top += len(old.items)
	if c.sel >= 0 {
		c.sel += len(old.items)
	}
	c.earlier = from > 0
	c.limit = len(c.items) + resident
}

// firstRun is the run of the first answer that is shown.
func (c *chat) firstRun() string {
	for _, it := range c.items {
		if a, ok := it.(*answer); ok && a.run != "" {
			return a.run
		}
	}
	return ""
}

// latest returns the messages from the last prompts on that are to be shown at
// once, or those before the prompt of a run, and how many there are before them.
func latest(messages []core.Message, before string) (part []core.Message, from int) {
	prompts, to := 0, len(messages)
	if before != "" {
		to = max(slices.IndexFunc(messages, func(m core.Message) bool { return m.Run == before }), 0)
	}
	for from = to; from > 0 && prompts < resident/2; from-- {
		if messages[from-1].Role == core.RoleUser {
			prompts++
		}
	}
	return messages[from:to], from
}

// between are the times in which what was reported of a part of the messages lies:
// it begins with what was found in the first prompt, before that was stored.
func between(messages, part []core.Message, from int) (after, before time.Time) {
	if from > 0 {
		after = messages[from-1].Time
	}
	if next := from + len(part); next < len(messages) {
		before = messages[next].Time
	}
	return after, before
}

// retell tells a part of a conversation to a chat of its own. What was cut off is
// over: nobody works on it here.
func (c *chat) retell(messages []core.Message, events []core.Event) *chat {
	old := newChat(c.canvas.pen, c.thread, c.title, c.started)
	t := teller{
		chat: &old, thread: c.thread, events: events,
		thinking: map[string]string{}, streams: map[string]string{}, known: map[string]bool{},
	}
	for _, e := range events {
		if _, ok := e.Body.(core.RunStart); ok {
			t.known[e.Run] = true
		}
	}
	for _, m := range messages {
		if len(m.Calls) > 0 {
			t.thinking[m.ID] = m.Thinking
		}
	}
	for _, m := range messages {
		t.until(m.Time)
		if m.Role == core.RoleUser {
			t.say(m)
		}
		if !t.known[m.Run] {
			t.tell(t.reported(m)...)
		}
	}
	t.until(time.Time{})
	var last *answer
	for _, it := range old.items {
		if a, ok := it.(*answer); ok && a.running() {
			a.finish(core.RunEnd{Outcome: "interrupted", Code: core.CodeStopped, Error: "this answer was interrupted"})
			last = a
			old.log.Cut(a.run)
		}
	}
	if n := len(old.items); n > 0 && last != nil && old.items[n-1] == item(last) {
		last.end.Hint = "/continue goes on with it"
	}
	return &old
}

// teller tells a chat what was stored.
type teller struct {
	chat     *chat
	events   []core.Event // that were not told yet
	held     []core.Event // of the prompt that comes next
	known    map[string]bool
	thinking map[string]string // of messages that ask for calls, by their ids: it was streamed
	streams  map[string]string // the last request to a model, by run

	thread string
	asked  time.Time // when the last prompt was said
	turns  int       // of a run without events
}

// until tells what was reported before a time; zero: all.
func (t *teller) until(end time.Time) {
	n := len(t.events)
	if !end.IsZero() {
		n = slices.IndexFunc(t.events, func(e core.Event) bool { return !e.Time.Before(end) })
		if n < 0 {
			n = len(t.events)
		}
	}
	for _, e := range t.events[:n] {
		if e.Run == "" { // it was found in a prompt that was not stored yet
			t.held = append(t.held, e)
			continue
		}
		t.tell(e)
	}
	t.events = t.events[n:]
}

func (t *teller) tell(events ...core.Event) {
	for _, e := range events {
		switch b := e.Body.(type) {
		case core.LLMCallStart:
			t.streams[e.Run] = b.Call
		case core.AssistantMessage:
			if text := t.thinking[b.ID]; text != "" {
				t.chat.apply(core.Event{Time: e.Time, Scope: e.Scope, Body: core.Delta{Stream: t.streams[e.Run], Field: core.FieldThought, Text: text}})
			}
		default:
		}
		t.chat.apply(e)
	}
}

// say tells what the user said: a prompt, with what was found in it, or the
// answer to what a run asked.
func (t *teller) say(m core.Message) {
	c := t.chat
	c.local = nil // what was said before and never begun with
	a := c.ask(m.Text, m.Time)
	t.asked, t.turns = m.Time, 0
	held := t.held
	t.held = nil
	t.tell(held...)
	if c.runs[m.Run] == nil && m.Run != "" {
		a.run, c.runs[m.Run], c.local = m.Run, a, nil
	}
}

// reported is what a message tells of whose run no events are stored.
func (t *teller) reported(m core.Message) []core.Event {
	scope := core.Scope{Thread: t.thread, Run: m.Run, Trace: m.Run}
	var bodies []core.Body
	switch m.Role {
	case core.RoleTool:
		end := core.ToolCallEnd{Call: m.CallID, Tool: m.Name, Status: core.ToolSuccess, Text: m.Text, MS: -1}
		if m.Result != nil {
			end.Status, end.Text = m.Result.Status, m.Result.Text
		}
		bodies = append(bodies, end)
	case core.RoleAssistant:
		t.turns++
		bodies = append(bodies, core.AgentProcessing{Model: m.Model})
		if len(m.Calls) > 0 {
			bodies = append(bodies, core.AssistantMessage{ID: m.ID, Text: m.Text, Calls: len(m.Calls)}, core.ToolRequests{Calls: m.Calls})
			break
		}
		reply := core.Reply{Status: core.StatusSuccess, Message: m.Text, Thought: m.Thinking}
		if m.Reply != nil {
			reply = *m.Reply
		}
		end := core.RunEnd{Outcome: "completed", Status: reply.Status, Turns: t.turns, MS: max(m.Time.Sub(t.asked).Milliseconds(), 0)}
		if reply.Status == core.StatusClarification {
			end.Outcome = "interrupted"
		}
		bodies = append(bodies, core.FinalOutput{Reply: reply}, end)
	default:
	}
	scope.Turn = t.turns
	events := make([]core.Event, len(bodies))
	for i, b := range bodies {
		events[i] = core.Event{Time: m.Time, Scope: scope, Body: b}
	}
	return events
}

// recall makes what the user said in a conversation the input's history.
func (in *input) recall(messages []core.Message) {
	for _, m := range messages[max(0, len(messages)-4*maxHistory):] {
		if text := safe.Text(m.Text); m.Role == core.RoleUser && len(text) < chipOver {
			in.history = append(in.history, text)
		}
	}
	in.history = in.history[max(0, len(in.history)-maxHistory):]
	in.at = len(in.history)
}

package tui

import (
	"time"

	"yaap/core"
	"yaap/core/safe"
)

// restore shows a stored conversation, the last items of it.
func (c *chat) restore(messages []core.Message) {
	items := rebuild(messages)
	c.items, c.runs = c.items[:0], map[string]*answer{}
	c.earlier = len(items) > c.limit
	if c.earlier {
		items = items[len(items)-c.limit:]
	}
	for i, it := range items {
		switch it := it.(type) {
		case *answer:
			c.runs[it.run] = it
		case *spoken:
			it.first = i == 0
		}
	}
	c.items = append(c.items, items...)
	if line := c.room.line; line != nil {
		line.tight = len(c.items) == 0
		line.version++
		c.items = append(c.items, line)
	}
}

// rebuild makes the items of a stored conversation. How long a call took is not
// stored, so none is shown.
func rebuild(messages []core.Message) []item {
	var (
		items []item
		a     *answer
		asked core.Message
	)
	begin := func(m core.Message) {
		if a == nil {
			a = newAnswer(asked.Text, m.Time)
			a.run = m.Run
			items = append(items, a)
		}
	}
	finish := func(hint string) {
		if asked.ID != "" {
			begin(asked)
		}
		if a != nil && a.running() {
			a.finish(core.RunEnd{Outcome: "interrupted", Code: core.CodeStopped, Error: "this answer was interrupted", Hint: hint})
		}
		a, asked = nil, core.Message{}
	}
	for _, m := range messages {
		switch m.Role {
		case core.RoleUser:
			finish("")
			asked = m
			items = append(items, newSpoken(m.Text, false))
		case core.RoleAssistant:
			begin(m)
			a.recall(m, asked.Time)
		case core.RoleTool:
			begin(m)
			a.recallResult(m)
		}
	}
	finish("/continue goes on with it")
	return items
}

// recall takes a stored message of the model.
func (a *answer) recall(m core.Message, asked time.Time) {
	scope := core.Scope{Run: a.run, Turn: len(a.steps) + 1}
	a.facts.model = safe.Line(m.Model)
	if len(m.Calls) > 0 {
		s := a.step(scope.Turn)
		s.thought.set(safe.Text(m.Thinking))
		a.reason(s, safe.Text(m.Text))
		for _, c := range m.Calls {
			a.call(core.Event{Scope: scope}, c.ID, c.Tool, "", c.Args)
		}
		return
	}
	reply := m.Reply
	if reply == nil {
		reply = &core.Reply{Status: core.StatusSuccess, Message: m.Text, Thought: m.Thinking}
	}
	a.final(scope.Turn, core.FinalOutput{Reply: *reply})
	end := core.RunEnd{Outcome: "completed", Turns: scope.Turn}
	if d := m.Time.Sub(asked); !asked.IsZero() && d > 0 {
		end.MS = d.Milliseconds()
	}
	a.finish(end)
}

// recallResult takes a stored answer of a tool.
func (a *answer) recallResult(m core.Message) {
	c := a.calls[a.run+"/"+m.CallID]
	if c == nil {
		return
	}
	c.over, c.ok, c.text = true, true, safe.Text(m.Text)
	if m.Result != nil {
		c.ok = m.Result.OK()
	}
}

// prepend shows older messages above those that are shown.
func (c *chat) prepend(messages []core.Message) {
	items := rebuild(messages)
	end := 0
	for _, it := range c.items {
		first, ok := it.(*answer)
		if !ok {
			continue
		}
		for i, old := range items {
			if a, ok := old.(*answer); ok && a.run == first.run {
				end = i
			}
		}
		break
	}
	if _, ok := c.items[0].(*spoken); ok && end > 0 {
		end--
	}
	from := max(end-resident, 0)
	older := items[from:end]
	for _, it := range older {
		if a, ok := it.(*answer); ok && c.runs[a.run] == nil {
			c.runs[a.run] = a
		}
	}
	c.items = append(append([]item(nil), older...), c.items...)
	c.top += len(older)
	if c.sel >= 0 {
		c.sel += len(older)
	}
	c.earlier = from > 0
	c.limit = len(c.items) + resident
}

// remember makes what the user said in a conversation the input's history.
func (in *input) remember(messages []core.Message) {
	for _, m := range messages[max(0, len(messages)-4*maxHistory):] {
		if text := safe.Text(m.Text); m.Role == core.RoleUser && len(text) < chipOver {
			in.history = append(in.history, text)
		}
	}
	in.history = in.history[max(0, len(in.history)-maxHistory):]
	in.at = len(in.history)
}

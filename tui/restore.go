package tui

import (
	"slices"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// A stored conversation is drawn as a live one: its messages and events are applied to a
// chat in the order of time.

// restore shows the last page of a stored conversation.
func (c *chat) restore(p core.Page) {
	old := c.replayPage(p)
	c.items, c.runs, c.log, c.earlier = old.items, old.runs, old.log, p.Earlier
	if line := c.room.line; line != nil {
		line.tight = len(c.items) == 0
		line.version++
		c.items = append(c.items, line)
	}
}

// below notes that the first item has something above it.
func (c *chat) below() {
	if s, ok := c.items[0].(*spoken); ok {
		s.first = false
		s.version++
	}
}

// prepend puts an older page above what is shown.
func (c *chat) prepend(old *chat, earlier bool) {
	for run, a := range old.runs {
		if c.runs[run] == nil {
			c.runs[run] = a
		}
	}
	c.log.Prepend(&old.log)
	c.below()
	c.items = append(old.items, c.items...)
	c.top += len(old.items)
	if c.sel >= 0 {
		c.sel += len(old.items)
	}
	c.earlier = earlier
	c.limit = len(c.items) + resident
}

// firstRun is the first run that is shown and stored: a prompt that was refused is
// not.
func (c *chat) firstRun() string {
	for _, it := range c.items {
		if a, ok := it.(*answer); ok && (a.begun() || a.run.State() == core.NodeCancelled) {
			return a.run.ID
		}
	}
	return ""
}

// replayPage applies a page of a conversation to a new chat. Runs that were cut off are
// shown as ended: nothing here works on them.
func (c *chat) replayPage(p core.Page) *chat {
	old := newChat(c.canvas.pen, c.thread, c.title, c.started)
	thinking := map[string]string{}
	for _, m := range p.Messages {
		thinking[m.ID] = m.Thinking
	}
	events := p.Events
	var held []core.Event // of the prompt that comes next: they were found before it was stored
	tell := func(before time.Time) {
		for len(events) > 0 && (before.IsZero() || events[0].Time.Before(before)) {
			e := events[0]
			events = events[1:]
			e.Thread = c.thread // of the conversation that this one goes on from, it is told here
			if e.Run == "" {
				held = append(held, e)
				continue
			}
			if m, ok := e.Body.(core.AssistantMessage); ok {
				old.log.SetThought(e, thinking[m.ID])
			}
			old.apply(e)
		}
	}
	for _, m := range p.Messages {
		if m.Role != core.RoleUser || m.Steers() { // what was said to a run in progress, that tells
			continue
		}
		tell(m.Time)
		old.cutOff() // what was said before and never begun with
		old.ask(core.Reattached(m.Text), m.Run, m.Time)
		for _, e := range held {
			old.apply(e)
		}
		held = nil
	}
	tell(time.Time{})
	if last := old.cutOff(); last != nil {
		last.run.End.Hint = "/continue goes on with it"
	}
	return &old
}

// cutOff ends the runs that go on. It returns the last item if it was one of them.
func (c *chat) cutOff() (last *answer) {
	for _, it := range c.items {
		a, ok := it.(*answer)
		if last = nil; ok && a.running() {
			a.run.CutOff()
			a.draft, a.busy, last = draft{}, "", a
			a.touch()
		}
	}
	return last
}

// recall puts the prompts of earlier sessions before those of this one.
func (in *input) recall(said []string) {
	var earlier []string
	for _, text := range said {
		if text = safe.Text(core.Reattached(text)); len(text) < chipOver {
			earlier = append(earlier, text)
		}
	}
	n := len(in.history)
	in.history = append(slices.Compact(earlier), in.history...)
	in.history = in.history[max(0, len(in.history)-maxHistory):]
	in.at += len(in.history) - n
}

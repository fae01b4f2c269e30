package tui

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
)

// call is a row of the tree below an answer: the use of a tool, or the visit of a
// node, with the calls of the run that it started.
type call struct {
	name, ask string
	prompt    bool // it asks in words
	began     time.Time
	took      time.Duration // negative: unknown
	over, ok  bool
	again     bool           // it was made before, and it is not known whether it was answered
	text      string         // the answer or the error
	state     core.NodeState // where it is a node of a chain, or waits
	said      string         // the last that the run it started thought
	progress  core.ToolCallProgress
	calls     []*call
}

// calls are the tree below a run: its calls, or the visits of its nodes.
func (a *answer) calls(r *runlog.Run) (calls []*call) {
	if r == nil {
		return nil
	}
	if _, chain := r.Chain(); chain {
		for _, s := range steps(r) {
			calls = append(calls, a.visited(r, s.visit))
		}
		return calls
	}
	return a.called(r, r.Calls())
}

// called are calls of a run.
func (a *answer) called(r *runlog.Run, of []*runlog.Call) (calls []*call) {
	for _, x := range of {
		if x.Tool == "update_todo" && x.End != nil && x.End.Status == core.ToolSuccess { // the list itself is shown
			continue
		}
		below := r.Called(x)
		c := &call{
			name: callName(safe.Line(x.Tool), safe.Line(x.Expert)), ask: runlog.Asked(x.Args), prompt: asksInWords(x.Args), began: x.Began, took: -1, again: x.Again,
			said: a.thinks(below), progress: a.progress[r.ID+"/"+x.ID], calls: a.calls(below),
		}
		switch {
		case x.Waits:
			c.wait()
		case x.End != nil:
			c.over, c.ok, c.text = true, x.End.Status == core.ToolSuccess, safe.Text(x.End.Text)
			c.took = time.Duration(x.End.MS) * time.Millisecond
		case a.run.End != nil && runlog.Waits(*a.run.End):
			c.wait()
		case a.run.End != nil:
			c.over, c.text = true, "not answered"
		}
		calls = append(calls, c)
	}
	return calls
}

// wait shows that a call waits for the user.
func (c *call) wait() { c.over, c.state = true, core.NodePaused }

// visited is a visit of a node.
func (a *answer) visited(r *runlog.Run, v *runlog.Visit) *call {
	below := r.Visited(v)
	c := &call{name: safe.Cut(v.Node, 40), ask: runlog.Asked(v.Input), began: v.Began, took: -1, state: v.State(), said: a.thinks(below), calls: a.calls(below)}
	switch {
	case v.End != nil:
		c.over, c.ok, c.took = true, v.End.State != core.NodeFailed, time.Duration(v.End.MS)*time.Millisecond
		c.text, c.said = safe.Text(safe.Cut(v.End.Message, 2*maxAsk)), safe.Cut(v.End.Thought, maxAsk)
		if v.End.State == core.NodeFailed && v.End.Error != "" {
			c.text = safe.Text(safe.Cut(v.End.Error, 2*maxAsk))
		}
	case a.run.End != nil && runlog.Waits(*a.run.End):
		c.wait()
	case a.run.End != nil:
		c.over, c.state = true, core.NodeCancelled
	}
	return c
}

// thinks is the last that a run below the answer thought.
func (a *answer) thinks(r *runlog.Run) string {
	switch {
	case r == nil:
		return ""
	case r.Final != nil:
		return safe.Line(safe.Cut(r.Final.Reply.Thought, maxAsk))
	}
	return a.said[r.ID]
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

// asksInWords reports whether a prompt is all that a call is given.
func asksInWords(args json.RawMessage) bool {
	var m map[string]any
	if json.Unmarshal(args, &m) != nil || len(m) != 1 {
		return false
	}
	_, ok := m["prompt"].(string)
	return ok
}

package offline

import (
	"encoding/json"
	"fmt"
	"slices"

	"yaap/core"
)

// The bounds of one prompt's work.
const (
	maxRounds   = 6 // rounds of calls for one prompt
	maxAttempts = 2 // experts asked for one part
)

// progress is how far a plan is.
type progress struct {
	*plan
	talk     talk
	exists   func(string) bool
	steps    []doing
	leftover []made // calls of this prompt that belong to no step any more
}

// doing is a step on its way to an answer.
type doing struct {
	*step
	asked  string           // the text, with an earlier result put in
	pick   candidate        // who is to be asked, or was
	call   *core.Call       // to be made now
	result *core.ToolResult // what came of it
	tried  []attempt        // who failed before
	near   []lacking        // tools that come close and cannot be called
	waits  bool             // for an earlier step's result
	failed bool             // an earlier step it needs failed
}

// attempt is a call that came to nothing.
type attempt struct {
	who    string
	result core.ToolResult
}

func newProgress(p *plan, t talk, exists func(string) bool) *progress {
	now := &progress{plan: p, talk: t, exists: exists, steps: make([]doing, len(p.steps))}
	used := make([]bool, len(t.made))
	next := t.calls
	for i := range p.steps {
		now.steps[i] = doing{step: &p.steps[i]}
		now.settle(i, used, &next)
	}
	for i, m := range t.made {
		if !used[i] {
			now.leftover = append(now.leftover, m)
		}
	}
	return now
}

// settle finds out what a step asks whom, and whether it has been asked.
func (p *progress) settle(i int, used []bool, next *int) {
	s := &p.steps[i]
	candidates := p.resolve(i)
	if m, ok := p.answered(s.asked, used); ok {
		s.pick, s.result = candidate{tool: &tool{spec: core.ToolSpec{Name: m.call.Tool}, owner: p.ownerOf(m.call.Tool)}}, m.result
		return
	}
	for _, c := range candidates {
		if s.waits || s.failed || len(s.tried) >= maxAttempts {
			break
		}
		args, lacks := arguments(c.tool.spec, s.asked, p.exists)
		if c.worth < callable && lacks == nil {
			break
		}
		if lacks != nil {
			if s.near = append(s.near, *lacks); len(s.near) >= maxClose {
				break
			}
			continue
		}
		if len(s.near) > 0 && c.worth < candidates[0].worth-near {
			break // a tool that fits better cannot be called: nobody else is meant
		}
		if twin := p.twin(i, c.tool.spec.Name, args); twin != nil {
			s.pick, s.call, s.result = c, twin.call, twin.result
			return
		}
		m, ok := p.made(c.tool.spec.Name, args, used)
		if !ok {
			*next++
			s.pick = c
			s.call = &core.Call{ID: fmt.Sprintf("call_%d", *next), Tool: c.tool.spec.Name, Args: args, Bid: c.bid}
			return
		}
		result := core.ToolFailure(core.ToolError, core.ToolCodeExpertLeft, "")
		if m.result != nil {
			result = *m.result
		}
		if gone(result) || !succeeded(result) && !asks(result) && s.to == "" && better(candidates, c) {
			s.tried = append(s.tried, attempt{c.tool.owner, result})
			continue
		}
		s.pick, s.result = c, &result
		return
	}
	if len(s.tried) == 0 && len(s.near) == 0 && !s.waits && !s.failed { // who was asked is not here any more
		if m, ok := p.asked(s.asked, used); ok {
			s.pick, s.result = candidate{tool: &tool{owner: p.ownerOf(m.call.Tool)}}, m.result
		}
		return
	}
	if n := len(s.tried) - 1; n >= 0 && s.result == nil && !gone(s.tried[n].result) { // nobody is left
		s.result, s.pick = &s.tried[n].result, candidate{tool: &tool{owner: s.tried[n].who}}
		s.tried = s.tried[:n]
	}
}

// better reports whether somebody else may be asked after c.
func better(candidates []candidate, c candidate) bool {
	i := slices.IndexFunc(candidates, func(o candidate) bool { return o.tool == c.tool })
	return i+1 < len(candidates) && candidates[i+1].worth >= callable
}

// resolve puts an earlier result where the step wants it, and says who may be
// asked then.
func (p *progress) resolve(i int) []candidate {
	s := &p.steps[i]
	s.asked = s.text
	if len(s.frames) == 0 || i == 0 {
		return s.candidates
	}
	before := &p.steps[i-1]
	switch {
	case before.result == nil:
		s.waits = before.call != nil || before.waits
		s.failed = !s.waits
		return nil
	case !succeeded(*before.result):
		s.failed = true
		return nil
	}
	value := valueOf(*before.result, before.text)
	k := kindOfValue(value)
	for _, f := range s.frames {
		if list := f.candidates[k]; len(list) > 0 {
			s.asked = f.with(value)
			return list
		}
	}
	for _, f := range s.frames { // of another kind than was thought of
		for _, other := range kinds() {
			if list := f.candidates[other]; len(list) > 0 {
				s.asked = f.with(value)
				return list
			}
		}
	}
	return nil
}

// made is the call that was made already with these arguments.
func (p *progress) made(tool string, args json.RawMessage, used []bool) (made, bool) {
	for i, m := range p.talk.made {
		if m.call.Tool == tool && sameJSON(m.call.Args, args) {
			used[i] = true
			return m, true
		}
	}
	return made{}, false
}

// answered is the call of this prompt that asked somebody this text and was
// answered, whoever is in the room by now.
func (p *progress) answered(text string, used []bool) (made, bool) {
	m, ok := p.asked(text, nil)
	if !ok || !succeeded(*m.result) && !asks(*m.result) {
		return made{}, false
	}
	return p.asked(text, used)
}

// asked is the call of this prompt that asked somebody this text.
func (p *progress) asked(text string, used []bool) (made, bool) {
	for i, m := range p.talk.made {
		if promptOf(m.call) == text && m.result != nil && (used == nil || !used[i]) {
			if used != nil {
				used[i] = true
			}
			return m, true
		}
	}
	return made{}, false
}

// twin is the earlier step that makes the same call.
func (p *progress) twin(i int, tool string, args json.RawMessage) *doing {
	for j := range p.steps[:i] {
		if c := p.steps[j].call; c != nil && c.Tool == tool && sameJSON(c.Args, args) {
			return &p.steps[j]
		}
	}
	return nil
}

// pending lists the calls that can be made now, each once.
func (p *progress) pending() []core.Call {
	var calls []core.Call
	for _, s := range p.steps {
		if s.call != nil && s.result == nil && !slices.ContainsFunc(calls, func(c core.Call) bool { return c.ID == s.call.ID }) {
			calls = append(calls, *s.call)
		}
	}
	return calls
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	i, errI := json.Marshal(x)
	j, errJ := json.Marshal(y)
	return errI == nil && errJ == nil && string(i) == string(j)
}

// gone reports whether the expert left before it answered.
func gone(r core.ToolResult) bool {
	return r.Code == core.ToolCodeExpertLeft || r.Code == core.ToolCodeNotFound
}

func succeeded(r core.ToolResult) bool {
	if !r.OK() {
		return false
	}
	return r.Reply == nil || r.Reply.Status == core.StatusSuccess || r.Reply.Status == core.StatusCompleted || r.Reply.Status == ""
}

func asks(r core.ToolResult) bool {
	return r.Reply != nil && r.Reply.Status == core.StatusClarification
}

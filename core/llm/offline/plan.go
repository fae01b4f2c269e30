package offline

import (
	"encoding/json"
	"fmt"
	"strings"

	"yaap/core"
	"yaap/core/llm"
)

// The bounds of one prompt's work, and of a guess.
const (
	maxRounds   = 5 // rounds of calls for one prompt
	maxAttempts = 2 // experts asked for one part

	equalFit = 0.02 // apart, and two fit equally well

	likely = 0.15 // fit that is enough to go on with the same expert
)

// turn is what the model does with one request: it calls, or it answers.
type turn struct {
	thinking string
	calls    []core.Call
	text     string
}

// step is one part of the prompt on its way to an answer.
type step struct {
	part
	prompt string // what is asked: the part, complete in itself
	fits   []match
	near   []lacking        // tools that come close and are not called, the closest first
	pick   *profile         // who is to be asked, or was
	score  float64          // how well it fits
	why    match            //
	call   *core.Call       // to be made now
	result *core.ToolResult // what came of it
	waits  bool             // for an earlier step's result
	failed bool             // an earlier step it needs failed
	lost   []string         // the tools that were asked and left before answering
}

func decide(req llm.Request, exists func(string) bool) turn {
	t := newTalk(req.Messages)
	if reply, ok := t.ownReply(); ok && (req.NoCalls || len(req.Schema) > 0) {
		return turn{text: reply}
	}
	r := newRoom(req.Tools, exists)
	if len(t.made) == 0 {
		if reply, ok := r.social(t.prompt); ok {
			return turn{text: encode(reply)}
		}
	}
	p := newPlan(r, t)
	mayCall := !req.NoCalls && len(req.Schema) == 0 && t.rounds < maxRounds
	if calls := p.pending(); mayCall && len(calls) > 0 {
		return turn{thinking: p.explain(), calls: calls}
	}
	return turn{text: encode(p.compose(len(req.Schema) > 0))}
}

// plan is what is to be done about a prompt, and how far it is.
type plan struct {
	room     *room
	talk     talk
	steps    []step
	leftover []made // calls of this prompt that belong to no step any more
}

func newPlan(r *room, t talk) *plan {
	p := &plan{room: r, talk: t}
	parts := r.parts(t)
	used := make([]bool, len(t.made))
	next := t.calls
	for _, part := range parts {
		s := step{part: part}
		p.settle(&s, used, &next)
		p.steps = append(p.steps, s)
	}
	for i, m := range t.made {
		if !used[i] {
			p.leftover = append(p.leftover, m)
		}
	}
	return p
}

// settle finds out what a step asks whom, and whether it has been asked.
func (p *plan) settle(s *step, used []bool, next *int) {
	s.prompt = s.text
	ranked := s.text
	if s.after && len(p.steps) > 0 {
		before := p.steps[len(p.steps)-1]
		switch {
		case before.result == nil:
			s.waits = before.call != nil || before.waits
			s.failed = !s.waits
		case !succeeded(*before.result):
			s.failed = true
		default:
			value := valueOf(*before.result, before.text)
			s.prompt = handOn(s.text, value)
			ranked = handOn(s.text, stand(value))
		}
	}
	if isDate(ranked) {
		ranked = "what date is " + ranked
	}
	s.fits = p.room.rank(s.part, ranked)
	if s.to == "" && p.room.stranger(p.talk.prompt) != "" {
		return // it is meant for somebody who is not here
	}
	if s.waits || s.failed {
		return
	}
	p.attempts(s, used)
	if s.result != nil {
		return
	}
	if len(s.lost) >= maxAttempts {
		return
	}
	best := 0.0
	for _, m := range p.candidates(s) {
		best = max(best, m.score)
		args, lacks := p.room.arguments(m.tool, s.prompt)
		if lacks != nil {
			if len(s.near) < maxClose {
				s.near = append(s.near, *lacks)
			}
			continue
		}
		if len(s.near) > 0 && m.score < best-equalFit {
			break // a tool that fits better cannot be called: nobody else is meant
		}
		s.pick, s.score, s.why = m.tool, m.score, m
		if twin := p.asked(m.tool.spec.Name, args); twin != nil {
			s.call, s.result = twin.call, twin.result
			return
		}
		*next++
		s.call = &core.Call{ID: fmt.Sprintf("call_%d", *next), Tool: m.tool.spec.Name, Args: args}
		return
	}
}

// candidates are those who may be asked: who fits and has not been asked in
// vain. A step that goes on from an earlier one may go to who answered that,
// when it fits nobody by itself.
func (p *plan) candidates(s *step) []match {
	var fit []match
	var before *profile
	if s.after && len(p.steps) > 0 {
		before = p.steps[len(p.steps)-1].pick
	}
	for _, m := range s.fits {
		if m.ok() && !contains(s.lost, m.tool.spec.Name) {
			fit = append(fit, m)
		}
	}
	for _, m := range s.fits {
		if len(fit) == 0 && len(s.lost) == 0 && m.tool == before && m.score >= likely {
			return []match{m}
		}
	}
	return fit
}

// attempts looks for calls that were already made for the step.
func (p *plan) attempts(s *step, used []bool) {
	for i, m := range p.talk.made {
		if !p.isFor(m, s) {
			continue
		}
		used[i] = true
		if m.result == nil || gone(*m.result) {
			s.lost = append(s.lost, m.call.Tool)
			continue
		}
		result := *m.result
		s.result = &result
		s.pick = p.room.find(m.call.Tool)
		if s.pick == nil {
			s.pick = &profile{spec: core.ToolSpec{Name: m.call.Tool}, owner: p.room.ownerName(m.call.Tool)}
		}
		for _, f := range s.fits {
			if f.tool.spec.Name == m.call.Tool {
				s.score, s.why = f.score, f
			}
		}
	}
}

// isFor reports whether a call was made with the step's prompt.
func (p *plan) isFor(m made, s *step) bool {
	var args map[string]any
	if json.Unmarshal(m.call.Args, &args) == nil {
		for _, v := range args {
			if v == s.prompt {
				return true
			}
		}
	}
	tool := p.room.find(m.call.Tool)
	if tool == nil {
		return false
	}
	want, lacks := p.room.arguments(tool, s.prompt)
	return lacks == nil && sameJSON(want, m.call.Args)
}

// asked returns the earlier step of this plan that makes the same call.
func (p *plan) asked(tool string, args json.RawMessage) *step {
	for i := range p.steps {
		if c := p.steps[i].call; c != nil && c.Tool == tool && sameJSON(c.Args, args) {
			return &p.steps[i]
		}
	}
	return nil
}

// pending lists the calls that can be made now, each once.
func (p *plan) pending() []core.Call {
	var calls []core.Call
	seen := map[string]bool{}
	for _, s := range p.steps {
		if s.call != nil && s.result == nil && !seen[s.call.ID] {
			seen[s.call.ID] = true
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

func (r *room) find(tool string) *profile {
	for i := range r.profiles {
		if r.profiles[i].spec.Name == tool {
			return &r.profiles[i]
		}
	}
	return nil
}

func (r *room) ownerName(tool string) string {
	if p := r.find(tool); p != nil {
		return p.owner
	}
	return ownerOf(core.ToolSpec{Name: tool})
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

// quote shows a piece of text in a sentence.
func quote(s string) string {
	s = strings.TrimRight(strings.Join(strings.Fields(s), " "), "?.! ")
	return "“" + short(s, 60) + "”"
}

// short cuts s to about n bytes, at a word where that is possible.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = clip(s, n)
	if i := strings.LastIndexByte(s, ' '); i > n/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, " ,;:.") + "…"
}

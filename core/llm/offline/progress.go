package offline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

// The bounds of one prompt's work.
const (
	maxRounds   = 6   // rounds of calls for one prompt
	maxAttempts = 2   // experts asked for one part
	maxPut      = 100 // bytes of a value that is put into a question
)

// progress is how far a plan is.
type progress struct {
	*plan
	talk     talk
	exists   func(string) bool
	bids     func(texts []string) *auction
	steps    []doing
	leftover []made // calls of this prompt that belong to no step any more
}

// doing is a step on its way to an answer.
type doing struct {
	*step
	asked  string     // the text, with an earlier result put in
	pick   candidate  // who is to be asked
	call   *core.Call // to be made now
	made   *made      // the call that answers it
	tried  []made     // the calls before that came to nothing
	lack   []lacking  // tools that come close and cannot be called
	waits  bool       // for an earlier step's result
	failed bool       // an earlier step it needs failed: nobody is asked
}

func newProgress(p *plan, t talk, exists func(string) bool, bids func([]string) *auction) *progress {
	now := &progress{plan: p, talk: t, exists: exists, bids: bids}
	taken := make([]bool, len(t.made))
	for i := range p.steps {
		now.steps = append(now.steps, doing{step: &p.steps[i], asked: p.steps[i].text})
		now.settle(i, taken)
	}
	for i, m := range t.made {
		if !taken[i] {
			now.leftover = append(now.leftover, m)
		}
	}
	return now
}

// settle finds out what a step asks whom, and what has come of it so far.
func (p *progress) settle(i int, taken []bool) {
	s := &p.steps[i]
	list := p.callable(s, p.resolve(i))
	for j, m := range p.talk.made {
		same := func(o offered) bool { return m.call.Tool == o.tool.spec.Name && core.SameJSON(m.call.Args, o.args) }
		asked := strings.TrimPrefix(s.asked, "@"+p.ownerOf(m)+" ") // who has left is nobody who could be named
		if (promptOf(m.call) != asked || asked == "") && !slices.ContainsFunc(list, same) {
			continue
		}
		taken[j] = true
		list = slices.DeleteFunc(list, func(o offered) bool { return o.tool.spec.Name == m.call.Tool })
		s.tried = append(s.tried, m)
	}
	last := len(s.tried) - 1
	again := len(list) > 0 && len(s.tried) < maxAttempts
	if last >= 0 {
		m := s.tried[last]
		if m.result.Succeeded() || m.result.AsksBack() || !again || s.to != "" && !gone(*m.result) {
			s.made, s.tried = &m, s.tried[:last]
			return
		}
	}
	if again && !s.waits && !s.failed && !s.doubtful() {
		s.pick = list[0].candidate
		s.call = &core.Call{ID: fmt.Sprintf("call_%d", p.talk.calls+i+1), Tool: s.pick.tool.spec.Name, Args: list[0].args, Bid: s.pick.bid}
	}
}

// doubtful reports whether two experts read a step alike, and neither the whole of
// it: the user has to choose.
func (s *doing) doubtful() bool {
	best := byOwner(s.candidates)
	return s.to == "" && len(best) > 1 && best[0].bid != nil && best[0].bid.Score < core.ReadWhole &&
		best[1].bid != nil && best[1].worth >= callable && best[0].worth-best[1].worth < near
}

// offered is a call that could be made.
type offered struct {
	candidate
	args json.RawMessage
}

// callable are the calls that a step could make, the best first. It notes the tools
// that lack an argument; where the best one does, nobody else is meant.
func (p *progress) callable(s *doing, candidates []candidate) (list []offered) {
	for _, c := range candidates {
		args, lacks := arguments(c.tool.spec, s.asked, p.exists)
		if lacks != nil && s.to != "" && p.meant(c, candidates, s.asked) {
			args, lacks = object(c.tool.spec, map[string]any{textOf(c.tool.spec): behindName(c.tool.spec, s.asked)}), nil
		}
		switch {
		case lacks != nil && len(list) == 0 && len(s.lack) < maxClose:
			s.lack = append(s.lack, *lacks)
		case lacks != nil:
		case c.worth < callable, len(s.lack) > 0 && c.worth < candidates[0].worth-near:
			return list
		default:
			list = append(list, offered{c, args})
		}
	}
	return list
}

// meant reports whether a text is for a tool of the expert that the user has named: it is
// the only one that takes one, or the text has a word of its name.
func (p *progress) meant(c candidate, candidates []candidate, text string) bool {
	others := slices.ContainsFunc(candidates, func(o candidate) bool { return o.tool != c.tool && textOf(o.tool.spec) != "" })
	return textOf(c.tool.spec) != "" && (!others || namesPart(text, c.tool.spec))
}

// resolve puts an earlier result where the step wants it, and says who may be
// asked then.
func (p *progress) resolve(i int) []candidate {
	s := &p.steps[i]
	if len(s.frames) == 0 || i == 0 {
		return s.candidates
	}
	before := &p.steps[i-1]
	if before.made == nil || !before.made.result.Succeeded() {
		s.waits = before.made == nil && (before.call != nil || before.waits)
		s.failed = !s.waits
		return nil
	}
	values := valuesOf(*before.made.result, before.text)
	if s.frames[0].candidates == nil {
		return p.readWith(s, values)
	}
	var best []candidate
	for _, value := range values {
		for _, f := range s.frames {
			if list := f.candidates[kindOfValue(value)]; len(list) > 0 && (best == nil || list[0].worth > best[0].worth+near) {
				best, s.asked = list, f.with(value)
			}
		}
	}
	best = slices.Clone(best)
	for i, c := range best { // the bid was on a stand-in
		if c.bid != nil {
			best[i].bid = &core.Bid{Score: c.bid.Score, Reads: s.asked}
		}
	}
	return best
}

// readWith asks who reads a step with one of the values of the result before in it, the
// likeliest first, or else who reads it as it stands.
func (p *progress) readWith(s *doing, values []string) []candidate {
	var texts []string
	for _, value := range values {
		for _, f := range s.frames {
			if len(value) <= maxPut {
				texts = append(texts, f.with(value))
			}
		}
	}
	texts = texts[:min(len(texts), maxTexts)]
	asked := strings.Join(texts, "\n")
	read, known := p.read.Load(asked)
	if !known {
		read = reading{s.text, s.candidates}
		a := p.bids(texts)
		for _, text := range texts {
			if list := a.candidates(text); len(list) > 0 && list[0].worth >= callable && list[0].bid != nil && len(list[0].bid.Needs) == 0 {
				read = reading{text, list}
				break
			}
		}
		p.read.Store(asked, read)
	}
	r, _ := read.(reading)
	s.asked = r.text
	return r.candidates
}

// pending lists the calls that can be made now, each once.
func (p *progress) pending() []core.Call {
	var calls []core.Call
	for _, s := range p.steps {
		if s.call != nil && !slices.ContainsFunc(calls, func(c core.Call) bool { return c.Tool == s.call.Tool && core.SameJSON(c.Args, s.call.Args) }) {
			calls = append(calls, *s.call)
		}
	}
	return calls
}

// gone reports whether the expert left before it answered.
func gone(r core.ToolResult) bool {
	return r.Code == core.ToolCodeExpertLeft || r.Code == core.ToolCodeNotFound
}

package plain

import (
	"slices"
	"strconv"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

// Slot parses words that no table has, such as a path or a name. Read returns their value
// and its score, from 0, which is no match, to 1. It is called with at most Most words.
type Slot struct {
	Most int
	Read func(words []Token) (value any, score float64)
}

// One returns a slot of one word.
func One(read func(w Token) (value any, score float64)) Slot {
	return Slot{1, func(words []Token) (any, float64) { return read(words[0]) }}
}

// ScoreIf returns the score where a word fits, and 0 where it does not.
func ScoreIf(fits bool, score float64) float64 {
	if fits {
		return score
	}
	return 0
}

// Count is a slot for how many are asked for: 5, five, -5 or -n 5.
func Count(score float64) Slot {
	return Slot{2, func(words []Token) (any, float64) {
		s := words[0].Text
		if len(words) == 2 {
			if s != "-n" {
				return nil, 0
			}
			s = words[1].Text
		}
		n := Number(strings.TrimPrefix(strings.TrimPrefix(s, "-"), "n"))
		return n, ScoreIf(n > 0 && n < 1_000_000, score)
	}}
}

// Reading is a text as a grammar reads it; its Score is 0 where it does not.
type Reading struct {
	Shape string
	Score float64
	got   []got
}

type got struct {
	name  string
	value any
}

// Mark returns the value of the last mark of that name.
func (r Reading) Mark(name string) string {
	s, _ := r.Value(name).(string)
	return s
}

// Value returns what the last slot of that name read.
func (r Reading) Value(name string) any {
	for _, g := range slices.Backward(r.got) {
		if g.name == name {
			return g.value
		}
	}
	return nil
}

// Values returns all that the slots of that name read, in the order of the text.
func Values[T any](r Reading, name string) (all []T) {
	for _, g := range r.got {
		if v, ok := g.value.(T); ok && g.name == name {
			all = append(all, v)
		}
	}
	return all
}

// matcher looks for the best reading of a text.
type matcher struct {
	*Grammar
	tokens []Token
	ends   []bool // where only politeness is left
	slots  map[string]Slot
	steps  int
	seen   map[place]answer
	got    []got
	shape  shape
	best   Reading

	trail   string            // what was read so far
	visited map[visit]float64 // where a repetition went on, and with what score
}

// visit is a place in a text, how many elements of the shape follow, and what was
// read before.
type visit struct {
	at, left int
	trail    string
}

type place struct {
	slot     string
	from, to int
}

type answer struct {
	value any
	score float64
}

// frame is what follows the elements at hand.
type frame struct {
	elements []element
	then     *frame
	from     int // a repetition begins behind it, so that none is empty
}

// Read returns the best reading of a text: the one whose least sure slot is the
// surest, the shape that stands first among those. most is what the words
// of the grammar count. A mark score=0.6 lowers the reading that it is part of. What is
// attached to the text is not read.
func (g *Grammar) Read(text string, slots map[string]Slot, most float64) Reading {
	m := matcher{Grammar: g, tokens: g.Tokens(core.WithoutAttached(text)), slots: slots, seen: map[place]answer{}}
	if len(m.tokens) == 0 {
		return Reading{}
	}
	starts := []int{0} // behind any politeness
	if len(m.lengths("general", 0)) > 0 {
		return Reading{}
	}
	for i := 0; i < len(starts); i++ {
		for _, n := range m.lengths("before", starts[i]) {
			starts = append(starts, starts[i]+n)
		}
	}
	m.ends = make([]bool, len(m.tokens)+1)
	m.ends[len(m.tokens)] = true
	for i := len(m.tokens) - 1; i >= 0; i-- {
		for _, n := range m.lengths("after", i) {
			m.ends[i] = m.ends[i] || m.ends[i+n]
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	for _, s := range g.shapes {
		for _, i := range starts {
			m.shape, m.visited = s, map[visit]float64{}
			m.run(s.elements, nil, i, most)
		}
	}
	return m.best
}

// lengths are those of the phrases of a rule that stand at i.
func (m *matcher) lengths(name string, i int) (all []int) {
	if i < len(m.tokens) {
		for _, p := range m.rules[name].phrases[m.tokens[i].fold] {
			if m.stands(p, i) {
				all = append(all, len(p.words))
			}
		}
	}
	return all
}

// run matches the elements, and what follows them, with the words from i on.
func (m *matcher) run(elements []element, then *frame, i int, score float64) {
	m.steps++
	if m.steps > maxSteps || score <= m.best.Score {
		return
	}
	if len(elements) == 0 {
		switch {
		case then != nil && i > then.from:
			m.run(then.elements, then.then, i, score)
		case then == nil && m.ends[i] && m.enough():
			m.best = Reading{Shape: m.shape.name, Score: score, got: slices.Clone(m.got)}
		}
		return
	}
	e, rest := elements[0], elements[1:]
	switch e.kind {
	case word:
		if i < len(m.tokens) && m.tokens[i].is(e.name) {
			m.run(rest, then, i+1, score)
		}
	case mark:
		m.with(got{e.name, e.value}, rest, then, i, min(score, weight(e)))
	case optional:
		m.run(e.group, &frame{rest, then, -1}, i, score)
		m.run(rest, then, i, score)
	case repeated:
		if here := (visit{i, len(rest), m.trail}); then == nil {
			if m.visited[here] >= score {
				return
			}
			m.visited[here] = score
		}
		if i < len(m.tokens) {
			m.run(e.group, &frame{elements, then, i}, i, score)
		}
		m.run(rest, then, i, score)
	case mention:
		m.mention(e.rule, rest, then, i, score)
	case slot:
		for n := 1; n <= m.slots[e.name].Most && i+n <= len(m.tokens); n++ {
			if a := m.slot(e.name, i, i+n); a.score > 0 {
				m.with(got{e.name, a.value}, rest, then, i+n, min(score, a.score))
			}
		}
	}
}

// with is run where something more was read.
func (m *matcher) with(g got, rest []element, then *frame, i int, score float64) {
	before := m.trail
	text, ok := g.value.(string)
	if !ok {
		text = strconv.Itoa(i) // where it ends
	}
	m.trail += " " + g.name + "=" + text
	m.got = append(m.got, g)
	m.run(rest, then, i, score)
	m.got, m.trail = m.got[:len(m.got)-1], before
}

// enough reports whether what the shape needs was read.
func (m *matcher) enough() bool {
	for need, want := range m.shape.needs {
		n := 0
		for _, g := range m.got {
			if g.name == need[1:] {
				n++
			}
		}
		if n < want || need[0] == '=' && n > want {
			return false
		}
	}
	return true
}

// mention matches a rule at i, and then the rest.
func (m *matcher) mention(r *rule, rest []element, then *frame, i int, score float64) {
	next := &frame{rest, then, -1}
	if i < len(m.tokens) && !m.tokens[i].Quoted {
		for _, first := range append(m.tokens[i].slips, m.tokens[i].fold) {
			for _, p := range r.phrases[first] {
				if m.stands(p, i) {
					m.run(p.marks, next, i+len(p.words), score)
				}
			}
		}
	}
	for _, elements := range r.other {
		m.run(elements, next, i, score)
	}
}

// stands reports whether the words of a phrase are those from i on.
func (m *matcher) stands(p phrase, i int) bool {
	if i+len(p.words) > len(m.tokens) {
		return false
	}
	for k, w := range p.words {
		if !m.tokens[i+k].is(w) {
			return false
		}
	}
	return true
}

func (m *matcher) slot(name string, from, to int) answer {
	key := place{name, from, to}
	a, ok := m.seen[key]
	if !ok {
		a.value, a.score = m.slots[name].Read(m.tokens[from:to])
		m.seen[key] = a
	}
	return a
}

// weight is what a mark lets a reading be worth.
func weight(e element) float64 {
	if e.name != "score" {
		return 1
	}
	w, _ := strconv.ParseFloat(e.value, 64) // 0 where it is none
	return w
}

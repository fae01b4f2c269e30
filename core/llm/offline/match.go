package offline

import (
	"sort"
	"strings"
)

// threshold is the fit from which on an expert is asked.
const threshold = 0.5

// What counts for less than what.
const (
	slotWeight    = 0.5  // of all unknown words of one argument together
	leastEvidence = 0.29 // weight of known words without which only a likeness to an example counts
	nearWord      = 0.8  // of a word that is likely a slip of the pen
	grammarWeight = 0.08 // of a word like "how" or "the" in an example
)

// match is how well one tool fits one text.
type match struct {
	tool    *profile
	score   float64  // 0 to 1
	words   []string // the words of the text that speak for it
	example string   // its example that the text is like, if that decided
}

// ok reports whether the tool may be asked.
func (m match) ok() bool { return m.tool != nil && m.score >= threshold }

// matches ranks everybody for text, the best first.
func (r *room) matches(text string) []match {
	tokens := r.correct(lex(text, r.names))
	relevance := r.index.Scores(clip(text, maxDescription))
	most := 0.0
	for _, s := range relevance {
		most = max(most, s)
	}
	ms := make([]match, len(r.profiles))
	for i := range r.profiles {
		m := r.profiles[i].fit(tokens)
		if most > 0 {
			m.score *= 0.9 + 0.1*relevance[i]/most
		}
		ms[i] = m
	}
	sort.SliceStable(ms, func(i, j int) bool { return ms[i].score > ms[j].score })
	return ms
}

// fit holds a text against everything the tool says of itself.
func (p *profile) fit(tokens []token) match {
	m := match{tool: p}
	m.score, m.words = p.coverage(tokens)
	for _, e := range p.examples {
		if s := e.likeness(tokens); s > m.score {
			m.score, m.example = s, e.text
		}
	}
	m.score = min(m.score, 0.99)
	return m
}

// coverage is the share of the text's weight that the tool's own words and
// shapes account for.
func (p *profile) coverage(tokens []token) (float64, []string) {
	var all, covered, known float64
	var words []string
	matched, inSlot := false, false
	for _, t := range tokens {
		if t.weight == 0 {
			inSlot = inSlot && t.slot
			continue
		}
		credit := p.credit(t)
		lexical := t.class == word || t.class == name && p.told(t)
		switch {
		case credit > 0 && lexical:
			w := t.weight
			if t.class == name {
				w = 1
			}
			all += w
			covered += w * credit
			known += w * credit
			words = append(words, t.text)
			matched = true
		case credit > 0:
			all += t.weight
			covered += t.weight * credit
			if p.told(t) {
				known += t.weight * credit
			}
		case t.slot && matched:
			if !inSlot {
				all += min(t.weight, slotWeight)
			}
			inSlot = true
			continue
		default:
			all += t.weight
		}
		inSlot = false
	}
	if all == 0 || known < leastEvidence {
		return 0, nil
	}
	return covered / all, words
}

// told reports whether the tool names the token's words, not only its shape.
func (p *profile) told(t token) bool {
	for _, stem := range t.stems() {
		if p.evidence[stem] > 0 {
			return true
		}
	}
	return false
}

// credit says how sure the tool can be of a token, 0 to 1.
func (p *profile) credit(t token) float64 {
	var c float64
	for _, stem := range t.stems() {
		c = max(c, p.evidence[stem])
	}
	if t.class != word && t.class != quoted && p.shapes[t.class] {
		c = max(c, 0.9)
	}
	if t.class == quoted && p.shapes[quoted] {
		c = 1
	}
	return c
}

// likeness compares a text with the example, 0 to 1. What the text has and the
// example lacks counts for more than the reverse.
func (e example) likeness(tokens []token) float64 {
	var all, shared float64
	proof := false // something in common beside names and bare numbers
	used := make([]bool, len(e.tokens))
	var mine, theirs [classes]float64
	for _, t := range tokens {
		if t.weight == 0 {
			all += grammarWeight
			for j, o := range e.tokens {
				if !used[j] && o.weight == 0 && o.lower == t.lower {
					used[j] = true
					shared += grammarWeight
					break
				}
			}
			continue
		}
		w := t.weight
		if t.slot && t.class == word {
			w = min(w, slotWeight)
		}
		if t.class != word {
			mine[t.class] = max(mine[t.class], w)
			continue
		}
		all += w
		for j, o := range e.tokens {
			if !used[j] && o.class == word && o.weight > 0 && o.stem == t.stem {
				used[j] = true
				shared += w
				proof = true
				break
			}
		}
	}
	their := 0.0
	for _, o := range e.tokens {
		switch {
		case o.weight == 0:
			their += grammarWeight
		case o.class != word:
			theirs[o.class] = max(theirs[o.class], o.weight)
		case o.slot:
			their += min(o.weight, slotWeight)
		default:
			their += o.weight
		}
	}
	for c := range mine {
		all += mine[c]
		their += theirs[c]
		both := min(mine[c], theirs[c])
		shared += both
		proof = proof || both > 0 && class(c) != name && class(c) != number
	}
	if !proof || all == 0 || their == 0 {
		return 0
	}
	const favour = 2 // the square of how much more the text counts
	mineShared, theirShared := min(1, shared/all), min(1, shared/their)
	return (1 + favour) * mineShared * theirShared / (favour*theirShared + mineShared)
}

// correct gives words that nobody has, and that are one slip away from a word
// somebody has, that word's stem.
func (r *room) correct(tokens []token) []token {
	for i := range tokens {
		t := &tokens[i]
		if t.class != word || t.weight < 1 || len(t.stem) < 5 || r.known[t.stem] {
			continue
		}
		best := ""
		for stem := range r.known {
			if stem[0] == t.stem[0] && slip(t.stem, stem) && (best == "" || stem < best) {
				best = stem
			}
		}
		if best != "" {
			t.stem, t.weight = best, nearWord
		}
	}
	return tokens
}

// slip reports whether one letter too many, too few, or two swapped make a of
// b; in long words also one wrong letter.
func slip(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(b) < 5 || len(a)-len(b) > 1 {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	if len(a) > len(b) {
		return a[i+1:] == b[i:]
	}
	if i == len(b) {
		return true
	}
	if i+1 < len(b) && a[i] == b[i+1] && a[i+1] == b[i] {
		return a[i+2:] == b[i+2:]
	}
	return len(b) > 6 && strings.HasSuffix(a, b[i+1:])
}

package offline

import (
	"sort"
	"strings"
)

// threshold is the fit from which on an expert is asked.
const threshold = 0.5

// What counts for less than what.
const (
	slotWeight  = 0.5  // of all unknown words of one argument together
	support     = 0.25 // of the weaker of a tool's words and its examples for the other
	enoughProof = 0.8  // weight of known words that is proof enough; less counts for much less
	allProof    = 0.65 // the same where there is nothing but known words
	argument    = 0.85 // of a known word in an argument
	modifier    = 0.6  // of an unknown word that is followed by a known one: "docs folder"
	leniency    = 0.4  // how much unknown words matter less for each known one beyond the first
	nearWord    = 0.8  // of a word that is likely a slip of the pen
)

// match is how well one tool fits one text.
type match struct {
	tool    *profile
	score   float64  // 0 to 1
	order   float64  // the score, with examples that are alike deciding between equals
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
		if m.order += m.score; !m.ok() {
			m.order = m.score
		}
		ms[i] = m
	}
	sort.SliceStable(ms, func(i, j int) bool { return ms[i].order > ms[j].order })
	return ms
}

// fit holds a text against everything the tool says of itself.
func (p *profile) fit(tokens []token) match {
	m := match{tool: p}
	covered, words := p.coverage(tokens)
	like, v := 0.0, voiceOf(tokens)
	for _, e := range p.examples {
		if s := p.likeness(e, tokens, v); s > like {
			like, m.example = s, e.text
		}
	}
	m.words = words
	if covered >= like {
		m.example = ""
	}
	m.score = 1 - (1-max(covered, like))*(1-support*min(covered, like))
	m.score = min(m.score, 0.99)
	m.order = 0.1 * like
	return m
}

// coverage is the share of the text's weight that the tool's own words and
// shapes account for, less where the words prove little.
func (p *profile) coverage(tokens []token) (float64, []string) {
	var covered, missed, proof float64
	var words []string
	inSlot, named := false, false
	for i, t := range tokens {
		if t.weight == 0 {
			inSlot = inSlot && t.slot
			continue
		}
		credit := p.credit(t)
		if credit == 0 && t.slot && len(words) > 0 {
			if !inSlot {
				missed += min(t.weight, slotWeight)
			}
			inSlot = true
			continue
		}
		inSlot = false
		weight := t.weight
		switch {
		case p.told(t):
			if t.class == name || t.class == path {
				weight = 1
			}
			if i > 0 && p.strangeAfter(tokens, i) {
				credit *= modifier
			}
			if t.slot {
				credit *= argument
			}
			named = named || weight == 1 && p.named[t.stem]
			proof += weight * credit
			covered += weight
			words = append(words, t.text)
		case credit > 0:
			covered += weight * credit
			switch t.class {
			case name:
			case number:
				proof += weight / 4
			default:
				proof += weight / 2
			}
		default:
			if i+1 < len(tokens) && t.class == word && tokens[i+1].class == word && p.told(tokens[i+1]) {
				weight *= modifier
			}
			missed += weight
		}
	}
	if len(words) == 0 {
		return 0, nil
	}
	missed *= 1 - min(0.5, max(0, proof-1)*leniency)
	if named {
		missed *= 0.5
	}
	enough := enoughProof
	if missed == 0 && !hasClass(tokens, name) {
		enough = allProof
	}
	return covered / (covered + missed) * min(1, proof*proof/(enough*enough)), words
}

// strangeAfter reports whether the known word at i only qualifies an unknown
// one: "train" in "train of thought" does not, in "train station" it does.
func (p *profile) strangeAfter(tokens []token, i int) bool {
	if i+1 == len(tokens) || p.named[tokens[i].stem] {
		return false
	}
	next := tokens[i+1]
	return next.class == word && next.weight == 1 && p.credit(next) == 0
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

package data

import (
	"slices"
	"strings"

	"yaap/experts/plain"
)

const (
	maxSpan    = 4
	maxOpening = 6 // words before the first strange one of a text's opening
	maxLost    = 2 // words that nothing is known of, after which a text is no question about a table
)

// scan finds what all words may stand for, whatever the scope, and how many
// stand for nothing.
func (c *catalog) scan(toks []token) (_ [][maxSpan]span, lost int) {
	spans := make([][maxSpan]span, len(toks))
	known := make([]bool, len(toks))
	for i := range toks {
		low, k := "", ""
		for n := 0; n < maxSpan && i+n < len(toks) && !toks[i+n].other && !toks[i+n].file; n++ {
			low, k = strings.TrimSpace(low+" "+toks[i+n].low), strings.TrimSpace(k+" "+toks[i+n].key)
			s := &spans[i][n]
			s.means = vocab().means[low]
			if toks[i].key != "" && toks[i+n].key != "" {
				s.refs = c.find(k)
			}
			for j := i; j <= i+n && len(s.means)+len(s.refs) > 0; j++ {
				known[j] = true
			}
		}
	}
	mended := 0
	var strange []int
	for i, t := range toks {
		if known[i] || t.amount != "" || t.file || t.quoted || isoDate().MatchString(t.text) {
			continue
		}
		if !t.other && mended <= maxLost {
			spans[i][0] = c.mend(t)
			mended++
		}
		if len(spans[i][0].means)+len(spans[i][0].refs) == 0 {
			strange = append(strange, i)
		}
	}
	said := opening(toks, spans, strange)
	for _, i := range said {
		spans[i][0].means = []meaning{idle}
	}
	return spans, len(strange) - len(said)
}

//nolint:gochecknoglobals // never changes
var idle = meaning{"skip", "idle"} // of a word that nothing is known of, and that says nothing

// opening are those of the strange words that cannot change what is asked: verbs
// and the like before its first question word, such as "I wonder how many". What
// stands behind a preposition is none of them, and where a name comes before the
// question word, only what follows "I" is.
func opening(toks []token, spans [][maxSpan]span, strange []int) (said []int) {
	is := func(i int, kinds ...string) bool {
		return i >= 0 && slices.ContainsFunc(spans[i][:], func(s span) bool {
			return slices.ContainsFunc(s.means, func(m meaning) bool { return slices.Contains(kinds, m.kind+m.of) })
		})
	}
	asks := func(i int) bool { return is(i, "which", "what", "who", "howmany", "howmuch") }
	if len(strange) == 0 {
		return nil
	}
	for i, t := range toks {
		switch {
		case slices.Contains(strange, i):
			if i == 0 || is(i-1, "skipme", "and") || slices.Contains(said, i-1) {
				said = append(said, i)
				continue
			}
			return nil
		case asks(i) && !is(i, "skip"):
			return said
		case t.amount != "" || t.file || t.quoted || t.other || is(i, "fn") || len(spans[i][0].refs) > 0:
			for j := i; j < len(toks); j++ {
				if asks(j) {
					return said
				}
			}
			return nil
		}
	}
	return nil
}

// mend finds what a word stands for that has an ending, or one wrong letter.
func (c *catalog) mend(t token) span {
	for _, ending := range []string{"n", "en", "es", "er", "e", "s", "d", "ed", "ing"} {
		if k, ok := strings.CutSuffix(t.low, ending); ok && len(k) > 2 {
			if refs := c.find(key(k)); len(refs) > 0 {
				return span{refs: refs}
			}
		}
	}
	if refs := c.guess(t.key); refs != nil || len(t.low) < 6 {
		return span{refs: refs}
	}
	best := ""
	for word := range vocab().means {
		if plain.Slip(t.low, word) && (best == "" || word < best) {
			best = word
		}
	}
	return span{means: vocab().means[best]}
}

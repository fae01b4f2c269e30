package offline

import (
	"slices"
	"strings"

	"yaap/core"
)

const (
	callable = 0.5 // worth from which on an expert is asked
	doubtful = 0.3 // words that are worth less count nothing
	near     = 0.02
)

// candidate is somebody who could answer a text.
type candidate struct {
	tool  *tool
	worth float64   // its score times its credit, or how well its words fit
	bid   *core.Bid // nil: it is judged by its words
	words []string  // that speak for it
}

// auction is what is known of who reads what in a prompt's texts.
type auction struct {
	*index
	bids  map[string]map[string]offer // by text and tool
	bound map[string]bool             // tools that bid: their words do not count
	told  map[string]bool             // texts that everybody was sent
	not   []string                    // experts that the user wants left out
}

// offer is a bid with the credit of who made it.
type offer struct {
	bid    core.Bid
	credit float64
}

func newAuction(x *index) *auction {
	return &auction{index: x, bids: map[string]map[string]offer{}, bound: map[string]bool{}, told: map[string]bool{}}
}

// hear takes the bids on texts.
func (a *auction) hear(texts []string, made []core.Bids) {
	for _, m := range made {
		if m.Bids == nil {
			continue
		}
		a.bound[m.Tool] = true
		for i, text := range texts[:min(len(texts), len(m.Bids))] {
			if a.bids[text] == nil {
				a.bids[text] = map[string]offer{}
			}
			a.bids[text][m.Tool] = offer{m.Bids[i], m.Credit}
		}
	}
}

// candidates are those who could answer a text, the best first.
func (a *auction) candidates(text string) []candidate {
	var list []candidate
	fits := a.fits(text)
	for i := range a.tools {
		t := &a.tools[i]
		if slices.Contains(a.not, t.owner) {
			continue
		}
		if a.bound[t.spec.Name] {
			if o := a.bids[text][t.spec.Name]; !o.bid.Declines() {
				list = append(list, candidate{tool: t, worth: o.bid.Score * o.credit, bid: &o.bid})
			}
			continue
		}
		if fits[i].Score >= doubtful {
			list = append(list, candidate{tool: t, worth: fits[i].Score, words: fits[i].Words})
		}
	}
	slices.SortStableFunc(list, func(x, y candidate) int {
		switch {
		case x.worth > y.worth:
			return -1
		case x.worth < y.worth:
			return 1
		}
		return 0
	})
	return list
}

// read is the best bid on a text as it was made, whatever its credit; 0 where
// nobody bids on it.
func (a *auction) read(text string) float64 {
	best := 0.0
	for _, c := range a.candidates(text) {
		if c.bid != nil {
			best = max(best, c.bid.Score)
		}
	}
	return best
}

// value is what a text is worth to who reads it best.
func (a *auction) value(text string) float64 {
	if c := a.candidates(text); len(c) > 0 && c[0].worth >= doubtful {
		return c[0].worth
	}
	return 0
}

// span is pieces of a prompt that are asked together.
type span struct{ from, to int } // to is beyond the last

// choose is the segmentation that the bids are worth most of, less what cutting
// costs. worth is the value of a span.
func choose(pieces []piece, worth func(span) float64) []span {
	total := 0
	for _, p := range pieces {
		total += max(len(p.tokens), 1)
	}
	best := make([]float64, len(pieces)+1)
	from := make([]int, len(pieces)+1)
	for to := 1; to <= len(pieces); to++ {
		best[to] = -1
		words := 0
		for at := to - 1; at >= 0; at-- {
			words += max(len(pieces[at].tokens), 1)
			sum := best[at] + worth(span{at, to})*float64(words)/float64(total)
			if at > 0 {
				sum -= pieces[at].cost()
			}
			if sum > best[to]+1e-9 {
				best[to], from[to] = sum, at
			}
		}
	}
	var spans []span
	for to := len(pieces); to > 0; to = from[to] {
		spans = append(spans, span{from[to], to})
	}
	slices.Reverse(spans)
	return spans
}

// text is what stands in a span.
func (s span) text(prompt string, pieces []piece) string {
	return strings.Trim(prompt[pieces[s.from].start:pieces[s.to-1].end], " \t\r\n,")
}

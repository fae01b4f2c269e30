package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxBidTexts = 8  // of a turn that are shown
	maxBidders  = 64 // of a turn that are looked at
)

// bids is what the experts read in what a turn asked them about.
type bids struct {
	texts    []bidText // that somebody bid on
	first    string    // the first text of all: what the user said
	declined []string  // who bid on none
	silent   []string  // who did not bid, each with the reason
}

// bidText is a text with those who bid on it, the one first whose bid counts most.
type bidText struct {
	text string
	made []bidMade
}

// bidMade is one bid: its score as it was claimed, and what that counts.
type bidMade struct {
	name, reads  string
	score, worth float64
	credit       float64
}

// readBids reads all that a turn was bid.
func readBids(made []core.BidsMade) *bids {
	var b bids
	for _, m := range made {
		b.add(m)
	}
	return &b
}

// add takes what was bid. A turn may ask several times, about other texts.
func (b *bids) add(e core.BidsMade) {
	if b.first == "" && len(e.Texts) > 0 {
		b.first = safe.Cut(e.Texts[0], maxAsk)
	}
	experts := e.Experts[:min(len(e.Experts), maxBidders)]
	for i, text := range e.Texts {
		t := bidText{text: safe.Cut(text, maxAsk)}
		for _, x := range experts {
			if i < len(x.Bids) && !x.Bids[i].Declines() {
				t.made = append(t.made, madeBid(x, x.Bids[i]))
			}
		}
		slices.SortStableFunc(t.made, func(x, y bidMade) int { return cmp.Compare(y.worth, x.worth) })
		if len(t.made) > 0 && len(b.texts) < maxCalls {
			b.texts = append(b.texts, t)
		}
	}
	for _, x := range experts {
		if name := safe.Cut(x.Expert, 40); x.Failed != "" {
			b.silent = addNew(b.silent, name+": "+safe.Cut(x.Failed, 120))
		} else {
			b.declined = addNew(b.declined, name)
		}
	}
	b.declined = slices.DeleteFunc(b.declined, b.bid)
}

// bid reports whether somebody bid on any text.
func (b *bids) bid(name string) bool {
	return slices.ContainsFunc(b.texts, func(t bidText) bool {
		return slices.ContainsFunc(t.made, func(m bidMade) bool { return m.name == name })
	})
}

func addNew(list []string, s string) []string {
	if slices.Contains(list, s) || len(list) >= maxBidders {
		return list
	}
	return append(list, s)
}

func madeBid(x core.Bids, b core.Bid) bidMade {
	m := bidMade{name: safe.Cut(x.Expert, 40), reads: safe.Cut(b.Reads, 200), score: b.Score, worth: b.Score * x.Credit, credit: x.Credit}
	if len(b.Needs) > 0 {
		asks := "asks: " + safe.Cut(b.Needs[0], 200)
		if m.reads != "" {
			asks = m.reads + ", " + asks
		}
		m.reads = asks
	}
	return m
}

// rows are a line for each text, and one for those who did not bid, of at most w
// cells.
func (b *bids) rows(c *canvas, w int) []string {
	if b.first == "" {
		return nil
	}
	texts := b.texts
	if len(texts) == 0 {
		texts = []bidText{{text: b.first}}
	}
	shown := texts[:min(len(texts), maxBidTexts)]
	left, name, right := 0, 0, 0
	for _, t := range shown {
		if len(t.made) > 0 {
			name = max(name, min(width(t.made[0].name), 16))
		}
	}
	for _, t := range shown {
		left, right = max(left, width(t.text)), max(right, width(t.line(c, name)))
	}
	left = min(left, max(w-2-right, w*2/5))
	var rows []string
	for _, t := range shown {
		rows = append(rows, cut(fit(cut(t.text, left, c.ellipsis), left)+"  "+t.line(c, name), w, c.ellipsis))
	}
	if more := len(texts) - len(shown); more > 0 {
		rows = append(rows, cut(c.ellipsis+" "+count(more, "more text"), w, ""))
	}
	rest := b.silent
	if len(b.declined) > 0 {
		rest = append(slices.Clone(rest), strings.Join(b.declined, ", ")+" declined")
	}
	if len(rest) > 0 {
		rows = append(rows, cut(strings.Join(rest, " "+c.dot+" "), w, c.ellipsis))
	}
	return rows
}

// line is who bid on the text. A bid that claims more than the first, and counts
// less, shows its credit.
func (t bidText) line(c *canvas, name int) string {
	if len(t.made) == 0 {
		return "nobody bid"
	}
	parts := make([]string, len(t.made))
	for i, m := range t.made {
		who := m.name
		if i == 0 {
			who = fit(cut(who, name, c.ellipsis), name)
		}
		score := fmt.Sprintf("%.2f", m.score)
		if m.score > t.made[0].score {
			score += fmt.Sprintf(" at credit %.2f", m.credit)
		}
		parts[i] = strings.TrimRight(who+"  "+score+"  "+m.reads, " ")
	}
	return strings.Join(parts, " "+c.dot+" ")
}

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

// bidText is a text of a turn with those who bid on it, the one first whose bid counts most.
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

// readBids reads the texts that somebody bid on, and who did not bid on any: each with
// the reason, or that they declined. A turn may ask several times, about other texts.
func readBids(made []core.BidsMade) (texts []bidText, rest []string) {
	bid := map[string]bool{}
	var names []string
	for _, asked := range made {
		experts := asked.Experts[:min(len(asked.Experts), maxBidders)]
		for i, text := range asked.Texts {
			t := bidText{text: safe.Cut(text, maxAsk)}
			for _, x := range experts {
				if i < len(x.Bids) && !x.Bids[i].Declines() {
					t.made = append(t.made, madeBid(x, x.Bids[i]))
				}
			}
			slices.SortStableFunc(t.made, func(x, y bidMade) int { return cmp.Compare(y.worth, x.worth) })
			if len(t.made) > 0 && len(texts) < maxCalls {
				texts = append(texts, t)
			}
			for _, m := range t.made {
				bid[m.name] = true
			}
		}
		for _, x := range experts {
			name := safe.Cut(x.Expert, 40)
			if x.Failed != "" {
				rest = append(rest, name+": "+safe.Cut(x.Failed, 120))
			} else {
				names = append(names, name)
			}
		}
	}
	rest = unique(rest)
	if declined := slices.DeleteFunc(unique(names), func(name string) bool { return bid[name] }); len(declined) > 0 {
		rest = append(rest, strings.Join(declined, ", ")+" declined")
	}
	return texts, rest
}

// unique is a list without what is in it already.
func unique(list []string) (out []string) {
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// bidRows are a line for each text of a turn, and one for those who did not bid, of at
// most w cells.
func bidRows(c *canvas, made []core.BidsMade, w int) []string {
	if len(made) == 0 || len(made[0].Texts) == 0 {
		return nil
	}
	texts, rest := readBids(made)
	if len(texts) == 0 {
		texts = []bidText{{text: safe.Cut(made[0].Texts[0], maxAsk)}}
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

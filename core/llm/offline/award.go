package offline

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/rank"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	callable = 0.5 // worth from which on an expert is asked
	doubtful = 0.3 // words that are worth less count nothing
	near     = 0.02

	maxTexts       = 64   // in one request for bids
	maxDescription = 2048 // bytes that are read of what somebody says of themselves
	maxExample     = 256
	maxExamples    = 25 // with the questions that were answered here
)

// tool is one that may be called, and the expert that has it.
type tool struct {
	spec  core.ToolSpec
	owner string
}

// candidate is somebody who could answer a text.
type candidate struct {
	tool  *tool
	worth float64   // its score times its credit, or how well its words fit
	bid   *core.Bid // nil: it is judged by its words
	words []string  // that speak for it
}

// auction collects the bids on a prompt's texts and ranks who may be awarded each.
type auction struct {
	ctx     context.Context
	bidders Bidders
	scope   core.Scope
	said    []core.Message // before the prompt

	tools   []tool
	words   *rank.ToolIndex             // of the tools
	fitting map[string][]rank.Fit       // by text
	bids    map[string]map[string]offer // by text and tool
	bound   map[string]bool             // tools that bid: their words do not count
	not     string                      // the expert that the user wants left out
}

// offer is a bid with the credit of who made it.
type offer struct {
	bid    core.Bid
	credit float64
}

func (m *Model) newAuction(ctx context.Context, req llm.Request, said []core.Message) *auction {
	a := &auction{ctx: ctx, bidders: m.Bidders, scope: req.Scope, said: said, fitting: map[string][]rank.Fit{}, bids: map[string]map[string]offer{}, bound: map[string]bool{}}
	docs := make([]rank.ToolDoc, len(req.Tools))
	for i, spec := range req.Tools {
		a.tools = append(a.tools, tool{spec: spec, owner: ownerOf(spec)})
		docs[i] = rank.ToolDoc{Name: spec.Name, Description: safe.Prefix(spec.Description, maxDescription)}
		examples := spec.Examples
		if m.Bidders != nil {
			examples = slices.Concat(examples, m.Bidders.Learned(ownerOf(spec)))
		}
		for _, e := range examples[:min(len(examples), maxExamples)] {
			docs[i].Examples = append(docs[i].Examples, content(safe.Prefix(e, maxExample)))
		}
	}
	a.words = m.index(docs)
	return a
}

// announce asks everybody what they read in those texts that were not announced yet.
func (a *auction) announce(texts []string) {
	var fresh []string
	for _, text := range texts {
		if a.bids[text] == nil && text != "" && len(fresh) < maxTexts {
			a.bids[text] = map[string]offer{}
			fresh = append(fresh, text)
		}
	}
	if a.bidders == nil || len(fresh) == 0 {
		return
	}
	for _, made := range a.bidders.Bids(a.ctx, a.scope, fresh, a.said) {
		for i, bid := range made.Bids[:min(len(fresh), len(made.Bids))] {
			a.bound[made.Tool] = true
			a.bids[fresh[i]][made.Tool] = offer{bid, made.Credit}
		}
	}
}

// candidates are those who could answer a text, the best first.
func (a *auction) candidates(text string) []candidate {
	var list []candidate
	offered := map[string]float64{} // what the bid of an expert is worth
	fits := a.fits(text)
	for i := range a.tools {
		t := &a.tools[i]
		o, bids := a.bids[text][t.spec.Name]
		switch {
		case t.owner == a.not:
		case bids && !o.bid.Declines():
			offered[t.owner] = max(offered[t.owner], o.bid.Score*o.credit)
			list = append(list, candidate{tool: t, worth: o.bid.Score * o.credit, bid: &o.bid})
		case bids, a.bound[t.spec.Name] && a.bids[text] == nil: // a decline is final
		case fits[i].Score >= doubtful:
			list = append(list, candidate{tool: t, worth: fits[i].Score, words: fits[i].Words})
		}
	}
	for i, c := range list { // an expert that bids is asked by its bid, before its other tools by their words
		if most, bids := offered[c.tool.owner]; bids && c.bid == nil {
			list[i].worth = min(c.worth, most-near)
		}
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return cmp.Compare(y.worth, x.worth) })
	return list
}

// fits says of each tool how well it fits the words of a text.
func (a *auction) fits(text string) []rank.Fit {
	if a.fitting[text] == nil {
		a.fitting[text] = a.words.Fits(content(text))
	}
	return a.fitting[text]
}

// isOwn reports whether a tool is the room's own.
func (a *auction) isOwn(name string) bool {
	return slices.ContainsFunc(a.tools, func(t tool) bool { return t.spec.Name == name && t.spec.Owner == "" })
}

// changes reports whether a tool of the room changes what is remembered: no question goes
// on from what it was told.
func (a *auction) changes(name string) bool {
	return slices.ContainsFunc(a.tools, func(t tool) bool { return t.spec.Name == name && t.spec.Owner == "" && t.spec.Sequential })
}

// left says who of those that have left might answer a text, and how to bring them
// back; empty where none might.
func (a *auction) left(text string) string {
	if a.bidders == nil {
		return ""
	}
	var docs []rank.ToolDoc
	gone := a.bidders.DepartedExperts()
	for _, e := range gone {
		docs = append(docs, rank.ToolDoc{Name: e.Name, Description: safe.Prefix(e.Description, maxDescription), Examples: e.Examples})
	}
	best, score := 0, 0.0
	for i, fit := range rank.NewTools(docs).Fits(content(text)) {
		if fit.Score > score {
			best, score = i, fit.Score
		}
	}
	if score < doubtful {
		return ""
	}
	back := map[bool]string{true: "`/experts restart " + gone[best].Name + "` brings it back.", false: "start its program again."}
	return gone[best].Name + ", which has left, might: " + back[gone[best].Transport == "child"]
}

// read is the best bid on a text as it was made, whatever its credit; 0 where
// nobody bids on it.
func (a *auction) read(text string) float64 {
	best := 0.0
	for _, o := range a.bids[text] {
		best = max(best, o.bid.Score)
	}
	return best
}

// offers is what the bid of a tool on a text is worth; 0 where it makes none.
func (a *auction) offers(text, tool string) float64 {
	o := a.bids[text][tool]
	return o.bid.Score * o.credit
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
func choose(pieces []lang.Piece, worth func(span) float64) []span {
	total := 0
	for _, p := range pieces {
		total += len(p.Tokens)
	}
	best, from := make([]float64, len(pieces)+1), make([]int, len(pieces)+1)
	for to := 1; to <= len(pieces); to++ {
		best[to] = -1
		words := 0
		for at := to - 1; at >= 0; at-- {
			words += len(pieces[at].Tokens)
			sum := best[at] + worth(span{at, to})*float64(words)/float64(total)
			if at > 0 {
				sum -= cost(pieces[at])
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

// cost is what cutting before a piece takes off the worth of a segmentation.
func cost(p lang.Piece) float64 {
	if p.Boundary == lang.Soft {
		return 0.06
	}
	return 0.02
}

// content is a text without its files and quotations, which may be about anything.
func content(text string) string {
	var words []string
	for _, t := range lang.Lex(text) {
		if t.Shape == lang.Word || t.Shape == lang.Number {
			words = append(words, t.Text)
		}
	}
	return strings.Join(words, " ")
}

// ownerOf is the name the user knows a tool's expert by.
func ownerOf(spec core.ToolSpec) string {
	owner, _, _ := strings.Cut(spec.Name, "__")
	return cmp.Or(spec.Owner, owner)
}

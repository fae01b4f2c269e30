package bidding

import (
	"cmp"
	"context"
	"slices"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/rank"
)

const (
	leastBid = 0.3  // that says something
	leastFit = 0.05 // by words: less speaks for a tool by pieces of them only
)

// Rank orders tools by how well they fit a text: those first whose bids on it, or on
// a part of it, are worth most, then the others by their words. Tools for which
// nothing speaks are left out. It blocks for Wait at most.
func (r *Collector) Rank(ctx context.Context, scope core.Scope, text string, tools []core.ToolSpec, said []core.Message) []core.ToolSpec {
	texts := []string{text}
	for _, piece := range lang.Pieces(text) {
		if part := piece.Text(text); part != "" && part != text {
			texts = append(texts, part)
		}
	}
	bids := map[string]float64{}
	for _, made := range r.Bids(ctx, scope, texts, said) {
		for _, bid := range made.Bids {
			bids[made.Tool] = max(bids[made.Tool], bid.Score*made.Credit)
		}
	}
	docs := make([]rank.ToolDoc, len(tools))
	for i, spec := range tools {
		docs[i] = rank.ToolDoc{Name: spec.Name, Description: spec.Description, Examples: spec.Examples, Learned: r.Learned(spec.Owner)}
	}
	index := rank.NewTools(docs)
	worth := make([]float64, len(tools))
	for _, part := range texts {
		for i, fit := range index.Fits(part) {
			worth[i] = max(worth[i], fit.Score)
		}
	}
	order := make([]int, 0, len(tools))
	for i, spec := range tools {
		if bid := bids[spec.Name]; bid >= leastBid {
			worth[i] = 1 + bid
		}
		if worth[i] > leastFit {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })
	ranked := make([]core.ToolSpec, len(order))
	for n, i := range order {
		ranked[n] = tools[i]
	}
	return ranked
}

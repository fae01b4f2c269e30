package question

import (
	"cmp"
	"slices"
)

// Index finds those of many sentences that hold words of a question. It is not changed
// once it is built, and may be read from any goroutine.
type Index struct {
	sentences []Sentence
	holding   map[string][]int // the sentences with a stem, or below one
}

// NewIndex returns an index of sentences.
func NewIndex(sentences []Sentence) *Index {
	ix := &Index{sentences, map[string][]int{}}
	for i, s := range sentences {
		for stem := range s.stems {
			ix.holding[stem] = append(ix.holding[stem], i)
		}
		for stem := range s.Around {
			if !s.stems[stem] {
				ix.holding[stem] = append(ix.holding[stem], i)
			}
		}
	}
	return ix
}

// Sentence is that of a number that Find returned.
func (ix *Index) Sentence(at int) Sentence { return ix.sentences[at] }

// Find returns at most so many sentences, those first that hold most of what a question is
// about, and how much each of its words counts here. It notes which words stand in any.
func (ix *Index) Find(q *Question, most int) (found []int, weights []float64) {
	counts, holds := make([]int, len(q.Words)), make([][]int, len(q.Words))
	for i, w := range q.Words {
		m, in, near := w.matcher(), map[int]bool{}, map[int]bool{}
		for stem, sentences := range ix.holding {
			to := near
			switch {
			case slices.Contains(m.whole, stem), m.partly(stem):
				to = in
			case !w.beginsAs(stem):
				continue
			}
			for _, at := range sentences {
				to[at] = true
			}
		}
		counts[i] = len(in)
		for at := range near {
			in[at] = true
		}
		for at := range in {
			holds[i] = append(holds[i], at)
		}
	}
	weights = q.Weigh(counts, len(ix.sentences))
	scores := map[int]float64{}
	for i, all := range holds {
		for _, at := range all {
			scores[at] += weights[i]
		}
	}
	for at := range scores {
		found = append(found, at)
	}
	slices.SortFunc(found, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	return found[:min(len(found), most)], weights
}

package eval

import (
	"math"
	"strings"

	"github.com/yaap-chat/yaap/core/rank"
)

// baseline is BM25 as in the books (k1 1.2, b 0.75) over the stems of words, without
// those that every text has: name, description and learned questions are one text.
type baseline struct {
	words   map[string]map[int]float64 // how often each document has a word
	lengths []float64
	average float64
}

func newBaseline(docs []rank.ToolDoc) *baseline {
	p := &baseline{words: map[string]map[int]float64{}, lengths: make([]float64, len(docs))}
	for i, doc := range docs {
		for _, word := range rank.Terms(doc.Name + " " + doc.Description + " " + strings.Join(doc.Learned, " ")) {
			if p.words[word] == nil {
				p.words[word] = map[int]float64{}
			}
			p.words[word][i]++
			p.lengths[i]++
		}
		p.average += p.lengths[i] / float64(len(docs))
	}
	return p
}

func (p *baseline) scores(query string) []float64 {
	scores := make([]float64, len(p.lengths))
	for _, word := range rank.Terms(query) {
		hits := p.words[word]
		idf := math.Log(1 + (float64(len(scores))-float64(len(hits))+0.5)/(float64(len(hits))+0.5))
		for i, n := range hits {
			scores[i] += idf * n * 2.2 / (n + 1.2*(0.25+0.75*p.lengths[i]/p.average))
		}
	}
	return scores
}

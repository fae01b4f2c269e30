package rank

import "math"

// The usual constants of BM25; b is low because the texts are short and a
// thorough description is not a fault.
const (
	saturation = 1.2
	lengthNorm = 0.5
)

// Field is a part of a document, such as its title. A word in a field of
// weight 2 counts as if it stood there twice.
type Field struct {
	Text   string
	Weight float64
}

// Document is a text to be found by its fields.
type Document []Field

// Index holds documents for searching. It is immutable: any number of
// goroutines may search it.
type Index struct {
	postings map[string][]posting
	count    int
}

type posting struct {
	doc int
	tf  float64
}

// New indexes docs. Their positions are what [Index.Scores] answers with.
func New(docs []Document) *Index {
	x := &Index{postings: map[string][]posting{}, count: len(docs)}
	frequencies := make([]map[string]float64, len(docs))
	lengths := make([]float64, len(docs))
	var total float64
	for i, doc := range docs {
		frequencies[i] = map[string]float64{}
		for _, field := range doc {
			for _, term := range Terms(field.Text) {
				frequencies[i][term] += field.Weight
				lengths[i] += field.Weight
			}
		}
		total += lengths[i]
	}
	if total == 0 {
		return x
	}
	average := total / float64(len(docs))
	for i, frequency := range frequencies {
		norm := 1 - lengthNorm + lengthNorm*lengths[i]/average
		for term, tf := range frequency {
			x.postings[term] = append(x.postings[term], posting{doc: i, tf: tf / norm})
		}
	}
	return x
}

// Scores returns one score per document, in the order they were given to
// [New]: 0 for a document that shares no word with query, more for a better
// fit. Scores of different queries or indexes cannot be compared.
func (x *Index) Scores(query string) []float64 {
	scores := make([]float64, x.count)
	seen := map[string]bool{}
	for _, term := range Terms(query) {
		if seen[term] {
			continue
		}
		seen[term] = true
		hits := x.postings[term]
		df := float64(len(hits))
		idf := math.Log(1 + (float64(x.count)-df+0.5)/(df+0.5))
		for _, p := range hits {
			scores[p.doc] += idf * p.tf * (saturation + 1) / (p.tf + saturation)
		}
	}
	return scores
}

package rank

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// ToolDoc is what is known of a tool in words.
type ToolDoc struct {
	Name        string
	Description string
	Examples    []string // questions for it, by its author
	Learned     []string // questions that it has answered here
}

// ToolIndex finds the tools that fit a question. It is immutable: any number of
// goroutines may search it. To make it takes some milliseconds in a room of 30
// tools: keep it while they and what they have learned are the same.
type ToolIndex struct {
	count    int
	words    features       // stems
	prefixes features       // the first letters of words: where no stem fits, or the language is another
	grams    features       // pieces of words: compounds, and names written in one
	ids      map[string]int // of the terms of examples and learned questions
	stems    []string       // of these terms
	weights  []float64
	likened  [][]likenedTo // of each tool
}

// features are one sort of piece of the texts, each with the tools that have it.
type features map[string][]posting

// line is a text as a set of terms.
type line []content

// likenedTo is an example or a learned question: its terms, and their whole weight.
type likenedTo struct {
	ids []int
	sum float64
}

const (
	nameWeight   = 2 // a word of a tool's name counts as often
	prefixLength = 4 // letters
	gramLength   = 4 // letters
	prefixShare  = 0.75
	gramShare    = 0.5
)

// NewTools indexes docs. Their positions are those of the answers.
func NewTools(docs []ToolDoc) *ToolIndex {
	x := &ToolIndex{count: len(docs), ids: map[string]int{}, likened: make([][]likenedTo, len(docs))}
	lines := make([][]line, len(docs))
	words, prefixes, grams := newCounts(len(docs)), newCounts(len(docs)), newCounts(len(docs))
	for i, doc := range docs {
		add := func(text string, weight float64) {
			for _, w := range contents(text) {
				words.add(i, w.stem, weight)
				prefixes.add(i, prefix(w.word), weight)
				eachGram(w.word, func(gram string) { grams.add(i, gram, weight) })
			}
		}
		add(Spaced(doc.Name), nameWeight)
		add(doc.Description, 1)
		for _, text := range slices.Concat(doc.Examples, doc.Learned) {
			add(text, 1)
			lines[i] = append(lines[i], lineOf(text))
		}
	}
	x.words, x.prefixes, x.grams = words.features(), prefixes.features(), grams.features()
	for i := range lines {
		for _, terms := range lines[i] {
			x.likened[i] = append(x.likened[i], x.likenedTo(terms))
		}
	}
	return x
}

// likenedTo gives the terms of a line their numbers.
func (x *ToolIndex) likenedTo(terms line) (l likenedTo) {
	for _, term := range terms {
		id, known := x.ids[term.stem]
		if !known {
			id = len(x.weights)
			x.ids[term.stem] = id
			x.stems, x.weights = append(x.stems, term.stem), append(x.weights, x.weight(term))
		}
		l.ids = append(l.ids, id)
		l.sum += x.weights[id]
	}
	return l
}

// Scores returns one BM25 score per tool: 0 for one that has nothing in common
// with query, more for a better fit. Scores of different queries or indexes
// cannot be compared.
func (x *ToolIndex) Scores(query string) []float64 {
	scores := make([]float64, x.count)
	for _, w := range lineOf(query) {
		weight := math.Sqrt(w.weight)
		x.words.score(scores, w.stem, weight)
		x.prefixes.score(scores, prefix(w.word), weight*prefixShare)
		eachGram(w.word, func(gram string) { x.grams.score(scores, gram, weight*gramShare/float64(len(w.word))) })
	}
	return scores
}

// Fit is how well a tool fits a question by its words.
type Fit struct {
	Score float64  // 0 to 0.99
	Words []string // of the question that the tool has
}

const (
	enough  = 0.8  // weight of shared words that is proof enough; less counts for much less
	strange = 0.5  // weight of a word that no tool has
	numeral = 0.35 // weight of a number
	support = 0.25 // what the lesser of coverage and likeness adds
	least   = 0.05 // for what only pieces of words speak
	most    = 0.99
)

// Fits says of each tool how well it fits query: by the share of the query's content
// words that it has anywhere, and by its example or learned question that is most
// like it. A word counts by what it tells and by how few tools have it. Where others
// have a better BM25 score ([ToolIndex.Scores]), it counts less by the square of the
// share: the two together are right more often than either.
func (x *ToolIndex) Fits(query string) []Fit {
	terms := x.joined(query)
	asked := map[string]bool{}
	var all float64
	for _, term := range terms {
		asked[term.stem] = true
		all += x.weight(term)
	}
	fits := make([]Fit, x.count)
	if all == 0 || x.count == 0 {
		return fits
	}
	scores := x.Scores(query)
	best := slices.Max(scores)
	for i := range fits {
		var shared float64
		for _, term := range terms {
			if term.stem != aNumber && x.words.has(term.stem, i) {
				shared += x.weight(term)
				fits[i].Words = append(fits[i].Words, term.word)
			}
		}
		covered := shared / all * min(1, shared*shared/(enough*enough))
		var like float64
		for _, example := range x.likened[i] {
			like = max(like, x.likeness(terms, asked, example, all))
		}
		if best > 0 {
			both := 1 - (1-max(covered, like))*(1-support*min(covered, like))
			fits[i].Score = min(most, max(least, both)) * (scores[i] / best) * (scores[i] / best)
		}
	}
	return fits
}

// joined are the terms of a query. Two words in a row that some tool writes as one,
// such as "on call", are that one.
func (x *ToolIndex) joined(query string) line {
	words := Words(query)
	for i := 0; i+1 < len(words); i++ {
		if both := words[i] + words[i+1]; len(x.words[Stem(both)]) > 0 {
			words = slices.Replace(words, i, i+2, both)
		}
	}
	return lineOf(strings.Join(words, " "))
}

// likeness is the share of the words that a question and an example have in common,
// in which those of the question count for twice as much.
func (x *ToolIndex) likeness(terms line, asked map[string]bool, example likenedTo, all float64) float64 {
	var shared float64
	for _, id := range example.ids {
		if asked[x.stems[id]] {
			shared += x.weights[id]
		}
	}
	if shared == 0 {
		return 0
	}
	mine, theirs := shared/all, shared/example.sum
	if len(terms) == 1 && terms[0].stem == aNumber {
		mine *= theirs
	}
	return 3 * mine * theirs / (2*theirs + mine)
}

// weight is what a term counts in a share.
func (x *ToolIndex) weight(term content) float64 {
	if term.stem == aNumber {
		return numeral
	}
	df := float64(len(x.words[term.stem]))
	if df == 0 {
		return strange
	}
	n := float64(x.count)
	return term.weight * (1 + math.Log((n+1)/(df+0.5))/math.Log(n+2))
}

func idf(count int, df float64) float64 {
	return math.Log(1 + (float64(count)-df+0.5)/(df+0.5))
}

const aNumber = "0" // stands for every number

// content is a word that tells something, its stem, and how much it tells.
type content struct {
	word, stem string
	weight     float64
}

// contents are the content words of text, in their order. All numbers are one word.
func contents(text string) []content {
	var all []content
	for _, w := range Words(text) {
		weight := Weight(w)
		switch {
		case weight == 0:
		case isNumber(w):
			all = append(all, content{word: aNumber, stem: aNumber, weight: weight})
		default:
			all = append(all, content{word: w, stem: Stem(w), weight: weight})
		}
	}
	return all
}

func lineOf(text string) line {
	var terms line
	for _, w := range contents(text) {
		if !terms.has(w.stem) {
			terms = append(terms, w)
		}
	}
	return terms
}

func (l line) has(stem string) bool {
	return slices.ContainsFunc(l, func(c content) bool { return c.stem == stem })
}

func isNumber(word string) bool {
	return strings.TrimLeftFunc(word, unicode.IsDigit) == ""
}

// Spaced is a tool's name as words: readFile and read_file are "read File" and "read_file".
func Spaced(name string) string {
	var words []rune
	lower := false
	for _, r := range name {
		if lower && unicode.IsUpper(r) {
			words = append(words, ' ')
		}
		lower = unicode.IsLower(r)
		words = append(words, r)
	}
	return string(words)
}

// prefix is the first letters of word.
func prefix(word string) string {
	n := 0
	for i := range word {
		if n == prefixLength {
			return word[:i]
		}
		n++
	}
	return word
}

// eachGram calls do with each piece of word, and with word where it is shorter.
func eachGram(word string, do func(gram string)) {
	var starts [gramLength]int // of the last letters, round
	n := 0
	for i := range word {
		if n >= gramLength {
			do(word[starts[n%gramLength]:i])
		}
		starts[n%gramLength] = i
		n++
	}
	if n >= gramLength {
		do(word[starts[n%gramLength]:])
	} else {
		do(word)
	}
}

// counts are how often each tool has each feature.
type counts struct {
	of      []map[string]float64
	lengths []float64
}

func newCounts(n int) counts {
	c := counts{of: make([]map[string]float64, n), lengths: make([]float64, n)}
	for i := range c.of {
		c.of[i] = map[string]float64{}
	}
	return c
}

func (c counts) add(doc int, feature string, weight float64) {
	c.of[doc][feature] += weight
	c.lengths[doc] += weight
}

func (c counts) features() features {
	var total float64
	for _, n := range c.lengths {
		total += n
	}
	f := features{}
	for i, frequency := range c.of {
		norm := 1 - lengthNorm + lengthNorm*c.lengths[i]*float64(len(c.of))/total
		for feature, tf := range frequency {
			f[feature] = append(f[feature], posting{doc: i, tf: tf / norm})
		}
	}
	return f
}

func (f features) has(feature string, doc int) bool {
	_, found := slices.BinarySearchFunc(f[feature], doc, func(p posting, doc int) int { return p.doc - doc })
	return found
}

func (f features) score(scores []float64, feature string, weight float64) {
	hits := f[feature]
	if len(hits) == 0 {
		return
	}
	weight *= idf(len(scores), float64(len(hits)))
	for _, p := range hits {
		scores[p.doc] += weight * p.tf * (saturation + 1) / (p.tf + saturation)
	}
}

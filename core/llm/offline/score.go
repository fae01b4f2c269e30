package offline

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"yaap/core"
	"yaap/core/rank"
)

const (
	maxDescription = 2048 // bytes of a tool's description that are read
	maxExamples    = 25   // with the questions that it has answered here

	enoughProof  = 0.8 // weight of shared words that is proof enough; less counts for much less
	strangeShare = 0.5 // of the weight of a word that nobody in the room has
	support      = 0.25

	numeral  = "#" // stands for every number
	aNumeral = 0.35
)

// tool is what somebody says of themselves, as a bag of words.
type tool struct {
	spec     core.ToolSpec
	owner    string
	terms    map[string]bool
	examples [][]string
}

// index judges those who do not bid by what they say of themselves.
type index struct {
	tools []tool
	idf   map[string]float64
}

func newIndex(specs []core.ToolSpec, learned func(expert string) []string) *index {
	x := &index{idf: map[string]float64{}}
	for _, spec := range specs {
		t := tool{spec: spec, owner: ownerOf(spec), terms: map[string]bool{}}
		examples := slices.Concat(spec.Examples, learned(t.owner))
		for _, e := range examples[:min(len(examples), maxExamples)] {
			t.examples = append(t.examples, terms(clip(e, 256)))
		}
		for _, words := range append(t.examples, terms(humanName(spec.Name)), terms(clip(spec.Description, maxDescription))) {
			for _, w := range words {
				t.terms[w] = true
			}
		}
		for w := range t.terms {
			x.idf[w]++
		}
		x.tools = append(x.tools, t)
	}
	n := float64(len(specs))
	for w, df := range x.idf {
		x.idf[w] = 1 + math.Log((n+1)/(df+0.5))/math.Log(n+2)
	}
	return x
}

// terms are the stems of the words that tell something, each once. All numbers are
// one; files and quotations may be about anything and are none.
func terms(text string) (list []string) {
	for _, t := range lex(text) {
		switch t.class {
		case word:
			list = append(list, rank.Terms(t.text)...)
		case number:
			list = append(list, numeral)
		default:
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// weight is how much a word of a question tells: one that nobody in the room has
// tells half.
func (x *index) weight(w string) float64 {
	if w == numeral {
		return aNumeral
	}
	if idf, known := x.idf[w]; known {
		return idf * rank.Weight(w)
	}
	return strangeShare
}

// score is how well a tool fits the words of a text, 0 to 1, and which of them
// speak for it.
func (x *index) score(t *tool, text []string) (float64, []string) {
	var all, shared float64
	var words []string
	for _, w := range text {
		weight := x.weight(w)
		all += weight
		if t.terms[w] && w != numeral {
			shared += weight
			words = append(words, w)
		}
	}
	if all == 0 {
		return 0, nil
	}
	covered := shared / all * min(1, shared*shared/(enoughProof*enoughProof))
	like := 0.0
	for _, example := range t.examples {
		like = max(like, x.likeness(text, example, all))
	}
	return min(0.99, 1-(1-max(covered, like))*(1-support*min(covered, like))), words
}

// likeness is the share of the words that a text and an example have in common,
// in which those of the text count for twice as much.
func (x *index) likeness(text, example []string, all float64) float64 {
	var their, shared float64
	for _, w := range example {
		weight := x.weight(w)
		their += weight
		if slices.Contains(text, w) {
			shared += weight
		}
	}
	if shared == 0 || all == 0 {
		return 0
	}
	mine, theirs := shared/all, shared/their
	if len(text) == 1 && text[0] == numeral {
		mine *= theirs
	}
	return 3 * mine * theirs / (2*theirs + mine)
}

// ownerOf is the name the user knows a tool's expert by.
func ownerOf(spec core.ToolSpec) string {
	if spec.Owner != "" {
		return spec.Owner
	}
	owner, _, _ := strings.Cut(spec.Name, "__")
	return owner
}

// humanName makes words of an identifier.
func humanName(s string) string {
	var b strings.Builder
	lower := false
	for _, r := range s {
		switch {
		case r == '_' || r == '-' || r == '.':
			r = ' '
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}

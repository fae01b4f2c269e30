package question

import (
	"math"
	"strings"

	"github.com/yaap-chat/yaap/core/rank"
)

// Word is one that a question is about.
type Word struct {
	Text   string
	Weight float64
	Others []string // how else it is said
	Ends   bool     // it may be the end of another word: Garten, of Schrebergarten
	Heard  bool     // it, or what it is called otherwise, stands in any sentence
}

// unknown is how much a word weighs that stands in no sentence.
const unknown = 1.5

// Weigh returns how much each word of a question counts: the more, the rarer it is. counts
// are how many of all sentences hold it. It notes which stand in any.
func (q *Question) Weigh(counts []int, all int) []float64 {
	weights := make([]float64, len(q.Words))
	for i, w := range q.Words {
		n := float64(counts[i])
		q.Words[i].Heard = n > 0
		weights[i] = w.Weight * math.Log(1+(float64(all)-n+0.5)/(n+0.5))
		if n == 0 {
			weights[i] = w.Weight * unknown * math.Log(1+2*(float64(all)+0.5))
		}
	}
	return weights
}

// near reports whether one of some words begins as a word of the question or as what
// it is called otherwise: "plasticware", of plastics.
func (w Word) near(words []string) bool {
	for _, form := range append([]string{w.Text}, w.Others...) {
		for _, other := range words {
			n := 0
			for n < len(form) && n < len(other) && form[n] == other[n] {
				n++
			}
			if n >= 4 && n >= min(len(form), len(other))-2 && 3*n >= 2*min(len(form), len(other)) {
				return true
			}
		}
	}
	return false
}

// In reports whether a word is among those of a sentence, by [Stems].
func (w Word) In(stems map[string]bool) bool {
	for _, form := range append([]string{w.Text}, w.Others...) {
		if stems[rank.Stem(form)] || stems[form] {
			return true
		}
		for part := range strings.FieldsFuncSeq(form, func(r rune) bool { return strings.ContainsRune("-/.:_", r) }) {
			if part != form && len(part) > 3 && stems[part] {
				return true
			}
		}
		if w.Ends {
			for stem := range stems {
				if strings.HasSuffix(stem, form) {
					return true
				}
			}
		}
		if r := []rune(form); len(r) >= 6 { // an ending more or less
			for stem := range stems {
				if s := []rune(stem); len(s) >= len(r)-1 && len(s) <= len(r)+2 && strings.HasPrefix(stem, string(r[:len(r)-1])) {
					return true
				}
			}
		}
	}
	return false
}

// Stems are some words and their parts, as they are and by their stems.
func Stems(words []string) map[string]bool {
	stems := map[string]bool{}
	add := func(w string) {
		stems[w], stems[rank.Stem(w)] = true, true
	}
	for _, w := range words {
		w = strings.TrimSuffix(w, "'s")
		add(w)
		for part := range strings.FieldsFuncSeq(w, func(r rune) bool { return strings.ContainsRune("-/.:_", r) }) {
			add(part)
		}
	}
	return stems
}

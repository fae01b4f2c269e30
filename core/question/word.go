package question

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

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

// longForm is how many letters a word has at least that may have another ending.
const longForm = 6

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
	return slices.ContainsFunc(words, func(other string) bool { return w.beginsAs(other) })
}

func (w Word) beginsAs(other string) bool {
	for i := -1; i < len(w.Others); i++ {
		form := w.form(i)
		n := 0
		for n < len(form) && n < len(other) && form[n] == other[n] {
			n++
		}
		if i >= 0 && len(other) > len(form)+3 { // Zahlenschloss, of zahlen
			continue
		}
		least := min(len(form), len(other))
		compounds := w.Ends && n >= 6 && 5*n >= 3*least // Absaugung and Absauganlage
		if compounds || n >= 4 && n >= least-2 && 3*n >= 2*least {
			return true
		}
	}
	return false
}

// form is how a word is said: as it stands at -1, and else otherwise.
func (w Word) form(i int) string {
	if i < 0 {
		return w.Text
	}
	return w.Others[i]
}

// In reports whether a word is among those of a sentence, by [Stems].
func (w Word) In(stems map[string]bool) bool {
	m := w.matcher()
	if slices.ContainsFunc(m.whole, func(form string) bool { return stems[form] }) {
		return true
	}
	if len(m.ends)+len(m.long) > 0 {
		for stem := range stems {
			if m.partly(stem) {
				return true
			}
		}
	}
	return false
}

// matcher tells whether stems are those of a word.
type matcher struct {
	whole []string // what a stem may be
	ends  []string // what it may end with
	long  []string // what it may be with another ending
}

func (w Word) matcher() (m matcher) {
	for i := -1; i < len(w.Others); i++ {
		form := w.form(i)
		m.whole = append(m.whole, rank.Stem(form), form, strings.ToLower(form), rank.Stem(strings.ToLower(form)))
		for part := range strings.FieldsFuncSeq(form, func(r rune) bool { return strings.ContainsRune("-/.:_", r) }) {
			if part != form && len(part) > 2 {
				m.whole = append(m.whole, part)
			}
		}
		if w.Ends {
			m.ends = append(m.ends, form)
		}
		if utf8.RuneCountInString(form) >= longForm {
			m.long = append(m.long, form)
		}
	}
	return m
}

// partly reports whether a stem ends as a word, or has an ending more or less.
func (m matcher) partly(stem string) bool {
	for _, form := range m.ends {
		if strings.HasSuffix(stem, form) || len(stem) >= leastEnd && strings.HasSuffix(form, stem) {
			return true
		}
	}
	for _, form := range m.long {
		_, last := utf8.DecodeLastRuneInString(form)
		if strings.HasPrefix(stem, form[:len(form)-last]) {
			if n := utf8.RuneCountInString(stem) - utf8.RuneCountInString(form); n >= -1 && n <= 2 {
				return true
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
		if lower := strings.ToLower(w); lower != w { // "our CTO", "PRs"
			stems[lower], stems[rank.Stem(lower)] = true, true
		}
	}
	for _, w := range words {
		w = strings.TrimSuffix(w, "'s")
		add(w)
		for part := range strings.FieldsFuncSeq(w, func(r rune) bool { return strings.ContainsRune("-/.:_", r) }) {
			add(part)
		}
		if joined := strings.ReplaceAll(w, "-", ""); joined != w { // "mock-ups"
			add(joined)
		}
	}
	return stems
}

package question

import (
	"slices"
	"strings"
	"unicode"

	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/linear"
)

// leastYes is how much of a question for yes or no a sentence has to hold: "I live in Leeds"
// is no answer to "will it rain in Leeds?".
const leastYes = 0.9

// TellsAnother reports whether a statement tells something that a question does not ask for: of
// another thing of somebody, or of another kind of thing.
func (q *Question) TellsAnother(s Statement) bool {
	return s.tellsAnother(q) || q.otherKind(s) || q.namesNothing(s)
}

// MismatchFeatures are why a sentence is likely to tell something else than a question asks for.
func (q *Question) MismatchFeatures(f linear.Features, s Statement) {
	f.If("holds too little for yes or no", q.YesNo && s.readNear() < leastYes)
	f.If("another thing of somebody", s.tellsAnother(q))
	f.If("another thing of a name", s.namesBeside(q))
	f.If("another kind", q.otherKind(s))
	f.If("no price", q.Costs && !s.Priced())
}

// misshapen reports whether a question asks for something that is known by its form, and a
// sentence holds nothing of that form: a telephone number, an address.
func (q *Question) misshapen(s Statement) bool {
	return slices.ContainsFunc(q.Words, func(w Word) bool { return shapeOf(w.Text) != nil && !shaped(w.Text, s.Text) })
}

// attributes reports whether a question asks for something of a thing that a statement does
// not hold: "the host's port".
func (q *Question) attributes(s Statement) bool {
	text := strings.ReplaceAll(strings.ToLower(q.Text), "’", "'")
	for i, w := range q.Words {
		if !s.Holding[i] && !s.Near[i] && !q.named(w.Text) && strings.Contains(text, "'s "+w.Text) {
			return true
		}
	}
	return false
}

// otherKind reports whether a statement tells of another kind of what a question is about: of
// the payments service, and not of the search service. Other languages have no such pairs.
func (q *Question) otherKind(s Statement) bool {
	if q.Lang.ID != "en" {
		return false
	}
	asked, told := lang.Words(strings.ToLower(q.Text)), lang.Words(strings.ToLower(s.Text))
	for i, w := range q.Words[min(len(q.Words), 1):] {
		kind := q.Words[i]
		if w.Weight < 1 || kind.Weight < 1 || !s.Holding[i+1] || s.Holding[i] || s.Near[i] || !slices.Contains(asked, w.Text) || asked[max(slices.Index(asked, w.Text)-1, 0)] != kind.Text {
			continue
		}
		for j := 1; j < len(told); j++ {
			if w.In(Stems(told[j:j+1])) && !q.Lang.Has(lang.Function, told[j-1]) {
				return true
			}
		}
	}
	return false
}

// tellsAnother reports whether a statement tells something of a thing that a question does not
// ask for: "my sister's birthday is …".
func (s Statement) tellsAnother(q *Question) bool {
	words, asked := s.words, q.wordsWithoutOwner()
	forName := q.Demands == lang.Who || slices.ContainsFunc(asked, q.named)
	for i, w := range words[:len(words)-1] {
		if of, ok := strings.CutSuffix(w, "'s"); ok && slices.Contains(asked, of) && !slices.Contains(asked, words[i+1]) && (!forName || !q.named(words[i+1])) {
			return true
		}
	}
	return false
}

// namesNothing reports whether a question asks what a thing is called, and a statement only tells
// that there is one: "we have a dog".
func (q *Question) namesNothing(s Statement) bool {
	if q.AsksMyName() || !slices.ContainsFunc(lang.Words(q.Text), q.named) || slices.ContainsFunc(s.words, q.named) || s.lang.IsDefinition(s.Text) {
		return false
	}
	words := strings.Fields(s.Text)
	return len(words) > 0 && !slices.ContainsFunc(words[1:], func(w string) bool {
		return strings.ContainsFunc(w, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) }) && !q.IsAbout(strings.ToLower(strings.Trim(w, ".,;:!?\"()")))
	})
}

// namesBeside reports whether a statement names whom a question is about, but tells something
// else of somebody else: "Tom met Ada on May 7", of "when does Ada come?".
func (s Statement) namesBeside(q *Question) bool {
	return len(q.Words) == 2 && !s.Subject && (q.Demands == lang.When || q.Demands == lang.Where) && slices.ContainsFunc([]int{0, 1}, func(i int) bool {
		return q.Names(q.Words[i].Text) && s.Holding[i] && !s.Holding[1-i] && !s.Near[1-i]
	})
}

// wordsWithoutOwner are the words of a question, host for "host's".
func (q *Question) wordsWithoutOwner() []string {
	words := lang.Words(q.Text)
	for i, w := range words {
		words[i] = strings.TrimSuffix(w, "'s")
	}
	return words
}

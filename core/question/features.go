package question

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/linear"
)

// Features are what counts for how well a sentence answers a question. weights are those of
// the question's words, by how rare they are.
func (q *Question) Features(s Statement, weights []float64) linear.Features {
	f := linear.Features{linear.Bias: 1, "read": s.Read, "extra": float64(min(s.Extra, 4))}
	q.wordFeatures(f, s, weights)
	q.valueFeatures(f, s)
	q.ownFeatures(f, s)
	return f
}

// wordFeatures are which words of a question a statement holds.
func (q *Question) wordFeatures(f linear.Features, s Statement, weights []float64) {
	const names, things, classes, verbs = 0, 1, 2, 3
	var asked, held [4]int
	rarest, rarestHeld := 0.0, false
	for i, w := range q.Words {
		holds := s.Holding[i] || s.Near[i]
		kind := verbs
		switch {
		case q.Names(w.Text), strings.ContainsFunc(w.Text, unicode.IsDigit):
			kind = names
		case w.Weight >= 1:
			kind = things
		case w.Weight == ClassWeight:
			kind = classes
		}
		asked[kind]++
		f.If("a thing was never said", kind == things && !holds && !w.Heard)
		f.If("a verb was never said", kind == verbs && !holds && !w.Heard)
		if holds {
			held[kind]++
		}
		f.If("near", s.Near[i])
		if weights[i] > rarest {
			rarest, rarestHeld = weights[i], holds
		}
	}
	f.If("a name is missing", held[names] < asked[names])
	f.If("all names are there", asked[names] > 0 && held[names] == asked[names])
	f.If("no thing is there", asked[things] > 0 && held[things] == 0)
	f.If("all things are there", asked[things] > 0 && held[things] == asked[things])
	f.If(fmt.Sprint("things missing ", min(asked[things]-held[things], 3)), held[things] < asked[things])
	f.Set(fmt.Sprint("things read ", min(held[things], 3)))
	f.If("a verb is missing", held[verbs] < asked[verbs])
	f.If("verb is there", asked[verbs] > 0 && held[verbs] == asked[verbs])
	f.If("class is missing", held[classes] < asked[classes])
	f.If("the rarest is there", rarestHeld)
	f.If("an attribute is missing", q.attributes(s))
	f.If("one word", len(q.Words) == 1)
	f.If("one name", len(q.Words) == 1 && asked[names] == 1)
}

// valueFeatures are whether a statement holds a value of the kind that a question asks for.
func (q *Question) valueFeatures(f linear.Features, s Statement) {
	l, words, asked := s.lang, s.words, q.wordsWithoutOwner()
	demand := q.Demands
	switch {
	case demand == "" && q.YesNo:
		demand = "yes or no"
	case demand == "":
		demand = "what"
	}
	f.Set("asks " + demand)
	f.Set(fmt.Sprint(demand, " held ", s.holds(q.Demands)))
	f.If(demand+" new name", l.ID != "de" && slices.ContainsFunc(strings.Fields(s.Text)[1:], func(w string) bool {
		w = strings.Trim(w, ".,;:!?()\"'")
		return len(w) > 1 && unicode.IsUpper([]rune(w)[0]) && !slices.Contains(asked, strings.ToLower(w))
	}))
	first := strings.Fields(s.Text)[0]
	f.If(demand+" opens named", l.ID != "de" && unicode.IsUpper([]rune(first)[0]) && !l.Has(lang.Function, strings.ToLower(first)) && !slices.Contains(asked, strings.ToLower(first)))
	number, code := false, false
	for _, w := range words {
		if isNew := !slices.Contains(asked, w); isNew && strings.ContainsFunc(w, unicode.IsDigit) {
			number = true
			code = code || strings.ContainsFunc(w, unicode.IsLetter)
		} else if isNew {
			code = code || strings.ContainsAny(w, "/_@.")
		}
	}
	f.If(demand+" new number", number)
	f.If(demand+" new code", code)
	f.If("class is missing, new number", number && f["class is missing"] > 0)
	f.If(demand+" counted", q.counted(words, l))
	f.If("not of the form", q.misshapen(s))
	f.If("costs", q.Costs)
	tends := q.Lang.HasPhrase(q.Text, "tends")
	f.If("tends", tends)
	f.If("tends both", tends && l.HasPhrase(s.Text, "tends"))
	f.If("other language", l.ID != q.Lang.ID)
	f.Set(q.Lang.ID)
}

// counted reports whether a number stands before a word of a question: "355 sensors".
func (q *Question) counted(words []string, l *lang.Language) bool {
	for i, w := range words[:len(words)-1] {
		if !strings.ContainsFunc(w, unicode.IsDigit) && !l.Has("number", w) {
			continue
		}
		behind := Stems(words[i+1 : min(len(words), i+3)])
		if slices.ContainsFunc(q.Words, func(of Word) bool { return of.Weight >= ClassWeight && of.In(behind) }) {
			return true
		}
	}
	return false
}

// ownFeatures are whose a thing is, and what is told of it.
func (q *Question) ownFeatures(f linear.Features, s Statement) {
	own := s.Own || s.lang.SubjectIsSpeaker(s.Text)
	f.If("self of own", q.Self && own)
	f.If("self of other", q.Self && !own)
	f.If("mine of own", q.Mine && own)
	f.If("mine of other", q.Mine && !own)
	f.If("light", q.Light)
	f.If("subject", s.Subject)
	f.If("subjects", q.Subjects)
	f.If("subjects in subject", q.Subjects && s.Subject)
}

// Compare adds to the features of statements what counts of them beside each other. The
// later of two has the higher Order.
func Compare(all []Statement, features []linear.Features) {
	most, second, newest := 0.0, 0.0, -1
	for i, s := range all {
		switch r := s.readNear(); {
		case newest < 0 || r > most:
			most, second, newest = r, most, i
		case r == most:
			if second = r; s.Order > all[newest].Order {
				newest = i
			}
		case r > second:
			second = r
		}
	}
	for i, s := range all {
		r := s.readNear()
		features[i].If("reads most", r == most)
		features[i].If("reads most alone", r == most && second < most)
		features[i].If("newest that reads most", i == newest && second == most)
		features[i].If("reads much less", r < 0.7*most)
	}
}

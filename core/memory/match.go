package memory

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/linear"
)

// matchText are the weights by which a statement is told to answer a question. They are
// fitted to the questions of package eval.
//
//go:embed match.txt
var matchText string

//nolint:gochecknoglobals // parsed once from the embedded file, and never changed
var matchWeights = sync.OnceValue(func() linear.Weights {
	weights, err := linear.Parse(matchText)
	if err != nil {
		panic(err) // it is embedded
	}
	return weights
})

// leastYes is how much of a question for yes or no a statement has to hold: "I live in Leeds" is
// no answer to "will it rain in Leeds?".
const leastYes = 0.9

// leastSure is how likely a statement has to answer a question for being told.
const leastSure = 0.45

// matched returns the statements that hold a word of a question, that which is likeliest
// to answer it first.
func (q inquiry) matched(all []statement, weights []float64) []statement {
	found, features := q.match(all, weights)
	for i := range found {
		if !found[i].isBeside(q) {
			found[i].sure = 1 / (1 + math.Exp(-matchWeights().Score(features[i])))
		}
	}
	slices.SortStableFunc(found, func(a, b statement) int {
		return cmp.Or(cmp.Compare(b.sure, a.sure), cmp.Compare(b.order, a.order))
	})
	return found
}

// match returns the statements that hold a word of a question, and what counts for how
// well each answers it.
func (q inquiry) match(all []statement, weights []float64) ([]statement, []linear.Features) {
	found := slices.DeleteFunc(all, func(s statement) bool { return !s.isAbout(q) })
	features := make([]linear.Features, len(found))
	for i, s := range found {
		f := linear.Features{linear.Bias: 1, "read": s.read, "extra": float64(min(s.extra, 4))}
		q.wordFeatures(f, s, weights)
		q.valueFeatures(f, s)
		q.ownFeatures(f, s)
		features[i] = f
	}
	beside(found, features)
	return found, features
}

// isBeside reports whether a statement is about what a question is about, but tells something
// else of it.
func (s statement) isBeside(q inquiry) bool {
	return q.yesNo && s.readNear() < leastYes || s.tellsAnother(q) || s.namesBeside(q) || q.otherKind(s) || q.costs && !priced(lang.Of(s.text), lang.Words(s.text), s.text)
}

// isAbout reports whether a statement holds one of the words of a question that say what
// it is about.
func (s statement) isAbout(q inquiry) bool {
	most := 0.0
	for _, w := range q.words {
		most = max(most, w.weight)
	}
	for i, w := range q.words {
		if w.weight >= min(most, 1) && (s.holding[i] || s.near[i]) {
			return true
		}
	}
	return false
}

// wordFeatures are which words of a question a statement holds.
func (q inquiry) wordFeatures(f linear.Features, s statement, weights []float64) {
	const names, things, classes, verbs = 0, 1, 2, 3
	var asked, held [4]int
	rarest, rarestHeld := 0.0, false
	for i, w := range q.words {
		holds := s.holding[i] || s.near[i]
		kind := verbs
		switch {
		case q.names(w.text), strings.ContainsFunc(w.text, unicode.IsDigit):
			kind = names
		case w.weight >= 1:
			kind = things
		case w.weight == classWeight:
			kind = classes
		}
		asked[kind]++
		f.If("a thing was never said", kind == things && !holds && !w.heard)
		f.If("a verb was never said", kind == verbs && !holds && !w.heard)
		if holds {
			held[kind]++
		}
		f.If("near", s.near[i])
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
	f.If("one word", len(q.words) == 1)
	f.If("one name", len(q.words) == 1 && asked[names] == 1)
}

// attributes reports whether a question asks for something of a thing that a statement does
// not hold: "the host's port".
func (q inquiry) attributes(s statement) bool {
	text := strings.ReplaceAll(strings.ToLower(q.text), "’", "'")
	for i, w := range q.words {
		if !s.holding[i] && !s.near[i] && !q.lang.Has("named", w.text) && strings.Contains(text, "'s "+w.text) {
			return true
		}
	}
	return false
}

// otherKind reports whether a statement tells of another kind of what a question is about: of
// the payments service, and not of the search service. Other languages have no such pairs.
func (q inquiry) otherKind(s statement) bool {
	if q.lang.ID != "en" {
		return false
	}
	asked, told := lang.Words(strings.ToLower(q.text)), lang.Words(strings.ToLower(s.text))
	for i, w := range q.words[min(len(q.words), 1):] {
		kind := q.words[i]
		if w.weight < 1 || kind.weight < 1 || !s.holding[i+1] || s.holding[i] || s.near[i] || !slices.Contains(asked, w.text) || asked[max(slices.Index(asked, w.text)-1, 0)] != kind.text {
			continue
		}
		for j := 1; j < len(told); j++ {
			if w.in(stemsOf(told[j:j+1])) && !q.lang.Has(lang.Function, told[j-1]) {
				return true
			}
		}
	}
	return false
}

// tellsAnother reports whether a statement tells something of a thing that a question does not
// ask for: "my sister's birthday is …".
func (s statement) tellsAnother(q inquiry) bool {
	words, asked := lang.Words(s.text), q.wordsWithoutOwner()
	for i, w := range words[:len(words)-1] {
		if of, ok := strings.CutSuffix(w, "'s"); ok && slices.Contains(asked, of) && !slices.Contains(asked, words[i+1]) {
			return true
		}
	}
	return false
}

// namesBeside reports whether a statement names whom a question is about, but tells something
// else of somebody else: "Tom met Ada on May 7", of "when does Ada come?".
func (s statement) namesBeside(q inquiry) bool {
	return len(q.words) == 2 && !s.subject && (q.demands == lang.When || q.demands == lang.Where) && slices.ContainsFunc([]int{0, 1}, func(i int) bool {
		return q.names(q.words[i].text) && s.holding[i] && !s.holding[1-i] && !s.near[1-i]
	})
}

// wordsWithoutOwner are the words of a question, host for "host's".
func (q inquiry) wordsWithoutOwner() []string {
	words := lang.Words(q.text)
	for i, w := range words {
		words[i] = strings.TrimSuffix(w, "'s")
	}
	return words
}

// valueFeatures are whether a statement holds a value of the kind that a question asks for.
func (q inquiry) valueFeatures(f linear.Features, s statement) {
	l, words, asked := lang.Of(s.text), lang.Words(s.text), q.wordsWithoutOwner()
	demand := q.demands
	switch {
	case demand == "" && q.yesNo:
		demand = "yes or no"
	case demand == "":
		demand = "what"
	}
	f.Set("asks " + demand)
	f.Set(fmt.Sprint(demand, " held ", s.holds(q.demands, l, words)))
	f.If(demand+" new name", l.ID != "de" && slices.ContainsFunc(strings.Fields(s.text)[1:], func(w string) bool {
		w = strings.Trim(w, ".,;:!?()\"'")
		return len(w) > 1 && unicode.IsUpper([]rune(w)[0]) && !slices.Contains(asked, strings.ToLower(w))
	}))
	first := strings.Fields(s.text)[0]
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
	f.If("costs", q.costs)
	tends := q.lang.Holds(q.text, "tends")
	f.If("tends", tends)
	f.If("tends both", tends && l.Holds(s.text, "tends"))
	f.If("other language", l.ID != q.lang.ID)
	f.Set(q.lang.ID)
}

// counted reports whether a number stands before a word of a question: "355 sensors".
func (q inquiry) counted(words []string, l *lang.Language) bool {
	for i, w := range words[:len(words)-1] {
		if !strings.ContainsFunc(w, unicode.IsDigit) && !l.Has("number", w) {
			continue
		}
		behind := stemsOf(words[i+1 : min(len(words), i+3)])
		if slices.ContainsFunc(q.words, func(of word) bool { return of.weight >= 1 && of.in(behind) }) {
			return true
		}
	}
	return false
}

// ownFeatures are whose a thing is, and what is told of it.
func (q inquiry) ownFeatures(f linear.Features, s statement) {
	own := s.note.Ours || lang.Of(s.text).OfSelf(s.text)
	f.Set("is " + string(s.kind))
	f.If("self of own", q.self && own)
	f.If("self of other", q.self && !own)
	f.If("mine of own", q.mine && own)
	f.If("mine of other", q.mine && !own)
	f.If("light", q.light)
	f.If("subject", s.subject)
	f.If("subjects", q.subjects)
	f.If("subjects in subject", q.subjects && s.subject)
}

// beside sets what counts of statements beside each other.
func beside(all []statement, features []linear.Features) {
	most, second, newest := 0.0, 0.0, -1
	for i, s := range all {
		switch r := s.readNear(); {
		case newest < 0 || r > most:
			most, second, newest = r, most, i
		case r == most:
			if second = r; s.order > all[newest].order {
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

// readNear is the share of a question's words that a statement holds, in another form
// for a half.
func (s statement) readNear() float64 {
	near := 0.0
	for _, is := range s.near {
		if is {
			near += 0.5
		}
	}
	return s.read + near/float64(max(len(s.near), 1))
}

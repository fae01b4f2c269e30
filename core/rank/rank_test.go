package rank_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core/rank"
)

func TestTheDocumentThatSharesTheRarerWordsComesFirst(t *testing.T) {
	x := rank.New([]rank.Document{
		{{Text: "weather", Weight: 2}, {Text: "Forecasts for towns: rain, wind and sun.", Weight: 1}},
		{{Text: "tides", Weight: 2}, {Text: "High and low water for towns by the sea.", Weight: 1}},
		{},
	})
	scores := x.Scores("when is high water in sunny towns?")
	if scores[1] <= scores[0] || scores[0] <= 0 || scores[2] != 0 {
		t.Errorf("scores are %v, want the second document first and the third at 0", scores)
	}
}

func TestAWordInAHeavierFieldCountsMore(t *testing.T) {
	x := rank.New([]rank.Document{
		{{Text: "heron", Weight: 2}, {Text: "birds", Weight: 1}},
		{{Text: "birds", Weight: 2}, {Text: "heron", Weight: 1}},
	})
	if s := x.Scores("heron"); s[0] <= s[1] {
		t.Errorf("scores are %v, want the first document first", s)
	}
}

func TestNothingIsFoundInNothing(t *testing.T) {
	if s := rank.New(nil).Scores("heron"); len(s) != 0 {
		t.Errorf("scores are %v, want none", s)
	}
	if s := rank.New([]rank.Document{{}}).Scores("heron"); len(s) != 1 || s[0] != 0 {
		t.Errorf("scores are %v, want one 0", s)
	}
}

func TestInflectionsShareAStem(t *testing.T) {
	for _, words := range [][]string{
		{"translate", "translates", "translated", "translating", "translation", "translations", "translator"},
		{"convert", "converts", "converting", "conversion", "converter"},
		{"commit", "commits", "committed", "committing"},
		{"city", "cities"},
		{"rain", "raining", "rained", "rainy"},
		{"summarise", "summarize", "summarising", "summarized"},
		{"metre", "meter", "metres", "meters"},
		{"colour", "color", "colours"},
		{"eat", "ate", "eaten", "eating"},
		{"large", "largest"},
		{"measure", "measurement", "measuring"},
		{"branch", "branches"},
	} {
		want := rank.Stem(words[0])
		for _, w := range words[1:] {
			if got := rank.Stem(w); got != want {
				t.Errorf("the stem of %q is %q, of %q it is %q", words[0], want, w, got)
			}
		}
	}
}

func TestDifferentWordsKeepDifferentStems(t *testing.T) {
	seen := map[string]string{}
	for _, w := range []string{"house", "horse", "weather", "heat", "train", "rain", "string", "sting", "forest", "fort", "request", "tide", "time", "news", "new", "herón", "東京", "b"} {
		if other, ok := seen[rank.Stem(w)]; ok {
			t.Errorf("%q and %q have the same stem %q", w, other, rank.Stem(w))
		}
		seen[rank.Stem(w)] = w
	}
}

func FuzzStemsAndScoresOfAnything(f *testing.F) {
	f.Add("What's the weather — in Zürich?", "Wetter, weather")
	f.Add("\xff\xfe'’", "''")
	f.Fuzz(func(t *testing.T, query, text string) {
		for _, w := range rank.Words(query) {
			if len(w) > 2 && rank.Stem(w) == "" {
				t.Errorf("the stem of %q is empty", w)
			}
		}
		x := rank.New([]rank.Document{{{Text: text, Weight: 1}}})
		if s := x.Scores(query); s[0] < 0 {
			t.Errorf("%q scores %v in %q", query, s[0], text)
		}
	})
}

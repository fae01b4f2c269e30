package rank_test

import (
	"math"
	"testing"

	"yaap/core/rank"
)

func tools() *rank.ToolIndex {
	return rank.NewTools([]rank.ToolDoc{
		{Name: "weatherForecast", Description: "Rain, wind and sun for towns.", Examples: []string{"will it rain in Oslo tomorrow?"}},
		{Name: "tides", Description: "High and low water by the sea.", Learned: []string{"when can I bathe in Brest at 8?"}},
		{Name: "nothing"},
	})
}

func TestAToolIsFoundByEachOfItsTexts(t *testing.T) {
	x := tools()
	for query, want := range map[string]int{
		"a forecast, please":             0, // its name
		"how windy is it?":               0, // its description
		"Oslo":                           0, // its example
		"bathing":                        1, // what it answered
		"a forecaster of weatherliness":  0, // a piece of its name
		"how high is the sea at Brest?":  1,
		"nothing of this sort was known": 2,
	} {
		scores := x.Scores(query)
		for i, s := range scores {
			if i != want && s >= scores[want] {
				t.Errorf("%q scores %v, want tool %d first", query, scores, want)
			}
		}
	}
}

func TestCoverageIsTheShareOfTheWordsThatAToolHas(t *testing.T) {
	x := tools()
	if c := x.Coverage("will the wind and the rain reach the towns?", 0); c < 0.6 || c >= 1 {
		t.Errorf("three words of four are covered by %v", c)
	}
	if c := x.Coverage("rain and wind", 0); c != 1 {
		t.Errorf("all words are covered by %v, want 1", c)
	}
	if c := x.Coverage("rain and wind", 1); c != 0 {
		t.Errorf("no word is covered by %v, want 0", c)
	}
	if c := x.Coverage("what is it?", 0); c != 0 {
		t.Errorf("without a content word the coverage is %v, want 0", c)
	}
	if c := x.Coverage("rain kumquat", 0); c <= 0.5 {
		t.Errorf("with one word of two that nobody has the coverage is %v, want over a half", c)
	}
}

func TestLikenessIsThatOfTheMostSimilarQuestion(t *testing.T) {
	x := tools()
	if l := x.Likeness("when can I bathe in Brest at 11?", 1); l != 1 {
		t.Errorf("the same question with another number is alike by %v, want 1", l)
	}
	if l := x.Likeness("will it rain in Bergen tomorrow?", 0); l < 0.3 || l >= 1 {
		t.Errorf("a similar question is alike by %v", l)
	}
	if l := x.Likeness("high water", 1); l != 0 {
		t.Errorf("words of the description are alike by %v, want 0", l)
	}
}

func FuzzSharesOfAnythingAreFrom0To1(f *testing.F) {
	f.Add("Wie spät ist es in Zürich?", "spät", "Zeit in 東京 \xff 17%")
	f.Add("", "", "")
	f.Fuzz(func(t *testing.T, query, name, text string) {
		x := rank.NewTools([]rank.ToolDoc{{Name: name, Description: text}, {Name: text, Learned: []string{name}, Examples: []string{query}}, {}})
		scores := x.Scores(query)
		for i := range 3 {
			c, l := x.Coverage(query, i), x.Likeness(query, i)
			for _, v := range []float64{c, l} {
				if math.IsNaN(v) || v < 0 || v > 1+1e-9 {
					t.Errorf("coverage %v, likeness %v", c, l)
				}
			}
			if math.IsNaN(scores[i]) || scores[i] < 0 {
				t.Errorf("scores %v", scores)
			}
		}
		if x.Likeness(query, 1) == 0 && x.Coverage(query, 1) > 0 {
			t.Errorf("%q is not like itself", query)
		}
	})
}

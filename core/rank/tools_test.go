package rank_test

import (
	"math"
	"testing"

	"github.com/yaap-chat/yaap/core/rank"
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

func TestAToolFitsByItsWordsAndByWhatItWasAskedBefore(t *testing.T) {
	x := tools()
	for _, c := range []struct {
		query       string
		tool        int
		least, most float64
	}{
		{"rain and wind", 0, 0.99, 0.99},                              // each word is in its description
		{"will the wind and the rain reach the towns?", 0, 0.5, 0.98}, // three of four
		{"rain kumquat", 0, 0.5, 0.98},                                // nobody has the other
		{"rain and wind", 1, 0, 0},                                    // none
		{"what is it?", 0, 0, 0},                                      // there is nothing to share
		{"when can I bathe in Brest at 11?", 1, 0.99, 0.99},           // it answered this with another number
		{"will it rain in Bergen tomorrow?", 0, 0.5, 0.98},            // it is like an example
		{"a weather fore cast", 0, 0.99, 0.99},                        // its name in two words
		{"17", 1, 0, 0.3},                                             // a number alone says nothing
	} {
		if fit := x.Fits(c.query)[c.tool]; fit.Score < c.least || fit.Score > c.most {
			t.Errorf("%q fits tool %d by %.2f, want %.2f to %.2f", c.query, c.tool, fit.Score, c.least, c.most)
		}
	}
	if words := x.Fits("will the wind reach the towns?")[0].Words; len(words) != 2 || words[0] != "wind" {
		t.Errorf("the words that speak for it are %q", words)
	}
}

func FuzzSharesOfAnythingAreFrom0To1(f *testing.F) {
	f.Add("Wie spät ist es in Zürich?", "spät", "Zeit in 東京 \xff 17%")
	f.Add("", "", "")
	f.Fuzz(func(t *testing.T, query, name, text string) {
		x := rank.NewTools([]rank.ToolDoc{{Name: name, Description: text}, {Name: text, Learned: []string{name}, Examples: []string{query}}, {}})
		scores := x.Scores(query)
		for i, fit := range x.Fits(query) {
			if math.IsNaN(fit.Score) || fit.Score < 0 || fit.Score > 0.99 {
				t.Errorf("tool %d fits by %v", i, fit.Score)
			}
			if math.IsNaN(scores[i]) || scores[i] < 0 {
				t.Errorf("scores %v", scores)
			}
		}
		if x.Fits(query)[1].Score == 0 && len(x.Fits(query)[0].Words) > 0 {
			t.Errorf("%q is not like itself", query)
		}
	})
}

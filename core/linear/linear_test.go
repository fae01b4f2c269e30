package linear_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core/linear"
	"github.com/yaap-chat/yaap/core/linear/lineartest"
	"github.com/yaap-chat/yaap/core/must"
)

func TestWeightsAreReadAsTheyAreWritten(t *testing.T) {
	weights := linear.Weights{"word the": -0.5, "bias": 1.25}
	must.Equal(t, weights, must.Get(linear.Parse("# fitted\n"+lineartest.Text(weights)))(t))
	if _, err := linear.Parse("word the\tmuch"); err == nil {
		t.Error("a weight that is no number is read")
	}
}

func TestOnlyFeaturesWithAWeightCount(t *testing.T) {
	f := linear.Features{"read": 0.5}
	f.Set("near")
	f.If("far", false)
	if got := (linear.Weights{"read": 2, "near": 1, "far": 9}).Score(f); got != 2 {
		t.Errorf("the score is %v", got)
	}
}

func TestFittedWeightsTellExamplesApart(t *testing.T) {
	var examples []lineartest.Example
	for i := range 40 {
		f := linear.Features{linear.Bias: 1}
		f.If("even", i%2 == 0)
		f.If("third", i%3 == 0)
		examples = append(examples, lineartest.Example{Features: f, Yes: i%2 == 0})
	}
	weights := lineartest.Fit(examples, 0.5)
	if right := lineartest.Right(weights, examples); right < 1 || weights["third"] > weights["even"] {
		t.Errorf("%.2f are told right by %v", right, weights)
	}
	must.Equal(t, weights, lineartest.Fit(examples, 0.5))
}

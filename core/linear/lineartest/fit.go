// Package lineartest fits the weights of package linear to labelled examples, and
// checks that those of a file are so fitted.
package lineartest

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core/linear"
)

// Example is something of which it is known whether it is meant.
type Example struct {
	Features linear.Features
	Yes      bool
}

const (
	steps  = 400
	least  = 3 // examples with a feature
	digits = 2 // after the point, of a weight
)

// Fit returns the weights that tell the examples apart best, by proximal gradient
// descent. The greater the penalty of a weight, the fewer are not 0. It is
// deterministic.
func Fit(examples []Example, penalty float64) linear.Weights {
	count := map[string]int{}
	for _, e := range examples {
		for name := range e.Features {
			count[name]++
		}
	}
	maps.DeleteFunc(count, func(_ string, n int) bool { return n < least })
	names := slices.Sorted(maps.Keys(count))
	type value struct {
		at int
		of float64
	}
	rows := make([][]value, len(examples))
	bend := make([]float64, len(names)) // bounds the curvature along each weight
	for i, e := range examples {
		size := 0.0
		for at, name := range names {
			if of, ok := e.Features[name]; ok && of != 0 {
				rows[i] = append(rows[i], value{at, of})
				size += math.Abs(of)
			}
		}
		for _, v := range rows[i] {
			bend[v.at] += math.Abs(v.of) * size / 4
		}
	}
	weights, slope := make([]float64, len(names)), make([]float64, len(names))
	for range steps {
		clear(slope)
		for i, row := range rows {
			sum := 0.0
			for _, v := range row {
				sum += weights[v.at] * v.of
			}
			wrong := 1 / (1 + math.Exp(-sum))
			if examples[i].Yes {
				wrong--
			}
			for _, v := range row {
				slope[v.at] += wrong * v.of
			}
		}
		for at, name := range names {
			if bend[at] == 0 {
				continue
			}
			to, shrink := weights[at]-slope[at]/bend[at], penalty/bend[at]
			if name == linear.Bias {
				shrink = 0
			}
			weights[at] = math.Copysign(max(math.Abs(to)-shrink, 0), to)
		}
	}
	fitted := linear.Weights{}
	for at, name := range names {
		if w := math.Round(weights[at]*math.Pow10(digits)) / math.Pow10(digits); w != 0 {
			fitted[name] = w
		}
	}
	return fitted
}

// Text writes weights as [linear.Parse] reads them.
func Text(w linear.Weights) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(w)) {
		fmt.Fprintf(&b, "%s\t%.*f\n", name, digits, w[name])
	}
	return b.String()
}

// Right is the share of the examples that weights tell right.
func Right(w linear.Weights, examples []Example) float64 {
	right := 0
	for _, e := range examples {
		if w.Score(e.Features) > 0 == e.Yes {
			right++
		}
	}
	return float64(right) / float64(max(len(examples), 1))
}

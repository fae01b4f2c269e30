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
	m := newModel(examples)
	for i, row := range m.rows {
		for _, v := range row {
			m.bend[v.at] += math.Abs(v.of) * m.size[i] / 4
		}
	}
	for range steps {
		clear(m.slope)
		for i, row := range m.rows {
			wrong := 1 / (1 + math.Exp(-m.score(i)))
			if examples[i].Yes {
				wrong--
			}
			for _, v := range row {
				m.slope[v.at] += wrong * v.of
			}
		}
		m.step(penalty)
	}
	return m.fitted()
}

// model is weights that are fitted to examples.
type model struct {
	names   []string
	rows    [][]value // the features of each example
	size    []float64 // of each: the sum of its features
	weights []float64
	slope   []float64
	bend    []float64 // bounds the curvature along each weight
}

type value struct {
	at int
	of float64
}

func newModel(examples []Example) *model {
	count := map[string]int{}
	for _, e := range examples {
		for name := range e.Features {
			count[name]++
		}
	}
	maps.DeleteFunc(count, func(_ string, n int) bool { return n < least })
	names := slices.Sorted(maps.Keys(count))
	m := &model{
		names: names, rows: make([][]value, len(examples)), size: make([]float64, len(examples)),
		weights: make([]float64, len(names)), slope: make([]float64, len(names)), bend: make([]float64, len(names)),
	}
	for i, e := range examples {
		for at, name := range names {
			if of, ok := e.Features[name]; ok && of != 0 {
				m.rows[i] = append(m.rows[i], value{at, of})
				m.size[i] += math.Abs(of)
			}
		}
	}
	return m
}

func (m *model) score(row int) float64 {
	sum := 0.0
	for _, v := range m.rows[row] {
		sum += m.weights[v.at] * v.of
	}
	return sum
}

// step moves each weight down its slope, and then towards 0.
func (m *model) step(penalty float64) {
	for at, name := range m.names {
		if m.bend[at] == 0 {
			continue
		}
		to, shrink := m.weights[at]-m.slope[at]/m.bend[at], penalty/m.bend[at]
		if name == linear.Bias {
			shrink = 0
		}
		m.weights[at] = math.Copysign(max(math.Abs(to)-shrink, 0), to)
	}
}

func (m *model) fitted() linear.Weights {
	fitted := linear.Weights{}
	for at, name := range m.names {
		if w := math.Round(m.weights[at]*math.Pow10(digits)) / math.Pow10(digits); w != 0 {
			fitted[name] = w
		}
	}
	return fitted
}

// FitChoice returns the weights by which that of several examples which is meant scores highest
// and above 0, and by which all score below 0 where none is: a conditional logit with a choice
// of none. Examples that are always there together compete with each other alone. It is
// deterministic.
func FitChoice(choices [][]Example, penalty float64) linear.Weights {
	var all []Example
	for _, c := range choices {
		all = append(all, c...)
	}
	m := newModel(all)
	for range steps {
		clear(m.slope)
		clear(m.bend)
		at := 0
		for _, c := range choices {
			m.choose(c, at)
			at += len(c)
		}
		m.step(penalty)
	}
	return m.fitted()
}

// choose adds the slope of one choice, whose examples begin at a row.
func (m *model) choose(c []Example, at int) {
	whole, meant := 1.0, 0.0 // none scores 0
	odds := make([]float64, len(c))
	for i := range c {
		odds[i] = math.Exp(min(m.score(at+i), 30))
		whole += odds[i]
		if c[i].Yes {
			meant += odds[i]
		}
	}
	for i := range c {
		chosen := odds[i] / whole
		wrong := chosen
		if c[i].Yes {
			wrong -= odds[i] / meant
		}
		for _, v := range m.rows[at+i] {
			m.slope[v.at] += wrong * v.of
			m.bend[v.at] += chosen * math.Abs(v.of) * m.size[at+i]
		}
	}
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

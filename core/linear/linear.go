// Package linear tells yes from no by the weighted sum of features: a logistic
// regression whose weights stand in a text file. It is pure.
package linear

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bias is the name of the feature that everything has.
const Bias = "bias"

// Features are what is known of a thing by name. One that is absent is 0.
type Features map[string]float64

// Set sets a feature to 1.
func (f Features) Set(name string) { f[name] = 1 }

// If sets a feature to 1 where something holds.
func (f Features) If(name string, holds bool) {
	if holds {
		f[name] = 1
	}
}

// Weights are those of features by name. A feature without a weight counts nothing.
type Weights map[string]float64

// Parse reads weights, one line for each: the name of the feature, a tab, the weight.
// Lines that begin with # are comments.
func Parse(text string) (Weights, error) {
	w := Weights{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, _ := strings.Cut(line, "\t")
		weight, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("the weight of %q: %w", name, err)
		}
		w[name] = weight
	}
	return w, nil
}

// MustParse reads weights that are embedded: it panics where they cannot be read.
func MustParse(text string) Weights {
	w, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return w
}

// Score is the log-odds of yes: above 0 it is likelier than no. The same features
// have the same score in every run.
func (w Weights) Score(f Features) float64 {
	parts := make([]float64, 0, len(f))
	for name, value := range f {
		if weight := w[name]; weight != 0 {
			parts = append(parts, weight*value)
		}
	}
	slices.Sort(parts) // a sum of floats depends on its order
	sum := 0.0
	for _, part := range parts {
		sum += part
	}
	return sum
}

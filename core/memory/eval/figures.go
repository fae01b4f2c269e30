package eval

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"
)

// resamples is how often the questions are drawn anew for an interval.
const resamples = 1000

// Figures are means over questions.
type Figures struct {
	N        int      `json:"n"`
	Recall5  Estimate `json:"recall@5"` // the share of the evidence among the first five
	Recall10 Estimate `json:"recall@10"`
	Recall20 Estimate `json:"recall@20"`
	Any10    Estimate `json:"any@10"` // whether any of the evidence is among the first ten
	MRR      Estimate `json:"mrr"`
	// Whether any of the conversations that hold evidence is.
	Session5  Estimate `json:"session_any@5"`
	Session10 Estimate `json:"session_any@10"`
}

// Estimate is a mean and its 95 % interval, by the bootstrap.
type Estimate struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func figures(scores []score) Figures {
	of := func(value func(score) float64) Estimate {
		values := make([]float64, len(scores))
		for i, s := range scores {
			values[i] = value(s)
		}
		return estimate(values)
	}
	return Figures{
		N:       len(scores),
		Recall5: of(func(s score) float64 { return s.recall5 }), Recall10: of(func(s score) float64 { return s.recall10 }),
		Recall20: of(func(s score) float64 { return s.recall20 }), Any10: of(func(s score) float64 { return s.anyHit10 }),
		MRR:      of(func(s score) float64 { return s.mrr }),
		Session5: of(func(s score) float64 { return s.session5 }), Session10: of(func(s score) float64 { return s.session10 }),
	}
}

// estimate always draws the same.
func estimate(values []float64) Estimate {
	if len(values) == 0 {
		return Estimate{}
	}
	e := Estimate{Mean: mean(values)}
	draw := rand.New(rand.NewPCG(1, 2))
	means := make([]float64, resamples)
	for i := range means {
		var sum float64
		for range values {
			sum += values[draw.IntN(len(values))]
		}
		means[i] = sum / float64(len(values))
	}
	slices.Sort(means)
	e.Low, e.High = means[resamples*25/1000], means[resamples*975/1000]
	return e
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Report is what was measured with a set.
type Report struct {
	Form      string   `json:"form"`
	SHA256    string   `json:"sha256"`
	Memories  int      `json:"memories"`
	Messages  int      `json:"messages"`
	Questions int      `json:"n"`
	Skipped   int      `json:"skipped"`
	Searches  []Result `json:"searches"`
	// Gain is how much more recall@10 the first search has than the last, with
	// the same questions drawn for both.
	Gain Estimate `json:"gain_recall@10"`
}

// NewReport puts together the results of several searches.
func NewReport(set Set, searches ...Result) Report {
	r := Report{
		Form: set.Form, SHA256: set.SHA256, Memories: len(set.Memories),
		Questions: len(set.Questions), Skipped: set.Skipped, Searches: searches,
	}
	for _, m := range set.Memories {
		r.Messages += len(m.Messages)
	}
	if len(searches) > 1 {
		first, last := searches[0].scores, searches[len(searches)-1].scores
		gains := make([]float64, len(first))
		for i := range first {
			gains[i] = first[i].recall10 - last[i].recall10
		}
		r.Gain = estimate(gains)
	}
	return r
}

// String is the report as text.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "data     %s, sha256 %.12s\n", r.Form, r.SHA256)
	fmt.Fprintf(&b, "asked    n=%d of %d messages in %d memories; %d skipped without evidence\n\n", r.Questions, r.Messages, r.Memories, r.Skipped)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "search\tquestions\tn\trecall@5\t@10\t95 %\t@20\tany@10\tMRR\tsession@5\tp50 ms\tp99 ms") //nolint:errcheck // of a strings.Builder
	for _, s := range r.Searches {
		fmt.Fprintf(w, "%s\tall\t%s\t%.2f\t%.2f\n", s.Name, s.All.cells(), s.P50, s.P99) //nolint:errcheck // of a strings.Builder
		for _, c := range slices.Sorted(maps.Keys(s.Categories)) {
			fmt.Fprintf(w, "\t%s\t%s\t\t\n", c, s.Categories[c].cells()) //nolint:errcheck // of a strings.Builder
		}
	}
	w.Flush() //nolint:errcheck // of a strings.Builder
	if len(r.Searches) > 1 {
		fmt.Fprintf(&b, "\n%s finds %+.3f (%+.3f to %+.3f) more of the evidence among the first ten than %s\n",
			r.Searches[0].Name, r.Gain.Mean, r.Gain.Low, r.Gain.High, r.Searches[len(r.Searches)-1].Name)
	}
	return b.String()
}

func (f Figures) cells() string {
	return fmt.Sprintf("%d\t%.3f\t%.3f\t%.3f-%.3f\t%.3f\t%.3f\t%.3f\t%.3f", f.N, f.Recall5.Mean, f.Recall10.Mean, f.Recall10.Low, f.Recall10.High,
		f.Recall20.Mean, f.Any10.Mean, f.MRR.Mean, f.Session5.Mean)
}

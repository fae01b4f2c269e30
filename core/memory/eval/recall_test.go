package eval_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/yaap-chat/yaap/core/memory/eval"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
)

// filled returns a store that a set was put into.
func filled(t testing.TB, set eval.Set) *store.Store {
	t.Helper()
	s := must.Get(store.Open(t.Context(), t.TempDir()))(t)
	done := make(chan error, 1)
	go func() { done <- s.Run(t.Context()) }()
	t.Cleanup(func() {
		must.Report(t, errors.Join(s.Close(), <-done))
	})
	must.Do(t, eval.Fill(t.Context(), s, set))
	return s
}

// measured compares the search with a plain index.
func measured(t testing.TB, s *store.Store, set eval.Set) eval.Report {
	t.Helper()
	plain := must.Get(s.Baseline(t.Context()))(t)
	ours := must.Get(eval.Run(t.Context(), "yaap", s, set))(t)
	base := must.Get(eval.Run(t.Context(), "porter", plain, set))(t)
	return eval.NewReport(set, ours, base)
}

// The weights of the search were chosen by the odd questions; the even ones say
// how good it is.
func TestMostOfWhatWasSaidIsFoundAgainAndMoreThanByAPlainIndex(t *testing.T) {
	set := load(t, "testdata/chat.jsonl")
	s := filled(t, set)
	odd, even := set, set
	odd.Questions, even.Questions = nil, nil
	for i, q := range set.Questions { // from q001 on
		if i%2 == 0 {
			odd.Questions = append(odd.Questions, q)
		} else {
			even.Questions = append(even.Questions, q)
		}
	}
	for name, half := range map[string]eval.Set{"odd": odd, "even": even} {
		r := measured(t, s, half)
		t.Logf("the %s questions\n%s", name, r)
		ours, base := r.Searches[0].All.Recall10.Mean, r.Searches[1].All.Recall10.Mean
		if ours < 0.85 || ours <= base {
			t.Errorf("the %s questions: recall@10 is %.3f, that of a plain index %.3f", name, ours, base)
		}
	}
}

// Two people talk over months, in the form of LoCoMo. The weights were chosen by the
// conversations of tuned.json; those of held.json, by which nothing was, say how good
// the search is.
func TestWhatTwoPeopleToldEachOtherIsFoundAgain(t *testing.T) {
	for file, least := range map[string]float64{"held.json": 0.74, "tuned.json": 0.80} {
		set := load(t, "testdata/"+file)
		r := measured(t, filled(t, set), set)
		t.Logf("%s\n%s", file, r)
		ours, base := r.Searches[0].All.Recall10.Mean, r.Searches[1].All.Recall10.Mean
		if ours < least || ours < base+0.15 {
			t.Errorf("%s: recall@10 is %.3f, that of a plain index %.3f", file, ours, base)
		}
	}
}

// BenchmarkParaphrased asks the second hundred questions, which share hardly a
// word with their answers.
func BenchmarkParaphrased(b *testing.B) {
	set := paraphrased(b)
	s := filled(b, set)
	for b.Loop() {
		r := measured(b, s, set)
		b.ReportMetric(r.Searches[0].All.Recall10.Mean, "recall@10")
		b.ReportMetric(r.Searches[1].All.Recall10.Mean, "plain-recall@10")
	}
}

// paraphrased returns the second hundred questions about our own set.
func paraphrased(t testing.TB) eval.Set {
	t.Helper()
	said := must.Get(os.ReadFile("testdata/chat.jsonl"))(t)
	asked := must.Get(os.ReadFile("testdata/paraphrased.jsonl"))(t)
	entries, _, _ := bytes.Cut(said, []byte(`{"question"`))
	set := must.Get(eval.Load(bytes.NewReader(slices.Concat(entries, asked))))(t)
	return set
}

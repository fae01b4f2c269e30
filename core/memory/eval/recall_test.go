package eval_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"testing"

	"yaap/core/memory/eval"
	"yaap/core/store"
)

// filled returns a store that a set was put into.
func filled(t testing.TB, set eval.Set) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Run(t.Context()) }()
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), <-done); err != nil {
			t.Error(err)
		}
	})
	if err := eval.Fill(t.Context(), s, set); err != nil {
		t.Fatal(err)
	}
	return s
}

// The weights of the search were chosen by the odd questions; the even ones say
// how good it is.
func TestMostOfWhatWasSaidIsFoundAgainAndMoreThanByAPlainIndex(t *testing.T) {
	set := load(t, "testdata/chat.jsonl")
	s := filled(t, set)
	plain, err := s.Plain(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := set.Questions
	set.Questions = nil
	for i := 1; i < len(all); i += 2 { // q002, q004 and so on
		set.Questions = append(set.Questions, all[i])
	}
	ours, base := ask(t, "yaap", s, set), ask(t, "unicode61", plain, set)
	t.Logf("%s", eval.NewReport(set, ours, base))
	if ours, base := ours.All.Recall10.Mean, base.All.Recall10.Mean; ours < 0.60 || ours <= base {
		t.Errorf("recall@10 is %.3f, that of a plain index %.3f", ours, base)
	}
}

// BenchmarkRecall tells how much of the evidence is among the first ten, for
// questions in the words of the answers and in others.
func BenchmarkRecall(b *testing.B) {
	set := load(b, "testdata/chat.jsonl")
	s := filled(b, set)
	for name, set := range map[string]eval.Set{"same words": set, "other words": paraphrased(b)} {
		b.Run(name, func(b *testing.B) {
			var r eval.Result
			for b.Loop() {
				r = ask(b, "yaap", s, set)
			}
			b.ReportMetric(r.All.Recall10.Mean, "recall@10")
		})
	}
}

func ask(t testing.TB, name string, s eval.Searcher, set eval.Set) eval.Result {
	t.Helper()
	r, err := eval.Run(t.Context(), name, s, set)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// paraphrased returns the second hundred questions about our own set.
func paraphrased(t testing.TB) eval.Set {
	t.Helper()
	said, err := os.ReadFile("testdata/chat.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	asked, err := os.ReadFile("testdata/paraphrased.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	entries, _, _ := bytes.Cut(said, []byte(`{"question"`))
	set, err := eval.Load(bytes.NewReader(slices.Concat(entries, asked)))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

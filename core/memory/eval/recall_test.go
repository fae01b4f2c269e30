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
	report := func(name string, set eval.Set) eval.Report {
		ours, err := eval.Run(t.Context(), "yaap", s, set)
		if err != nil {
			t.Fatal(err)
		}
		base, err := eval.Run(t.Context(), "unicode61", plain, set)
		if err != nil {
			t.Fatal(err)
		}
		r := eval.NewReport(set, ours, base)
		t.Logf("%s\n%s", name, r)
		return r
	}
	even := set
	even.Questions = nil
	for i := 1; i < len(set.Questions); i += 2 { // q002, q004 and so on
		even.Questions = append(even.Questions, set.Questions[i])
	}
	for name, set := range map[string]eval.Set{"all questions": set, "those that nothing was chosen by": even} {
		r := report(name, set)
		ours, base := r.Searches[0].All.Recall10.Mean, r.Searches[1].All.Recall10.Mean
		if ours < 0.60 || ours <= base {
			t.Errorf("%s: recall@10 is %.3f, that of a plain index %.3f", name, ours, base)
		}
	}
	report("questions in other words than the answers", paraphrased(t))
}

// paraphrased returns the second hundred questions about our own set.
func paraphrased(t *testing.T) eval.Set {
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

package eval_test

import (
	"errors"
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

func TestMostOfWhatWasSaidIsFoundAgainAndMoreThanByAPlainIndex(t *testing.T) {
	set := load(t, "testdata/chat.jsonl")
	s := filled(t, set)
	plain, err := s.Plain(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ours, err := eval.Run(t.Context(), "yaap", s, set)
	if err != nil {
		t.Fatal(err)
	}
	base, err := eval.Run(t.Context(), "unicode61", plain, set)
	if err != nil {
		t.Fatal(err)
	}
	r := eval.NewReport(set, ours, base)
	t.Logf("\n%s", r)
	if ours.All.Recall10.Mean < 0.60 {
		t.Errorf("recall@10 is %.3f, want at least 0.60", ours.All.Recall10.Mean)
	}
	if r.Gain.Mean <= 0 {
		t.Errorf("recall@10 is %.3f, that of a plain index %.3f", ours.All.Recall10.Mean, base.All.Recall10.Mean)
	}
}

package storetest

import (
	"context"
	"testing"

	"yaap/core"
)

// Awaiter is a journal that says what became of what was put.
type Awaiter interface {
	core.Journal
	Await(ctx context.Context, q core.AwaitQuery) (core.Consistency, error)
}

// failed lists what Await says.
func failed(t *testing.T, j Awaiter, q core.AwaitQuery) (durable int64, ids []string) {
	t.Helper()
	c, err := j.Await(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range c.Failed {
		if f.Reason == "" {
			t.Errorf("%s failed for no reason", f.ID)
		}
		ids = append(ids, f.ID)
	}
	return c.Durable, ids
}

func tellsFailures(t *testing.T, j Awaiter) {
	must(t, j, append(Recall("m"), core.Memory{ID: "other", Vault: "v", Title: "other"})...)
	must(t, j, Note("m", "good", "words"))
	for _, id := range []string{"bad", "good", "later"} {
		if err := j.Put(t.Context(), Note("m", id, "words"), Note("other", "beside "+id, "words"), Say("nowhere", "", id)); err == nil {
			t.Error("a message of no thread is stored")
		}
	}
	must(t, j, Note("m", "later", "words"))
	if err := j.Put(t.Context(), Note("m", "refused", "")); err == nil {
		t.Error("an entry without words is stored")
	}
	for _, q := range []core.AwaitQuery{{Memory: "m", Keep: true}, {Memory: "m"}} {
		durable, ids := failed(t, j, q)
		equal(t, ids, []string{"bad"})
		equal(t, durable, int64(2))
	}
	durable, ids := failed(t, j, core.AwaitQuery{Memory: "m"})
	equal(t, ids, []string(nil))
	equal(t, durable, int64(2))
	_, ids = failed(t, j, core.AwaitQuery{Memory: "other"})
	equal(t, ids, []string{"beside bad", "beside good", "beside later"})
	if _, err := j.Await(t.Context(), core.AwaitQuery{Memory: "nowhere"}); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("got %v", err)
	}
}

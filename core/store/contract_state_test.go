package store

import (
	"context"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// failed lists what Await says.
func failed(t *testing.T, j *Store, q core.AwaitQuery) (durable int64, ids []string) {
	t.Helper()
	c := must.Get(j.Await(t.Context(), q))(t)
	for _, f := range c.Failed {
		if f.Reason == "" {
			t.Errorf("%s failed for no reason", f.ID)
		}
		ids = append(ids, f.ID)
	}
	return c.Durable, ids
}

func tellsFailures(t *testing.T, j *Store) {
	mustPut(t, j, append(storetest.Recall("m"), core.Memory{ID: "other", Vault: "v", Title: "other"})...)
	mustPut(t, j, storetest.Note("m", "good", "words"))
	for _, id := range []string{"bad", "good", "later"} {
		if err := j.Put(t.Context(), storetest.Note("m", id, "words"), storetest.Note("other", "beside "+id, "words"), storetest.Say("nowhere", "", id)); err == nil {
			t.Error("a message of no thread is stored")
		}
	}
	mustPut(t, j, storetest.Note("m", "later", "words"))
	for _, id := range []string{"lost", "written again"} {
		if err := j.Put(t.Context(), core.ContextDoc{ID: id, Memory: "m", Content: "words"}, storetest.Say("nowhere", "", id)); err == nil {
			t.Error("a message of no thread is stored")
		}
	}
	if err := j.Put(t.Context(), storetest.Note("m", "late", "words"), storetest.Step("m", "a", 2)); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("a step that follows none: %v", err)
	}
	mustPut(t, j, core.ContextDoc{ID: "written again", Memory: "m", Content: "words"})
	if err := j.Put(t.Context(), storetest.Note("m", "refused", "")); err == nil {
		t.Error("an entry without words is stored")
	}
	for _, q := range []core.AwaitQuery{{Memory: "m", Keep: true}, {Memory: "m"}} {
		durable, ids := failed(t, j, q)
		equal(t, ids, []string{"bad", "lost"})
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

// Checkpointer is a journal that keeps what the memory agent knows of
// conversations.
type Checkpointer interface {
	core.Journal
	States(ctx context.Context, memory, thread string, upto int) ([]core.MemoryState, error)
	LastStates(ctx context.Context, memory string, limit int) ([]core.MemoryState, error)
	DeleteStates(ctx context.Context, memory, thread string) error
}

func memoryStates(t *testing.T, j *Store, memory, thread string, upto int) []core.MemoryState {
	t.Helper()
	list := must.Get(j.States(t.Context(), memory, thread, upto))(t)
	return list
}

func keepsStates(t *testing.T, j *Store) {
	mustPut(t, j, append(storetest.Begin("a"), storetest.Recall("m")...)...)
	one, two := storetest.Say("a", "a/run", "one"), storetest.Say("a", "a/run", "two")
	mustPut(t, j, one, two, core.ContextDoc{ID: "c", Memory: "m", Content: "# Facts"})
	first := storetest.Step("m", "a", 1, two.Message, one.Message, core.Message{ID: "forgotten"})
	begun := storetest.Step("m", "a", 2)
	begun.Control, begun.Context, begun.Upto, begun.Tools = "start_session", 1, 7, nil
	mustPut(t, j, first, begun)
	mustPut(t, j, first)
	want := []core.MemoryState{storetest.Step("m", "a", 1, two.Message, one.Message), begun}
	want[1].Content = "# Facts"
	equal(t, memoryStates(t, j, "m", "a", 0), want)
	equal(t, memoryStates(t, j, "m", "a", 1), want[:1])
	last := must.Get(j.LastStates(t.Context(), "m", 1))(t)
	equal(t, last, want[1:])
}

func ordersStates(t *testing.T, j *Store) {
	mustPut(t, j, storetest.Recall("m")...)
	mustPut(t, j, storetest.Step("m", "a", 1))
	other := storetest.Step("m", "a", 1)
	other.ID = "other"
	for name, s := range map[string]core.MemoryState{"the same step": other, "a gap": storetest.Step("m", "a", 3)} {
		if err := j.Put(t.Context(), storetest.Note("m", "beside it", "words"), s); core.CodeOf(err) != core.CodeConflict || core.HintOf(err) == "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for name, s := range map[string]core.MemoryState{"no id": {Memory: "m", Thread: "a", Step: 2}, "step 0": storetest.Step("m", "a", 0), "no thread": storetest.Step("m", "", 2)} {
		if err := j.Put(t.Context(), s); core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := j.Put(t.Context(), storetest.Step("nowhere", "a", 1)); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("got %v", err)
	}
	equal(t, entries(t, j, "m", core.EntryQuery{}), "")
}

func separatesStates(t *testing.T, j *Store) {
	mustPut(t, j, append(storetest.Recall("m"), core.Memory{ID: "n", Vault: "v", Title: "n"})...)
	mustPut(t, j, storetest.Step("m", "a", 1), storetest.Step("m", "b", 1), storetest.Step("n", "a", 1), storetest.Step("m", "a", 2))
	must.Do(t, j.DeleteStates(t.Context(), "m", "a"))
	if err := j.DeleteStates(t.Context(), "m", "a"); core.CodeOf(err) != core.CodeNotFound || core.HintOf(err) == "" {
		t.Errorf("got %v", err)
	}
	equal(t, memoryStates(t, j, "m", "a", 0), []core.MemoryState(nil))
	equal(t, memoryStates(t, j, "m", "b", 0), []core.MemoryState{storetest.Step("m", "b", 1)})
	equal(t, memoryStates(t, j, "n", "a", 0), []core.MemoryState{storetest.Step("n", "a", 1)})
	mustPut(t, j, storetest.Step("m", "a", 1))
}

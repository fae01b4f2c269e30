package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// unwritten is a store whose writer does not run, with the memories m and n.
func unwritten(t *testing.T) *Store {
	t.Helper()
	s := must.Get(Open(t.Context(), t.TempDir()))(t)
	t.Cleanup(func() {
		must.Report(t, s.Close())
	})
	puts := batch(t, storetest.Recall("m"), storetest.Recall("n"))
	s.write(t.Context(), puts)
	must.Do(t, errors.Join(outcome(puts[0]), outcome(puts[1])))
	return s
}

func TestAwaitReturnsWhenWhatWasAcceptedBeforeIsOnDiskAndFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := unwritten(t)
		ctx := t.Context()
		var puts sync.WaitGroup
		for _, e := range []core.Entry{storetest.Note("m", "1", "a heron"), storetest.Note("m", "2", "another heron")} {
			puts.Go(func() {
				must.Report(t, s.Put(ctx, e))
			})
		}
		synctest.Wait()
		waiting := make(chan core.Consistency)
		go func() {
			c, err := s.Await(ctx, core.AwaitQuery{Memory: "m"})
			must.Report(t, err)
			found, err := s.Search(ctx, core.SearchQuery{Text: "heron"})
			if err != nil || len(found) != 2 {
				t.Errorf("%d entries are found after Await, %v", len(found), err)
			}
			waiting <- c
		}()
		synctest.Wait()
		if other, err := s.Await(ctx, core.AwaitQuery{Memory: "n"}); err != nil || other.Durable != 0 {
			t.Errorf("a memory that nobody writes to is waited for: %+v, %v", other, err)
		}
		short, stop := context.WithTimeout(ctx, 3*time.Second)
		defer stop()
		if late, err := s.Await(short, core.AwaitQuery{Memory: "m"}); core.CodeOf(err) != core.CodeTimedOut || core.HintOf(err) == "" || late.WaitedMS != 3000 {
			t.Errorf("after its deadline: %+v, %v", late, err)
		}
		running, end := context.WithCancel(ctx)
		done := make(chan error)
		go func() { done <- s.Run(running) }()
		must.Equal(t, core.Consistency{Durable: 2, Failed: []core.Failure{}, WaitedMS: 3000}, <-waiting)
		puts.Wait()
		end()
		must.Report(t, <-done)
	})
}

// A disk error is made by the database itself: it has no page left.
func TestAwaitNamesWhatADiskErrorTookOnceAndOnlyWhileItIsTrue(t *testing.T) {
	s := openIn(t, t.TempDir())
	mustPut(t, s, append(storetest.Recall("m"), storetest.Recall("n")...)...)
	limit := func(pages string) {
		t.Helper()
		must.Get(s.writer.ExecContext(t.Context(), "PRAGMA max_page_count = "+pages))(t)
	}
	await := func(q core.AwaitQuery) string {
		t.Helper()
		c := must.Get(s.Await(t.Context(), q))(t)
		var all []string
		for _, f := range c.Failed {
			all = append(all, f.ID+": "+f.Reason)
		}
		return strings.Join(all, "; ")
	}
	mustPut(t, s, storetest.Note("m", "before", strings.Repeat("words ", 1000)), storetest.Note("m", "too", strings.Repeat("words ", 1000))) // into what migrations left free
	limit("1")
	for _, memory := range []string{"m", "n"} {
		if err := s.Put(t.Context(), storetest.Note(memory, "of "+memory, strings.Repeat("words ", 1000))); core.CodeOf(err) != core.CodeRefused {
			t.Fatalf("got %v", err)
		}
	}
	limit("100000")
	const full = "of m: the disk is full"
	if kept := await(core.AwaitQuery{Memory: "m", Keep: true}); !strings.HasPrefix(kept, full) {
		t.Errorf("got %q", kept)
	}
	if told := await(core.AwaitQuery{Memory: "m"}); !strings.HasPrefix(told, full) || strings.Contains(told, "of n") {
		t.Errorf("got %q", told)
	}
	if again := await(core.AwaitQuery{Memory: "m"}); again != "" {
		t.Errorf("it is told twice: %q", again)
	}
	mustPut(t, s, storetest.Note("n", "of n", "fewer words"))
	if late := await(core.AwaitQuery{Memory: "n"}); late != "" {
		t.Errorf("an entry that is there by now has failed: %q", late)
	}
	if c, err := s.Await(t.Context(), core.AwaitQuery{Memory: "nowhere"}); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("of no memory: %+v, %v", c, err)
	}
}

func TestAPutThatWasGivenUpIsNamedByAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := unwritten(t)
		ctx, giveUp := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() { gone <- s.Put(ctx, storetest.Note("m", "1", "words")) }()
		synctest.Wait()
		giveUp()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		c, err := s.Await(t.Context(), core.AwaitQuery{Memory: "m"})
		if diff := cmp.Diff([]core.Failure{{ID: "1", Reason: "context canceled"}}, c.Failed); err != nil || diff != "" {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
	})
}

func TestAPanicFailsItsPutAndTheQueueGoesOn(t *testing.T) {
	s := openIn(t, t.TempDir())
	mustPut(t, s, storetest.Recall("m")...)
	puts := batch(t, []core.Row{storetest.Note("m", "1", "words")}, []core.Row{storetest.Note("m", "2", "words")}, []core.Row{storetest.Note("m", "3", "words")})
	puts[1].records[0].kind = kinds // there is no such statement
	for _, p := range puts {
		s.queue.add(p)
	}
	if err := outcome(puts[1]); core.CodeOf(err) != core.CodeInternal || core.HintOf(err) == "" {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(outcome(puts[0]), outcome(puts[2])); err != nil {
		t.Errorf("its neighbours fail: %v", err)
	}
	mustPut(t, s, storetest.Note("m", "4", "words"))
}

func TestEveryMemoryKeepsTheOrderOfItsWritersAndLosesNothing(t *testing.T) {
	const memories, writers, notes = 4, 4, 30
	s := openIn(t, t.TempDir())
	for m := range memories {
		mustPut(t, s, storetest.Recall(fmt.Sprint("m", m))...)
	}
	var all sync.WaitGroup
	for m := range memories {
		for w := range writers {
			all.Go(func() {
				for n := range notes {
					e := storetest.Note(fmt.Sprint("m", m), fmt.Sprintf("%d-%d-%d", m, w, n), "words")
					e.Thread = fmt.Sprint(w)
					bad := e
					bad.ID, bad.Memory = e.ID+" bad", "nowhere"
					must.Report(t, s.Put(t.Context(), e))
					if err := s.Put(t.Context(), bad); core.CodeOf(err) != core.CodeNotFound {
						t.Errorf("got %v", err)
					}
				}
			})
		}
	}
	all.Wait()
	for m := range memories {
		memory := fmt.Sprint("m", m)
		c, err := s.Await(t.Context(), core.AwaitQuery{Memory: memory})
		if err != nil || len(c.Failed) > 0 {
			t.Errorf("got %+v, %v", c, err)
		}
		for w := range writers {
			list, err := s.Entries(t.Context(), memory, core.EntryQuery{Thread: fmt.Sprint(w), Limit: 50})
			if err != nil || len(list) != notes {
				t.Fatalf("%d entries, %v", len(list), err)
			}
			for i, e := range list {
				if want := fmt.Sprintf("%d-%d-%d", m, w, notes-1-i); e.ID != want {
					t.Errorf("got %s, want %s", e.ID, want)
				}
			}
		}
	}
}

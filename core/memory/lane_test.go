package memory_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// run lets a recorder run; end stops it and waits.
func run(t *testing.T, cfg memory.Config) (rec *memory.Recorder, end func()) {
	t.Helper()
	rec = memory.NewRecorder(cfg)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- rec.Run(ctx) }()
	var once sync.Once
	end = func() {
		once.Do(func() {
			stop()
			must.Report(t, <-done)
		})
	}
	t.Cleanup(end)
	return rec, end
}

// hangs is a model that answers nothing until it is told to stop.
func hangs() llm.Model {
	return stream(func(ctx context.Context, yield func(llm.Chunk, error) bool) {
		<-ctx.Done()
		yield(llm.Chunk{}, ctx.Err())
	})
}

func TestAwaitRecordsWhatWaitsForItsEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := llmtest.New(t, writes("one", "two"), puts(document))
		r := newRoom(t, model)
		rec, end := run(t, r.cfg)
		synctest.Wait()
		if c, err := rec.Await(t.Context()); err != nil || c.Durable != 0 || len(model.Requests()) != 0 {
			t.Errorf("where nothing waits: %+v, %v", c, err)
		}
		r.say("t", "a", "b")
		rec.Wake()
		synctest.Wait()
		if n := len(r.entries()); n != 0 {
			t.Fatalf("%d entries already", n)
		}
		c, err := rec.Await(t.Context())
		if diff := cmp.Diff(core.Consistency{Durable: 2, Failed: []core.Failure{}}, c); err != nil || diff != "" {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
		must.Equal(t, 2, len(r.entries()))
		end()
	})
}

func TestAwaitNamesWhatTheDiskRefusedOnceAndTheLaneTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, nil)
		disk := &flaky{searched: searched{r.store}}
		disk.full.Store(true)
		sink := &notices{}
		r.cfg.Store, r.cfg.Sink = disk, sink
		rec, end := run(t, r.cfg)
		r.say("t", "a", "b")
		c, err := rec.Await(t.Context())
		want := []core.Failure{{ID: "m01", Reason: "the disk is full"}, {ID: "m02", Reason: "the disk is full"}}
		if diff := cmp.Diff(want, c.Failed); err != nil || diff != "" {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
		if len(*sink) != 1 || rec.Status().Failure == "" {
			t.Errorf("the user was told %q", *sink)
		}
		disk.full.Store(false)
		c, err = rec.Await(t.Context())
		if diff := cmp.Diff(core.Consistency{Durable: 2, Failed: []core.Failure{}}, c); err != nil || diff != "" {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
		disk.full.Store(true)
		r.say("t", "c")
		rec.Wake()
		synctest.Wait()
		disk.full.Store(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := len(r.entries()); n != 3 || rec.Status().Failure != "" {
			t.Errorf("%d entries and the failure %q, a minute after the disk had room again", n, rec.Status().Failure)
		}
		end()
	})
}

func TestAwaitKeepsItsDeadlineAndSaysWhatTheEndLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, hangs())
		rec, end := run(t, r.cfg)
		synctest.Wait()
		r.say("t", "a", "b", "c", "d", "e", "f", "g", "h")
		ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
		defer stop()
		c, err := rec.Await(ctx)
		if core.CodeOf(err) != core.CodeTimedOut || core.HintOf(err) == "" || c.WaitedMS != 3000 {
			t.Errorf("got %+v, %v", c, err)
		}
		if s := rec.Status(); s.Waiting != 8 {
			t.Errorf("%d messages are said to wait, want 8", s.Waiting)
		}
		cancelled, stop := context.WithCancel(t.Context())
		stop()
		if _, err := rec.Await(cancelled); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		end()
		c, err = rec.Await(t.Context())
		if err != nil || len(c.Failed) != 8 || c.Failed[0].ID != "m01" || !strings.Contains(c.Failed[0].Reason, "next start") {
			t.Errorf("after the end: %+v, %v", c, err)
		}
	})
}

func TestAtQuitTheSessionHasFiveSecondsAndTheRestWaitsForTheNextStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, hangs())
		sink := &notices{}
		r.cfg.Sink = sink
		_, end := run(t, r.cfg)
		synctest.Wait()
		r.say("t", "a", "b")
		begun := time.Now()
		end()
		if took := time.Since(begun); took != 5*time.Second {
			t.Errorf("the end took %v", took)
		}
		if n := len(r.entries()); n != 0 || len(*sink) != 0 {
			t.Errorf("%d entries, and the user was told %q", n, *sink)
		}
		r.cfg.Model = nil
		_, end = run(t, r.cfg)
		synctest.Wait()
		must.Equal(t, 2, len(r.entries()))
		begun = time.Now()
		end()
		if took := time.Since(begun); took != 0 || len(r.contexts()) != 1 {
			t.Errorf("where nothing is in the way the end took %v and wrote %d contexts", took, len(r.contexts()))
		}
		_, end = run(t, r.cfg)
		synctest.Wait()
		if end(); len(r.contexts()) != 1 {
			t.Error("a session in which nothing was said wrote a context")
		}
	})
}

func TestWhatWasLeftIsMadeAtTheStartWithoutAskingAModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := llmtest.New(t, writes("one", "two", "three"), puts(document))
		r := newRoom(t, model)
		r.say("t", "I prefer tabs.", "Noted.", "And 4 spaces in YAML.")
		rec, end := run(t, r.cfg)
		synctest.Wait()
		if n := len(r.entries()); n != 3 || len(model.Requests()) != 0 || r.entries()[0].Tags["summary_by"] != "extract" {
			t.Errorf("%d entries were made with %d requests", n, len(model.Requests()))
		}
		r.say("t", "a", "b", "c")
		rec.Wake()
		synctest.Wait()
		if n := len(model.Requests()); n != 2 || r.entries()[0].Summary != "three" {
			t.Errorf("%d requests, and the entries %+v", n, r.entries())
		}
		end()
	})
}

func TestWhatAKilledProgramLeftIsInTheContextAfterTheNextStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, nil)
		inv := memory.NewInvoker(memory.NewAgent(r.cfg))
		begin(t, inv, "t")
		process(t, inv, "t", r.say("t", "I prefer tabs.")...)
		rec, end := run(t, r.cfg)
		synctest.Wait()
		if docs := r.contexts(); len(docs) != 1 || !strings.Contains(docs[0].Content, "tabs") {
			t.Errorf("got the contexts %+v", docs)
		}
		r.say("t", "b")
		rec.Wake()
		synctest.Wait()
		if s := rec.Status(); s.NextFlush != 4 {
			t.Errorf("the session does not go on: %+v", s)
		}
		end()
	})
}

// looked is a store that tells when it was first asked what waits.
type looked struct {
	*store.Store
	once chan struct{}
	done sync.Once
}

func (l *looked) Unrecorded(ctx context.Context, id string, limit int) ([]core.Unrecorded, error) {
	waiting, err := l.Store.Unrecorded(ctx, id, limit)
	l.done.Do(func() { close(l.once) })
	return waiting, err
}

func TestASlowMemoryDoesNotHoldUpAnother(t *testing.T) {
	s := openStore(t, t.TempDir())
	slow, quick := onDisk(t, s, "slow"), onDisk(t, s, "quick")
	asked, answer := make(chan struct{}), make(chan struct{})
	slow.Model = func() llm.Model {
		return stream(func(context.Context, func(llm.Chunk, error) bool) {
			select {
			case asked <- struct{}{}:
				<-answer
			case <-answer:
			}
		})
	}
	first := &looked{Store: s, once: make(chan struct{})}
	slow.Store = first
	lane, endSlow := run(t, slow)
	<-first.once // what is said from now on is not what was left
	for n := range 6 {
		hear(t, s, "slow", "waits", n)
	}
	lane.Wake()
	<-asked
	rec, end := run(t, quick)
	for n := range 7 {
		hear(t, s, "quick", "goes on", n)
		rec.Wake()
	}
	c, err := rec.Await(t.Context())
	if err != nil || c.Durable != 7 || len(c.Failed) > 0 {
		t.Errorf("got %+v, %v", c, err)
	}
	end()
	if docs, err := s.Contexts(t.Context(), "quick", 1); err != nil || len(docs) != 1 || !strings.Contains(docs[0].Content, "8006") {
		t.Errorf("got %+v, %v", docs, err)
	}
	if list, err := s.Entries(t.Context(), "slow", core.EntryQuery{}); err != nil || len(list) > 0 {
		t.Errorf("the slow memory has %d entries, %v", len(list), err)
	}
	close(answer)
	endSlow()
}

func TestAPanicDoesNotStopTheLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, nil)
		var fault atomic.Bool
		fault.Store(true)
		r.cfg.Model = func() llm.Model {
			if fault.Load() {
				panic("oh")
			}
			return nil
		}
		rec, end := run(t, r.cfg)
		synctest.Wait()
		r.say("t", "a")
		rec.Wake()
		synctest.Wait()
		if s := rec.Status(); !strings.Contains(s.Failure, "oh") {
			t.Errorf("got %+v", s)
		}
		fault.Store(false)
		r.say("t", "b")
		rec.Wake()
		synctest.Wait()
		if n := len(r.entries()); n != 2 || rec.Status().Failure != "" {
			t.Errorf("%d entries, and the failure %q", n, rec.Status().Failure)
		}
		end()
	})
}

func TestAMessageOfAnyBytesIsRecordedAndStopsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, nil)
		rec, end := run(t, r.cfg)
		r.say("t", "a\x00b", "c\xffd", "after it")
		r.put(core.MessageRow{Thread: "t", Message: core.Message{
			ID: "mute", Role: core.RoleAssistant, Text: `{"status":"success"}`, Reply: &core.Reply{Status: core.StatusSuccess},
		}})
		rec.Wake()
		synctest.Wait()
		var got []string
		for _, e := range r.entries() {
			got = append(got, e.Raw)
		}
		must.Equal(t, []string{`{"status":"success"}`, "after it", "c\uFFFDd", "a\uFFFDb"}, got)
		end()
	})
}

func TestWhatAnAgentThoughtIsNotRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, nil)
		rec, end := run(t, r.cfg)
		const thought = `{"thought":"SECRET","status":"success","data":{"a":1},"message":"`
		calls := []core.Call{{ID: "c", Tool: "t", Args: []byte("{}")}}
		for n, m := range []core.Message{
			{Text: "<think>SECRET</think>I look.", Thinking: "SECRET", Calls: calls},
			{Text: thought + `It gives back."}`, Calls: calls},
			{Text: "<think>SECRET", Calls: calls},
			{Text: thought + `"}`, Reply: &core.Reply{Thought: "SECRET", Status: core.StatusSuccess, Data: map[string]any{"a": 1}}},
			{Text: thought + `It is one."}`, Reply: &core.Reply{Thought: "SECRET", Status: core.StatusSuccess, Message: "It is one."}},
		} {
			m.ID, m.Role = fmt.Sprint("m", n), core.RoleAssistant
			r.put(core.MessageRow{Thread: "t", Message: m})
		}
		rec.Wake()
		synctest.Wait()
		entries := r.entries()
		for _, e := range entries {
			if strings.Contains(e.Raw+e.Summary, "SECRET") {
				t.Errorf("got %q", e.Raw)
			}
		}
		if len(entries) != 5 {
			t.Errorf("%d entries", len(entries))
		}
		end()
	})
}

func TestALaneWhoseCheckpointsAreDeletedBeginsANewSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, nil)
		rec, end := run(t, r.cfg)
		cp := memory.NewCheckpointer(r.store, "m")
		for range 2 {
			r.say("t", "a", "b")
			rec.Wake()
			synctest.Wait()
			if s := load(t, cp, "t", 0); s.Count != 2 || rec.Status().Failure != "" {
				t.Errorf("got %+v, %+v", s, rec.Status())
			}
			must.Do(t, cp.Delete(t.Context(), "t"))
		}
		must.Equal(t, 4, len(r.entries()))
		end()
	})
}

// rival is a store in which somebody else goes on with the conversation just
// before its session is ended.
type rival struct {
	searched
	once sync.Once
}

func (r *rival) Put(ctx context.Context, rows ...core.Row) (err error) {
	for _, row := range rows {
		if s, ok := row.(core.MemoryState); ok && s.Control == string(memory.EndSession) {
			r.once.Do(func() {
				s.ID, s.Control = "rival", string(memory.ProcessMessage)
				err = r.searched.Put(ctx, s)
			})
		}
	}
	return errors.Join(err, r.searched.Put(ctx, rows...))
}

// overtaken is a store in which another window records what waits as soon as
// that has been read.
type overtaken struct {
	searched
	other *memory.Invoker
	once  sync.Once
}

func (o *overtaken) Unrecorded(ctx context.Context, id string, limit int) ([]core.Unrecorded, error) {
	waiting, err := o.searched.Unrecorded(ctx, id, limit)
	if len(waiting) > 0 {
		o.once.Do(func() {
			err = o.other.StartSession(ctx, waiting[0].Thread)
			for _, w := range waiting {
				err = errors.Join(err, o.other.Process(ctx, w.Thread, w.Message))
			}
		})
	}
	return waiting, err
}

func TestWhatAnotherWindowRecordedMeanwhileIsNotCountedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, nil)
		r.say("t", "a", "b")
		other := memory.NewInvoker(memory.NewAgent(r.cfg))
		r.cfg.Store = &overtaken{searched: searched{r.store}, other: other}
		rec, end := run(t, r.cfg)
		synctest.Wait()
		if s := load(t, memory.NewCheckpointer(r.store, "m"), "t", 0); s.Count != 2 || len(s.History) != 4 || rec.Status().Failure != "" {
			t.Errorf("got %+v, %+v", s, rec.Status())
		}
		must.Equal(t, 2, len(r.entries()))
		end()
	})
}

func TestASessionEndsAlsoWhenAnotherWindowIsQuicker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, nil)
		r.cfg.Store = &rival{searched: searched{r.store}}
		r.say("t", "a")
		_, end := run(t, r.cfg)
		synctest.Wait()
		end()
		if s := load(t, memory.NewCheckpointer(r.store, "m"), "t", 0); s.Control != memory.EndSession || s.Step != 4 {
			t.Errorf("got %+v", s)
		}
		if docs := r.contexts(); len(docs) != 1 {
			t.Errorf("%d contexts", len(docs))
		}
	})
}

func TestAFlushTellsTheLogWhatFailedAndLeavesItForTheOneWhoAsks(t *testing.T) {
	r := newRoom(t, nil)
	if err := r.store.Put(t.Context(), core.Entry{ID: "e", Memory: "m", Role: core.RoleUser, Raw: "x"}, storetest.Say("nowhere", "", "lost")); err == nil {
		t.Fatal("a message of no thread was stored")
	}
	read := logged(r)
	must.Do(t, memory.NewAgent(r.cfg).Invoke(t.Context(), memory.ProcessMessageAndFlush, "t", r.say("t", "a")...))
	must.Equal(t, []string{"e"}, of(read(), "await_consistency", "entry_id"))
	if c, err := r.store.Await(t.Context(), core.AwaitQuery{Memory: "m"}); err != nil || len(c.Failed) != 1 {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestTheContextIsWrittenAfterAsManyMessagesAsIsSaid(t *testing.T) {
	r := newRoom(t, nil)
	r.cfg.Every = 2
	inv := memory.NewInvoker(memory.NewAgent(r.cfg))
	begin(t, inv, "t")
	for n, want := range []int{0, 1, 1, 2} {
		process(t, inv, "t", r.say("t", fmt.Sprint("port ", n))...)
		if got := len(r.contexts()); got != want {
			t.Errorf("after %d messages there are %d contexts", n+1, got)
		}
	}
}

// windows are two programs on one database and one memory.
func windows(t *testing.T) (stores [2]*store.Store, recs [2]*memory.Recorder, ends [2]func(), sink *told) {
	t.Helper()
	dir := t.TempDir()
	sink = &told{}
	for w := range stores {
		stores[w] = openStore(t, dir)
		cfg := onDisk(t, stores[w], "m")
		cfg.Sink = sink
		recs[w], ends[w] = run(t, cfg)
	}
	return stores, recs, ends, sink
}

// told is what the user was told by several lanes.
type told struct {
	mu      sync.Mutex
	notices notices
}

func (s *told) Emit(scope core.Scope, b core.Body) core.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.notices.Emit(scope, b)
}

func TestTwoWindowsRecordEveryMessageOnceAndInOrder(t *testing.T) {
	const messages = 40
	stores, recs, ends, sink := windows(t)
	var all sync.WaitGroup
	for w := range stores {
		own := fmt.Sprint("own", w)
		hear(t, stores[w], "m", own, 0)
		all.Go(func() {
			for n := range messages {
				if n > 0 {
					hear(t, stores[w], "m", own, n)
				}
				for _, rec := range recs { // a wake sees what every window has said
					rec.Wake()
				}
			}
		})
	}
	all.Wait()
	for w := range stores {
		if c, err := recs[w].Await(t.Context()); err != nil || len(c.Failed) > 0 {
			t.Errorf("got %+v, %v", c, err)
		}
	}
	for w := range stores {
		own := fmt.Sprint("own", w)
		entries, err := stores[w].Entries(t.Context(), "m", core.EntryQuery{Thread: own, Limit: 50})
		if err != nil || len(entries) != messages {
			t.Fatalf("%s has %d entries, %v", own, len(entries), err)
		}
		for i, e := range entries {
			if want := fmt.Sprintf("%s-%02d", own, messages-1-i); e.Message != want {
				t.Errorf("in place %d is %s, want %s", i, e.Message, want)
			}
		}
		state := load(t, memory.NewCheckpointer(stores[1-w], "m"), own, 0)
		if state.Count != messages || len(state.History) != messages+2 {
			t.Errorf("%d messages of %s were counted and %d are in its history", state.Count, own, len(state.History)-2)
		}
	}
	for _, end := range ends {
		end()
	}
	if len(sink.notices) > 0 {
		t.Errorf("the user was told %q", sink.notices)
	}
}

// beaten are checkpoints at which another window comes first: it goes on as soon as they
// have been read.
type beaten struct {
	memory.Checkpoints
	by *func()
}

func (b beaten) States(ctx context.Context, memory, thread string, upto int) ([]core.MemoryState, error) {
	states, err := b.Checkpoints.States(ctx, memory, thread, upto)
	if by := *b.by; by != nil {
		*b.by = nil
		by()
	}
	return states, err
}

func TestTheSessionThatAnotherWindowBeganMeanwhileIsNotBegunAgain(t *testing.T) {
	dir := t.TempDir()
	stores := [2]*store.Store{openStore(t, dir), openStore(t, dir)}
	var by func()
	cfg := onDisk(t, stores[1], "m")
	cfg.Checkpoints = beaten{cfg.Checkpoints, &by}
	second := memory.NewInvoker(memory.NewAgent(cfg))
	hear(t, stores[0], "m", "own", 0)
	by = func() { // before, nobody records
		other, _ := run(t, onDisk(t, stores[0], "m"))
		must.Get(other.Await(t.Context()))(t)
	}
	if err := second.Begin(t.Context(), "own"); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("another window began it, and this one got %v", err)
	}
	must.Do(t, second.Begin(t.Context(), "own"))
	if state := load(t, memory.NewCheckpointer(stores[0], "m"), "own", 0); state.Count != 1 {
		t.Errorf("%d messages are counted", state.Count)
	}
}

func TestAWakeTakesUpWhatAWindowThatIsGoneHasLeft(t *testing.T) {
	stores, recs, ends, _ := windows(t)
	ends[0]()
	hear(t, stores[0], "m", "left", 0)
	hear(t, stores[1], "m", "own", 0)
	recs[1].Wake()
	if c, err := recs[1].Await(t.Context()); err != nil || c.Durable != 2 {
		t.Errorf("got %+v, %v", c, err)
	}
	ends[1]()
}

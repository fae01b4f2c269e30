package orchestrator_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/orchestrator"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// runner is a Runner made of a function.
type runner func(context.Context, core.Input) (core.Result, error)

func (r runner) Run(ctx context.Context, in core.Input) (core.Result, error) { return r(ctx, in) }

// openStore opens an empty database.
func openStore(t *testing.T) *store.Store {
	t.Helper()
	return storetest.Open(t, t.TempDir(), store.Open)
}

// open returns an orchestrator whose runs are done by run, by the name that
// was looked up.
func open(t *testing.T, run func(name string, in core.Input) (core.Result, error)) (*orchestrator.Orchestrator, *store.Store) {
	t.Helper()
	return openWith(t, "", run)
}

func openWith(t *testing.T, runs string, run func(name string, in core.Input) (core.Result, error)) (*orchestrator.Orchestrator, *store.Store) {
	t.Helper()
	journal := openStore(t)
	must.Do(t, journal.Put(t.Context(), core.Session{ID: "session"}))
	o := orchestrator.New(orchestrator.Config{
		Journal: journal, Conversations: journal, Session: "session", Runner: runs,
		Lookup: func(name string) (core.Runner, error) {
			return runner(func(_ context.Context, in core.Input) (core.Result, error) { return run(name, in) }), nil
		},
	})
	return o, journal
}

func TestAPromptIsStoredBeforeAnybodyIsAsked(t *testing.T) {
	var stored []core.Message
	var journal *store.Store
	o, journal := open(t, func(_ string, in core.Input) (core.Result, error) {
		var err error
		stored, err = journal.Messages(t.Context(), in.Thread)
		return core.Result{}, err
	})
	must.Get(o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "hello there"))(t)
	if len(stored) != 1 || stored[0].Text != "hello there" || stored[0].Role != core.RoleUser {
		t.Errorf("when the run began, there was %+v", stored)
	}
	threads, err := journal.Threads(t.Context(), core.ThreadQuery{Limit: 10})
	if err != nil || len(threads) != 1 || threads[0].Title != "hello there" {
		t.Errorf("got %+v, %v", threads, err)
	}
}

func TestTheFirstPromptIsTheTitle(t *testing.T) {
	var journal *store.Store
	o, journal := open(t, func(_ string, in core.Input) (core.Result, error) {
		return core.Result{}, journal.Put(t.Context(), core.RunRow{ID: in.Run, Thread: in.Thread, State: core.RunCompleted})
	})
	for _, text := range []string{"first question", "second question"} {
		must.Get(o.Prompt(t.Context(), core.Scope{Thread: "thread"}, text))(t)
	}
	threads, err := journal.Threads(t.Context(), core.ThreadQuery{Limit: 10})
	if err != nil || len(threads) != 1 || threads[0].Title != "first question" || threads[0].Updated.IsZero() {
		t.Errorf("got %+v, %v", threads, err)
	}
}

// cancelling is a journal whose user cancels as soon as something is stored.
type cancelling struct {
	*store.Store
	cancel context.CancelFunc
}

func (c cancelling) Put(ctx context.Context, rows ...core.Row) error {
	defer c.cancel()
	return c.Store.Put(ctx, rows...)
}

func TestACancelRightAfterAPromptDoesNotLockTheConversation(t *testing.T) {
	journal := openStore(t)
	must.Do(t, journal.Put(t.Context(), core.Session{ID: "session"}))
	ctx, cancel := context.WithCancel(t.Context())
	ran := false
	o := orchestrator.New(orchestrator.Config{
		Journal: cancelling{journal, cancel}, Conversations: journal, Session: "session",
		Lookup: func(string) (core.Runner, error) {
			return runner(func(ctx context.Context, in core.Input) (core.Result, error) {
				ran = ctx.Err() != nil
				return core.Result{}, ctx.Err()
			}), nil
		},
	})
	if _, err := o.Prompt(ctx, core.Scope{Thread: "thread"}, "hello"); core.CodeOf(err) != core.CodeCancelled || !ran {
		t.Errorf("the runner, who ends the run, was not asked: %v", err)
	}
}

func TestAPromptThatNobodyCouldBeFoundForGivesUpItsClaim(t *testing.T) {
	journal := openStore(t)
	must.Do(t, journal.Put(t.Context(), core.Session{ID: "session"}))
	lost := errors.New("lost")
	o := orchestrator.New(orchestrator.Config{
		Journal: journal, Conversations: journal, Session: "session",
		Lookup: func(string) (core.Runner, error) { return nil, lost },
	})
	for range 2 {
		if _, err := o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "hello"); !errors.Is(err, lost) {
			t.Errorf("got %v", err)
		}
	}
}

func TestALeadingNameAsksThatExpert(t *testing.T) {
	for text, want := range map[string]string{
		"what is up?":             "agent/yaap",
		"@heron what do you eat?": "expert/heron",
		"@heron":                  "agent/yaap",
	} {
		var got, asked string
		o, _ := open(t, func(name string, in core.Input) (core.Result, error) {
			got, asked = name, in.Messages[len(in.Messages)-1].Text
			return core.Result{}, nil
		})
		must.Get(o.Prompt(t.Context(), core.Scope{Thread: "thread"}, text))(t)
		if got != want || asked != text {
			t.Errorf("%q: %s was asked %q, want %s", text, got, asked, want)
		}
	}
}

func TestAPromptThatCannotBeTakenIsRefusedInWords(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": " \n", "too much": strings.Repeat("x", 1<<20+1), "no text": "a\xff",
	} {
		o, journal := open(t, func(string, core.Input) (core.Result, error) {
			t.Errorf("%s: somebody was asked", name)
			return core.Result{}, nil
		})
		_, err := o.Prompt(t.Context(), core.Scope{Thread: "thread"}, text)
		if core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" {
			t.Errorf("%s: got %v with hint %q", name, err, core.HintOf(err))
		}
		if threads, err := journal.Threads(t.Context(), core.ThreadQuery{Limit: 10}); err != nil || len(threads) != 0 {
			t.Errorf("%s: got the threads %v, %v", name, threads, err)
		}
	}
}

func TestAConversationIsAnsweredOnceAtATime(t *testing.T) {
	var o *orchestrator.Orchestrator
	var second error
	o, _ = open(t, func(string, core.Input) (core.Result, error) {
		if second == nil {
			second = errors.New("not tried")
			_, second = o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "and another thing")
		}
		return core.Result{}, nil
	})
	must.Get(o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "first"))(t)
	if core.CodeOf(second) != core.CodeBusy {
		t.Errorf("got %v, want busy", second)
	}
}

func TestSteeringReachesTheRunInProgressAndNoLaterOne(t *testing.T) {
	var o *orchestrator.Orchestrator
	var journal *store.Store
	var steered []bool
	o, journal = open(t, func(_ string, in core.Input) (core.Result, error) {
		if len(steered) == 0 {
			o.Steer(in.Thread, core.RunControl{Stop: true})
			o.Steer("another thread", core.RunControl{Stop: true})
		}
		steered = append(steered, in.Steer().Stop)
		return core.Result{}, journal.Put(t.Context(), core.RunRow{ID: in.Run, Thread: in.Thread, State: core.RunCompleted})
	})
	for range 2 {
		must.Get(o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "go"))(t)
	}
	must.Equal(t, []bool{true, false}, steered)
}

func TestWhatIsSaidToARunInProgressIsGivenToItOnce(t *testing.T) {
	var o *orchestrator.Orchestrator
	told, over := make(chan error, 1), make(chan error, 1)
	var said []core.Message
	o, _ = open(t, func(_ string, in core.Input) (core.Result, error) {
		go func() { told <- o.Say(t.Context(), in.Thread, "and in euros") }()
		for len(said) == 0 {
			said = in.Said()
		}
		must.Do(t, <-told)
		if again := in.Said(); len(again) > 0 {
			t.Errorf("given again: %v", again)
		}
		taken, stop := context.WithCancel(t.Context())
		stop()
		if err := o.Say(taken, in.Thread, "taken back"); core.CodeOf(err) != core.CodeCancelled {
			t.Errorf("taken back: %v", err)
		}
		if back := in.Said(); len(back) > 0 {
			t.Errorf("given although it was taken back: %v", back)
		}
		go func() { over <- o.Say(t.Context(), in.Thread, "too late") }()
		return core.Result{}, nil
	})
	must.Get(o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "go"))(t)
	if len(said) != 1 || said[0].Text != "and in euros" || said[0].ID == "" {
		t.Errorf("given %v", said)
	}
	if err := <-over; core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("when the run is over: %v", err)
	}
}

func TestTheRoomIsNotAskedDeeperThanThree(t *testing.T) {
	o, _ := open(t, func(_ string, in core.Input) (core.Result, error) { return core.Result{Turns: in.Depth}, nil })
	if result, err := o.Chat(t.Context(), "thread", "go", 3); err != nil || result.Turns != 3 {
		t.Errorf("got %+v, %v", result, err)
	}
	if _, err := o.Chat(t.Context(), "thread2", "go", 4); core.CodeOf(err) != core.CodeRefused {
		t.Errorf("got %v, want refused", err)
	}
}

func TestTheRunOfAPromptHasTheIDThatItsCallerMade(t *testing.T) {
	var ids []string
	o, _ := open(t, func(_ string, in core.Input) (core.Result, error) {
		ids = append(ids, in.Run+" "+in.Trace)
		return core.Result{}, nil
	})
	for _, thread := range []string{"a", "b"} {
		must.Get(o.Prompt(t.Context(), core.Scope{Thread: thread, Run: "run of " + thread}, "hello"))(t)
	}
	must.Equal(t, []string{"run of a run of a", "run of b run of b"}, ids)
}

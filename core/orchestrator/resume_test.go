package orchestrator_test

import (
	"errors"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/orchestrator"
	"github.com/yaap-chat/yaap/core/store"
)

// ends puts the run of in into a state, as its runner does.
func ends(t *testing.T, journal *store.Store, in core.Input, runner string, state core.RunState) {
	t.Helper()
	must.Report(t, journal.Put(t.Context(), core.RunRow{ID: in.Run, Thread: in.Thread, Runner: runner, State: state}))
}

func TestAQuestionThatWasCutOffIsGoneOnWithByWhoeverHadIt(t *testing.T) {
	for _, state := range []core.RunState{core.RunInterrupted, core.RunFailed} {
		var journal *store.Store
		var names, runs []string
		o, journal := open(t, func(name string, in core.Input) (core.Result, error) {
			names, runs = append(names, name), append(runs, in.Run)
			if len(runs) == 1 {
				ends(t, journal, in, name, state)
				return core.Result{}, errors.New("cut off")
			}
			if saved, err := journal.Load(t.Context(), in.Run); err != nil || saved.Run.State != core.RunRunning {
				t.Errorf("while it goes on the run is %s, %v", saved.Run.State, err)
			}
			if in.Trace != in.Run || len(in.Messages) != 1 || in.Messages[0].Text != "@heron what do you eat?" {
				t.Errorf("got %+v", in)
			}
			ends(t, journal, in, name, core.RunCompleted)
			return core.Result{Turns: 7}, nil
		})
		if _, err := o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "@heron what do you eat?"); err == nil {
			t.Fatal("it was not cut off")
		}
		result, err := o.Continue(t.Context(), "thread")
		if err != nil || result.Turns != 7 {
			t.Fatalf("got %+v, %v", result, err)
		}
		if len(runs) != 2 || runs[0] != runs[1] || names[1] != "expert/heron" {
			t.Errorf("got the runs %v of %v", runs, names)
		}
	}
}

func TestTheRestOfAnAnswerThatReachedItsLimitIsAskedFor(t *testing.T) {
	var journal *store.Store
	var asked []string
	o, journal := open(t, func(name string, in core.Input) (core.Result, error) {
		asked = append(asked, in.Asked().Text)
		reply := core.Reply{Status: core.StatusFailure, Message: "One, two"}
		reply.MarkCutOff()
		must.Report(t, journal.Put(t.Context(), core.MessageRow{Thread: in.Thread, Message: core.Message{
			ID: in.Run + "/answer", Run: in.Run, Role: core.RoleAssistant, Text: reply.Message, Reply: &reply,
		}}))
		ends(t, journal, in, name, core.RunCompleted)
		return core.Result{Reply: reply}, nil
	})
	must.Get(o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "count"))(t)
	must.Get(o.Continue(t.Context(), "thread"))(t)
	must.Equal(t, []string{"count", "Go on exactly where your last answer was cut off."}, asked)
}

func TestWhatHasBeenAnsweredIsNotGoneOnWith(t *testing.T) {
	var journal *store.Store
	o, journal := open(t, func(name string, in core.Input) (core.Result, error) {
		ends(t, journal, in, name, core.RunCompleted)
		return core.Result{}, nil
	})
	refused := func() {
		t.Helper()
		if _, err := o.Continue(t.Context(), "thread"); core.CodeOf(err) != core.CodeNotFound || core.HintOf(err) == "" {
			t.Errorf("got %v", err)
		}
	}
	refused()
	must.Get(o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "hello"))(t)
	refused()
}

func TestARunInProgressIsNotGoneOnWithBesideItself(t *testing.T) {
	var o *orchestrator.Orchestrator
	var second error
	o, _ = open(t, func(_ string, in core.Input) (core.Result, error) {
		_, second = o.Continue(t.Context(), in.Thread)
		return core.Result{}, nil
	})
	must.Get(o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "hello"))(t)
	if core.CodeOf(second) != core.CodeBusy {
		t.Errorf("got %v, want busy", second)
	}
}

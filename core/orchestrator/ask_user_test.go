package orchestrator_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/orchestrator"
)

// user sees what is asked, and answers each question with the next of answers.
type user struct {
	mu      sync.Mutex
	room    *orchestrator.Orchestrator
	answers []string
	seen    []core.Body
}

func (u *user) Emit(s core.Scope, b core.Body) core.Event {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seen = append(u.seen, b)
	if asked, ok := b.(core.ApprovalRequested); ok && len(u.answers) > 0 {
		text := u.answers[0]
		u.answers = u.answers[1:]
		go func() { _, _ = u.room.Answer(context.Background(), core.Answer{Pause: asked.Pause, Text: text}) }()
	}
	return core.Event{Scope: s, Body: b}
}

func (u *user) events() []core.Body {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.seen)
}

func attended(t *testing.T, answers ...string) (*orchestrator.Orchestrator, *user) {
	t.Helper()
	u := &user{answers: answers}
	journal := openStore(t)
	u.room = orchestrator.New(orchestrator.Config{Journal: journal, Conversations: journal, Sink: u, Attended: true})
	return u.room, u
}

func vault() core.Pause {
	return core.Pause{
		Kind: core.PauseApproval, Question: "May a vault be made?",
		Call: &core.Call{ID: "c1", Tool: "create_vault", Args: json.RawMessage(`{"title":"work"}`)},
	}
}

func TestTheUserIsAskedAndWhatTheySayIsTheAnswer(t *testing.T) {
	for text, want := range map[string]string{"allow once": core.AllowOnce, "Deny": core.Deny, "2": core.AllowSession} {
		o, u := attended(t, text)
		got, err := o.Ask(t.Context(), vault())
		if err != nil || got.ID != want || got.By != "user" {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
		wanted := []core.Body{
			core.ApprovalRequested{
				Pause: got.Pause, Call: "c1", Tool: "create_vault", Args: json.RawMessage(`{"title":"work"}`), Reason: "May a vault be made?",
				Options: []core.Option{
					{ID: core.AllowOnce, Label: "Allow once"}, {ID: core.AllowSession, Label: "Allow until yaap is closed"}, {ID: core.Deny, Label: "Deny"},
				},
			},
			core.ApprovalGiven{Pause: got.Pause, Call: "c1", Decision: want, By: "user"},
		}
		must.Equal(t, wanted, u.events())
	}
}

func TestNobodyWhoAnswersIsANo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, u := attended(t)
		started := time.Now()
		_, err := o.Ask(t.Context(), vault())
		if core.CodeOf(err) != core.CodeRefused || core.HintOf(err) == "" || time.Since(started) != time.Minute {
			t.Errorf("got %v (%s) after %v", err, core.HintOf(err), time.Since(started))
		}
		asked := u.events()[0].(core.ApprovalRequested)
		if given, ok := u.events()[1].(core.ApprovalGiven); !ok || given.Decision != core.Deny || given.Pause != asked.Pause || given.By != "" {
			t.Errorf("got %+v", u.events())
		}
		if _, err := o.Answer(t.Context(), core.Answer{Pause: asked.Pause, Text: "allow"}); core.CodeOf(err) != core.CodeNotFound || core.HintOf(err) == "" {
			t.Errorf("an answer that is too late: %v", err)
		}
	})
}

func TestACallerThatIsGoneIsNotAskedForAnyLonger(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o, u := attended(t)
	if _, err := o.Ask(ctx, vault()); core.CodeOf(err) != core.CodeRefused {
		t.Errorf("got %v", err)
	}
	if len(u.events()) != 2 {
		t.Errorf("the dialog is not closed: %+v", u.events())
	}
}

func TestWhereNobodySitsARequestIsRefusedAtOnce(t *testing.T) {
	o, _ := open(t, nil)
	if _, err := o.Ask(t.Context(), vault()); core.CodeOf(err) != core.CodeRefused || core.HintOf(err) == "" {
		t.Errorf("got %v", err)
	}
}

func TestTheFirstAnswerWinsAndOneThatDoesNotFitIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, u := attended(t)
		answered := make(chan core.Answer)
		go func() {
			a, err := o.Ask(t.Context(), vault())
			must.Report(t, err)
			answered <- a
		}()
		synctest.Wait()
		id := u.events()[0].(core.ApprovalRequested).Pause
		if err := o.Decide(core.Answer{Pause: id, Text: "perhaps"}); core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) != "answer with one of: Allow once, Allow until yaap is closed, Deny" {
			t.Errorf("got %v (%s)", err, core.HintOf(err))
		}
		must.Report(t, o.Decide(core.Answer{Pause: id, ID: core.Deny}))
		if err := o.Decide(core.Answer{Pause: id, ID: core.AllowOnce}); core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("a second answer: %v", err)
		}
		if a := <-answered; a.ID != core.Deny {
			t.Errorf("got %+v", a)
		}
	})
}

func TestWhatIsAllowedForTheSessionIsNotAskedAgain(t *testing.T) {
	o, u := attended(t, "session")
	for range 2 {
		if a, err := o.Ask(t.Context(), vault()); err != nil || a.ID != core.AllowSession {
			t.Fatalf("got %+v, %v", a, err)
		}
	}
	if len(u.events()) != 2 {
		t.Errorf("it was asked again: %+v", u.events())
	}
	u.answers = []string{"deny"}
	other := vault()
	other.Call.Tool = "create_memory_in_vault"
	if a, err := o.Ask(t.Context(), other); err != nil || a.ID != core.Deny {
		t.Errorf("another tool was allowed, too: %+v, %v", a, err)
	}
}

func TestAFloodOfQuestionsIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, u := attended(t)
		for range 8 {
			go func() { _, _ = o.Ask(t.Context(), vault()) }()
		}
		synctest.Wait()
		if _, err := o.Ask(t.Context(), vault()); core.CodeOf(err) != core.CodeRefused || len(u.events()) != 8 {
			t.Errorf("got %v, %d events", err, len(u.events()))
		}
	})
}

func TestAQuestionOfARunIsAnsweredByItsIDAlone(t *testing.T) {
	var journal core.Journal
	var id string
	o, memory := open(t, func(name string, in core.Input) (core.Result, error) {
		saved, err := journal.Load(t.Context(), in.Run)
		if err != nil {
			return core.Result{}, err
		}
		row := core.RunRow{ID: in.Run, Thread: in.Thread, Runner: name, State: core.RunCompleted}
		if len(saved.Answers) > 0 {
			return core.Result{Reply: core.Reply{Message: saved.Answers[0].Text}}, journal.Put(t.Context(), row)
		}
		id = in.Run + "#which"
		row.State = core.RunInterrupted
		return core.Result{}, journal.Put(t.Context(), row, core.Pause{
			ID: id, Run: in.Run, Root: in.Run, Thread: in.Thread, Kind: core.PauseClarification, Question: "Which one?",
		})
	})
	journal = memory
	must.Get(o.Start(t.Context(), core.Scope{Thread: "thread"}, "chain/colour", "/chain run colour", nil))(t)
	if result, err := o.Answer(t.Context(), core.Answer{Pause: id, Text: "red"}); err != nil || result.Reply.Message != "red" {
		t.Errorf("got %+v, %v", result, err)
	}
	if _, err := o.Answer(t.Context(), core.Answer{Pause: "nobody#asked", Text: "red"}); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("an answer to nothing: %v", err)
	}
}

package main

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/orchestrator"
	"github.com/yaap-chat/yaap/core/room"
	"github.com/yaap-chat/yaap/core/yaap"
)

// inRoom does something in a room with the built-in experts.
func inRoom(t *testing.T, do func(ctx context.Context, b *room.Window)) {
	t.Helper()
	t.Setenv("YAAP_BID_MS", "10000") // who answers shall not depend on how busy the machine is
	a := roomWith(t, t.TempDir(), nil)
	err := a.Run(t.Context(), func(ctx context.Context) error {
		if err := a.Settle(ctx); err != nil {
			return err
		}
		do(ctx, a.Window())
		return nil
	})
	must.Do(t, err)
}

func learnedBy(t *testing.T, b *room.Window, name string) []string {
	t.Helper()
	all := b.Experts()
	i := slices.IndexFunc(all, func(e core.Expert) bool { return e.Name == name })
	if i < 0 {
		t.Fatalf("%s is not in the room", name)
	}
	return all[i].Bidding.Learned
}

func TestAQuestionThatAnExpertAnsweredIsSeenUntilItIsForgotten(t *testing.T) {
	const question = "what time is it in Tokyo?"
	for how, forget := range map[string]func(ctx context.Context, b *room.Window, thread string) error{
		"the expert": func(ctx context.Context, b *room.Window, _ string) error {
			_, err := b.Do(ctx, "", []string{"experts", "forget", "@Clock"})
			return err
		},
		"the conversation": func(ctx context.Context, b *room.Window, thread string) error {
			_, err := b.Store().Forget(ctx, core.ForgetQuery{Thread: thread})
			if err == nil {
				_, err = b.Prompt(ctx, orchestrator.NewThread(), orchestrator.NewRun(), "hello")
			}
			return err
		},
	} {
		inRoom(t, func(ctx context.Context, b *room.Window) {
			thread := orchestrator.NewThread()
			must.Get(b.Prompt(ctx, thread, orchestrator.NewRun(), "@clock "+question))(t)
			if got := learnedBy(t, b, "clock"); !slices.Equal(got, []string{question}) {
				t.Fatalf("learned is %q", got)
			}
			out, err := b.Do(ctx, thread, []string{"experts", "clock"})
			if err != nil || !strings.Contains(out.Parts[0].Text, "it has answered\n  "+question+"\n") {
				t.Errorf("/experts clock says %v, %v", out, err)
			}
			if err := forget(ctx, b, thread); err != nil {
				t.Errorf("%s: %v", how, err)
			}
			if got := learnedBy(t, b, "clock"); len(got) > 0 {
				t.Errorf("after %s is forgotten learned is %q", how, got)
			}
		})
	}
}

func TestWhatAProgramAsksTheRoomIsNotLearned(t *testing.T) {
	inRoom(t, func(ctx context.Context, b *room.Window) {
		must.Get(b.AskFromOutside(ctx, orchestrator.NewThread(), "@clock what time is it in Tokyo?", 0))(t)
		if got := learnedBy(t, b, "clock"); len(got) > 0 {
			t.Errorf("learned is %q", got)
		}
	})
}

func TestForgettingAnExpertOfWhomNothingIsKnownSaysSo(t *testing.T) {
	inRoom(t, func(ctx context.Context, b *room.Window) {
		_, err := b.Do(ctx, "", []string{"experts", "forget", "heron"})
		if core.CodeOf(err) != core.CodeNotFound || core.HintOf(err) == "" {
			t.Errorf("got %v", err)
		}
	})
}

// echo is an expert that asks the room whatever it is asked, and does not say that
// it was called itself.
type echo struct {
	*guest
	ask   func(ctx context.Context, text string) (core.Result, error)
	calls *atomic.Int64
	to    string
}

func (e echo) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	e.calls.Add(1)
	to := "@" + e.to + " and you?"
	if c.Tool == yaap.ToolBid { // it asks whoever bids on it
		to = e.to + ", and you?"
	}
	got, err := e.ask(ctx, to)
	switch {
	case c.Tool == yaap.ToolBid:
		return core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, "I decline"), nil
	case err != nil:
		return core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, err.Error()), nil //nolint:nilerr // it is what the expert says
	}
	return core.ToolResult{Status: core.ToolSuccess, Text: got.Reply.Message}, nil
}

// askEachOther brings two experts into a room that ask each other through it.
func askEachOther(ctx context.Context, a *room.Room, bids bool, calls *atomic.Int64) error {
	for name, other := range map[string]string{"ping": "pong", "pong": "ping"} {
		e := echo{guest: &guest{in: yaap.Introduction{Name: name, Description: "Asks " + other + ".", Bids: bids}, done: make(chan struct{})}, calls: calls, to: other}
		e.ask = func(ctx context.Context, text string) (core.Result, error) {
			return a.AskFromOutside(ctx, orchestrator.NewThread(), text, 0)
		}
		if _, err := a.Hub().Join(ctx, hub.Entry{Introduction: e.in, Transport: hub.Peer, Link: e}); err != nil {
			return err
		}
	}
	return nil
}

func TestTwoExpertsThatAskEachOtherForEverComeToAnEnd(t *testing.T) {
	a := roomWith(t, t.TempDir(), nil, "ping", "pong")
	err := a.Run(t.Context(), func(ctx context.Context) error {
		var calls atomic.Int64
		if err := askEachOther(ctx, a, false, &calls); err != nil {
			return err
		}
		got, err := a.Ask(ctx, orchestrator.NewThread(), "@ping hello")
		if n := calls.Load(); n != 4 || !strings.Contains(got.Reply.Message, "3 deep already") {
			t.Errorf("%d calls, and the answer is %q", n, got.Reply.Message)
		}
		return err
	})
	must.Report(t, err)
}

func TestTwoExpertsThatAskTheRoomBeforeTheyBidComeToAnEnd(t *testing.T) {
	a := roomWith(t, t.TempDir(), nil, "ping", "pong")
	err := a.Run(t.Context(), func(ctx context.Context) error {
		var calls atomic.Int64
		if err := askEachOther(ctx, a, true, &calls); err != nil {
			return err
		}
		got, err := a.Ask(ctx, orchestrator.NewThread(), "ping, pong?")
		if !strings.Contains(got.Reply.Message, "3 deep already") { // they were late, and were called for their words
			t.Errorf("the answer is %q", got.Reply.Message)
		}
		return err
	})
	must.Report(t, err)
}

func TestAMissNamesTheExpertThatWasStopped(t *testing.T) {
	inRoom(t, func(ctx context.Context, b *room.Window) {
		must.Get(b.Do(ctx, "", []string{"experts", "stop", "clock"}))(t)
		got, err := b.Prompt(ctx, orchestrator.NewThread(), orchestrator.NewRun(), "what time is it in Tokyo?")
		if want := "clock, which has left, might: `/experts restart clock` brings it back."; err != nil || !strings.Contains(got.Reply.Message, want) {
			t.Errorf("%v: %s", err, got.Reply.Message)
		}
		feed := b.Feed()
		defer feed.Close()
		must.Get(b.Do(ctx, "", []string{"experts", "restart", "clock"}))(t)
		for back := false; !back; {
			events, err := feed.Next(ctx)
			must.Do(t, err)
			back = slices.ContainsFunc(events, func(e core.Event) bool { _, joined := e.Body.(core.ExpertJoined); return joined })
		}
		got, err = b.Prompt(ctx, orchestrator.NewThread(), orchestrator.NewRun(), "what time is it in Tokyo?")
		if err != nil || !strings.Contains(got.Reply.Message, "in Tokyo") || got.Reply.Status != core.StatusSuccess {
			t.Errorf("%v: %s", err, got.Reply.Message)
		}
	})
}

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
	a := roomWith(t, t.TempDir(), nil)
	must.Do(t, a.Run(t.Context(), func(ctx context.Context) error {
		err := a.Settle(ctx)
		if err == nil {
			do(ctx, a.Window())
		}
		return err
	}))
}

func TestAQuestionThatAnExpertAnsweredIsSeenUntilItIsForgotten(t *testing.T) {
	const question = "what time is it in Tokyo?"
	inRoom(t, func(ctx context.Context, b *room.Window) {
		learned := func(when string, want ...string) {
			t.Helper()
			all := b.Experts()
			at := slices.IndexFunc(all, func(e core.Expert) bool { return e.Name == "clock" })
			if at < 0 || !slices.Equal(all[at].Bidding.Learned, want) {
				t.Errorf("%s of %v is learned not %q", when, all, want)
			}
		}
		if _, err := b.Do(ctx, "", []string{"experts", "forget", "heron"}); core.CodeOf(err) != core.CodeNotFound || core.HintOf(err) == "" {
			t.Errorf("nobody is forgotten with %v", err)
		}
		must.Get(b.AskFromOutside(ctx, orchestrator.NewThread(), "@clock "+question, 0))(t)
		learned("after a program has asked")
		for how, forget := range map[string]func(thread string) error{
			"the expert": func(string) error {
				_, err := b.Do(ctx, "", []string{"experts", "forget", "@Clock"})
				return err
			},
			"the conversation": func(thread string) error {
				_, err := b.Store().Forget(ctx, core.ForgetQuery{Thread: thread})
				if err == nil {
					_, err = b.Prompt(ctx, orchestrator.NewThread(), orchestrator.NewRun(), "hello")
				}
				return err
			},
		} {
			thread := orchestrator.NewThread()
			must.Get(b.Prompt(ctx, thread, orchestrator.NewRun(), "@clock "+question))(t)
			learned("after the user has asked", question)
			out, err := b.Do(ctx, thread, []string{"experts", "clock"})
			if err != nil || !strings.Contains(out.Parts[0].Text, "it has answered\n  "+question+"\n") {
				t.Errorf("/experts clock says %v, %v", out, err)
			}
			must.Do(t, forget(thread))
			learned("after " + how + " is forgotten")
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
	t.Setenv("YAAP_BID_MS", "100")
	for question, bids := range map[string]bool{"@ping hello": false, "ping, pong?": true} { // who asks before it bids is late, and called for its words
		a := roomWith(t, t.TempDir(), nil, "ping", "pong")
		must.Do(t, a.Run(t.Context(), func(ctx context.Context) error {
			var calls atomic.Int64
			if err := askEachOther(ctx, a, bids, &calls); err != nil {
				return err
			}
			got, err := a.Ask(ctx, orchestrator.NewThread(), question)
			if n := calls.Load(); !bids && n != 4 || !strings.Contains(got.Reply.Message, "3 deep already") {
				t.Errorf("%s: %d calls, and the answer is %q", question, n, got.Reply.Message)
			}
			return err
		}))
	}
}

func TestAMissNamesTheExpertThatWasStopped(t *testing.T) {
	inRoom(t, func(ctx context.Context, b *room.Window) {
		out := must.Get(b.Do(ctx, "", []string{"experts", "stop", "clock"}))(t)
		if want := "**clock** is stopped. `/experts restart clock` starts it again."; out.Parts[0].Text != want {
			t.Errorf("stopped it says %q", out.Parts[0].Text)
		}
		got, err := b.Prompt(ctx, orchestrator.NewThread(), orchestrator.NewRun(), "what time is it in Tokyo?")
		if want := "clock, which has left, might: `/experts restart clock` brings it back."; err != nil || !strings.Contains(got.Reply.Message, want) {
			t.Errorf("%v: %s", err, got.Reply.Message)
		}
		feed := b.Feed()
		defer feed.Close()
		must.Get(b.Do(ctx, "", []string{"experts", "restart", "clock"}))(t)
		for e := range feed.All(ctx) {
			if _, back := e.Body.(core.ExpertJoined); back {
				break
			}
		}
		got, err = b.Prompt(ctx, orchestrator.NewThread(), orchestrator.NewRun(), "what time is it in Tokyo?")
		if err != nil || !strings.Contains(got.Reply.Message, "in Tokyo") || got.Reply.Status != core.StatusSuccess {
			t.Errorf("%v: %s", err, got.Reply.Message)
		}
	})
}

package chain_test

import (
	"context"
	"errors"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

// deaf is a journal that cannot load.
type deaf struct{ core.Journal }

func (deaf) Load(context.Context, string) (core.Saved, error) {
	return core.Saved{}, errors.New("no such disk")
}

func TestARunThatCannotBeLoadedIsToldAndGivesUpItsClaim(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: hi}")+"\n  - {from: start, to: a}\n  - {from: a, to: end}\n")
	in := s.begin("go", nil)
	s.cfg.Journal = deaf{s.journal}
	if _, err := s.chain.Runner(s.cfg).Run(t.Context(), in); err == nil {
		t.Fatal("it ran")
	}
	if row := s.state(); row.State != core.RunFailed {
		t.Errorf("the run is %s", row.State)
	}
	if end := s.ended(); end.Outcome != "error" || end.Error != "no such disk" {
		t.Errorf("told is %+v", end)
	}
}

func TestAnEndedRunReturnsWhatItHasUsed(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: hi}")+"\n  - {from: start, to: a}\n  - {from: a, to: end}\n")
	s.play = func(context.Context, core.Input) (core.Result, error) {
		return core.Result{Reply: good("done", nil), Usage: core.Usage{Prompt: 3, Completion: 4}}, nil
	}
	first, err := s.run("go", nil)
	if err != nil || first.Usage.Total() != 7 {
		t.Fatalf("got %+v, %v", first, err)
	}
	in := core.Input{Scope: core.Scope{Thread: thread, Run: runID, Trace: runID}}
	if again, err := s.chain.Runner(s.cfg).Run(t.Context(), in); err != nil || again.Usage != first.Usage {
		t.Errorf("got %+v, %v", again, err)
	}
}

func TestARunThatGoesOnWithAnAnswerNamesTheQuestionItBeganWith(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: which}")+"\n  - {from: start, to: a}\n  - {from: a, to: end}\n")
	s.play = says(map[string][]core.Reply{"a": {{Status: core.StatusClarification, Message: "Which?"}, good("done", nil)}})
	result, err := s.run("go", nil)
	if err != nil || len(result.Pauses) != 1 {
		t.Fatalf("got %+v, %v", result, err)
	}
	blue := core.Message{ID: "blue", Run: runID, Role: core.RoleUser, Text: "blue"}
	must.Do(t, s.journal.Put(t.Context(), core.Answer{Pause: result.Pauses[0].ID, Text: "blue"}, core.MessageRow{Thread: thread, Message: blue}))
	must.Get(s.again())(t)
	for _, e := range s.feed.Pending() {
		if b, ok := e.Body.(core.RunStart); ok && b.Prompt != "go" {
			t.Errorf("it was asked %q", b.Prompt)
		}
	}
}

// full is a journal that has no room for a chain's answer.
type full struct{ core.Journal }

func (f full) Put(ctx context.Context, rows ...core.Row) error {
	for _, row := range rows {
		if m, ok := row.(core.MessageRow); ok && m.Message.Role == core.RoleAssistant && m.Message.Run == runID {
			return errors.New("the disk is full")
		}
	}
	return f.Journal.Put(ctx, rows...)
}

func TestTheEndIsToldWhenItIsStored(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: hi}")+"\n  - {from: start, to: a}\n  - {from: a, to: end}\n")
	s.play = says(map[string][]core.Reply{"a": {good("done", nil)}})
	in := s.begin("go", nil)
	s.cfg.Journal = full{s.journal}
	if _, err := s.chain.Runner(s.cfg).Run(t.Context(), in); err == nil {
		t.Fatal("it was stored")
	}
	if end := s.ended(); end.Outcome != "error" || end.Error != "the disk is full" {
		t.Errorf("told is %+v", end)
	}
}

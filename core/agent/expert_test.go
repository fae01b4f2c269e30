package agent_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
)

func TestAnExpertAskedDirectlyAnswersWithoutAModel(t *testing.T) {
	s := newStage(t, nil)
	heron := says("heron", "Fish.")
	heron.call = func(_ context.Context, c core.Call) (core.ToolResult, error) {
		if len(c.Context) != 0 {
			t.Errorf("the expert reads its question twice: %+v", c.Context)
		}
		return core.ToolResult{Status: core.ToolSuccess, Text: "Fish."}, nil
	}
	runner := agent.AsRunner(heron, s.cfg)
	in := s.input("what do you eat?")
	result, err := runner.Run(t.Context(), in)
	if err != nil || result.Reply.Message != "Fish." || result.Reply.Status != core.StatusSuccess {
		t.Errorf("got %+v, %v", result, err)
	}
	s.events()
	again, err := runner.Run(t.Context(), in)
	if err != nil || again.Reply.Message != "Fish." {
		t.Errorf("a run that has ended returned %+v, %v", again, err)
	}
}

func TestAnExpertThatAnswersWithNothingSaysSo(t *testing.T) {
	s := newStage(t, nil)
	result, err := agent.AsRunner(says("heron", " \n"), s.cfg).Run(t.Context(), s.input("what do you eat?"))
	if err != nil || result.Reply.Message != "heron answered with nothing to read." || result.Reply.Status != core.StatusSuccess {
		t.Errorf("it says %+v, %v", result.Reply, err)
	}
}

func TestAnExpertThatFailedIsNamedOnce(t *testing.T) {
	for said, want := range map[string]string{
		"heron left the room (exited with status 3: beak broken)": "heron left the room (exited with status 3: beak broken)",
		"the pond is frozen": "heron: the pond is frozen",
	} {
		s := newStage(t, nil)
		heron := says("heron", "")
		heron.call = func(context.Context, core.Call) (core.ToolResult, error) {
			return core.ToolFailure(core.ToolError, core.ToolCodeExpertLeft, said), nil
		}
		result, err := agent.AsRunner(heron, s.cfg).Run(t.Context(), s.input("what do you eat?"))
		if err != nil || result.Reply.Message != want || result.Reply.Status != core.StatusFailure {
			t.Errorf("of %q it says %q, %v", said, result.Reply.Message, err)
		}
	}
}

func TestAnExpertWhoseAnswerWasCancelledIsAskedAnewWhenTheRunGoesOn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := newStage(t, nil)
	heron := says("heron", "")
	var asked []string
	heron.call = func(ctx context.Context, c core.Call) (core.ToolResult, error) {
		if asked = append(asked, c.ID+string(c.Args)); len(asked) == 1 {
			cancel()
			<-ctx.Done()
			return core.ToolResult{}, ctx.Err()
		}
		return core.ToolResult{Status: core.ToolSuccess, Text: "Fish."}, nil
	}
	runner := agent.AsRunner(heron, s.cfg)
	in := s.input("@heron what do you eat?")
	if _, err := runner.Run(ctx, in); core.CodeOf(err) != core.CodeCancelled {
		t.Fatalf("got %v", err)
	}
	result, err := runner.Run(t.Context(), in)
	if err != nil || result.Reply.Message != "Fish." {
		t.Errorf("got %+v, %v", result, err)
	}
	want := []string{`call_1{"prompt":"what do you eat?"}`, `call_2{"prompt":"what do you eat?"}`}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked (-want +got)\n%s", diff)
	}
	s.events()
}

func TestAQuestionThatNobodyCanTakeIsStillARun(t *testing.T) {
	s := newStage(t, nil)
	gone := &core.Error{Code: core.CodeNotFound, Message: "nobody", Hint: "type /experts"}
	_, err := agent.Failed(gone, s.cfg).Run(t.Context(), s.input("hi"))
	if !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
	s.events()
}

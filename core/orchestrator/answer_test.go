package orchestrator_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/orchestrator"
)

func TestWhatIsSaidWhileARunWaitsIsItsAnswer(t *testing.T) {
	var journal core.Journal
	o, memory := open(t, func(name string, in core.Input) (core.Result, error) {
		saved, err := journal.Load(t.Context(), in.Run)
		if err != nil {
			return core.Result{}, err
		}
		row := core.RunRow{ID: in.Run, Thread: in.Thread, Runner: name, State: core.RunCompleted}
		if name == "expert/heron" {
			return core.Result{}, journal.Put(t.Context(), row)
		}
		if len(saved.Answers) > 0 {
			return core.Result{Reply: core.Reply{Message: saved.Answers[0].ID + " " + saved.Answers[0].Text}}, journal.Put(t.Context(), row)
		}
		p := core.Pause{
			ID: in.Run + "#which", Run: in.Run, Root: in.Run, Thread: in.Thread, Kind: core.PauseClarification, Question: "Which one?",
			Options: []core.Option{{ID: "r", Label: "Red"}, {ID: "b", Label: "Blue"}},
		}
		row.State = core.RunInterrupted
		return core.Result{Pauses: []core.Pause{p}}, journal.Put(t.Context(), p, row)
	})
	journal = memory
	must.Get(o.Start(t.Context(), core.Scope{Thread: "thread"}, "chain/colour", "/chain run colour", nil))(t)
	if waiting, err := o.Waiting(t.Context(), "thread"); err != nil || len(waiting) != 1 {
		t.Fatalf("got %+v, %v", waiting, err)
	}
	if _, err := o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "@heron what is this?"); err != nil {
		t.Errorf("a question to somebody else was taken for the answer: %v", err)
	}
	_, err := o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "green")
	if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(core.HintOf(err), "Red, Blue") {
		t.Errorf("an answer that is none of the options: %v (%s)", err, core.HintOf(err))
	}
	result, err := o.Prompt(t.Context(), core.Scope{Thread: "thread"}, " 2")
	if err != nil || result.Reply.Message != "b Blue" {
		t.Fatalf("got %+v, %v", result, err)
	}
	messages, err := memory.Messages(t.Context(), "thread")
	if err != nil || messages[len(messages)-1].Text != " 2" || messages[len(messages)-1].Role != core.RoleUser {
		t.Errorf("the answer is not in the conversation: %+v, %v", messages, err)
	}
}

func TestAQuestionThatLapsesIsNotAnsweredByAnotherPrompt(t *testing.T) {
	for prompt, want := range map[string]string{"1": "r Red", "Yes": "r Red", "blue": "b Blue", "green": "asked: green", "yes or no?": "asked: yes or no?"} {
		t.Run(prompt, func(t *testing.T) {
			journal := openStore(t)
			must.Do(t, journal.Put(t.Context(), core.Session{ID: "session"}))
			run := func(ctx context.Context, in core.Input) (core.Result, error) {
				saved := must.Get(journal.Load(ctx, in.Run))(t)
				row := core.RunRow{ID: in.Run, Thread: in.Thread, Runner: "agent/yaap", State: core.RunCompleted}
				switch text := in.Messages[len(in.Messages)-1].Text; {
				case len(saved.Answers) > 0:
					return core.Result{Reply: core.Reply{Message: saved.Answers[0].ID + " " + saved.Answers[0].Text}}, journal.Put(ctx, row)
				case text != "paint it":
					return core.Result{Reply: core.Reply{Message: "asked: " + text}}, journal.Put(ctx, row)
				}
				p := core.Pause{
					ID: in.Run + "#red", Run: in.Run, Root: in.Run, Thread: in.Thread, Kind: core.PauseClarification, Question: "Red?", Lapses: true,
					Options: []core.Option{{ID: "r", Label: "Red", Also: []string{"yes"}}, {ID: "b", Label: "Blue"}},
				}
				row.State = core.RunInterrupted
				return core.Result{Pauses: []core.Pause{p}}, journal.Put(ctx, p, row)
			}
			bus := new(event.Bus)
			o := orchestrator.New(orchestrator.Config{
				Journal: journal, Conversations: journal, Session: "session", Sink: bus,
				Lookup: func(string) (core.Runner, error) { return runner(run), nil },
			})
			must.Get(o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "paint it"))(t)
			result, err := o.Prompt(t.Context(), core.Scope{Thread: "thread"}, prompt)
			if err != nil || result.Reply.Message != want {
				t.Errorf("got %+v, %v; want %s", result, err, want)
			}
			if open, err := o.Waiting(t.Context(), "thread"); err != nil || len(open) > 0 {
				t.Errorf("it still waits with %+v, %v", open, err)
			}
		})
	}
}

func TestAnAnswerIsCheckedAgainstTheSchemaOfItsQuestion(t *testing.T) {
	var journal core.Journal
	var run string
	o, memory := open(t, func(name string, in core.Input) (core.Result, error) {
		run = in.Run
		saved, err := journal.Load(t.Context(), in.Run)
		if err != nil {
			return core.Result{}, err
		}
		row := core.RunRow{ID: in.Run, Thread: in.Thread, Runner: name, State: core.RunCompleted}
		if len(saved.Answers) > 0 {
			return core.Result{}, journal.Put(t.Context(), row)
		}
		p := core.Pause{
			ID: in.Run + "#much", Run: in.Run, Root: in.Run, Thread: in.Thread, Question: "How much?",
			Schema: json.RawMessage(`{"type":"integer","minimum":1}`),
		}
		row.State = core.RunInterrupted
		return core.Result{Pauses: []core.Pause{p}}, journal.Put(t.Context(), p, row)
	})
	journal = memory
	must.Get(o.Start(t.Context(), core.Scope{Thread: "thread"}, "chain/much", "/chain run much", nil))(t)
	for _, text := range []string{"a lot", "0", "1.5"} {
		if _, err := o.Prompt(t.Context(), core.Scope{Thread: "thread"}, text); core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" {
			t.Errorf("%q was taken: %v", text, err)
		}
	}
	must.Get(o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "12"))(t)
	saved, err := memory.Load(t.Context(), run)
	if err != nil || len(saved.Answers) != 1 || string(saved.Answers[0].Data) != "12" {
		t.Errorf("got %+v, %v", saved.Answers, err)
	}
}

func TestARunMayBeStartedFromTheStepsOfAnother(t *testing.T) {
	var steps []core.Checkpoint
	var journal core.Journal
	o, memory := open(t, func(_ string, in core.Input) (core.Result, error) {
		saved, err := journal.Load(t.Context(), in.Run)
		steps = saved.Steps
		return core.Result{}, err
	})
	journal = memory
	must.Get(o.StartFrom(t.Context(), "fork", "chain/x", "/chain fork", []json.RawMessage{[]byte(`1`), []byte(`2`)}))(t)
	if len(steps) != 2 || string(steps[1].State) != "2" {
		t.Errorf("got %+v", steps)
	}
}

func TestWhoAnswersTheRoomCanBeChosen(t *testing.T) {
	var asked string
	o, _ := openWith(t, "chain/triage", func(name string, _ core.Input) (core.Result, error) {
		asked = name
		return core.Result{}, nil
	})
	if _, err := o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "hello"); err != nil || asked != "chain/triage" {
		t.Errorf("%s was asked, %v", asked, err)
	}
}

// asksTwice stores a run that waits with two questions.
func asksTwice(t *testing.T, journal core.Journal) (row core.RunRow, first, second core.Pause) {
	t.Helper()
	row = core.RunRow{ID: "run", Thread: "thread", Runner: "agent/yaap", State: core.RunRunning}
	ask := func(id string) core.Pause {
		return core.Pause{ID: "run#" + id, Run: "run", Root: "run", Thread: "thread", Question: "May " + id + "?"}
	}
	first, second = ask("one"), ask("two")
	must.Do(t, journal.Put(t.Context(), core.Thread{ID: "thread"}, row))
	row.State = core.RunInterrupted
	must.Do(t, journal.Put(t.Context(), first, second, row))
	return row, first, second
}

func TestAnAnswerThatNamesNoneOfTwoQuestionsIsRefusedWithBoth(t *testing.T) {
	var journal core.Journal
	o, memory := open(t, func(_ string, in core.Input) (core.Result, error) {
		return core.Result{}, journal.Put(t.Context(), core.RunRow{ID: in.Run, Thread: in.Thread, Runner: "agent/yaap", State: core.RunInterrupted})
	})
	journal = memory
	row, first, second := asksTwice(t, memory)
	names := func(err error, pauses ...core.Pause) {
		t.Helper()
		for _, p := range []core.Pause{first, second} {
			want := slices.ContainsFunc(pauses, func(other core.Pause) bool { return other.ID == p.ID })
			if got := strings.Contains(core.HintOf(err), p.Question+"\n  /chain answer "+p.Ref()+" ANSWER"); err == nil || got != want {
				t.Errorf("%s is named: %t, want %t: %v\n%s", p.ID, got, want, err, core.HintOf(err))
			}
		}
	}
	_, err := o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "yes")
	names(err, first, second)
	_, err = o.Question(t.Context(), row, "")
	names(err, first, second)
	if core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("got %v", err)
	}
	_, id, _ := strings.Cut(second.Ref(), ":")
	p, err := o.Question(t.Context(), row, id)
	if err != nil || p.ID != second.ID || first.Ref() == second.Ref() {
		t.Fatalf("got %+v, %v", p, err)
	}
	must.Get(o.Answer(t.Context(), core.Answer{Pause: p.ID, Text: "yes"}))(t)
	_, err = o.Question(t.Context(), row, id)
	names(err, first)
	if core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("it was answered: %v", err)
	}
	if p, err = o.Question(t.Context(), row, ""); err != nil || p.ID != first.ID {
		t.Errorf("only one is left: %+v, %v", p, err)
	}
	if _, err := o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "yes"); err != nil {
		t.Errorf("only one is left: %v", err)
	}
	row.State = core.RunRunning
	if _, err = o.Question(t.Context(), row, ""); core.CodeOf(err) != core.CodeBusy {
		t.Errorf("while the run goes on: %v", err)
	}
	row.State = core.RunCompleted
	if _, err = o.Question(t.Context(), row, ""); core.CodeOf(err) != core.CodeNotFound || core.HintOf(err) == "" {
		t.Errorf("none is left: %v", err)
	}
}

// unclaimed is a journal in which another window claims every run first.
type unclaimed struct{ core.Journal }

func (u unclaimed) Put(ctx context.Context, rows ...core.Row) error {
	for _, row := range rows {
		if r, ok := row.(core.RunRow); ok && r.State == core.RunRunning {
			return &core.Error{Code: core.CodeBusy, Message: "another window was faster"}
		}
	}
	return u.Journal.Put(ctx, rows...)
}

func TestAnAnswerIsNotStoredWhenItsRunCannotGoOn(t *testing.T) {
	memory := openStore(t)
	o := orchestrator.New(orchestrator.Config{Journal: unclaimed{memory}, Conversations: memory, Session: "sitting"})
	_, first, _ := asksTwice(t, memory)
	if _, err := o.Answer(t.Context(), core.Answer{Pause: first.ID, Text: "yes"}); core.CodeOf(err) != core.CodeBusy {
		t.Errorf("got %v", err)
	}
	saved, err := memory.Load(t.Context(), "run")
	messages, failed := memory.Messages(t.Context(), "thread")
	if err != nil || failed != nil || len(saved.Answers) > 0 || len(messages) > 0 {
		t.Errorf("stored are %+v, %+v; %v, %v", saved.Answers, messages, err, failed)
	}
}

// Two windows show one question.
func TestAQuestionThatWasAnsweredElsewhereTakesNoSecondAnswer(t *testing.T) {
	var journal core.Journal
	var resumed int
	o, memory := open(t, func(_ string, in core.Input) (core.Result, error) {
		resumed++
		return core.Result{}, journal.Put(t.Context(), core.RunRow{ID: in.Run, Thread: in.Thread, Runner: "agent/yaap", State: core.RunCompleted})
	})
	journal = memory
	row := core.RunRow{ID: "run", Thread: "thread", Runner: "agent/yaap", State: core.RunInterrupted}
	pause := func(id string) core.Pause {
		return core.Pause{
			ID: "run#" + id, Run: "run", Root: "run", Thread: "thread", Kind: core.PauseApproval, Question: "May it?",
			Options: []core.Option{{ID: core.AllowOnce, Label: "Allow once"}},
		}
	}
	must.Do(t, journal.Put(t.Context(), core.Thread{ID: "thread"}, row, pause("a"), pause("b")))
	row.State = core.RunRunning
	must.Do(t, journal.Put(t.Context(), row))
	if _, err := o.Answer(t.Context(), core.Answer{Pause: "run#b", ID: core.AllowOnce}); core.CodeOf(err) != core.CodeBusy {
		t.Errorf("while the run goes on: %v", err)
	}
	row.State = core.RunInterrupted
	must.Do(t, journal.Put(t.Context(), row))
	if _, err := o.Answer(t.Context(), core.Answer{Pause: "run#a", ID: core.AllowOnce}); err != nil || resumed != 1 {
		t.Fatalf("got %v, resumed %d times", err, resumed)
	}
	if _, err := o.Answer(t.Context(), core.Answer{Pause: "run#a", ID: core.AllowOnce}); core.CodeOf(err) != core.CodeConflict || core.HintOf(err) == "" {
		t.Errorf("the same answer again: %v", err)
	}
	messages, err := memory.Messages(t.Context(), "thread")
	if err != nil || len(messages) != 0 || resumed != 1 { // an approval is no message
		t.Errorf("resumed %d times; the conversation is %+v, %v", resumed, messages, err)
	}
}

func TestWhatARunAsksFirstIsWhatTheNextAnswerIsFor(t *testing.T) {
	var journal core.Journal
	o, memory := open(t, func(_ string, in core.Input) (core.Result, error) {
		ask := func(id string) core.Pause {
			return core.Pause{ID: in.Run + "#" + id, Run: in.Run, Root: in.Run, Thread: in.Thread, Question: id + "?"}
		}
		second, first := ask("second"), ask("first")
		row := core.RunRow{ID: in.Run, Thread: in.Thread, Runner: "agent/yaap", State: core.RunInterrupted}
		reply := core.Reply{Status: core.StatusClarification, Message: second.Question, Data: map[string]any{"pause": second.ID}}
		return core.Result{Reply: reply, Pauses: []core.Pause{second, first}}, journal.Put(t.Context(), first, second, row)
	})
	journal = memory
	result := must.Get(o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "hello"))(t)
	waiting, err := o.Waiting(t.Context(), "thread")
	if err != nil || len(waiting) != 2 || len(result.Pauses) != 2 || result.Pauses[0].ID != waiting[0].ID {
		t.Errorf("asked %+v, waiting %+v, %v", result.Pauses, waiting, err)
	}
	if result.Reply.Message != "first?" || result.Reply.Data["pause"] != waiting[0].ID {
		t.Errorf("said %+v", result.Reply)
	}
}

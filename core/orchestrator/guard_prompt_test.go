package orchestrator_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/orchestrator"
	"github.com/yaap-chat/yaap/core/store"
)

const token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"

// sink keeps what is reported.
type sink []core.Body

func (s *sink) Emit(_ core.Scope, b core.Body) core.Event {
	*s = append(*s, b)
	return core.Event{Body: b}
}

func guarded(t *testing.T, p guard.Policy) (*orchestrator.Orchestrator, *store.Store, *sink) {
	t.Helper()
	journal, told := openStore(t), new(sink)
	must.Do(t, journal.Put(t.Context(), core.Session{ID: "session"}))
	o := orchestrator.New(orchestrator.Config{
		Journal: journal, Conversations: journal, Session: "session", Guard: p, Sink: told,
		Lookup: func(string) (core.Runner, error) {
			return runner(func(_ context.Context, in core.Input) (core.Result, error) {
				return core.Result{Reply: core.Reply{Message: in.Messages[0].Text}}, nil
			}), nil
		},
	})
	return o, journal, told
}

func TestASecretIsMaskedBeforeAPromptIsStored(t *testing.T) {
	o, journal, told := guarded(t, guard.Policy{Secrets: guard.Redact})
	result, err := o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "why is "+token+" refused?")
	if err != nil || result.Reply.Message != "why is [secret: github_token] refused?" {
		t.Errorf("got %+v, %v", result, err)
	}
	messages, err := journal.Messages(t.Context(), "thread")
	if err != nil || strings.Contains(fmt.Sprint(messages), token) {
		t.Errorf("stored is %+v, %v", messages, err)
	}
	threads, err := journal.Threads(t.Context(), core.ThreadQuery{Limit: 10})
	if err != nil || strings.Contains(fmt.Sprint(threads), token) {
		t.Errorf("the title is %+v, %v", threads, err)
	}
	want := sink{
		core.GuardrailCheck{Guardrail: "secrets", Stage: core.GuardInput},
		core.GuardrailViolation{Guardrail: "secrets", Stage: core.GuardInput, Reason: "1 GitHub token", Verdict: "redact"},
	}
	must.Equal(t, want, *told)
}

func TestWhatMayNotBeSaidIsKeptNowhere(t *testing.T) {
	o, journal, _ := guarded(t, guard.Policy{Secrets: guard.Block})
	_, err := o.Prompt(t.Context(), core.Scope{Thread: "thread"}, "why is "+token+" refused?")
	if core.CodeOf(err) != core.CodeRefused || core.HintOf(err) == "" || strings.Contains(err.Error(), token) {
		t.Errorf("got %v", err)
	}
	if threads, err := journal.Threads(t.Context(), core.ThreadQuery{Limit: 10}); err != nil || len(threads) != 0 {
		t.Errorf("got %+v, %v", threads, err)
	}
}

func TestACallIsNotMadeWithAMarkForASecretThatTheUserWroteInItsArguments(t *testing.T) {
	for _, verdict := range []guard.Verdict{guard.Redact, guard.Block} {
		t.Run(string(verdict), func(t *testing.T) {
			o, journal, told := guarded(t, guard.Policy{Secrets: verdict})
			row := core.RunRow{ID: "run", Thread: "thread", Runner: "agent/yaap", State: core.RunInterrupted}
			err := journal.Put(t.Context(), core.Thread{ID: "thread", Session: "session"}, row, core.MessageRow{Thread: "thread", Message: core.Message{
				ID: "question", Run: "run", Role: core.RoleUser, Text: "ask",
			}}, core.Pause{
				ID: "run#a", Run: "run", Root: "run", Thread: "thread", Kind: core.PauseApproval, Question: "May it?",
				Options: []core.Option{{ID: core.AllowOnce, Label: "Allow once"}},
			})
			must.Do(t, err)
			_, err = o.Answer(t.Context(), core.Answer{Pause: "run#a", ID: core.AllowOnce, Data: []byte(`{"prompt":"use ` + token + `"}`)})
			saved, failed := journal.Load(t.Context(), "run")
			if failed != nil || strings.Contains(fmt.Sprint(saved, *told, err), token) {
				t.Errorf("it is in %+v, %+v, %v, %v", saved, *told, err, failed)
			}
			if core.CodeOf(err) != core.CodeRefused || core.HintOf(err) == "" || !strings.Contains(err.Error(), "1 GitHub token") || len(saved.Answers) > 0 {
				t.Errorf("got %v; stored are %+v", err, saved.Answers)
			}
		})
	}
}

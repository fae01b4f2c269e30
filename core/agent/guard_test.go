package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

const (
	token  = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	masked = "[secret: github_token]"
)

// guarded tells what the guardrails reported.
func guarded(events []core.Event) (checks, violations []string) {
	for _, e := range events {
		switch b := e.Body.(type) {
		case core.GuardrailCheck:
			checks = append(checks, fmt.Sprint(b.Guardrail, " ", b.Stage, " ", b.Call, b.Valid))
		case core.GuardrailViolation:
			violations = append(violations, fmt.Sprint(b.Guardrail, " ", b.Stage, " ", b.Call, b.Verdict))
		}
	}
	return checks, violations
}

func TestWhatAGuardrailFindsIsRedactedWhereverItPasses(t *testing.T) {
	var calls []string
	echo := tool{core.ToolSpec{Name: "echo"}, func(_ context.Context, c core.Call) (core.ToolResult, error) {
		calls = append(calls, string(c.Args))
		return core.ToolResult{Status: core.ToolSuccess, Text: "got " + token, Data: map[string]any{"token": token, "n": 1}}, nil
	}}
	script := llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{call("a", "echo", "use "+token)}},
		llmtest.Turn{Text: reply("It is " + token + ".")},
	)
	s := newStage(t, script, echo)
	redact := guard.Policy{Secrets: guard.Redact}
	s.cfg.Guards = agent.Guards{Args: redact, Results: redact, Output: redact}
	result, err := s.run("go")
	if err != nil || result.Reply.Message != "It is "+masked+"." || result.Reply.Status != core.StatusSuccess {
		t.Fatalf("got %+v, %v", result, err)
	}
	if diff := cmp.Diff([]string{`{"prompt":"use ` + masked + `"}`}, calls); diff != "" {
		t.Errorf("the tool was given (-want +got)\n%s", diff)
	}
	shown := script.Requests()[1].Messages
	if last := shown[len(shown)-1]; strings.Contains(last.Text, token) || !strings.Contains(last.Text, masked) {
		t.Errorf("the model read %s", last.Text)
	}
	checks, violations := guarded(s.events())
	want := []string{"secrets tool_args afalse", "secrets tool_results afalse", "secrets output false"}
	if diff := cmp.Diff(want, checks); diff != "" {
		t.Errorf("checks (-want +got)\n%s", diff)
	}
	want = []string{"secrets tool_args aredact", "secrets tool_results aredact", "secrets output redact"}
	if diff := cmp.Diff(want, violations); diff != "" {
		t.Errorf("violations (-want +got)\n%s", diff)
	}
	messages, err := s.journal.Messages(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	if last := messages[len(messages)-1]; strings.Contains(last.Text+last.Reply.Message, token) {
		t.Errorf("stored is %+v", last)
	}
}

func TestNothingThatAModelSaysBesideItsCallsKeepsASecret(t *testing.T) {
	for _, verdict := range []guard.Verdict{guard.Redact, guard.Block, guard.ForceFailure} {
		t.Run(string(verdict), func(t *testing.T) {
			var calls []string
			script := llmtest.New(t,
				llmtest.Turn{Thinking: "I have " + token, Text: "using " + token, Calls: []core.Call{
					call("a", "echo", "use "+token), call("b", "nobody", token),
					{ID: "c", Tool: "echo", Args: json.RawMessage(`{"wrong":"` + token + `"}`)},
				}},
				llmtest.Turn{Text: reply("Done.")},
			)
			s := newStage(t, script, counting("echo", &calls))
			p := guard.Policy{Secrets: verdict}
			s.cfg.Guards = agent.Guards{Args: p, Results: p, Output: p}
			if _, err := s.run("go"); err != nil {
				t.Fatal(err)
			}
			messages, err := s.journal.Messages(t.Context(), thread)
			if err != nil || len(messages) != 6 {
				t.Fatalf("got %+v, %v", messages, err)
			}
			for _, m := range append(messages, script.Requests()[1].Messages...) {
				if raw, _ := json.Marshal(m); strings.Contains(string(raw), token) {
					t.Errorf("%s", raw)
				}
			}
			for _, e := range s.events() {
				raw, _ := json.Marshal(e)
				if _, passing := e.Body.(core.Delta); !passing && strings.Contains(string(raw), token) {
					t.Errorf("%s", raw)
				}
			}
			if made := verdict == guard.Redact; made != (len(calls) == 1) || strings.Contains(fmt.Sprint(calls), token) {
				t.Errorf("the tool was given %q", calls)
			}
		})
	}
}

func TestWhatIsBlockedGoesNoFurther(t *testing.T) {
	block := guard.Policy{Secrets: guard.Block}
	t.Run("to a tool", func(t *testing.T) {
		var calls []string
		s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "echo", token)}}, llmtest.Turn{Text: reply("Done.")}), counting("echo", &calls))
		s.cfg.Guards.Args = block
		if _, err := s.run("go"); err != nil || len(calls) != 0 {
			t.Errorf("got %v after %q", err, calls)
		}
	})
	t.Run("to the model", func(t *testing.T) {
		script := llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "echo", "x")}}, llmtest.Turn{Text: reply("Done.")})
		s := newStage(t, script, says("echo", token))
		s.cfg.Guards.Results = block
		if _, err := s.run("go"); err != nil {
			t.Fatal(err)
		}
		for _, m := range script.Requests()[1].Messages {
			if strings.Contains(m.Text, token) {
				t.Errorf("the model read %s", m.Text)
			}
		}
	})
	t.Run("to the user", func(t *testing.T) {
		s := newStage(t, llmtest.New(t, llmtest.Turn{Text: reply("It is " + token)}))
		s.cfg.Guards.Output = block
		result, err := s.run("go")
		if err != nil || result.Reply.Status != core.StatusFailure || strings.Contains(fmt.Sprint(result), token) {
			t.Errorf("got %+v, %v", result, err)
		}
		for _, e := range s.events() {
			if _, ok := e.Body.(core.Delta); !ok && strings.Contains(fmt.Sprint(e.Body), token) {
				t.Errorf("%s holds it", e.Type())
			}
		}
	})
}

func TestAForcedFailureIsOneForWhoReadsItAndTheAuditLogKnowsWhatItWas(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Text: reply("It is " + token)}))
	s.cfg.Guards.Output = guard.Policy{Secrets: guard.ForceFailure}
	audited := &auditing{Journal: s.journal}
	s.cfg.Journal = audited
	result, err := s.run("go")
	if err != nil || result.Reply.Status != core.StatusFailure || result.Reply.Message != "It is "+masked {
		t.Errorf("got %+v, %v", result, err)
	}
	if len(audited.rows) != 1 || audited.rows[0].Said != core.StatusSuccess || audited.rows[0].Status != core.StatusFailure {
		t.Errorf("audited is %+v", audited.rows)
	}
}

func TestAForcedFailureKeepsItsDataForTheEngine(t *testing.T) {
	said := `{"thought":"","status":"success","data":{"login":"` + token + `"},"message":"log in with ` + token + `"}`
	for name, do := range map[string]func(s *stage, p guard.Policy) (core.Result, error){
		"an answer of a model": func(s *stage, p guard.Policy) (core.Result, error) {
			s.cfg.Model, s.cfg.Guards.Output = llmtest.New(t, llmtest.Turn{Text: said}), p
			return s.run("go")
		},
		"an answer of an expert": func(s *stage, p guard.Policy) (core.Result, error) {
			s.cfg.Guards.Results = p
			return agent.AsRunner(says("vault", said), s.cfg).Run(t.Context(), s.input("go"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := do(newStage(t, nil), guard.Policy{Secrets: guard.ForceFailure})
			if err != nil || result.Reply.Status != core.StatusFailure || !strings.Contains(result.Reply.Message, masked) || strings.Contains(result.Reply.Message, token) {
				t.Errorf("got %+v, %v", result.Reply, err)
			}
			if result.Reply.Data["login"] != token {
				t.Errorf("the engine is given %v", result.Reply.Data)
			}
		})
	}
}

func TestAFailureKeepsItsDataAndShowsNoSecret(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{
		Text: `{"thought":"","status":"failure","data":{"login":"` + token + `"},"message":"cannot log in with ` + token + `"}`,
	}))
	s.cfg.Guards.Output = guard.Policy{Secrets: guard.Redact}
	result, err := s.run("go")
	if err != nil || result.Reply.Message != "cannot log in with "+masked || result.Reply.Data["login"] != token {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestAnExpertThatIsAskedDirectlyIsGuardedToo(t *testing.T) {
	s := newStage(t, nil)
	s.cfg.Guards.Output = guard.Policy{Secrets: guard.Redact}
	result, err := agent.AsRunner(says("vault", "It is "+token), s.cfg).Run(t.Context(), s.input("go"))
	if err != nil || result.Reply.Message != "It is "+masked {
		t.Errorf("got %+v, %v", result, err)
	}
}

// auditing keeps the audit rows that pass.
type auditing struct {
	core.Journal
	rows []core.AuditRow
}

func (a *auditing) Put(ctx context.Context, rows ...core.Row) error {
	for _, row := range rows {
		if r, ok := row.(core.AuditRow); ok {
			a.rows = append(a.rows, r)
		}
	}
	return a.Journal.Put(ctx, rows...)
}

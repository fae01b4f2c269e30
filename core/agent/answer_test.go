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
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

func TestTheThoughtAndTheMessageStreamWhileTheyAreWritten(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Text: reply("It is two."), Pieces: 3}))
	if _, err := s.run("1+1?"); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range s.events() {
		if d, ok := e.Body.(core.Delta); ok {
			got[d.Field] += d.Text
		}
	}
	if diff := cmp.Diff(map[string]string{core.FieldThought: "easy", core.FieldMessage: "It is two."}, got); diff != "" {
		t.Errorf("deltas (-want +got)\n%s", diff)
	}
}

func TestAnExpertsSACPAnswerIsReadAndAPlainOneIsTakenAsItIs(t *testing.T) {
	structured := says("calc", `{"thought":"t","status":"success","data":{"result":2},"message":"2"}`)
	structured.spec.SACP = true
	model := llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{call("a", "calc", "x"), call("b", "plain", "x")}},
		llmtest.Turn{Text: reply("done")},
	)
	s := newStage(t, model, structured, says("plain", "just {text}"))
	if _, err := s.run("go"); err != nil {
		t.Fatal(err)
	}
	messages := model.Requests()[1].Messages
	if r := messages[2].Result; r.Reply == nil || r.Text != "2" || fmt.Sprint(r.Data["result"]) != "2" {
		t.Errorf("got %+v", r)
	}
	if r := messages[3].Result; r.Reply != nil || r.Text != "just {text}" {
		t.Errorf("got %+v", r)
	}
}

func TestAFailureInTheStructureOfAnAnswerIsOneAsInItsText(t *testing.T) {
	for name, c := range map[string]struct {
		text, structure string
		promised        bool
		want            core.ToolStatus
		says, data      string
	}{
		"text alone":                     {`{"status":"failure","message":"no fish"}`, "", false, core.ToolError, "no fish", "map[]"},
		"structure beside prose":         {"done", `{"status":"failure","message":"no fish","data":{"n":1}}`, false, core.ToolError, "no fish", "map[n:1]"},
		"structure without a message":    {"the pond is dry", `{"status":"error"}`, false, core.ToolError, "the pond is dry", "map[]"},
		"structure that the text denies": {`{"status":"success","message":"done"}`, `{"status":"failed","message":"no fish"}`, false, core.ToolError, "no fish", "map[]"},
		"a question":                     {"done", `{"status":"clarification_needed","message":"which pond?"}`, false, core.ToolSuccess, "which pond?", "map[]"},
		"a success":                      {"3 fish", `{"status":"ok","n":3}`, false, core.ToolSuccess, "3 fish", "map[n:3 status:ok]"},
		"a status of something else":     {"issue 3 is open", `{"status":"open"}`, false, core.ToolSuccess, "issue 3 is open", "map[status:open]"},
		"text with a status of its own":  {`{"commit":"3a","status":{"branch":"main"},"message":"committed"}`, "", false, core.ToolSuccess, `{"commit":"3a","status":{"branch":"main"},"message":"committed"}`, "map[]"},
		"text with another status":       {`{"status":"open","title":"newts"}`, "", false, core.ToolSuccess, `{"status":"open","title":"newts"}`, "map[]"},
		"text that says no message":      {`{"status":"success","data":{"n":3}}`, "", false, core.ToolSuccess, `{"status":"success","data":{"n":3}}`, "map[]"},
		"text with more than a reply":    {`{"status":"ok","rows":[1,2],"message":"2 rows"}`, "", false, core.ToolSuccess, `{"status":"ok","rows":[1,2],"message":"2 rows"}`, "map[]"},
		"a reply as text":                {`{"status":"ok","message":"2 rows","data":{"n":2}}`, "", false, core.ToolSuccess, "2 rows", "map[n:2]"},
		"a success that was promised":    {"3 fish", `{"status":"success","message":"three","data":{"n":3}}`, true, core.ToolSuccess, "three", "map[n:3]"},
	} {
		t.Run(name, func(t *testing.T) {
			heron := says("heron", "")
			heron.spec.SACP = c.promised
			heron.call = func(context.Context, core.Call) (core.ToolResult, error) {
				result := core.ToolResult{Status: core.ToolSuccess, Text: c.text}
				if c.structure != "" {
					if err := json.Unmarshal([]byte(c.structure), &result.Data); err != nil {
						t.Error(err)
					}
				}
				return result, nil
			}
			model := llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "heron", "x")}}, llmtest.Turn{Text: reply("done")})
			s := newStage(t, model, heron)
			if _, err := s.run("go"); err != nil {
				t.Fatal(err)
			}
			got := model.Requests()[1].Messages[2].Result
			if got.Status != c.want || got.Text != c.says || fmt.Sprint(got.Data) != c.data {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestAnAnswerThatIsNotSACPIsAskedForOnceMoreWithTheSchema(t *testing.T) {
	model := llmtest.New(t, llmtest.Turn{Text: "It is two."}, llmtest.Turn{Text: reply("It is two.")})
	s := newStage(t, model)
	result, err := s.run("1+1?")
	if err != nil || result.Reply.Message != "It is two." {
		t.Fatalf("got %+v, %v", result, err)
	}
	if second := model.Requests()[1]; len(second.Schema) == 0 || len(second.Tools) != 0 {
		t.Error("the second request has no schema, or tools beside it")
	}
	s.events()
}

func TestAnAnswerThatIsCutOffBeforeItSaysAnythingIsAskedForOnceMore(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Text: `{"status":"success","data":{`}, llmtest.Turn{Text: reply("It is two.")}))
	if result, err := s.run("1+1?"); err != nil || result.Reply.Message != "It is two." {
		t.Errorf("got %+v, %v", result, err)
	}
	s.events()
}

func TestAnAnswerThatStaysUnreadableIsWrapped(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Text: `{"answer":1}`}, llmtest.Turn{Text: `{"answer":2}`}))
	result, err := s.run("1+1?")
	if err != nil {
		t.Fatal(err)
	}
	want := core.Reply{
		Thought: "System Note: LLM failed to provide structured JSON output.", Status: core.StatusFailure,
		Data: map[string]any{"raw_output": `{"answer":2}`}, Message: "The LLM returned an invalid response format.",
	}
	if diff := cmp.Diff(want, result.Reply); diff != "" {
		t.Errorf("reply (-want +got)\n%s", diff)
	}
	s.events()
}

func TestPlainWordsAreAnAnswerWhenTheModelWillNotWriteJSON(t *testing.T) {
	const plain = "<think>Birds.</think>Herons eat fish:\n\n```go\nfunc eat() {}\n```"
	for _, second := range []llmtest.Turn{
		{Text: plain},
		{Text: `{"answer":2}`}, // then the first counts
		{Err: &core.Error{Code: core.CodeUnreachable, Message: "gone"}},
	} {
		model := llmtest.New(t, llmtest.Turn{Text: plain}, second)
		s := newStage(t, model)
		s.cfg.Backoff.Attempts = 1
		result, err := s.run("what do herons eat?")
		want := core.Reply{
			Thought: "System Note: the model answered in plain words, which are its message.", Status: core.StatusSuccess,
			Data: map[string]any{}, Message: "Herons eat fish:\n\n```go\nfunc eat() {}\n```",
		}
		if diff := cmp.Diff(want, result.Reply); diff != "" || err != nil {
			t.Errorf("%v, reply (-want +got)\n%s", err, diff)
		}
		s.events()
	}
}

func TestWhatIsCutOffIsNoAnswerInPlainWords(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Text: "Herons eat", Reason: llm.ReasonLength}, llmtest.Turn{Text: "Herons e", Reason: llm.ReasonLength}))
	if result, err := s.run("what do herons eat?"); err != nil || result.Reply.Status != core.StatusFailure || !strings.Contains(result.Reply.Message, "cut off") {
		t.Errorf("got %+v, %v", result, err)
	}
	s.events()
}

func TestAnAgentThatAnswersInPlainWordsIsNotToldTheResponseFormat(t *testing.T) {
	model := llmtest.New(t, llmtest.Turn{Text: "Merge it."})
	s := newStage(t, model)
	s.cfg = s.cfg.As(agent.Peer{Name: "reviewer", Prompt: "Review.", Plain: true})
	result, err := agent.New(s.cfg).Run(t.Context(), s.input("well?"))
	if err != nil {
		t.Fatal(err)
	}
	want := core.Reply{Status: core.StatusSuccess, Message: "Merge it.", Data: map[string]any{}}
	if diff := cmp.Diff(want, result.Reply); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if system := model.Requests()[0].System; strings.Contains(system, "next_step_hint") {
		t.Error(system)
	}
}

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

// library are tools with the long words that servers use, one a subject.
func library(n int) (all []core.Tool) {
	for i := range n {
		t := says(fmt.Sprintf("shelf%03d", i), fmt.Sprintf("the book of subject%d", i))
		t.spec.Description = fmt.Sprintf("Tells about subject%d. ", i) + strings.Repeat("It is thorough and takes its time. ", 12)
		t.spec.Schema = json.RawMessage(`{"type":"object","properties":{"prompt":{"type":"string","description":"` + strings.Repeat("what to tell, in words; ", 20) + `"}}}`)
		all = append(all, t)
	}
	return all
}

// byWord ranks the tools whose subject a text names, in the order of the tools.
func byWord(_ context.Context, _ core.Scope, text string, tools []core.ToolSpec, _ []core.Message) []core.ToolSpec {
	return slices.DeleteFunc(slices.Clone(tools), func(spec core.ToolSpec) bool {
		subject, _, _ := strings.Cut(strings.TrimPrefix(spec.Description, "Tells about "), ".")
		return !slices.Contains(strings.Fields(text), subject) && !strings.Contains(text, "everything")
	})
}

func shown(req llm.Request) (list []string) {
	for _, spec := range req.Tools {
		list = append(list, spec.Name)
	}
	return list
}

func TestOfManyToolsAModelIsShownThoseThatFit(t *testing.T) {
	for prompt, want := range map[string][]string{
		"tell me of subject7 and subject190":   {"find_expert", "shelf007", "shelf190"},
		"@shelf033 and what of subject2 here?": {"find_expert", "shelf002", "shelf033"},
		"ask @Shelf033, then stop":             {"find_expert", "shelf033"},
		"hello":                                {"find_expert"},
		core.Attach("what of subject2 is in a.md?", "a.md", "of subject3, @shelf004"): {"find_expert", "shelf002"},
	} {
		model := llmtest.New(t, llmtest.Turn{Text: reply("done")})
		s := newStage(t, model, library(201)...)
		s.cfg.Rank = byWord
		if _, err := s.run(prompt); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, shown(model.Requests()[0])); diff != "" {
			t.Errorf("%q:\n%s", prompt, diff)
		}
	}
}

// choosy is a model that chooses among all tools itself.
type choosy struct{ *llmtest.Script }

func (choosy) AllTools() {}

func TestTheNextModelIsShownWhatItWants(t *testing.T) {
	first := llmtest.New(t, llmtest.Turn{Err: &core.Error{Code: core.CodeNoModel, Message: "no such model"}})
	itself := llmtest.New(t, llmtest.Turn{Text: reply("done")})
	s := newStage(t, first, library(201)...)
	s.cfg.Rank, s.cfg.Fallbacks = byWord, []llm.Model{choosyNamed{choosy{itself}}}
	if _, err := s.run("subject9"); err != nil {
		t.Fatal(err)
	}
	if a, b := shown(first.Requests()[0]), shown(itself.Requests()[0]); len(a) != 2 || len(b) != 201 || slices.Contains(b, "find_expert") {
		t.Errorf("they were shown %d and %d tools", len(a), len(b))
	}
}

// choosyNamed is another choosy model.
type choosyNamed struct{ choosy }

func (choosyNamed) Name() string { return "itself" }

func TestARunThatIsGoneOnWithShowsTheSameTools(t *testing.T) {
	find := core.Call{ID: "a", Tool: "find_expert", Args: json.RawMessage(`{"query":"subject120"}`)}
	model := llmtest.New(t, llmtest.Turn{Calls: []core.Call{find}}, llmtest.Turn{Calls: []core.Call{call("b", "shelf003", "x")}}, llmtest.Turn{Text: reply("done")})
	s := newStage(t, model, library(201)...)
	s.cfg.Rank, s.cfg.Approvals = byWord, &careful{tools: []string{"shelf003"}}
	in := s.input("subject9")
	result, err := agent.New(s.cfg).Run(t.Context(), in)
	if err != nil || len(result.Pauses) != 1 || result.Pauses[0].Call.Tool != "shelf003" { // it was not shown, and is asked about all the same
		t.Fatalf("got %+v, %v", result, err)
	}
	s.cfg.Rank = func(context.Context, core.Scope, string, []core.ToolSpec, []core.Message) []core.ToolSpec {
		t.Error("the tools were chosen again")
		return nil
	}
	if _, err := s.again(in, core.Answer{Pause: result.Pauses[0].ID, ID: core.AllowOnce}); err != nil {
		t.Fatal(err)
	}
	want := []string{"find_expert", "shelf009", "shelf120"}
	if diff := cmp.Diff(want, shown(model.Requests()[2])); diff != "" {
		t.Errorf("after the answer (-want +got)\n%s", diff)
	}
}

func TestTheToolsThatWereCalledLastStay(t *testing.T) {
	model := llmtest.New(t, llmtest.Turn{Text: reply("done")})
	s := newStage(t, model, library(201)...)
	s.cfg.Rank = byWord
	in := s.input("subject9")
	var before []core.Message
	for i, tool := range []string{"shelf011", "shelf022", "shelf033", "shelf044"} {
		run := fmt.Sprint("earlier", i)
		before = append(before, core.Message{ID: run + "q", Run: run, Role: core.RoleUser, Text: "what?"},
			core.Message{ID: run + "c", Run: run, Role: core.RoleAssistant, Calls: []core.Call{{ID: "x", Tool: tool}}},
			core.Message{ID: run + "r", Run: run, Role: core.RoleTool, Name: tool, CallID: "x", Text: "that"})
	}
	in.Messages = append(before, in.Messages...)
	if _, err := agent.New(s.cfg).Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	want := []string{"find_expert", "shelf009", "shelf022", "shelf033", "shelf044"}
	if diff := cmp.Diff(want, shown(model.Requests()[0])); diff != "" {
		t.Errorf("tools (-want +got)\n%s", diff)
	}
}

func TestManySearchesBesideOtherCallsAreFoundInTheirOrder(t *testing.T) {
	var calls []core.Call
	want := []string{"find_expert"}
	for i := range 6 {
		id := fmt.Sprint("find", i)
		calls = append(calls, core.Call{ID: id, Tool: "find_expert", Args: json.RawMessage(fmt.Sprintf(`{"query":"subject%d"}`, 100+i))}, call(fmt.Sprint("call", i), "shelf001", "x"))
		want = append(want, fmt.Sprint("shelf", 100+i))
	}
	model := llmtest.New(t, llmtest.Turn{Calls: calls}, llmtest.Turn{Text: reply("done")})
	s := newStage(t, model, library(201)...)
	s.cfg.Rank = byWord
	if _, err := s.run("hello"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, shown(model.Requests()[1])); diff != "" {
		t.Errorf("tools (-want +got)\n%s", diff)
	}
}

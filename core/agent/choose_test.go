package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"yaap/core"
	"yaap/core/llm"
	"yaap/core/llm/llmtest"
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

func tokens(req llm.Request) int {
	n := len(req.System)
	for _, m := range req.Messages {
		n += len(m.Text)
	}
	for _, spec := range req.Tools {
		n += len(spec.Name) + len(spec.Description) + len(spec.Schema)
	}
	return n / 4
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
		"hello":                                {"find_expert"},
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

func TestWith201ToolsThePromptStaysUnder8000Tokens(t *testing.T) {
	model := llmtest.New(t, llmtest.Turn{Text: reply("done")})
	s := newStage(t, model, library(201)...)
	s.cfg.Rank = byWord
	if _, err := s.run("everything"); err != nil {
		t.Fatal(err)
	}
	req := model.Requests()[0]
	if n := tokens(req); n >= 8000 || len(req.Tools) < 10 {
		t.Errorf("%d tools make a prompt of %d tokens", len(req.Tools), n)
	}
}

func TestAHiddenToolIsFoundAndShownAtTheEnd(t *testing.T) {
	model := llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{{ID: "a", Tool: "find_expert", Args: json.RawMessage(`{"query":"subject120 please"}`)}}},
		llmtest.Turn{Calls: []core.Call{call("b", "shelf120", "x"), call("c", "shelf005", "x")}}, // the second was never shown
		llmtest.Turn{Text: reply("done")},
	)
	s := newStage(t, model, library(201)...)
	s.cfg.Rank = byWord
	if _, err := s.run("subject150 and subject9"); err != nil {
		t.Fatal(err)
	}
	requests := model.Requests()
	for turn, want := range [][]string{
		{"find_expert", "shelf009", "shelf150"},
		{"find_expert", "shelf009", "shelf150", "shelf120"},
		{"find_expert", "shelf009", "shelf150", "shelf120"},
	} {
		if diff := cmp.Diff(want, shown(requests[turn])); diff != "" {
			t.Errorf("turn %d:\n%s", turn+1, diff)
		}
	}
	var got []string
	for _, m := range requests[2].Messages {
		if m.Role == core.RoleTool {
			got = append(got, m.Text)
		}
	}
	if len(got) != 3 || !strings.Contains(got[0], "shelf120") || !strings.Contains(got[1], "the book of subject120") || !strings.Contains(got[2], "the book of subject5") {
		t.Errorf("the results are %q", got)
	}
}

// choosy is a model that chooses among all tools itself.
type choosy struct{ *llmtest.Script }

func (choosy) AllTools() {}

func TestFewToolsAreShownAllAndSoAreThoseOfAModelThatChoosesItself(t *testing.T) {
	few := llmtest.New(t, llmtest.Turn{Text: reply("done")})
	s := newStage(t, few, library(24)...)
	s.cfg.Rank = byWord
	if _, err := s.run("hello"); err != nil || len(few.Requests()[0].Tools) != 24 {
		t.Errorf("%v, %d tools", err, len(few.Requests()[0].Tools))
	}
	itself := llmtest.New(t, llmtest.Turn{Text: reply("done")})
	s = newStage(t, choosy{itself}, library(201)...)
	s.cfg.Rank = byWord
	if _, err := s.run("hello"); err != nil || len(itself.Requests()[0].Tools) != 201 {
		t.Errorf("%v, %d tools", err, len(itself.Requests()[0].Tools))
	}
}

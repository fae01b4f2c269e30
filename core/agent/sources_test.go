package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

// finds is a tool whose results name where they come from.
func finds(fragments ...map[string]any) core.Tool {
	return tool{core.ToolSpec{Name: "library", Owner: "library"}, func(context.Context, core.Call) (core.ToolResult, error) {
		var list []any
		for _, f := range fragments {
			list = append(list, f)
		}
		return core.ToolResult{Status: core.ToolSuccess, Text: "found", Data: map[string]any{"fragments": list}}, nil
	}}
}

func TestSourcesAreNumberedCitedAndListed(t *testing.T) {
	herons := map[string]any{"id": "h", "source": "Birds, p. 12", "url": "https://example.org/herons", "text": "Herons eat fish."}
	newts := map[string]any{"source": "Ponds\x1b[31m", "text": "Newts live in ponds."}
	model := llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{call("c1", "library", "herons")}},
		llmtest.Turn{Calls: []core.Call{call("c2", "library", "herons again")}},
		llmtest.Turn{Text: reply("Fish [1], says `list[2]`, and newts [2, 7].")},
	)
	s := newStage(t, model, finds(herons, newts, herons))
	result, err := s.run("what do herons eat?")
	if err != nil {
		t.Fatal(err)
	}
	want := "Fish [1], says `list[2]`, and newts [2, 7].\n\n- [1] Birds, p. 12  https://example.org/herons\n- [2] Ponds\n- [7] is no source that was found here"
	if diff := cmp.Diff(want, result.Reply.Message); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if list, _ := result.Reply.Data["sources"].([]any); len(list) != 2 {
		t.Error(result.Reply.Data)
	}
	shown := model.Requests()[2].Messages
	if text := shown[len(shown)-1].Text; strings.Count(text, "[1] Birds") != 1 || !strings.Contains(text, "[2] Ponds") {
		t.Error(text)
	}
	s.events()
}

func TestANumberInBracketsIsNoSourceWhereNobodyNamedOne(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Text: reply("the item [1] of the list")}))
	if result, err := s.run("which one?"); err != nil || result.Reply.Message != "the item [1] of the list" {
		t.Errorf("%+v %v", result.Reply, err)
	}
	s.events()
}

func TestAnAnswerThatHasToCiteIsAskedForOnceMore(t *testing.T) {
	model := llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{call("c1", "library", "herons")}},
		llmtest.Turn{Text: reply("Fish.")},
		llmtest.Turn{Text: reply("Fish [1].")},
	)
	s := newStage(t, model, finds(map[string]any{"source": "Birds"}))
	s.cfg.Cites = true
	result, err := s.run("what do herons eat?")
	if err != nil || result.Reply.Message != "Fish [1].\n\n- [1] Birds" {
		t.Errorf("%+v %v", result.Reply, err)
	}
	s.events()
}

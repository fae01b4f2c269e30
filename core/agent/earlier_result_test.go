package agent_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

func TestAResultThatIsShownShortenedIsReadByItsMark(t *testing.T) {
	rereads := func(id, args string) core.Call {
		return core.Call{ID: id, Tool: "earlier_result", Args: json.RawMessage(args)}
	}
	s, model := after(t, talk(40), 8192,
		llmtest.Turn{Calls: []core.Call{rereads("a", `{"mark":"r39"}`), rereads("b", `{"mark":"r39","from":1390}`), rereads("c", `{"mark":"r39","from":9999}`), rereads("d", `{"mark":"r99"}`)}},
		llmtest.Turn{Text: reply("fine")})
	got := map[string]string{}
	for _, m := range model.Requests()[1].Messages {
		if m.Result != nil {
			got[m.CallID] = m.Result.Text
		}
	}
	whole := strings.Repeat("result ", 200)
	if got["a"] != whole || got["b"] != whole[1390:] || got["c"] != "" || !strings.Contains(got["d"], "no result with that mark") {
		t.Errorf("read are %d bytes, %q, %q and %q", len(got["a"]), got["b"], got["c"], got["d"])
	}
	fitted := 0
	for _, e := range s.events() {
		if b, ok := e.Body.(core.ContextFitted); ok && e.Turn == 1 {
			fitted++
			if b.Shortened == 0 {
				t.Errorf("reported as %+v", b)
			}
		}
	}
	if fitted != 1 {
		t.Errorf("the first request is reported %d times as made to fit", fitted)
	}
}

func TestALongResultIsReadPartByPart(t *testing.T) {
	s := newStage(t, nil, says("calc", strings.Repeat("figures ", 5000)))
	var turns []llmtest.Turn
	turns = append(turns, llmtest.Turn{Calls: []core.Call{call("a", "calc", "1")}})
	mark := ""
	model := llmtest.New(t, append(turns,
		llmtest.Turn{Calls: []core.Call{call("b", "calc", "2")}},
		llmtest.Turn{Text: reply("fine")})...)
	s.cfg.Model = small{model, 8192}
	if _, err := s.run("how much?"); err != nil {
		t.Fatal(err)
	}
	last := model.Requests()[2]
	for _, m := range last.Messages {
		if _, after, ok := strings.Cut(m.Text, `by the mark "`); ok && m.CallID == "a" {
			mark, _, _ = strings.Cut(after, `"`)
		}
	}
	if len(mark) != 12 || !slices.ContainsFunc(last.Tools, func(t core.ToolSpec) bool { return t.Name == "earlier_result" }) {
		t.Fatalf("the mark is %q", mark)
	}

	args, _ := json.Marshal(map[string]any{"mark": mark, "from": 100})
	model = llmtest.New(t, llmtest.Turn{Calls: []core.Call{{ID: "c", Tool: "earlier_result", Args: args}}}, llmtest.Turn{Text: reply("fine")})
	s.cfg.Model = small{model, 8192}
	in := s.input("and then?")
	messages, err := s.journal.Messages(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	in.Run, in.Messages = "next", append(messages, core.Message{ID: "next", Run: "next", Role: core.RoleUser, Text: "and then?"})
	if _, err := agent.New(s.cfg).Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	read := model.Requests()[1].Messages
	if text := read[len(read)-1].Result.Text; len(text) < 16<<10 || !strings.HasSuffix(text, fmt.Sprintf("more: from %d on]", 100+16<<10)) {
		t.Errorf("read are %d bytes, which end in %q", len(text), text[max(len(text)-60, 0):])
	}
}

func TestTheToolsThatAnAgentAddsAreKnown(t *testing.T) {
	model := llmtest.New(t, llmtest.Turn{Text: reply("fine")})
	s := newStage(t, model)
	s.cfg.Model, s.cfg.Clarify, s.cfg.Todo, s.cfg.Peers = small{model, 8192}, true, true, team()
	in := s.input("and now?")
	in.Messages = append(talk(40), in.Messages...)
	if _, err := agent.New(s.cfg).Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	tools := model.Requests()[0].Tools
	for _, spec := range tools {
		if !agent.IsOwnTool(spec.Name) {
			t.Errorf("%s is not", spec.Name)
		}
	}
	if len(tools) != 4 {
		t.Errorf("it is offered %d", len(tools))
	}
}

package offline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/offline"
)

func TestItsSourceKnowsNoExpert(t *testing.T) {
	sources, err := filepath.Glob("*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no source: %v", err)
	}
	named := regexp.MustCompile(`"@?(calc|clock|files|git|data)[":. ]|\b(calc|clock|git)\b`)
	for _, file := range sources {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(raw), "\n") {
			if m := named.FindString(line); m != "" {
				t.Errorf("%s:%d names %s", file, i+1, m)
			}
		}
	}
}

func TestLongAndStrangePromptsAreAnswered(t *testing.T) {
	specs := []core.ToolSpec{scribe(), sum(), tide()}
	for name, text := range map[string]string{
		"words":       strings.Repeat("word ", 7000),
		"one word":    strings.Repeat("x", 32<<10),
		"joints":      strings.Repeat("and ", 8000),
		"questions":   strings.Repeat("what is 3 * 4? ", 2000),
		"steps":       strings.Repeat("3 * 4 then ", 2000),
		"quotes":      strings.Repeat(`"`, 32<<10),
		"odd quotes":  strings.Repeat(`"a `, 10<<10),
		"apostrophes": strings.Repeat("' ", 16<<10),
		"digits":      strings.Repeat("1", 32<<10),
		"operators":   strings.Repeat("1+", 16<<10),
		"brackets":    strings.Repeat("(", 32<<10),
		"capitals":    strings.Repeat("A", 32<<10),
		"not utf-8":   strings.Repeat("\xff\xfe", 1000),
		"lines":       strings.Repeat("\n", 32<<10),
		"backticks":   strings.Repeat("```", 10<<10),
		"chinese":     strings.Repeat("東京の天気は？", 1000),
		"arabic":      "ما هو الطقس اليوم؟",
		"emoji":       "👩‍👩‍👧‍👦 🏳️‍🌈?",
		"nothing":     "",
		"space":       " \t\n ",
		"ats":         strings.Repeat("@", 1000),
		"selects":     strings.Repeat("select a, ", 3000),
		"payload":     "translate this into French: " + strings.Repeat("lorem ipsum dolor sit amet. ", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			calls, _, reply, _ := ask(t, specs, nil, text, answered)
			if len(calls) > 12 {
				t.Errorf("it makes %d calls", len(calls))
			}
			if reply.Message == "" || reply.Status == "" {
				t.Errorf("the reply is %+v", reply)
			}
			if n := len(reply.Message) + len(reply.Thought); n > 16<<10 {
				t.Errorf("the reply has %d bytes", n)
			}
		})
	}
}

func TestRubbishReachesNobody(t *testing.T) {
	asker := core.ToolSpec{Name: "asker", Owner: "asker", Description: "Answers SQL.", Examples: []string{"SELECT a, b FROM c.csv", `grep "TODO"`}}
	for _, unit := range []string{"a", "xy", "1", "/", "é", "3f9/+=", `"a" `, "* ", "+-", "https://example.com/"} {
		for _, n := range []int{3, 40, 1000} {
			text := strings.Repeat(unit, n)
			calls, _, _, _ := ask(t, []core.ToolSpec{asker, scribe(), tide()}, nil, text, answered)
			if len(calls) > 0 {
				t.Errorf("%d times %q is asked: %v", n, unit, calls[0].Tool)
			}
		}
	}
}

func TestAHugeRoomIsIntroducedBriefly(t *testing.T) {
	_, _, reply, _ := ask(t, crowd(200), nil, "who wrote Hamlet?", answered)
	if n := strings.Count(reply.Message, "\n"); n > 20 || !strings.Contains(reply.Message, "more") {
		t.Errorf("%d lines:\n%s", n, reply.Message)
	}
}

func crowd(n int) []core.ToolSpec {
	var specs []core.ToolSpec
	for i := range n {
		specs = append(specs, core.ToolSpec{
			Name: fmt.Sprintf("expert_%03d", i), Owner: fmt.Sprintf("expert_%03d", i),
			Description: fmt.Sprintf("Knows the timetable of bus line%d in town%d, its stops, delays, fares, vehicles and the names of its drivers, for every day of the year.", i, i%7),
			Examples:    []string{fmt.Sprintf("when does line%d leave?", i), fmt.Sprintf("is line%d late?", i), "how far is the next stop?", "fare to the station", "how many buses run on Sunday?"},
		})
	}
	return specs
}

func BenchmarkPlanWithFiftyExperts(b *testing.B) {
	req := llm.Request{Tools: crowd(50), Messages: []core.Message{{Role: core.RoleUser, Text: "when does line7 leave and is line9 late, and what is the fare to the station?"}}}
	for b.Loop() {
		for _, err := range new(offline.Model).Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func FuzzAnyTalkEndsInAnAnswer(f *testing.F) {
	f.Add("what is 3 * 4 and when is high tide?", "and in Dover?", `{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}`, "12")
	f.Add("ask sum, then @tide that", "it", `{"required":["x"]}`, "@sum; then\n\n")
	f.Add("select a, b from c; \"", "```", `[]`, "\xff")
	f.Fuzz(func(t *testing.T, first, second, schema, result string) {
		specs := []core.ToolSpec{scribe(), sum(), tide(), {Name: "odd__tool", Description: second, Examples: []string{first}}}
		if json.Valid([]byte(schema)) {
			specs[3].Schema = json.RawMessage(schema)
		}
		reply := func(core.Call) core.ToolResult {
			return replyWith(core.StatusSuccess, result, map[string]any{"result": result})
		}
		_, _, _, history := ask(t, specs, nil, first, reply)
		ask(t, specs, history, second, reply)
	})
}

// weighing is a room in which tide reads what something weighs, once it is known what.
type weighing struct {
	bidders
	asked *int // how often it was asked what it weighs
}

func (w weighing) Bids(ctx context.Context, scope core.Scope, texts []string, said []core.Message) []core.Bids {
	all := w.bidders.Bids(ctx, scope, texts, said)
	at := slices.Index(texts, "weigh 100.8")
	if at < 0 {
		return all
	}
	*w.asked++
	for _, made := range all {
		if made.Tool == "tide" {
			made.Bids[at] = core.Bid{Score: 0.95, Reads: "what 100.8 weighs"}
		}
	}
	return all
}

func TestASecondHalfIsReadWithTheResultOfTheFirstAndItsReadersAreAskedOnce(t *testing.T) {
	asked := 0
	model := &offline.Model{Bidders: weighing{asked: &asked}}
	answers := map[string]core.ToolResult{
		"what is 12% of 840": replyWith(core.StatusSuccess, "100.8", map[string]any{"result": "100.8"}),
		"weigh 100.8":        replyWith(core.StatusSuccess, "3 kg", nil),
	}
	messages := []core.Message{{ID: "m1", Role: core.RoleUser, Text: "what is 12% of 840 and weigh it"}}
	var prompts []string
	for range 4 {
		var calls []core.Call
		for chunk, err := range model.Stream(t.Context(), llm.Request{Tools: []core.ToolSpec{sum(), tide()}, Messages: messages}) {
			if err != nil {
				t.Fatal(err)
			}
			calls = append(calls, chunk.Calls...)
		}
		messages = append(messages, core.Message{Role: core.RoleAssistant, Calls: calls})
		for _, c := range calls {
			prompts = append(prompts, promptIn(t, c))
			result := answers[promptIn(t, c)]
			messages = append(messages, core.Message{Role: core.RoleTool, CallID: c.ID, Name: c.Tool, Result: &result})
		}
	}
	if diff := cmp.Diff([]string{"what is 12% of 840", "weigh 100.8"}, prompts); diff != "" || asked != 1 {
		t.Errorf("asked %d times; prompts -want +got:\n%s", asked, diff)
	}
}

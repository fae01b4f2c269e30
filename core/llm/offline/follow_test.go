package offline_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/offline"
)

func TestAFollowUpIsMadeCompleteFromTheQuestionBefore(t *testing.T) {
	specs := []core.ToolSpec{scribe(), sum(), tide()}
	for _, row := range table(t, "followups.txt") {
		before, after, _ := strings.Cut(row[0], " // ")
		_, _, _, history := ask(t, specs, nil, before, func(core.Call) core.ToolResult {
			return replyWith(core.StatusSuccess, "It is 100.8.", map[string]any{"result": "100.8"})
		})
		calls, thought, _, _ := ask(t, specs, history, after, answered)
		if got := asked(t, calls); len(got) != 1 || got[0] != strings.TrimSuffix(row[1], "?") || calls[0].ID == "call_1" || strings.Contains(thought, "by name") {
			t.Errorf("%s: asks %q, want %q; the call is %+v, it says %q", row[0], got, row[1], calls, thought)
		}
	}
}

func TestAPronounStandsForTheThingThatWasAskedAbout(t *testing.T) {
	shelf := core.ToolSpec{Name: "shelf", Owner: "shelf", Description: "Shows files and counts their lines.", Examples: []string{"show notes.txt", "how many lines does notes.txt have?"}}
	log := core.ToolSpec{Name: "log", Owner: "log", Description: "Who changed a file, and when.", Examples: []string{"who changed notes.txt last?"}}
	text := func(core.Call) core.ToolResult {
		return replyWith(core.StatusSuccess, "two\nlines", map[string]any{"path": "other.txt"})
	}
	for _, c := range []struct{ before, after, want string }{
		{"show plan.md", "how many lines does it have?", "shelf: how many lines does plan.md have"},
		{"show plan.md", "who changed it last?", "log: who changed plan.md last?"},
		{"show plan.md", "is it raining?", ""},
		{"show plan.md", "what time is it?", ""},
	} {
		_, _, _, history := ask(t, []core.ToolSpec{shelf, log}, nil, c.before, text)
		calls, _, _, _ := ask(t, []core.ToolSpec{shelf, log}, history, c.after, text)
		got := ""
		if len(calls) > 0 {
			got = calls[0].Tool + ": " + promptIn(t, calls[0])
		}
		if got != c.want {
			t.Errorf("%q after %q asks %q, want %q", c.after, c.before, got, c.want)
		}
	}
}

func TestWhatStandsForNothingIsLeftAsItWasTyped(t *testing.T) {
	weather := core.ToolSpec{Name: "weather", Owner: "weather", Description: "Tells whether it will rain in a place of the UK.", Examples: []string{"will it rain in Leeds?"}}
	says := func(text string) func(core.Call) core.ToolResult {
		return func(core.Call) core.ToolResult { return replyWith(core.StatusSuccess, text, nil) }
	}
	for _, c := range []struct{ before, said, after, want string }{
		{"when is high tide in Newport?", "2026-11-28", "will it rain in Leeds?", "weather: will it rain in Leeds?"},
		{"will it rain in Leeds?", "Light rain from 15:00, clearing by 18:00.", "is it raining in Hull?", "weather: is it raining in Hull?"},
		{"will it rain in Leeds?", "Light rain from 15:00, clearing by 18:00.", "how warm is it in Madrid?", ""},
		{"will it rain in Leeds?", "Light rain from 15:00, clearing by 18:00.", "is it a rainbow?", ""},
		{"when is high tide in Newport?", "2026-11-28", "on which port does the admin console listen?", ""},
		{"when is high tide in Newport?", "2026-11-28", "für welches Dach haben wir uns entschieden?", ""},
	} {
		specs := []core.ToolSpec{weather, tide()}
		_, _, _, history := ask(t, specs, nil, c.before, says(c.said))
		calls, _, _, _ := ask(t, specs, history, c.after, says(c.said))
		got := ""
		if len(calls) > 0 {
			got = calls[0].Tool + ": " + promptIn(t, calls[0])
		}
		if got != c.want {
			t.Errorf("%q after %q asks %q, want %q", c.after, c.before, got, c.want)
		}
	}
}

func TestAnAnswerToAnExpertsQuestionGoesBackToIt(t *testing.T) {
	specs := []core.ToolSpec{sum(), tide()}
	_, _, reply, history := ask(t, specs, nil, "when is high tide in Newport?", func(core.Call) core.ToolResult {
		return replyWith(core.StatusClarification, "Which Newport?", map[string]any{"options": []any{"Wales", "Rhode Island"}})
	})
	if reply.Status != core.StatusClarification || reply.Message != "Which Newport?" {
		t.Fatalf("the reply is %+v", reply)
	}
	if options, ok := reply.Data["options"].([]any); !ok || len(options) != 2 {
		t.Errorf("the data %v has no options", reply.Data)
	}
	calls, _, _, _ := ask(t, specs, history, "the one in Wales", answered)
	if len(calls) != 1 || calls[0].Tool != "tide" || !strings.Contains(promptIn(t, calls[0]), "Newport") || !strings.Contains(promptIn(t, calls[0]), "Wales") {
		t.Errorf("the calls are %v", calls)
	}
}

func TestOnlyAnAnswerGoesBackToWhoAsked(t *testing.T) {
	specs := []core.ToolSpec{scribe(), sum(), tide()}
	asksBack := func(core.Call) core.ToolResult {
		return replyWith(core.StatusClarification, "Which Newport, and on which day?", map[string]any{"options": []any{"count from Wales", "Rhode Island", "low tide in Brest"}})
	}
	_, _, _, history := ask(t, specs, nil, "when is high tide in Newport?", asksBack)
	for _, c := range []struct{ text, want string }{
		{"Wales", "tide: when is high tide in Newport: Wales"},
		{"count from Wales", "tide: when is high tide in Newport: count from Wales"},
		{"the second", "tide: when is high tide in Newport: the second"},
		{"3 * 4", "sum: 3 * 4"},
		{"low tide in Brest", "tide: low tide in Brest"},
		{"who wrote Hamlet?", ""},
		{"what did I ask first?", ""},
		{"the capital of France?", ""},
	} {
		asksOne(t, specs, history, c.text, c.want)
	}
}

func TestAnAnswerGoesToWhoAskedAlsoWhereItsWordsNameNobody(t *testing.T) {
	heron := core.ToolSpec{Name: "heron", Owner: "heron", Description: "Knows everything about grey herons: food, nests, flight.", Examples: []string{"what do herons eat?"}}
	specs := []core.ToolSpec{heron, sum(), tide()}
	_, _, _, history := ask(t, specs, nil, "@heron ask me", func(core.Call) core.ToolResult {
		return replyWith(core.StatusClarification, "Which heron?", map[string]any{"options": []any{"grey", "purple", "night", "no, and thanks"}})
	})
	for _, c := range []struct{ text, want string }{
		{"grey", "heron: ask me: grey"},
		{"purple", "heron: ask me: purple"},
		{"Night", "heron: ask me: Night"},
		{"no, and thanks", "heron: ask me: no, and thanks"},
		{"the green one", "heron: ask me: the green one"},
		{"3 * 4", "sum: 3 * 4"},
		{"who wrote Hamlet?", ""},
	} {
		asksOne(t, specs, history, c.text, c.want)
	}
}

func TestAnOptionGoesToWhoGaveItAlsoWhereItBidsOnNothingOfIt(t *testing.T) {
	specs := []core.ToolSpec{sum(), tide()}
	asks := func(question string) []core.Message {
		_, _, _, history := ask(t, specs, nil, question, func(core.Call) core.ToolResult {
			return replyWith(core.StatusClarification, "Which?", map[string]any{"options": []any{"hours", "roots"}})
		})
		return history
	}
	asksOne(t, specs, asks("@sum reckon"), "roots", "sum: reckon: roots")
	asksOne(t, specs, asks("what is 90?"), "hours", "sum: what is 90 hours")
	asksOne(t, specs, asks("@sum reckon"), "squares", "")
}

// asksOne checks whom a text asks what behind a conversation; empty: nobody.
func asksOne(t *testing.T, specs []core.ToolSpec, history []core.Message, text, want string) {
	t.Helper()
	calls, _, _, _ := ask(t, specs, history, text, answered)
	got := ""
	if len(calls) > 0 {
		got = calls[0].Tool + ": " + promptIn(t, calls[0])
	}
	if got != want || len(calls) > 1 {
		t.Errorf("%q asks %q, want %q", text, got, want)
	}
}

// knowing is a room in which sum reads what holds some words, and any other question, too.
type knowing struct {
	bidders
	words string
}

func (k knowing) Bids(ctx context.Context, scope core.Scope, texts []string, said []core.Message) []core.Bids {
	all := k.bidders.Bids(ctx, scope, texts, said)
	for i, text := range texts {
		if strings.Contains(text, k.words) {
			for _, made := range all {
				if made.Tool == "sum" {
					made.Bids[i] = core.Bid{Score: 0.9, Reads: "the cost"}
				}
			}
		}
	}
	return all
}

func TestWhoAnsweredKnowsWhatAPronounStandsFor(t *testing.T) {
	before := "welche Teile sind unter dem Mindestbestand?"
	result := replyWith(core.StatusSuccess, "**Mutter**, **Schraube**: Teil mit Bestand < Mindestbestand", map[string]any{"rows": []any{[]any{"Mutter"}, []any{"Schraube"}}})
	if asked := goesOn(t, knowing{words: "was kosten"}, before, result, "und was kosten sie?"); !strings.Contains(asked, "was kosten sie") {
		t.Errorf("it asks %q", asked)
	}
}

func TestOtherWordsForAnAnswerAreNotPutIntoItsQuestion(t *testing.T) {
	for _, text := range []string{"simpler", "and in one sentence, please", "kürzer bitte", "y más breve"} {
		if asked := goesOn(t, knowing{words: "rules say"}, "what do the rules say about guests", answered(core.Call{}), text); asked != "" {
			t.Errorf("%q asks %q", text, asked)
		}
	}
}

// goesOn is what a text asks behind a question that sum was asked, and its result; empty: nothing.
func goesOn(t *testing.T, room knowing, before string, result core.ToolResult, text string) (asked string) {
	t.Helper()
	req := llm.Request{Tools: []core.ToolSpec{sum(), tide()}, Messages: []core.Message{
		{ID: "1", Role: core.RoleUser, Text: before},
		{Role: core.RoleAssistant, Calls: []core.Call{{ID: "call_1", Tool: "sum", Args: json.RawMessage(`{"prompt":"` + before + `"}`)}}},
		{Role: core.RoleTool, CallID: "call_1", Name: "sum", Result: &result},
		{Role: core.RoleAssistant, Text: result.Text},
		{ID: "2", Role: core.RoleUser, Text: text},
	}}
	for chunk, err := range (&offline.Model{Bidders: room}).Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range chunk.Calls {
			asked = promptIn(t, c)
		}
	}
	return asked
}

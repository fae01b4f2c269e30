package offline_test

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestAFollowUpIsMadeCompleteFromTheQuestionBefore(t *testing.T) {
	specs := []core.ToolSpec{scribe(), sum(), tide()}
	for _, c := range []struct{ before, after, tool, want string }{
		{"when is high tide in Dover today?", "and tomorrow?", "tide", "when is high tide in Dover tomorrow?"},
		{"when is high tide in Dover?", "and in Brest?", "tide", "when is high tide in Brest?"},
		{"when is high tide in Dover?", "what about Brest?", "tide", "when is high tide in Brest?"},
		{"when is high tide in Dover?", "and tomorrow?", "tide", "when is high tide in Dover tomorrow?"},
		{"what is 12% of 840?", "and of 900?", "sum", "what is 12% of 900?"},
		{"what is 12% of 840?", "multiply that by 2", "sum", "multiply 100.8 by 2"},
		{"what is 12% of 840?", "double it", "sum", "double 100.8"},
		{"what is 12% of 840?", "half of that", "sum", "half of 100.8"},
		{"what is 12% of 840?", "a third of it?", "sum", "a third of 100.8?"},
		{"what is 12% of 840?", "times 3", "sum", "100.8 times 3"},
		{"what is 12% of 840?", "and times 3?", "sum", "100.8 times 3"},
		{"what is 12% of 840?", "* 3", "sum", "100.8 * 3"},
		{"what is 12% of 840?", "plus 5", "sum", "100.8 plus 5"},
		{"what is 12% of 840?", "then divide by 4", "sum", "divide 100.8 by 4"},
		{"what is 12% of 840?", "and squared?", "sum", "100.8 squared"},
		{"what is 12% of 840?", "what is it times 2?", "sum", "what is 100.8 times 2?"},
		{"what is 12% of 840?", "what's that times 2?", "sum", "what's 100.8 times 2?"},
		{"what is 12% of 840?", "what's it in hours?", "sum", "what's 100.8 in hours?"},
		{"what is 12% of 840?", "-5 + 3", "sum", "-5 + 3"},
		{"90 minutes in hours", "what about 30 minutes?", "sum", "30 minutes in hours"},
		{"when is high tide in Dover on 25 December?", "and on 1 January?", "tide", "when is high tide in Dover on 1 January?"},
		{"when is high tide in Dover on 25 December?", "and on Friday?", "tide", "when is high tide in Dover on Friday?"},
		{"when is high tide in Dover?", "times 3", "sum", "100.8 times 3"},
		{"what is 12% of 840?", "and what is 3 * 4?", "sum", "what is 3 * 4?"},
		{"what is 12% of 840?", "when is low tide in Brest?", "tide", "when is low tide in Brest?"},
		{"what is 3 by 4 times 5?", "and by 6 times 7?", "sum", "what is 3 by 6 times 7"},
		{"what is 7/16 times 2?", "and 9/16", "sum", "what is 9/16 times 2"},
		{"what is 12% of 840?", "and 5 + 5?", "sum", "5 + 5"},
		{"what is 12% of 840?", "what about 7*8?", "sum", "7*8"},
		{"what is 12% of 840?", "again", "sum", "what is 12% of 840?"},
	} {
		_, _, _, history := ask(t, specs, nil, c.before, func(core.Call) core.ToolResult {
			return replyWith(core.StatusSuccess, "It is 100.8.", map[string]any{"result": "100.8"})
		})
		calls, thought, _, _ := ask(t, specs, history, c.after, answered)
		if strings.Contains(thought, "by name") {
			t.Errorf("%q after %q: it says %q, and no name was said", c.after, c.before, thought)
		}
		if len(calls) != 1 {
			t.Errorf("%q after %q makes %d calls, want 1", c.after, c.before, len(calls))
			continue
		}
		if got := promptIn(t, calls[0]); calls[0].Tool != c.tool || strings.TrimSuffix(got, "?") != strings.TrimSuffix(c.want, "?") {
			t.Errorf("%q after %q asks %s %q, want %s %q", c.after, c.before, calls[0].Tool, got, c.tool, c.want)
		}
		if calls[0].ID == "call_1" {
			t.Errorf("%q after %q: the id call_1 is used twice", c.after, c.before)
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
		calls, _, _, _ := ask(t, specs, history, c.text, answered)
		got := ""
		if len(calls) > 0 {
			got = calls[0].Tool + ": " + promptIn(t, calls[0])
		}
		if got != c.want || len(calls) > 1 {
			t.Errorf("%q asks %q, want %q", c.text, got, c.want)
		}
	}
}

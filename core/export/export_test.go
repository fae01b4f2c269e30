package export_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/export"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/runlog"
)

// hostile is a text that would be more than a text.
const hostile = "``` \x1b[31m<script>alert(1)</script> ![x](https://evil.example/p.png) [go](javascript:alert(1)) <img src=x> <javascript:alert(2)>"

func written(t *testing.T, of func(*bytes.Buffer, export.Conversation) error) string {
	t.Helper()
	scope := core.Scope{Run: "r", Trace: "r", Turn: 1}
	events := []core.Event{
		{Seq: 1, Scope: scope, Body: core.RunStart{Runner: "agent/yaap", Prompt: hostile}},
		{Seq: 2, Scope: scope, Body: core.TurnStart{}},
		{Seq: 3, Scope: scope, Body: core.ToolCallStart{Call: "c", Tool: hostile, Args: []byte(`{"prompt":"1"}`)}},
		{Seq: 4, Scope: scope, Body: core.ToolCallEnd{Call: "c", Tool: hostile, Status: core.ToolSuccess, MS: 3}},
		{Seq: 5, Scope: scope, Body: core.FinalOutput{Reply: core.Reply{Thought: hostile, Status: core.StatusSuccess, Message: hostile}}},
		{Seq: 6, Scope: scope, Body: core.RunEnd{Outcome: "completed", MS: 5}},
	}
	run := runlog.Read(events, nil).Run("r")
	var b bytes.Buffer
	if err := of(&b, export.Conversation{Title: hostile, ID: "t", Turns: []export.Turn{
		{Question: hostile, At: time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC), Events: events, Run: run, Reply: &core.Reply{Message: "well " + hostile}},
		{Question: "and then?"},
	}}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAPageRunsNothingAndLoadsNothing(t *testing.T) {
	page := written(t, func(b *bytes.Buffer, c export.Conversation) error { return export.HTML(b, c) })
	for _, bad := range []string{"<script", `href="javascript`, "<img ", "\x1b"} {
		if strings.Contains(page, bad) {
			t.Errorf("it holds %q:\n%s", bad, page)
		}
	}
	for _, good := range []string{`default-src 'none'`, "prefers-color-scheme: dark", "1 step", "(not answered)"} {
		if !strings.Contains(page, good) {
			t.Errorf("it lacks %q:\n%s", good, page)
		}
	}
}

func TestAQuestionEndsNoBlockOfMarkdown(t *testing.T) {
	text := written(t, func(b *bytes.Buffer, c export.Conversation) error { return export.Markdown(b, c) })
	if !strings.Contains(text, "````text\n```") || strings.Contains(text, "\x1b") || !strings.Contains(text, `# \`+"`\\`\\`") {
		t.Error(text)
	}
}

func TestWhatWasSaidWhileAQuestionWasAnsweredStandsBelowIt(t *testing.T) {
	var b bytes.Buffer
	events := []core.Event{{Scope: core.Scope{Run: "r"}, Body: core.Steered{ID: "m", Text: "in euros"}}}
	must.Do(t, export.Markdown(&b, export.Conversation{Turns: []export.Turn{{Question: "the price?", Events: events}}}))
	if !strings.Contains(b.String(), "the price?\n\nin euros\n") {
		t.Error(b.String())
	}
}

func TestEveryEventIsALine(t *testing.T) {
	text := written(t, func(b *bytes.Buffer, c export.Conversation) error { return export.JSONL(b, c) })
	if lines := strings.Count(text, "\n"); lines != 6 || !strings.HasPrefix(text, `{"seq":1,`) {
		t.Error(text)
	}
}

func TestThePageOfAChainHasItsPicture(t *testing.T) {
	scope := core.Scope{Run: "r", Trace: "r"}
	events := []core.Event{
		{Seq: 1, Scope: scope, Body: core.RunStart{Runner: "chain/review", Prompt: "go"}},
		{Seq: 2, Scope: scope, Body: core.NodeStart{Node: hostile, Attempt: 1}},
		{Seq: 3, Scope: scope, Body: core.NodeEnd{Node: hostile, State: core.NodeCompleted, MS: 4}},
		{Seq: 4, Scope: scope, Body: core.EdgeTaken{From: hostile, To: "never", Condition: "else", Taken: true}},
		{Seq: 5, Scope: scope, Body: core.RunEnd{Outcome: "completed", MS: 5}},
	}
	written := diagram.Graph{Nodes: []diagram.Node{{ID: hostile}, {ID: "never"}}, Edges: []diagram.Edge{{From: hostile, To: "never", Label: "else"}}}
	var b bytes.Buffer
	must.Do(t, export.HTML(&b, export.Conversation{Turns: []export.Turn{{Question: "go", Events: events, Run: runlog.Read(events, nil).Run("r"), Chain: written}}}))
	page := b.String()
	for _, good := range []string{"<svg ", `class="box completed"`, "▸ else", "never", "prefers-color-scheme: dark) {\n.yaap"} {
		if !strings.Contains(page, good) {
			t.Errorf("it lacks %q:\n%s", good, page)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "<img") {
		t.Error(page)
	}
}

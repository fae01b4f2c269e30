package diagram

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

func aRunWithACall(text string) []core.Event {
	root := core.Scope{Run: "r"}
	return []core.Event{
		{Scope: root, Body: core.RunStart{Prompt: text}},
		{Scope: root, Body: core.ToolCallStart{Call: "1", Tool: "sum", Expert: "calc"}},
		{Scope: root, Body: core.ToolCallEnd{Call: "1", Tool: "sum", Status: core.ToolError, Text: text}},
		{Scope: root, Body: core.Retry{Reason: "lost"}},
		{Scope: root, Body: core.FinalOutput{Reply: core.Reply{Message: "100.8"}}},
	}
}

func TestLifelinesShowWhoAskedWhom(t *testing.T) {
	want := `you           yaap          calc
│ 12 % of 840 │             │
│────────────▶│             │
│             │ sum         │
│             │────────────▶│
│             │ 12 % of 840 │
│             │✗╌╌╌╌╌╌╌╌╌╌╌╌│
│             │ · tries again: lost
│ 100.8       │             │
│◀╌╌╌╌╌╌╌╌╌╌╌╌│             │
`
	must.Equal(t, want, DrawSequence(aRunWithACall("12 % of 840"), 44))
}

func TestACallThatWaitsForTheUserIsNoFailure(t *testing.T) {
	root := core.Scope{Run: "r"}
	call := core.ToolCallStart{Call: "1", Tool: "write", Expert: "notes"}
	want := `you           yaap          notes
│ note it     │             │
│────────────▶│             │
│             │ write       │
│             │────────────▶│
│ may write … │             │
│◀────────────│             │
│ denied      │             │
│╌╌╌╌╌╌╌╌╌╌╌╌▶│             │
│             │ · goes on
│ It is not … │             │
│◀╌╌╌╌╌╌╌╌╌╌╌╌│             │
`
	must.Equal(t, want, DrawSequence([]core.Event{
		{Scope: root, Body: core.RunStart{Prompt: "note it"}},
		{Scope: root, Body: call},
		{Scope: root, Body: core.ApprovalRequested{Pause: "p", Call: "1", Tool: "write"}},
		{Scope: root, Body: core.ToolCallEnd{Call: "1", Tool: "write", Status: core.ToolWaiting, Text: "waits until the user allows it"}},
		{Scope: root, Body: core.FinalOutput{Reply: core.Reply{Message: "May write be called with {}?", Data: map[string]any{"pause": "p"}}}},
		{Scope: root, Body: core.ApprovalGiven{Pause: "p", Decision: core.Deny}},
		{Scope: root, Body: core.RunStart{Resumed: true}},
		{Scope: root, Body: core.FinalOutput{Reply: core.Reply{Message: "It is not noted."}}},
	}, 44))
}

func TestLifelinesAreNeverWiderThanTheyMay(t *testing.T) {
	for w := 1; w < 130; w++ {
		for _, line := range strings.Split(DrawSequence(aRunWithACall("日本\x1b[2Je\u202eévil 日本語日本語日本語日本語"), w), "\n") {
			if width(line) > w || strings.ContainsAny(line, "\x1b\u202e") {
				t.Fatalf("at %d: %q", w, line)
			}
		}
	}
}

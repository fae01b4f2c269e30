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
	must.Equal(t, want, Lifelines(aRunWithACall("12 % of 840"), 44))
}

func TestLifelinesAreNeverWiderThanTheyMay(t *testing.T) {
	for w := 1; w < 130; w++ {
		for _, line := range strings.Split(Lifelines(aRunWithACall("日本\x1b[2Je\u202eévil 日本語日本語日本語日本語"), w), "\n") {
			if width(line) > w || strings.ContainsAny(line, "\x1b\u202e") {
				t.Fatalf("at %d: %q", w, line)
			}
		}
	}
}

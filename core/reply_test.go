package core_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestAStatusIsReadInAnyCaseAndByItsAliases(t *testing.T) {
	for said, want := range map[string]core.Status{
		"success": core.StatusSuccess, " Success\n": core.StatusSuccess, "OK": core.StatusSuccess, "done": core.StatusSuccess,
		"failure": core.StatusFailure, "Failed": core.StatusFailure, "error": core.StatusFailure, "retry_with_instruction": core.StatusFailure,
		"clarification_needed": core.StatusClarification, "needs_input": core.StatusClarification, "COMPLETED": core.StatusCompleted,
		"": "", "successful": "", "maybe": "",
	} {
		got, ok := core.ParseStatus(said)
		if got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", said, got, ok, want)
		}
	}
}

func TestAChildScopeIsTheSameForTheSameID(t *testing.T) {
	root := core.Scope{Thread: "t", Run: "r", Trace: "r", Agent: "yaap", Turn: 3}
	want := core.Scope{Thread: "t", Run: "r/call_1", Parent: "r", Trace: "r", Depth: 1}
	if a, b := root.Child("call_1"), root.Child("call_1"); a != b || a != want {
		t.Errorf("got %+v and %+v, want %+v", a, b, want)
	}
}

func TestAnExpertIsAddressedByALeadingName(t *testing.T) {
	for text, want := range map[string][2]string{
		"what is up?":              {"", "what is up?"},
		"@heron what do you eat?":  {"heron", "what do you eat?"},
		" @heron: what\ndo you":    {"heron", "what\ndo you"},
		"@Heron What do You eat?":  {"heron", "What do You eat?"},
		"@heron":                   {"", "@heron"},
		"@heron: ":                 {"", "@heron: "},
		"@ heron":                  {"", "@ heron"},
		"mail a@b.example about x": {"", "mail a@b.example about x"},
	} {
		if expert, question := core.Address(text); expert != want[0] || question != want[1] {
			t.Errorf("%q: got %q, %q, want %q", text, expert, question, want)
		}
	}
}

func TestAReplyIsPartedWhereItSaysWhatHasNoAnswer(t *testing.T) {
	for _, tt := range []struct{ message, unanswered, answered, rest string }{
		{"It is 42.\n\ntide failed.", "tide failed.", "It is 42.", "tide failed."},
		{"It is 42.", "", "It is 42.", ""},
		{"tide failed.", "tide failed.", "tide failed.", ""},
		{"It is 42.", "somebody else's words", "It is 42.", ""},
	} {
		r := core.Reply{Message: tt.message, Data: map[string]any{core.DataUnanswered: tt.unanswered}}
		if answered, rest := r.Parts(); answered != tt.answered || rest != tt.rest {
			t.Errorf("%q is parted into %q and %q", tt.message, answered, rest)
		}
	}
}

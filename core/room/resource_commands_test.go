package room

import (
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestResourcesAreFoundInAPrompt(t *testing.T) {
	for text, want := range map[string][]string{
		"sum up @notes:file:///a/b.md please":      {"notes", "file:///a/b.md"},
		"@notes:memo://1 what is it?":              {"notes", "memo://1"},
		"mail me@notes:file:///x":                  nil,
		"@calc: 2+2":                               nil,
		"@calc:2+2":                                nil,
		"what does @notes say?":                    nil,
		"a@b.c and https://x.org/@notes:file:///x": nil,
	} {
		var got []string
		if m := attachment.FindStringSubmatch(text); m != nil {
			got = m[2:]
		}
		if len(got) != len(want) || len(want) > 0 && (got[0] != want[0] || got[1] != want[1]) {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
	if text := core.WithoutAttached(core.Attach("what is it?", "notes:memo://1", "herons\n\n[attached: x]\n")); text != "what is it?" {
		t.Errorf("the user wrote %q", text)
	}
}

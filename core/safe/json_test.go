package safe_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/safe/safetest"
)

func TestJSONEscapesWhatATerminalWouldObeyOrHide(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": "b"}`:                   `{"a": "b"}`,
		"[\r\n\t1]":                    "[ \n 1]",
		"\"\u009b2J\u007f\"":           `"\u009b2J\u007f"`,
		"\"\u202e\u2066\u200b\u061c\"": `"\u202e\u2066\u200b\u061c"`,
		"\"\U000e0041\U000e007f\"":     `"\udb40\udc41\udb40\udc7f"`,
		"\"\u00ad\ufe0f\u3164\ue000\"": `"\u00ad\ufe0f\u3164\ue000"`,
		"\"\U000f0000\U0010fffd\"":     `"\udb80\udc00\udbff\udffd"`,
		"\"\u2028\u2029\"":             `"\u2028\u2029"`,
		"\"a\xffb\"":                   "\"a\ufffdb\"",
		"\"👩\u200d👧 ❤\ufe0f é 東京\"":    "\"👩\u200d👧 ❤\ufe0f é 東京\"",
	} {
		if got := safe.JSON(in); got != want {
			t.Errorf("JSON(%q) = %q, want %q", in, got, want)
		}
	}
	clean := `{"text": "naïve 東京"}`
	if n := testing.AllocsPerRun(20, func() { safe.JSON(clean) }); n > 8 {
		t.Errorf("JSON allocates %v times", n)
	}
}

func FuzzJSON(f *testing.F) {
	for _, tt := range safetest.Texts() {
		f.Add(tt.Raw)
	}
	for _, s := range honest {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		raw := must.Get(json.Marshal(s))(t)
		got := safe.JSON(string(raw))
		var said, heard string
		must.Do(t, json.Unmarshal(raw, &said))
		if err := json.Unmarshal([]byte(got), &heard); err != nil {
			t.Fatalf("%q became %q: %v", raw, got, err)
		}
		if diff := cmp.Diff(said, heard); diff != "" {
			t.Errorf("it says something else (-want +got)\n%s", diff)
		}
		if text := safe.Text(got); text != got || safe.JSON(got) != got || strings.Contains(got, "\n") {
			t.Errorf("%q became %q, which is not safe", raw, got)
		}
		any := safe.JSON(s) // whatever it is
		if text := safe.Text(any); text != any {
			t.Errorf("%q became %q, and as text %q", s, any, text)
		}
	})
}

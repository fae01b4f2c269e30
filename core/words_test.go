package core_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"yaap/core"
)

func TestWordsKeepWhatIsQuotedAndExpandNothing(t *testing.T) {
	for line, want := range map[string][]string{
		`a b  c`:          {"a", "b", "c"},
		`a "b c" 'd "e'`:  {"a", "b c", `d "e`},
		`a\ b ""`:         {"a b", ""},
		`$HOME; rm * | x`: {"$HOME;", "rm", "*", "|", "x"},
		"\t":              nil,
		"a\u3000b\u00a0c": {"a", "b", "c"},
		`C:\\x 'C:\y'`:    {`C:\x`, `C:\y`},
		`x="1 2"`:         {"x=1 2"},
	} {
		got, err := core.Words(line)
		if err != nil {
			t.Errorf("%q: %v", line, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", line, diff)
		}
	}
	for _, line := range []string{`"`, `a 'b`, `a\`} {
		if got, err := core.Words(line); err == nil {
			t.Errorf("%q: got %q, want an error", line, got)
		}
	}
}

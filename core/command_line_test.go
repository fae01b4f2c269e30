package core_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
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
		`x="1\n2 \"\\"`:   {`x=1\n2 "\`},
	} {
		got, err := core.SplitCommandLine(line)
		if err != nil {
			t.Errorf("%q: %v", line, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", line, diff)
		}
	}
	for _, line := range []string{`"`, `a 'b`, `a\`} {
		if got, err := core.SplitCommandLine(line); err == nil {
			t.Errorf("%q: got %q, want an error", line, got)
		}
	}
}

func TestQuotedWordsAreReadAsTheyWere(t *testing.T) {
	words := []string{"", "a", "b c", "it's", `"x"`, `C:\y`, "$HOME", "`id`", "!1", "-5", "~", "*", "#", "é", "a=b", "x\ty", "''", "\u00a0"}
	line := core.JoinWords(words)
	got, err := core.SplitCommandLine(line)
	if diff := cmp.Diff(words, got); diff != "" || err != nil {
		t.Errorf("%s is read as (-want +got)\n%s%v", line, diff, err)
	}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", `printf '%s\n' `+line).Output()
	if want := strings.Join(words, "\n") + "\n"; err != nil || string(out) != want {
		t.Errorf("a shell reads %q, want %q, %v", out, want, err)
	}
	if got := core.QuoteWord("heron=python3"); got != "'heron=python3'" {
		t.Errorf("got %s", got) // zsh may look for a command behind =
	}
}

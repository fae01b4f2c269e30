package safetest_test

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/safe/safetest"
)

// counter counts complaints instead of failing.
type counter struct {
	testing.TB
	n int
}

func (c *counter) Helper()               {}
func (c *counter) Errorf(string, ...any) { c.n++ }

func TestWhatHidesOrMisleadsIsSeen(t *testing.T) {
	for output, bad := range map[string]bool{
		"text, \x1b[1;31mred\x1b[m and 日本 👍🏽":                            false,
		"\x1b]8;;https://a.example\x1b\\https://a.example\x1b]8;;\x1b\\": false,
		"\x1b[8mhidden":                     true,
		"\x1b[5mblinks":                     true,
		"\x1b[38;2;1;2;3;48;2;1;2;3mhidden": true,
		"\x1b]8;;https://evil.example\x1b\\https://bank.example\x1b]8;;\x1b\\": true,
	} {
		c := &counter{TB: t}
		safetest.Check(c, output, safetest.Show(t, 40, 3, output))
		if (c.n > 0) != bad {
			t.Errorf("%q: %d complaints", output, c.n)
		}
	}
	for before := range 45 {
		c := &counter{TB: t}
		output := strings.Repeat("a", before) + "e" + strings.Repeat("\u0301", 8) + "x"
		safetest.Check(c, output, safetest.Show(t, 20, 5, output))
		if c.n > 0 {
			t.Errorf("%d characters before one with marks: %d complaints", before, c.n)
		}
	}
	for output, want := range map[string]int{
		"a\x1b[1mb\x1b[m\n\x1b]8;;x\x1b\\": 0, "\x1b]0;x\a": 1, "\x1b[2J\x1b[2J\x1b[?25l": 2, "\a": 1, "\x1bc": 1, "\u009b2J": 1, "\x1b[>4;2m": 1,
	} {
		if found := safetest.Sequences(output); len(found) != want {
			t.Errorf("%q: %q is found, want %d", output, found, want)
		}
	}
}

package safe_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/safe/safetest"
)

func TestStyledKeepsTextColoursAndLinks(t *testing.T) {
	const link, end = "\x1b]8;id=7;https://example.org/a?b=c\x1b\\", "\x1b]8;;\x1b\\"
	for _, tt := range []struct{ name, in, want string }{
		{"plain text", "one\n\ntwo", "one\n\ntwo"},
		{"colours", "\x1b[1;38;2;121;192;255mhi\x1b[m there", "\x1b[1;38;2;121;192;255mhi\x1b[m there"},
		{"colours with colons", "\x1b[38:2::1:2:3mhi\x1b[0m", "\x1b[38:2::1:2:3mhi\x1b[m"},
		{"padding", "\x1b[31mhi\x1b[m\x1b[31m \x1b[m\x1b[31m \x1b[m\nx   ", "\x1b[31mhi\x1b[m\nx"},
		{"colours that nothing is written in", "\x1b[31m\x1b[m\x1b[32m\x1b[1mhi\x1b[0m\x1b[31m", "\x1b[32m\x1b[1mhi\x1b[m"},
		{"a colour over lines is set in each", "\x1b[31mone\n\ntwo\x1b[m", "\x1b[31mone\x1b[m\n\n\x1b[31mtwo\x1b[m"},
		{"a colour left open is closed", "\x1b[31mone", "\x1b[31mone\x1b[m"},
		{"a colour that replaces", "\x1b[31ma\x1b[0;32mb", "\x1b[31ma\x1b[m\x1b[0;32mb\x1b[m"},
		{"a link", link + "text" + end + " end", link + "text" + end + " end"},
		{"a link with a bell", "\x1b]8;id=7;https://example.org/a?b=c\x07text\x1b]8;;\x07", link + "text" + end},
		{"a link left open is closed", link + "text", link + "text" + end},
		{"a link over lines is set in each", link + "a\nb" + end, link + "a" + end + "\n" + link + "b" + end},
		{"mail", "\x1b]8;;MailTo:a@example.org\x1b\\a\x1b]8;;\x1b\\", "\x1b]8;;MailTo:a@example.org\x1b\\a" + end},
		{"a script", "\x1b]8;;javascript:alert(1)\x1b\\a" + end, "a"},
		{"a file", "\x1b]8;;file:///etc/passwd\x1b\\a" + end, "a"},
		{"a relative target", "\x1b]8;;/etc/passwd\x1b\\a" + end, "a"},
		{"a target with other scripts", "\x1b]8;;https://exаmple.org\x1b\\a" + end, "a"},
		{"a forbidden target ends the link before", link + "a\x1b]8;;file:///x\x1b\\b", link + "a" + end + "b"},
		{"a link that does not end", "\x1b]8;;https://example.org\nb", "\nb"},
		{"modified keys", "\x1b[>4;2ma", "a"},
		{"a private mode that looks like a colour", "\x1b[?1ma", "a"},
		{"too many parameters", "\x1b[" + strings.Repeat(";", 40) + "ma", "a"},
		{"wide characters", "\x1b[1m日本\x1b[m語", "\x1b[1m日本\x1b[m語"},
		{"a byte that is no UTF-8", "a\xe2 ", "a\ufffd"},
		{"a mark cut off its character by a colour", "e\x1b[31m\u0301x", "e\x1b[31mx\x1b[m"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := safe.Styled(tt.in); got != tt.want {
				t.Errorf("Styled(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestStyledRemovesWhatATerminalWouldObey(t *testing.T) {
	for _, tt := range safetest.Texts() {
		t.Run(tt.Name, func(t *testing.T) {
			got := safe.Styled(tt.Raw)
			checkPlain(t, tt.Raw, withoutStyle(got))
		})
	}
}

func TestStyledStaysSmallWhenColoursPileUp(t *testing.T) {
	in := strings.Repeat("\x1b[31m\x1b[1mx", 10_000)
	if got := safe.Styled(in); len(got) > 2*len(in) {
		t.Errorf("%d bytes became %d", len(in), len(got))
	}
}

func FuzzStyled(f *testing.F) {
	for _, tt := range safetest.Texts() {
		f.Add(tt.Raw)
	}
	f.Add("\x1b[1;31mhi\x1b[m \n\x1b]8;;https://example.org\x1b\\x\x1b]8;;\x07 y")
	f.Add("\x1b[0;31mhi\x1b[;1m\x1b[38:2::1:2:3m \nz\x1b[m")
	f.Fuzz(func(t *testing.T, s string) {
		got := safe.Styled(s)
		checkPlain(t, s, withoutStyle(got))
		if again := safe.Styled(got); again != got {
			t.Errorf("Styled(%q) = %q, and again %q", s, got, again)
		}
		if strings.Count(got, "\n") != strings.Count(s, "\n") {
			t.Errorf("Styled(%q) = %q: lines were lost or won", s, got)
		}
		for line := range strings.SplitSeq(got, "\n") {
			if alone := safe.Styled(line); alone != line {
				t.Errorf("Styled(%q) has the line %q, which alone is %q", s, line, alone)
			}
		}
	})
}

var style = regexp.MustCompile(`\x1b\[[0-9;:]*m|\x1b\]8;[!-:<-~]*;((https?://|(?i:mailto):)[!-~]*)?\x1b\\`)

// withoutStyle removes what Styled may leave; anything else stays to be found.
func withoutStyle(s string) string { return style.ReplaceAllString(s, "") }

package safe_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/safe/safetest"
)

// honest is text that stays as it is.
var honest = []string{
	"", "plain", "two\nlines\n", "naïve façade", "e\u0301", "日本語 한국어", "עברית العربية", "हिन्दी",
	"👍🏽 👩‍👩‍👧‍👦 ❤️ ☎︎ 1️⃣ 🇬🇧 🏳️‍🌈 🧔🏾‍♂️", "│ ├ ✓ ▸ █ ░", "\ufffd", "a b\u00a0c",
}

func TestTextRemovesWhatATerminalWouldObey(t *testing.T) {
	for _, tt := range safetest.Texts() {
		t.Run(tt.Name, func(t *testing.T) {
			if got := safe.Text(tt.Raw); got != tt.Safe {
				t.Errorf("Text(%q) = %q, want %q", tt.Raw, got, tt.Safe)
			}
		})
	}
}

func TestTextKeepsHonestText(t *testing.T) {
	for _, s := range honest {
		if got := safe.Text(s); got != s {
			t.Errorf("Text(%q) = %q", s, got)
		}
		if got := safe.Styled(s); got != trimLines(s) {
			t.Errorf("Styled(%q) = %q", s, got)
		}
	}
}

func TestTextNeedsNoMemoryForTextThatIsClean(t *testing.T) {
	clean := strings.Repeat("The quick brown fox.\n", 50) + strings.Join(honest, "\n")
	for name, f := range map[string]func(){
		"Text": func() { safe.Text(clean) },
		"Line": func() { safe.Line("experts: 6 in the room") },
		"Cut":  func() { safe.Cut("experts: 6 in the room", 80) },
	} {
		if n := testing.AllocsPerRun(20, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func TestLineIsOneLineWithSingleSpaces(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "",
		"calc":                        "calc",
		" a  b\n\tc ":                 "a b c",
		"a ":                          "a",
		"\n":                          "",
		"weather\x1b[2K\r\nis fine":   "weather is fine",
		"a\u00a0\u3000b\u2028c\u200b": "a b c",
	} {
		if got := safe.Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAPrefixIsOfWholeRunes(t *testing.T) {
	for n, want := range []string{"", "a", "a", "a", "a日", "a日b", "a日b"} {
		if got := safe.Prefix("a日b", n); got != want {
			t.Errorf("%d bytes: %q, want %q", n, got, want)
		}
	}
}

func TestCutKeepsCharactersWhole(t *testing.T) {
	for _, tt := range []struct {
		in    string
		runes int
		want  string
	}{
		{"hello", 5, "hello"},
		{"hello", 4, "hel…"},
		{"hello", 1, "…"},
		{"hello", 0, ""},
		{"hello", -1, ""},
		{"hello\nworld", 7, "hello…"},
		{"日本語", 2, "日…"},
		{"e\u0301e\u0301e\u0301", 4, "e\u0301…"},
		{"a👩‍👩‍👧‍👦b", 5, "a…"},
		{"a👩‍👩‍👧‍👦bc", 9, "a👩‍👩‍👧‍👦…"},
		{"\u200b\u200b\u200bhello", 5, "hello"},
	} {
		if got := safe.Cut(tt.in, tt.runes); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.in, tt.runes, got, tt.want)
		}
	}
}

func TestQuoteShowsWhatIsHidden(t *testing.T) {
	for in, want := range map[string]string{
		"":                          `""`,
		`say "hi" to C:\x`:          `"say \"hi\" to C:\\x"`,
		"it's 日本語":                  `"it's 日本語"`,
		"a\x1b[2J\a\n\tb\x7f":       `"a\x1b[2J\a\n\tb\x7f"`,
		"a\u009bb":                  `"a\u009bb"`,
		"a\x9b\x05\xffb":            `"a\x9b\x05\xffb"`,
		"exe.\u202efdp":             `"exe.\u202efdp"`,
		"a\u200bb\u00a0c":           `"a\u200bb\u00a0c"`,
		"\U000e0041":                `"\U000e0041"`,
		"a\ufe0fb\u3164c":           `"a\ufe0fb\u3164c"`,
		"\xe2\x28 is not \u2028":    `"\xe2( is not \u2028"`,
		"\ue000 is private, \ufffd": `"\ue000 is private, ` + "\ufffd" + `"`,
	} {
		if got := safe.Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, tt := range safetest.Texts() {
		f.Add(tt.Raw)
	}
	for _, s := range honest {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := safe.Text(s)
		checkPlain(t, s, got)
		if again := safe.Text(got); again != got {
			t.Errorf("Text(%q) = %q, and again %q", s, got, again)
		}
		if a, b, ok := strings.Cut(s, "\n"); ok {
			if parts := safe.Text(a) + "\n" + safe.Text(b); parts != got {
				t.Errorf("Text(%q) = %q, its lines are %q", s, got, parts)
			}
		}
		line := safe.Line(s)
		if strings.Contains(line, "\n") || strings.TrimSpace(line) != line || strings.Contains(line, "  ") {
			t.Errorf("Line(%q) = %q", s, line)
		}
		if cut := safe.Cut(s, 7); utf8.RuneCountInString(cut) > 7 {
			t.Errorf("Cut(%q, 7) = %q", s, cut)
		}
		quoted := safe.Quote(s)
		checkPlain(t, s, quoted)
		if safe.Text(quoted) != quoted && !hasMarks(quoted) {
			t.Errorf("Quote(%q) = %s, which hides something", s, quoted)
		}
	})
}

// checkPlain fails unless got is text that no terminal can misread.
func checkPlain(t *testing.T, in, got string) {
	t.Helper()
	if !utf8.ValidString(got) {
		t.Errorf("%q became %q: no UTF-8", in, got)
	}
	last := rune(0)
	for _, r := range got {
		switch {
		case r < ' ' && r != '\n', r == 0x7f, 0x80 <= r && r < 0xa0:
			t.Errorf("%q became %q: control %U", in, got, r)
		case unicode.Is(unicode.Bidi_Control, r):
			t.Errorf("%q became %q: bidi control %U", in, got, r)
		case r == '\u200d':
			if last < 0xa9 || unicode.IsLetter(last) && last != 'ℹ' {
				t.Errorf("%q became %q: joiner after %U", in, got, last)
			}
		case unicode.In(r, unicode.Cf, unicode.Co):
			t.Errorf("%q became %q: hidden %U", in, got, r)
		}
		last = r
	}
}

func hasMarks(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.M, r) })
}

func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

func TestAnArgumentDoesNotReachTheWordsAroundIt(t *testing.T) {
	type name string
	for _, evil := range []string{"a\x1b", "a\x1b[", "a\x1b]0;", "a\u009b", "\x1bPa", "a\u202e"} {
		want := safe.Line(evil)
		got := safe.Sprintf("%s left: %s %s %s %d ms\n", evil, name(evil), []byte(evil), errors.New(evil), 12)
		if want := want + " left: " + want + " " + want + " " + want + " 12 ms\n"; got != want {
			t.Errorf("of %q it is %q, want %q", evil, got, want)
		}
	}
}

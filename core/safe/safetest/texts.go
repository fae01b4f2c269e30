// Package safetest holds the hostile texts that everything which prints is tested
// with, and looks at the cells of a terminal that shows them. It is for tests.
package safetest

import (
	"cmp"
	"strings"
)

// Text is what a model, an expert, a file or the network may send to take over a
// terminal, or to make it show something else than what is there.
type Text struct {
	Name string
	Raw  string
	Safe string // Raw as plain text
	// Markdown shows as markdown what Raw shows as markdown, and has nothing in it
	// that is hostile; "": Safe does.
	Markdown string
}

// Shown returns what stands for the text where markdown is rendered.
func (t Text) Shown() string {
	return cmp.Or(t.Markdown, t.Safe)
}

// Texts returns the hostile texts. None of them styles anything or links to
// where it does not say.
func Texts() []Text {
	var texts []Text
	for _, t := range [][3]string{ // name, raw, safe
		{"a clipboard write", "a\x1b]52;c;cm0gLXJm\x07b", "ab"},
		{"a clipboard write ended by ST", "a\x1b]52;c;cm0gLXJm\x1b\\b", "ab"},
		{"a window title", "a\x1b]0;pwned\x07b", "ab"},
		{"a notification", "a\x1b]9;pwned\x07b", "ab"},
		{"a title without end stops at the line", "a\x1b]0;pwned\nb", "a\nb"},
		{"a title with a C1 terminator", "a\x1b]0;pwned\u009cb", "ab"},
		{"a title with a byte of a rune like ST", "a\x1b]0;✜\x07b", "ab"},
		{"a device control string", "a\x1bPq#0;2;0;0;0\x1b\\b", "ab"},
		{"a tmux passthrough", "a\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\b", "ab"},
		{"an application command", "a\x1b_Gi=1\x1b\\b", "ab"},
		{"a privacy message", "a\x1b^x\x1b\\b", "ab"},
		{"a string", "a\x1bXx\x1b\\b", "ab"},
		{"a reset", "a\x1bcb", "ab"},
		{"a character set", "a\x1b(0b", "ab"},
		{"an escape alone", "a\x1b", "a"},
		{"an escape before a letter of another script", "a\x1bé", "aé"},
		{"a bell", "a\x07b", "ab"},
		{"backspaces", "rm -rf\b\b\b\b\b\bls", "rm -rfls"},
		{"shift out", "a\x0eb\x0fc", "abc"},
		{"NUL and DEL", "a\x00b\x7fc", "abc"},
		{"a cleared screen", "a\x1b[2J\x1b[Hb", "ab"},
		{"the alternate screen", "a\x1b[?1049hb", "ab"},
		{"mouse reports", "a\x1b[?1003;1006hb", "ab"},
		{"a question to the terminal", "a\x1b[6n\x1b[>cb", "ab"},
		{"modified keys", "a\x1b[>4;2mb", "ab"},
		{"colours", "a\x1b[31mb\x1b[0mc", "abc"},
		{"a sequence cut off", "a\x1b[31", "a"},
		{"a link", "\x1b]8;;https://evil.example\x07bank\x1b]8;;\x07", "bank"},
		{"C1 CSI", "a\u009b2Jb", "ab"},
		{"C1 OSC", "a\u009d52;c;eA==\u009cb", "ab"},
		{"C1 next line", "a\u0085b", "ab"},
		{"a raw C1 byte", "a\x9b2Jb", "a\ufffd2Jb"},
		{"bytes that are no UTF-8", "a\xff\xfe\xc3(b", "a\ufffd(b"},
		{"a right-to-left override", "exe.\u202efdp", "exe.\ufffdfdp"},
		{"isolates", "a\u2066b\u2069c", "a\ufffdb\ufffdc"},
		{"direction marks", "a\u200e\u200f\u061cb", "ab"},
		{"zero width", "a\u200b\u200c\u200d\u2060\ufeff\u00adb", "ab"},
		{"tags", "a\U000e0041\U000e0042\U000e007fb", "ab"},
		{"private use", "a\ue000\U000f0000\U0010fffdb", "ab"},
		{"fillers", "a\u3164\u115f\uffa0\u034fb", "ab"},
		{"variation selectors that carry data", "a\ufe00\ufe0f\U000e0100\U000e01efb", "ab"},
		{"noncharacters", "a\ufffe\U0001fffeb", "ab"},
		{"line and paragraph separators", "a\u2028b\u2029c", "a b c"},
		{"a heap of combining marks", "e" + strings.Repeat("\u0301", 200) + "x", "e" + strings.Repeat("\u0301", 8) + "x"},
		{"a mark without a character", "\u0301a\n\u0301b", "a\nb"},
		{"Windows lines", "a\r\nb\r\n", "a\nb\n"},
		{"a carriage return that overwrites", "evil\rgood", "evilgood"},
		{"a tab", "a\tb", "a    b"},
	} {
		texts = append(texts, Text{Name: t[0], Raw: t[1], Safe: t[2]})
	}
	for _, t := range [][3]string{ // name, raw, markdown without references
		{"a reference that hides", "a&#27;[8mb&#x1b;[0m", `a\[8mb\[0m`},
		{"a reference that links", `&#27;]8;;https://evil.example&#27;\bank&#7;`, `\]8;;https\://evil.example\\bank`},
		{"a reference to a C1 control", "a&#x9d;52;c;eA==&#x9c;b", "a52;c;eA==œb"},
		{"references that style", "**a&#27;[31mb** _&#27;[5mc_ ~~&#27;[7md~~", `**a\[31mb** _\[5mc_ ~~\[7md~~`},
		{"references in a heading", "## a&#27;[8mb", `## a\[8mb`},
		{"references in a list", "- a&#27;[8mb\n- c&#7;", "- a\\[8mb\n- c"},
		{"references in a quote", "> a&#27;[8mb", `> a\[8mb`},
		{"references in a table", "| a |\n|---|\n| b&#27;[8mc |", "| a |\n|---|\n| b\\[8mc |"},
		{"references in the text of a link", "[a&#27;[8mb](https://example.org/)", "[a[8mb](https://example.org/)"},
		{"references in a target", "[a](https://example.org/&#27;&#x202e;)", "[a](https://example.org/\ufffd)"},
		{"references in all the text of a link", "[a&#27;b](https://example.org/)", "[ab](https://example.org/)"},
		{"references in a picture", "![a&#27;[8mb](https://example.org/)", "![a[8mb](https://example.org/)"},
		{"references of direction", "a&#x202e;b&#8294;c&rlm;", "a\ufffdb\ufffdc"},
		{"references to what is invisible", "a&shy;b&#x200b;c&#xE0041;d&#xFE0F;e&zwj;f&#xE000;", "abcdef"},
		{"a reference to a line break", "a&#10;b", "a b"},
		{"a reference of a reference", "a&amp;#27;[8mb", `a\&#27;[8mb`},
	} {
		texts = append(texts, Text{Name: t[0], Raw: t[1], Safe: t[1], Markdown: t[2]})
	}
	return texts
}

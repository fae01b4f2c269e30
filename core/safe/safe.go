// Package safe makes untrusted text fit for a terminal: nothing that it returns
// can move the cursor, write the clipboard, set a title, reorder the text that
// is shown, or hide characters in it.
//
// Everything from a model, an expert, a file or the network goes through [Text]
// or [Line] before it is kept for showing; what a renderer has coloured goes
// through [Styled] before it is written. All functions are pure, may be called
// by several goroutines, and take time in proportion to the length of their
// input.
package safe

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const ellipsis = "…"

// Text returns s as plain text of any number of lines. Escape sequences, control
// characters other than the newline, and invisible runes are gone, a tab is four
// spaces, and what would change the direction of the text and bytes that are not
// UTF-8 are shown as U+FFFD. Emoji keep their joiners and variation selectors.
// An escape sequence ends at the end of its line at the latest, so lines may be
// cleaned one by one: Text(a+"\n"+b) is Text(a)+"\n"+Text(b).
//
// Text(Text(s)) is Text(s), and text that needs no change is returned as it is.
func Text(s string) string {
	var (
		b    strings.Builder
		seen scanned
		done int // s[:done] is in b
	)
	for i := 0; i < len(s); {
		if c := s[i]; c == '\n' || ' ' <= c && c < 0x7f {
			seen = scanned{last: rune(c)}
			i++
			continue
		}
		repl, n := seen.next(s[i:])
		if repl != s[i:i+n] {
			b.WriteString(s[done:i])
			b.WriteString(repl)
			done = i + n
		}
		i += n
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// Tabbed returns what [Text] does, with its tabs: text to be pasted or kept, which is
// not shown before it went through Text.
func Tabbed(s string) string {
	parts := strings.Split(s, "\t")
	for i, part := range parts {
		parts[i] = Text(part)
	}
	return strings.Join(parts, "\t")
}

// Line returns s as one line of plain text: [Text] with every run of white space
// as one space and none at the ends. It is for names, titles, cells and status.
func Line(s string) string {
	s = Text(s)
	space := true // the byte before was a space, or there was none
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf || c == '\n' || c == ' ' && space {
			return strings.Join(strings.Fields(s), " ")
		}
		space = c == ' '
	}
	return strings.TrimSuffix(s, " ")
}

// Cut returns [Line] of s in at most the given number of runes; an ellipsis ends
// what was cut. Characters that are made of several runes stay whole.
func Cut(s string, runes int) string {
	s = Line(s)
	if len(s) <= runes || utf8.RuneCountInString(s) <= runes {
		return s
	}
	if runes <= 0 {
		return ""
	}
	end, left := 0, runes-1
	for {
		cluster, _ := ansi.FirstGraphemeCluster(s[end:], ansi.GraphemeWidth)
		if left -= utf8.RuneCountInString(cluster); left < 0 {
			return strings.TrimRight(s[:end], " ") + ellipsis
		}
		end += len(cluster)
	}
}

// Prefix returns as many of the first bytes of s as make whole runes, at most n. It
// makes nothing safe.
func Prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Quote returns s in double quotes as Go writes a string, with every rune that
// cannot be seen as an escape: what an inspector or an approval shows is all
// that there is.
func Quote(s string) string {
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b = append(b, `\x`...)
			if s[i] < 0x10 {
				b = append(b, '0')
			}
			b = strconv.AppendUint(b, uint64(s[i]), 16)
		case r != '"' && r != '\\' && strconv.IsPrint(r) && !invisible(r):
			b = append(b, s[i:i+n]...)
		case r == '"':
			b = append(b, `\"`...)
		default:
			q := strconv.QuoteRuneToASCII(r)
			b = append(b, q[1:len(q)-1]...)
		}
		i += n
	}
	return string(append(b, '"'))
}

// maxMarks bounds the combining marks on one character; more only smear over the
// lines around.
const maxMarks = 8

const (
	zwj         = '\u200d'
	textStyle   = '\ufe0e'
	emojiStyle  = '\ufe0f'
	replacement = string(utf8.RuneError)
)

// scanned is what Text must know of the text before a rune. The zero value
// stands for the start of a line.
type scanned struct {
	last  rune // the last rune that was kept
	emoji bool // last ends an emoji
	marks int  // combining marks since the last character
}

// next says what the first rune of s, which is no plain ASCII, becomes, and how
// many bytes of s that stands for.
func (p *scanned) next(s string) (repl string, n int) {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && n == 1:
		for n < len(s) && !validStart(s[n:]) {
			n++
		}
		*p = scanned{last: utf8.RuneError}
		return replacement, n
	case r == '\x1b' || 0x80 <= r && r < 0xa0:
		return "", sequence(s)
	case r == '\t':
		*p = scanned{last: ' '}
		return "    ", n
	case r < ' ' || r == 0x7f:
		return "", n
	case r == '\u2028' || r == '\u2029':
		*p = scanned{last: ' '}
		return " ", n
	case redirects(r):
		*p = scanned{last: utf8.RuneError}
		return replacement, n
	case r == zwj:
		if after, _ := utf8.DecodeRuneInString(s[n:]); !p.emoji || !isEmoji(after) {
			return "", n
		}
		*p = scanned{last: r}
	case r == textStyle || r == emojiStyle:
		if !isEmoji(p.last) && !isKeycap(p.last) {
			return "", n
		}
		p.last = r
	case invisible(r):
		return "", n
	case unicode.Is(unicode.M, r):
		if p.last == 0 || p.last == '\n' || p.marks == maxMarks {
			return "", n
		}
		p.marks++
	default:
		*p = scanned{last: r, emoji: isEmoji(r)}
	}
	return s[:n], n
}

func validStart(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return r != utf8.RuneError || n > 1
}

// sequence returns the length of the control sequence that s begins with: an
// ESC or a C1 control and what belongs to it. It never reaches past a line.
func sequence(s string) int {
	kind, i := byte(0), 2
	switch {
	case s[0] != '\x1b': // a C1 control in two bytes: U+009B is ESC [
		kind = s[1] - 0x40
	case len(s) > 1:
		kind = s[1]
	}
	switch kind {
	case '[':
		i = skip(s, i, '0', '?')
		i = skip(s, i, ' ', '/')
		if i < len(s) && '@' <= s[i] && s[i] <= '~' {
			i++
		}
		return i
	case ']', 'P', 'X', '^', '_':
		return stringEnd(s, i)
	}
	if s[0] != '\x1b' {
		return i
	}
	i = skip(s, 1, ' ', '/')
	if i < len(s) && '0' <= s[i] && s[i] <= '~' {
		i++
	}
	return i
}

func skip(s string, i int, from, to byte) int {
	for i < len(s) && from <= s[i] && s[i] <= to {
		i++
	}
	return i
}

// stringEnd returns where a control string whose payload begins at i ends, with
// its terminator.
func stringEnd(s string, i int) int {
	for ; i < len(s); i++ {
		switch s[i] {
		case '\a':
			return i + 1
		case '\n', 0x18, 0x1a:
			return i
		case '\x1b':
			if strings.HasPrefix(s[i:], "\x1b\\") {
				return i + 2
			}
			return i
		case 0xc2:
			if strings.HasPrefix(s[i:], "\u009c") {
				return i + 2
			}
		}
	}
	return i
}

// redirects reports the runes that reorder the text around them.
func redirects(r rune) bool {
	return '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// invisible reports the runes that show nothing, or nothing that is agreed on:
// format, private use, variation, fillers.
func invisible(r rune) bool {
	return r > 0x7f && unicode.In(r, unicode.Cf, unicode.Co, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector, unicode.Noncharacter_Code_Point)
}

// isEmoji reports the runes that an emoji may begin with or go on with after a
// joiner, skin tones and flag letters included.
func isEmoji(r rune) bool {
	switch {
	case 0x1f000 <= r && r <= 0x1faff,
		0x2190 <= r && r <= 0x21ff, 0x2300 <= r && r <= 0x23ff, 0x25a0 <= r && r <= 0x27bf,
		0x2900 <= r && r <= 0x297f, 0x2b00 <= r && r <= 0x2bff:
		return true
	}
	switch r {
	case '©', '®', '‼', '⁉', '™', 'ℹ', 'Ⓜ', '〰', '〽', '㊗', '㊙':
		return true
	}
	return false
}

func isKeycap(r rune) bool { return '0' <= r && r <= '9' || r == '#' || r == '*' }

// Sprintf formats like [fmt.Sprintf], with [Line] of every string, error and
// slice of bytes: what begins an escape sequence in one of them cannot take in
// the words that follow it.
func Sprintf(format string, args ...any) string {
	clean := make([]any, len(args))
	for i, arg := range args {
		clean[i] = arg
		if err, ok := arg.(error); ok {
			clean[i] = Line(err.Error())
			continue
		}
		switch v := reflect.ValueOf(arg); v.Kind() {
		case reflect.String:
			clean[i] = Line(v.String())
		case reflect.Slice:
			if v.Type().Elem().Kind() == reflect.Uint8 {
				clean[i] = Line(string(v.Bytes()))
			}
		default:
		}
	}
	return fmt.Sprintf(format, clean...)
}

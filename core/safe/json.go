package safe

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// JSON returns JSON of any number of lines with every rune that [Text] would
// take out or replace as \u escapes: it is the same value, and all of it is
// seen. Bytes that are not UTF-8 become U+FFFD, as JSON's readers take them.
//
// JSON(JSON(s)) is JSON(s), and Text(JSON(s)) is JSON(s).
func JSON(s string) string {
	var b strings.Builder
	var seen scanned
	done := 0 // s[:done] is in b
	for i := 0; i < len(s); {
		c := s[i]
		if c == '\n' || ' ' <= c && c < 0x7f {
			seen = scanned{last: rune(c)}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		repl := fmt.Sprintf(`\u%04x`, r)
		switch {
		case c < ' ': // between the tokens; within strings JSON has none
			repl = " "
		case r == utf8.RuneError && n == 1:
			repl = replacement
		case r > 0xffff:
			repl = fmt.Sprintf(`\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		}
		if r >= 0xa0 && n > 1 {
			if kept, _ := seen.next(s[i:]); kept == s[i:i+n] {
				i += n
				continue
			}
		}
		seen = scanned{}
		b.WriteString(s[done:i])
		b.WriteString(repl)
		i += n
		done = i
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

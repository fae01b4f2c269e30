package guard

import (
	"strings"
	"unicode/utf8"
)

// isUnspaced reports whether r belongs to a script that is written without blanks: Chinese, Japanese, Thai and their like.
// No token of an issuer has such a character; a password may.
func isUnspaced(r rune) bool {
	return r >= 0x2e80 || r >= 0x0e00 && r < 0x0f00 || r >= 0x1000 && r < 0x10a0 || r >= 0x1780 && r < 0x1800
}

// lastUnspaced is the end of the last such character in s, or 0.
func lastUnspaced(s string) int {
	for end := len(s); end > 0; {
		if s[end-1] < utf8.RuneSelf {
			end--
			continue
		}
		r, n := utf8.DecodeLastRuneInString(s[:end])
		if isUnspaced(r) && r != utf8.RuneError {
			return end
		}
		end -= n
	}
	return 0
}

// fullStop is the length of the full stop that s begins with in such a script, or 0.
func fullStop(s string) int {
	if s[0] < 0xe3 {
		return 0
	}
	for _, stop := range [...]string{"。", "！", "？"} {
		if strings.HasPrefix(s, stop) {
			return len(stop)
		}
	}
	return 0
}

// unspacedLen is how much of s[from:], which has no blank, cannot be part of a secret whatever follows: words in a script
// without blanks, others among them, as long as nothing is there that a value follows. Behind a blank that stands after
// other words a value may begin with such a word: it is known where it ends, with a mark of punctuation outside of quotes.
func unspacedLen(s string, from int) (n int) {
	before := strings.TrimRight(s[:from], " \t")
	safe := before == "" || before[len(before)-1] == '\n' || before[len(before)-1] >= utf8.RuneSelf
	quotes := 0
	for i, r := range s[from:] {
		switch {
		case r == '"' || r == '\'' || r == '`':
			quotes++
			safe = false
		case r < utf8.RuneSelf:
			safe = safe && (isAlnum(byte(r)) || strings.IndexByte("_.,!?", byte(r)) >= 0)
		case !isUnspaced(r) || r == utf8.RuneError:
		default:
			if strings.ContainsRune("。、，；：！？", r) && quotes%2 == 0 {
				safe = true
			}
			if safe {
				n = i + utf8.RuneLen(r)
			}
		}
	}
	return n
}

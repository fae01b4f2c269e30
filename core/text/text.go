// Package text has what every package needs to write sentences.
package text

import (
	"strconv"
	"strings"
)

// Count is a number of things in words: "1 row", "2 rows".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Cut is a text of at most so many characters, and behind them the mark where it was
// longer.
func Cut(s string, most int, mark string) string {
	if len(s) <= most { // bytes: mostly that is enough to know
		return s
	}
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + mark
	}
	return s
}

// CutBytes is a text of at most so many bytes, in whole characters, and behind them
// the mark where it was longer.
func CutBytes(s string, most int, mark string) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + mark
}

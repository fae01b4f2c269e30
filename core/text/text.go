// Package text has what every package needs to write sentences.
package text

import (
	"fmt"
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

// Size is a number of bytes: "312 B", "1.2 KiB", "3.4 MiB".
func Size(n int) string {
	switch {
	case n < 1<<10:
		return strconv.Itoa(n) + " B"
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
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

// Fenced is a text as a code block of Markdown, which it cannot end. The language may be
// empty; one with a backtick, beside which there is no block, is left out.
func Fenced(body, language string) string {
	if strings.Contains(language, "`") {
		language = ""
	}
	ticks := "```"
	for strings.Contains(body, ticks) {
		ticks += "`"
	}
	return ticks + language + "\n" + strings.TrimSuffix(body, "\n") + "\n" + ticks
}

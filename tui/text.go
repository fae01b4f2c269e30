package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/safe"
)

// width is the number of cells that a string takes, styled or not.
func width(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// fit cuts or pads a string, styled or not, to exactly w cells.
func fit(s string, w int) string {
	n := width(s)
	if n > w {
		s = ansi.Truncate(s, w, "")
		n = width(s)
	}
	if n < w {
		s += strings.Repeat(" ", w-n)
	}
	return s
}

// cut shortens a string to at most w cells and marks that it did.
func cut(s string, w int, mark string) string {
	if width(s) <= w {
		return s
	}
	if w <= 0 {
		return ""
	}
	if width(mark) >= w {
		mark = ""
	}
	return ansi.Truncate(s, w, mark)
}

// ends puts left and right at the two ends of w cells. Where both do not fit,
// the right end stays and the left is cut, unless nothing of it would be left.
func ends(left, right string, w int, mark string) string {
	r := width(right)
	if r == 0 || r+4 > w {
		return fit(cut(left, w, mark), w)
	}
	return fit(cut(left, w-r-1, mark), w-r) + right
}

// put replaces the cells of a row from column x on by box.
func put(row string, x int, box string, w int) string {
	row = fit(row, w)
	return ansi.Truncate(row, x, "") + reset + box + ansi.TruncateLeft(row, x+width(box), "")
}

// wrap breaks plain text into lines of at most w cells at spaces, and within
// words that are longer than a line.
func wrap(text string, w int) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, wrapLine(line, max(w, 1))...)
	}
	return lines
}

func wrapLine(s string, w int) []string {
	if width(s) <= w {
		return []string{s}
	}
	var lines []string
	line, used := 0, 0 // the line being filled: s[line:end], used cells
	for pos := 0; pos < len(s); {
		word := pos
		for word < len(s) && s[word] == ' ' {
			word++
		}
		end := word
		for end < len(s) && s[end] != ' ' {
			end++
		}
		need := w + 1 // so many bytes are not measured again for every line
		if end-word <= 16*w {
			need = word - pos + width(s[word:end])
		}
		switch {
		case word == end: // blanks at the end may stand out: a word may follow
			return append(lines, s[line:])
		case used == 0 && line > 0 && word > pos:
			line, pos = word, word
		case used+need <= w:
			used += need
			pos = end
		case used > 0:
			lines = append(lines, s[line:pos])
			line, pos, used = word, word, 0
		default: // one word, longer than a line
			head := ansi.Truncate(safe.Prefix(s[pos:end], 16*w), w, "") // that scans all it is given
			if head == "" {
				head, _ = ansi.FirstGraphemeCluster(s[pos:end], ansi.GraphemeWidth)
			}
			lines = append(lines, head)
			pos += len(head)
			line, used = pos, 0
		}
	}
	if line == len(s) {
		return lines
	}
	return append(lines, s[line:])
}

// trimmed are rows without the blank ones at their end.
func trimmed(rows []string) []string {
	for len(rows) > 0 && strings.TrimSpace(rows[len(rows)-1]) == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// hung are rows behind a lead, which is blank from the second row on.
func hung(lead string, rows []string) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = lead + row
		lead = strings.Repeat(" ", width(lead))
	}
	return out
}

// headed are lines of which the first begins with a head in a style of its own.
func headed(lines []string, head string, bold, rest style) []string {
	for i, line := range lines {
		text, whole := strings.CutPrefix(line, head)
		if !whole {
			text, head = line, ""
		}
		lines[i] = bold.on(head) + rest.on(text)
		head = ""
	}
	return lines
}

// elapsed is a duration that still runs.
func elapsed(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", max(d.Seconds(), 0))
	}
	return diagram.FormatDuration(d)
}

// ago says when something was, for lists of sessions.
func ago(t, now time.Time) string {
	t = t.In(now.Location())
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return count(int(d.Minutes()), "minute") + " ago"
	case d < 24*time.Hour && t.YearDay() == now.YearDay():
		return "today " + t.Format("15:04")
	case d < 7*24*time.Hour:
		return t.Format("Mon 15:04")
	}
	return t.Format("2006-01-02")
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// short is a number for a status line: 980, 2.1 k, 48 k.
func short(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 10_000:
		return fmt.Sprintf("%.1f k", float64(n)/1000)
	}
	return fmt.Sprintf("%d k", n/1000)
}

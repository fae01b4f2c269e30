package tui

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// compareCells orders two cells: numbers before words, and what is empty last. down
// turns numbers and words around.
func compareCells(a, b string, down bool) int {
	if a == "" || b == "" {
		return cmp.Compare(b, a)
	}
	x, number := cellNumber(a)
	y, both := cellNumber(b)
	order := 0
	switch {
	case number && both:
		order = cmp.Compare(x, y)
	case number:
		return -1
	case both:
		return 1
	default:
		order = cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
	}
	if down {
		return -order
	}
	return order
}

// cellNumber reads a number as people write it: with a sign, groups of digits, and a
// currency or a unit. A date, a time and a version are none.
func cellNumber(cell string) (float64, bool) {
	const digits = "0123456789"
	start, end := strings.IndexAny(cell, digits), strings.LastIndexAny(cell, digits)+1
	if start < 0 {
		return 0, false
	}
	if start > 0 && cell[start-1] == '.' { // .5
		start--
	}
	before, after := strings.TrimSpace(cell[:start]), strings.TrimSpace(cell[end:])
	if letters(before) != "" && !currency.MatchString(before) || strings.Contains(after, " ") {
		return 0, false
	}
	n, err := strconv.ParseFloat(plainNumber(cell[start:end]), 64)
	if err != nil {
		return 0, false
	}
	if strings.ContainsAny(before, "-−–") || strings.HasPrefix(before, "(") && strings.HasSuffix(after, ")") {
		n = -n
	}
	return n * cmp.Or(unitSize(after), 1), true
}

var currency = regexp.MustCompile(`^[-−–(]?\s*[A-Z]{3}$`)

// unitSize is how much of the smallest unit of its kind one is; 0 for another one.
func unitSize(unit string) float64 {
	return map[string]float64{
		"KB": 1e3, "kB": 1e3, "KiB": 1 << 10, "MB": 1e6, "MiB": 1 << 20, "GB": 1e9, "GiB": 1 << 30, "TB": 1e12,
		"ns": 1e-9, "µs": 1e-6, "μs": 1e-6, "us": 1e-6, "ms": 1e-3, "min": 60, "h": 3600,
	}[unit]
}

// plainNumber is a number without groups, with a point before its fraction.
func plainNumber(s string) string {
	var mark rune // the last one that may begin a fraction
	marks := map[rune]int{}
	parts := strings.FieldsFunc(s, func(r rune) bool {
		group := r == ' ' || r == '\u00a0' || r == '\u202f' || r == '\u2009' || r == '_' || r == '\'' || r == '’'
		if r == '.' || r == ',' {
			mark = r
			marks[r]++
			return true
		}
		return group
	})
	last := parts[len(parts)-1]
	fraction := mark != 0 && strings.HasSuffix(s, string(mark)+last) && marks[mark] == 1 &&
		(mark == '.' || len(last) != 3 || len(marks) > 1 || parts[0] == "0")
	for i, part := range parts {
		if i > 0 && len(part) != 3 && (i < len(parts)-1 || !fraction) {
			return "" // no groups of digits
		}
	}
	if fraction {
		return strings.Join(parts[:len(parts)-1], "") + "." + last
	}
	return strings.Join(parts, "")
}

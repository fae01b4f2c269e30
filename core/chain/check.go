package chain

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Fault is something wrong with a chain, where it is, and what to do about it.
// A chain with warnings only can be run.
type Fault struct {
	Pos     Pos
	Message string
	Hint    string
	Warning bool
}

func sortFaults(faults []Fault) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
}

var chainName = regexp.MustCompile(`^[a-z][a-z0-9_-]{1,47}$`)

// meant is a hint for a word that is not among those it could be.
func meant(word string, words []string) string {
	best, least := "", 3
	for _, w := range words {
		if d := distance(word, w, least); d < least || d == least && least < 3 && w < best {
			best, least = w, d
		}
	}
	if best == "" || least >= len(word) {
		return ""
	}
	return "did you mean " + best + "?"
}

// distance counts the letters to change, add or remove between two words, as
// long as they are fewer than limit.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit || len(a) > maxText {
		return limit
	}
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return min(row[len(b)], limit)
}

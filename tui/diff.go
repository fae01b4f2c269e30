package tui

import "slices"

// change is a line of a text, against an earlier one: + where it is new, - where
// it is gone, else a blank.
type change struct {
	sign byte
	text string
}

// maxDiff bounds the pairs of lines that are compared. Beyond it all that is
// between the equal lines at both ends counts as changed.
const maxDiff = 1 << 20

// changes returns the fewest changes that make after of before.
func changes(before, after []string) []change {
	var head, tail []change
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		head = append(head, change{' ', after[0]})
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		tail = append(tail, change{' ', after[len(after)-1]})
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	slices.Reverse(tail)
	same := common(before, after)
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		switch {
		case same != nil && i < len(before) && j < len(after) && before[i] == after[j]:
			head = append(head, change{' ', after[j]})
			i, j = i+1, j+1
		case i < len(before) && (same == nil || j == len(after) || same[i+1][j] >= same[i][j+1]):
			head = append(head, change{'-', before[i]})
			i++
		default:
			head = append(head, change{'+', after[j]})
			j++
		}
	}
	return append(head, tail...)
}

// common returns how many lines the ends of two texts from i and j on have in
// common; nil where there are too many to compare.
func common(a, b []string) [][]int {
	if len(a)*len(b) > maxDiff {
		return nil
	}
	n := make([][]int, len(a)+1)
	for i := range n {
		n[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if n[i][j] = max(n[i+1][j], n[i][j+1]); a[i] == b[j] {
				n[i][j] = n[i+1][j+1] + 1
			}
		}
	}
	return n
}

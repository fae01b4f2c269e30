package tui

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// change is a line of a text, against an earlier one: + where it is new, - where
// it is gone, else a blank.
type change struct {
	sign byte
	text string
}

// changes returns the changes that make after of before.
func changes(before, after string) (all []change) {
	at := 0
	add := func(sign byte, text string) {
		for line := range strings.Lines(text) {
			all = append(all, change{sign, strings.TrimSuffix(line, "\n")})
		}
	}
	for _, e := range udiff.Lines(before, after) {
		add(' ', before[at:e.Start])
		add('-', before[e.Start:e.End])
		add('+', e.New)
		at = e.End
	}
	add(' ', before[at:])
	return all
}

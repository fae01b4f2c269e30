package main

import (
	"slices"
	"testing"
)

func TestAnInputOfAChainThatIsQuotedMayHoldSpaces(t *testing.T) {
	for text, want := range map[string][]string{
		`/chain run paint room="the big one" metres=4`: {"room=the big one", "metres=4"},
		`/chain run paint room='a "b" c'`:              {`room=a "b" c`},
		`/chain run news what's new in Tom's "Diner"`:  {"what's", "new", "in", "Tom's", `"Diner"`}, // plain words
		`/chain run paint room="the big one`:           {`room="the`, "big", "one"},
		`/chain run paint`:                             nil,
	} {
		_, words, ok := chainWords(text)
		if !ok || !slices.Equal(words, want) {
			t.Errorf("%s is read as %q, want %q", text, words, want)
		}
	}
}

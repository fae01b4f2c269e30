package room

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
)

func TestARunIsListedOnOneLineWithTheEndOfItsId(t *testing.T) {
	const id = "01a1fddc-9363-719e-acd1-060662c40ae4"
	row := chainRow{RunRow: core.RunRow{ID: id, Runner: "chain//home/me/chains/paint.yaml", Time: time.Now()}, state: "asks: Which colour?"}
	got := runLines([]chainRow{row})
	if want := "  **paint.yaml** asks: Which colour?  `62c40ae4`\n"; strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want an end of %q", got, want)
	}
}

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

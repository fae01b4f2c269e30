package rank_test

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/rank"
)

func TestTheDistanceOfTwoWordsIsTheLettersBetweenThem(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		limit int
		want  int
	}{
		{"calc", "calc", 3, 0},
		{"Calc", "cALC", 3, 0},
		{"calc", "clac", 3, 2},
		{"calc", "call", 3, 1},
		{"calc", "cal", 3, 1},
		{"", "ab", 3, 2},
		{"calc", "clock", 2, 2},
		{"kitten", "sitting", 9, 3},
		{"calc", "weather", 3, 3},
		{strings.Repeat("a", 300), strings.Repeat("a", 300), 3, 3},
	} {
		for _, words := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := rank.Distance(words[0], words[1], c.limit); got != c.want {
				t.Errorf("from %.20q to %.20q it is %d, want %d", words[0], words[1], got, c.want)
			}
		}
	}
}

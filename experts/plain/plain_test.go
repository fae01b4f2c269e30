package plain_test

import (
	"testing"

	"github.com/yaap-chat/yaap/experts/plain"
)

func TestSmallNumbersMayBeWrittenInWords(t *testing.T) {
	for s, want := range map[string]int{"12": 12, "one": 1, "Ten": 10, "eleven": 11, "Fünf": 5, "tres": 3, "many": 0, "": 0} {
		if got := plain.Number(s); got != want {
			t.Errorf("%q is %d, want %d", s, got, want)
		}
	}
}

func TestQuotesStandAroundAWord(t *testing.T) {
	for s, want := range map[string]string{`"a b"`: "a b", "'a'": "a", "`a`": "a", `"a'`: `"a'`, `"`: `"`, "a": "a"} {
		if got := plain.Unquote(s); got != want {
			t.Errorf("%s is %s, want %s", s, got, want)
		}
	}
	if got := plain.Code("a`b"); got != "`a'b`" {
		t.Errorf("got %s", got)
	}
}

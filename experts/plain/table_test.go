package plain_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/experts/plain"
)

func numbers() *plain.Table[string] {
	return plain.NewTable("# numbers\none: one | a | uno\nhundred: hundred | a hundred\nmega: M\n", func(head, names []string, add func(string, string)) {
		for _, name := range names {
			add(name, head[0])
		}
	})
}

func TestTheLongestNameIsFound(t *testing.T) {
	type found struct {
		Means []string
		N     int
	}
	for s, want := range map[string]found{
		"a hundred days": {[]string{"hundred"}, 9}, "a": {[]string{"one"}, 1}, "A day": {[]string{"one"}, 1}, "apple": {},
		"M": {[]string{"mega"}, 1}, "m": {}, "5 a": {}, "": {},
	} {
		means, n := numbers().Find(s)
		if diff := cmp.Diff(want, found{means, n}); diff != "" {
			t.Errorf("%q (-want +got):\n%s", s, diff)
		}
	}
}

func TestASlipIsOneLetterOfALongWord(t *testing.T) {
	for s, want := range map[string]string{"hundreed": "hundred", "hundrd": "hundred", "hundrad": "hundred", "hudnred": "hundred", "hnd": "", "uni": "", "thousand": ""} {
		if got := numbers().CorrectTypo(s); got != want {
			t.Errorf("%q is taken for %q, want %q", s, got, want)
		}
	}
}

func TestAccentsAreTakenOffInBothCases(t *testing.T) {
	if got := plain.AccentReplacer("½", " 1/2").Replace("Ärger, São 3½ Łódź ’"); got != "Arger, Sao 3 1/2 Lodz '" {
		t.Errorf("got %q", got)
	}
}

package plain_test

import (
	"testing"

	"yaap/experts/plain"
)

func TestAQuestionIsReadWithoutItsPoliteness(t *testing.T) {
	for prompt, want := range map[string]string{
		"Hey, could you please show README.md?": "show README.md",
		"So, do you know who wrote “main.go”?!": `who wrote "main.go"`,
		"  list\n\tthe files . ":                "list the files",
		"hello\x00 there":                       "there",
		"please":                                "",
		"pleased to meet you":                   "pleased to meet you",
	} {
		if got := plain.Clean(prompt, 100); got != want {
			t.Errorf("%q is read as %q, want %q", prompt, got, want)
		}
	}
	if got := plain.Clean("näher", 2); got != "n" {
		t.Errorf("two bytes are %q", got)
	}
}

func TestSmallNumbersMayBeWrittenInWords(t *testing.T) {
	for s, want := range map[string]int{"12": 12, "one": 1, "Ten": 10, "eleven": 0, "": 0} {
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

package lang

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MarkResult has the only number, date or path of a sentence in bold, as Markdown. Any other
// text is as it was: one in which something is marked or may be, several sentences, and what
// is a number and nothing else.
func MarkResult(text string) string {
	other := func(r rune) bool { return strings.ContainsRune("*`|[<&\\", r) || !unicode.IsPrint(r) }
	if strings.ContainsFunc(text, other) || len(Sentences(text)) != 1 {
		return text
	}
	tokens, l := Lex(text), Of(text)
	dated := func(i int) bool {
		return i >= 0 && i < len(tokens) && tokens[i].Shape == Word && l.Has("date", tokens[i].Lower)
	}
	from, to := -1, 0
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		switch {
		case !slices.Contains([]Shape{Number, Date, Path}, t.Shape):
			continue
		case from >= 0:
			return text
		}
		from, to = t.Start, t.End
		if dated(i - 1) { // "March 3"
			from = tokens[i-1].Start
		}
		for ; dated(i+1) || dated(i) && i+1 < len(tokens) && tokens[i+1].Shape == Number; i++ { // "3 March 2027"
			to = tokens[i+1].End
		}
	}
	if from < 0 || strings.Trim(text[:from]+text[to:], " .!") == "" {
		return text
	}
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	after, _ := utf8.DecodeRuneInString(text[to:])
	if from > 0 && !strings.ContainsRune(" (“\"'", before) || to < len(text) && (unicode.IsLetter(after) || unicode.IsDigit(after)) {
		return text // a part of something
	}
	return text[:from] + "**" + text[from:to] + "**" + text[to:]
}

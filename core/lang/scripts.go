package lang

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// marksOf are the marks of other scripts, and what they are in Latin.
//
//nolint:gochecknoglobals // never changes
var marksOf = strings.NewReplacer("٪", "%", "٫", ".", "٬", ",", "؟", "?", "،", ",", "؛", ";", "。", ".", "、", ",")

// ToLatin writes the digits and marks of other scripts, and full-width letters, as
// Latin has them. What is written like a file's name stays as it is.
func ToLatin(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return text
	}
	return fields(text, func(field string) string {
		if fileLike(field) {
			return field
		}
		return strings.Map(func(r rune) rune {
			switch {
			case r >= '！' && r <= '～':
				return r - '！' + '!'
			case r >= utf8.RuneSelf && unicode.Is(unicode.Nd, r):
				return '0' + digitOf(r)
			}
			return r
		}, marksOf.Replace(field))
	})
}

// digitOf is what a decimal digit is worth: ten stand in a row in every script.
func digitOf(r rune) rune {
	n := rune(0)
	for n < 9 && unicode.Is(unicode.Nd, r-n-1) {
		n++
	}
	return n
}

// fields changes what stands between the blanks of a text.
func fields(text string, change func(field string) string) string {
	var out strings.Builder
	for len(text) > 0 {
		n := strings.IndexFunc(text, unicode.IsSpace)
		if n < 0 {
			n = len(text)
		}
		out.WriteString(change(text[:n]))
		_, size := utf8.DecodeRuneInString(text[n:])
		if n < len(text) {
			out.WriteString(text[n : n+size])
		}
		text = text[min(n+size, len(text)):]
	}
	return out.String()
}

// fileLike reports whether a word is written like the name of a file.
func fileLike(field string) bool {
	at := strings.LastIndexByte(field, '.')
	return strings.ContainsAny(field, "/\\_") || at > 0 && at+1 < len(field) && unicode.In(rune(field[at+1]), unicode.Latin)
}

// WithoutForeignScript are the questions that a text may ask, where some of its words are of
// other scripts than the Latin one: what is left of it, with "of" behind a percentage and
// "in" elsewhere in their place. There are none where nothing is left, or left out.
func WithoutForeignScript(text string) []string {
	var parts []string
	var part strings.Builder
	found := false
	end := func() {
		kept := strings.Trim(part.String(), " \t\n,;:!?=")
		if part.Reset(); strings.ContainsFunc(kept, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			parts = append(parts, kept)
		}
	}
	for _, piece := range apart(text) {
		if piece.other {
			found = true
			end()
			continue
		}
		part.WriteString(piece.text)
	}
	end()
	switch {
	case !found || len(parts) == 0:
		return nil
	case len(parts) == 1:
		return parts
	}
	joined := parts[0]
	for i, part := range parts[1:] {
		joined += map[bool]string{true: " of ", false: " in "}[strings.HasSuffix(parts[i], "%")] + part
	}
	list := []string{joined, strings.Join(parts, " ")}
	if len(parts) == 2 && strings.HasSuffix(parts[1], "%") { // 840の12%
		list = append(list, parts[1]+" of "+parts[0])
	}
	return list
}

// run is a part of a text whose letters are all of other scripts, or none is.
type run struct {
	text  string
	other bool
}

// apart cuts a text where its script changes. What stands in quotes, is written like the
// name of a file, or is a Greek letter alone belongs to what is around it.
func apart(text string) (runs []run) {
	var kept [][2]int
	for _, t := range Lex(text) {
		if t.Shape == Quoted || t.Shape == Link || t.Shape == Path {
			kept = append(kept, [2]int{t.Start, t.End})
		}
	}
	at := 0
	for field := range strings.FieldsSeq(text) {
		at += strings.Index(text[at:], field)
		if fileLike(field) {
			kept = append(kept, [2]int{at, at + len(field)})
		}
		at += len(field)
	}
	from, other := 0, false
	for i, r := range text {
		inside := slices.ContainsFunc(kept, func(k [2]int) bool { return i >= k[0] && i < k[1] })
		is := !inside && (ofOther(text, i, r) || other && unicode.IsMark(r))
		if is != other {
			if i > from {
				runs = append(runs, run{text[from:i], other})
			}
			from, other = i, is
		}
	}
	return append(runs, run{text[from:], other})
}

// ofOther reports whether the letter at a place of a text is of another script.
func ofOther(text string, at int, r rune) bool {
	if !unicode.IsLetter(r) || unicode.In(r, unicode.Latin) || r == 'µ' || r == 'ª' || r == 'º' {
		return false
	}
	if !unicode.In(r, unicode.Greek) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at+utf8.RuneLen(r):])
	return unicode.In(before, unicode.Greek) || unicode.In(after, unicode.Greek)
}

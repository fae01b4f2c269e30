package offline

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// class says what shape a token has.
type class uint8

const (
	word   class = iota
	number       // 12, 3.5, 1_000, 12%
	date         // 2026-03-01, 14:30
	path         // README.md, src/x, *.go
	quoted       // "...", `...`
	link         // https://...
	sign         // + * = and other runs of signs
)

// token is one word or shape of a text.
type token struct {
	class class
	text  string // as it stands in the source
	lower string
	start int // byte offsets in the source
	end   int
}

// The most that is looked at of one text. What is beyond it is handed on all the
// same, unread.
const (
	maxTokens = 240
	maxQuote  = 32 << 10
)

var (
	numberShape = regexp.MustCompile(`^[$€£¥]?[+-]?\d[\d.,_]*(%|[kM])?$`)
	dateShape   = regexp.MustCompile(`^(\d{4}-\d{2}(-\d{2})?|\d{1,2}\.\d{1,2}\.\d{2,4}|\d{1,2}/\d{1,2}/\d{2,4}|\d{1,2}:\d{2}(:\d{2})?([ap]m)?|\d{1,2}[ap]m)$`)
	linkShape   = regexp.MustCompile(`(?i)^([a-z][a-z0-9+.-]*://\S+|www\.\S+|[\w.+-]+@[\w-]+\.[a-z]{2,})$`)
	pathShape   = regexp.MustCompile(`^(\.{0,2}/|~/|\*\.)[\w.*~/-]*$|^[\w*.-]+/[\w./*-]*[A-Za-z_*][\w./*-]*$|^[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,6}$|^\.[a-z][\w-]{2,}$`)
)

// lex splits text into at most maxTokens tokens.
func lex(text string) []token {
	var tokens []token
	for at := 0; at < len(text) && len(tokens) < maxTokens; {
		r, size := utf8.DecodeRuneInString(text[at:])
		if unicode.IsSpace(r) {
			at += size
			continue
		}
		if end := quotation(text, at); end > 0 {
			tokens = append(tokens, token{class: quoted, text: text[at:end], lower: text[at:end], start: at, end: end})
			at = end
			continue
		}
		end := len(text)
		if i := strings.IndexFunc(text[at:], unicode.IsSpace); i >= 0 {
			end = at + i
		}
		tokens = append(tokens, chunk(text, at, end)...)
		at = end
	}
	return tokens
}

// quotation is where the quotation that begins at a place ends, 0 where none
// begins.
func quotation(text string, at int) int {
	opening, closing := "", ""
	for _, pair := range [...][2]string{{"```", "```"}, {"`", "`"}, {`"`, `"`}, {"“", "”"}, {"«", "»"}, {"„", "“"}, {"'", "'"}} {
		if strings.HasPrefix(text[at:], pair[0]) {
			opening, closing = pair[0], pair[1]
			break
		}
	}
	if opening == "" {
		return 0
	}
	rest := text[at+len(opening):]
	i := strings.Index(rest[:min(len(rest), maxQuote)], closing)
	if i <= 0 {
		return 0
	}
	end := at + len(opening) + i + len(closing)
	if opening == "'" { // or is it an apostrophe?
		after, _ := utf8.DecodeRuneInString(text[end:])
		if at > 0 && !strings.ContainsAny(text[at-1:at], " \t\n(=:,") || strings.ContainsAny(rest[:i], "\n?") || unicode.IsLetter(after) {
			return 0
		}
	}
	return end
}

// chunk takes a run without blanks apart: the punctuation around it is dropped,
// what has a shape is one token, words are cut at signs.
func chunk(text string, start, end int) []token {
	const opening, closing = "([{<,;:!?¿¡", ")]}>,;:!?.…'\"”’`"
	s := strings.TrimLeft(text[start:end], opening)
	start = end - len(s)
	s = strings.TrimRight(s, closing)
	if s == "" {
		return nil
	}
	if c, ok := shape(s); ok {
		return []token{{class: c, text: s, lower: strings.ToLower(s), start: start, end: start + len(s)}}
	}
	var tokens []token
	kind := func(r rune) int {
		switch {
		case unicode.IsLetter(r), unicode.IsMark(r), r == '_', r == '\'', r == '’', r == '-', r == '°':
			return 1
		case unicode.IsDigit(r), r == '.', r == ',', r == '%':
			return 2
		}
		return 3
	}
	from, last := 0, 0
	for i, r := range s + " " {
		k := kind(r)
		if i > 0 && (k != last || i == len(s)) {
			piece := s[from:i]
			c := word
			switch last {
			case 2:
				c = number
			case 3:
				c = sign
			}
			tokens = append(tokens, token{class: c, text: piece, lower: strings.ToLower(piece), start: start + from, end: start + i})
			from = i
		}
		last = k
	}
	return tokens
}

// shape tells what s is by its form alone.
func shape(s string) (class, bool) {
	switch {
	case len(s) > 512:
		return quoted, true
	case !strings.ContainsAny(s, "0123456789./@:*~"):
		return word, !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' && r != '-' && r != '_' })
	case dateShape.MatchString(s):
		return date, true
	case numberShape.MatchString(s):
		return number, true
	case linkShape.MatchString(s):
		return link, true
	case pathShape.MatchString(s) && strings.ContainsAny(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz*"):
		return path, true
	}
	return word, false
}

// unquote is what stands in quotes, or the text itself.
func unquote(s string) string {
	if t := strings.TrimSuffix(strings.TrimPrefix(s, "```"), "```"); t != s {
		return strings.TrimSpace(t)
	}
	return strings.Trim(s, "\"'`“”«»„")
}

// clip shortens s to at most n bytes at the end of a rune.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

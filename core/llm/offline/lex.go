package offline

import (
	"regexp"
	"strings"
)

// class says what shape a token has.
type class uint8

const (
	quoted class = iota // "...", `...`
	link                // https://...
	date                // 2026-03-01, 14:30
	path                // README.md, src/x, *.go
	number              // 12, 3.5, 1_000, 12%
	word
	sign // + * = and other runs of signs
)

// token is one word or shape of a text.
type token struct {
	class class
	text  string // as it stands in the source
	lower string
	start int // byte offsets in the source
	end   int
}

// maxTokens are looked at of one text. What is beyond is handed on unread.
const maxTokens = 240

// shapes are those of the classes, in their order.
var shapes = regexp.MustCompile(`(?i)` +
	"(```(?s:.+?)```|`[^`]+`|\"[^\"]+\"|“[^”]+”|«[^»]+»|„[^“”]+[“”]|\\B'[^'\n?]+'\\B)" +
	`|([a-z][a-z0-9+.-]*://\S*[\w/]|www\.\S*\w|[\w.+-]+@[\w-]+(?:\.[a-z]{2,})+)` +
	`|(\d{4}-\d{2}(?:-\d{2})?\b|\d{1,2}\.\d{1,2}\.\d{2,4}\b|\d{1,2}/\d{1,2}/\d{2,4}\b|\d{1,2}:\d{2}(?::\d{2})?(?:[ap]m)?\b|\d{1,2}[ap]m\b)` +
	`|(\B~?/[\w./*-]*[\w*]|\.{1,2}/[\w./*-]*|[\w*.-]*[a-z_*][\w*.-]*/[\w./*-]*|[\w*.-]+/[\w./*-]*[a-z_][\w*/]*|\*\.\w+|\w[\w.-]*\.[a-z][a-z0-9]{0,6}\b|\.[a-z][\w-]{2,})` +
	`|((?:\B[+-])?[$€£¥]?\d(?:[\d.,_]*\d)?(?:%|[km]\b)?)` +
	`|([\p{L}\p{M}_](?:[\p{L}\p{M}\p{N}_'’°-]|\.\d)*)` +
	`|([^\s\p{L}\p{N}.,;:!?¿¡…()\[\]{}<>'"‘’“”„«»` + "`" + `]+)`)

// lex splits text into at most maxTokens tokens.
func lex(text string) []token {
	var tokens []token
	for _, at := range shapes.FindAllStringSubmatchIndex(text, maxTokens) {
		for c := quoted; c <= sign; c++ {
			if start, end := at[2*c+2], at[2*c+3]; start >= 0 {
				tokens = append(tokens, token{c, text[start:end], strings.ReplaceAll(strings.ToLower(text[start:end]), "’", "'"), start, end})
			}
		}
	}
	return tokens
}

// unquote is what stands in quotes, or the text itself.
func unquote(s string) string {
	if t := strings.TrimSuffix(strings.TrimPrefix(s, "```"), "```"); t != s {
		return strings.TrimSpace(t)
	}
	return strings.Trim(s, "\"'`“”«»„")
}

package lang

import (
	"regexp"
	"strings"
	"sync"
)

// Shape says what form a [Token] has.
type Shape uint8

// The shapes of tokens.
const (
	Quoted Shape = iota // "...", `...`
	Link                // https://...
	Date                // 2026-03-01, 14:30
	Path                // README.md, src/x, *.go
	Number              // 12, 3.5, 1_000, 12%
	Word
	Sign // + * = and other runs of signs
)

// Token is one word or shape of a text.
type Token struct {
	Shape Shape
	Text  string // as it stands in the text
	Lower string // in lower case, with plain apostrophes
	Start int    // byte offsets in the text
	End   int
}

// The most that [Lex] looks at of one text.
const (
	maxTokens = 240
	maxText   = 4 << 10 // bytes
)

// pattern returns an expression that is compiled when it is used first: most
// processes never use it.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// shapes are those of the tokens, in the order of their constants.
//
//nolint:gochecknoglobals // never changes; see pattern
var shapes = pattern(`(?i)` +
	"(```(?s:.+?)```|`[^`]+`|\"[^\"]+\"|“[^”]+”|«[^»]+»|„[^“”]+[“”]|\\B'[^'\n?]+'\\B)" +
	`|([a-z][a-z0-9+.-]*://\S*[\w/]|www\.\S*\w|[\w.+-]+@[\w-]+(?:\.[a-z]{2,})+)` +
	`|(\d{4}-\d{2}(?:-\d{2})?\b|\d{1,2}\.\d{1,2}\.\d{2,4}\b|\d{1,2}/\d{1,2}/\d{2,4}\b|\d{1,2}:\d{2}(?::\d{2})?(?:[ap]m)?\b|\d{1,2}[ap]m\b)` +
	`|(\B~?/[\w./*-]*[\w*]|\.{1,2}/[\w./*-]*|[\w*.-]*[a-z_*][\w*.-]*/[\w./*-]*|[\w*.-]+/[\w./*-]*[a-z_][\w*/]*|\*\.\w+|\w[\w.-]*\.[a-z][a-z0-9]{0,6}\b|\.[a-z][\w-]{2,})` +
	`|(0x[0-9a-f]+\b|0b[01]+\b|(?:\B[+-])?[$€£¥]?\d(?:[\d.,_]*\d)?(?: ?%|[km]\b)?)` +
	`|([\p{L}\p{M}_](?:[\p{L}\p{M}\p{N}_'’°-]|\.\d)*)` +
	`|([^\s\p{L}\p{N}.,;:!?¿¡…()\[\]{}<>'"‘’“”„«»` + "`" + `]+)`)

// Lex returns the first 240 tokens of a text, none from beyond its first 4 KB. What
// stands in quotes is one token; other punctuation is none.
func Lex(text string) []Token {
	var tokens []Token
	for _, at := range shapes().FindAllStringSubmatchIndex(text[:min(len(text), maxText)], maxTokens) {
		for c := Quoted; c <= Sign; c++ {
			if start, end := at[2*c+2], at[2*c+3]; start >= 0 {
				tokens = append(tokens, Token{c, text[start:end], strings.ReplaceAll(strings.ToLower(text[start:end]), "’", "'"), start, end})
			}
		}
	}
	return tokens
}

// Joined puts tokens that stand without a gap into one, which has the shape of the
// first: 7/16, 10:30-11.
func Joined(tokens []Token) (list []Token) {
	for _, t := range tokens {
		if last := len(list) - 1; last >= 0 && list[last].End == t.Start {
			list[last].Text, list[last].Lower, list[last].End = list[last].Text+t.Text, list[last].Lower+t.Lower, t.End
			continue
		}
		list = append(list, t)
	}
	return list
}

// Unquote is what stands in quotes, or the text itself.
func Unquote(s string) string {
	if t := strings.TrimSuffix(strings.TrimPrefix(s, "```"), "```"); t != s {
		return strings.TrimSpace(t)
	}
	return strings.Trim(s, "\"'`“”«»„")
}

// Package plain reads questions in plain language, for the experts that are
// built in, and quotes names in their answers.
package plain

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Expr returns an expression, whatever the case, that is compiled when it is
// used first: every process of the room links the experts, and most never ask
// one.
func Expr(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?i)" + expr) })
}

//nolint:gochecknoglobals // never change; see Expr
var (
	// Word is a word of a question, or what stands between quotes.
	Word = Expr(`"[^"]*"|'[^']*'|` + "`[^`]*`" + `|[^\s,]+`)

	polite = Expr(`^(?:(?:please|hey|hi|hello|ok|okay|so|and|now|then|also|just)\b[,:\s]*|(?:can|could|would|will) (?:you|i|we) |i (?:want|need|would like) (?:you )?to |let me |let's |tell me |do you know )+`)
)

// Clean returns a question of at most so many bytes on one line, with plain
// quotes and without the politeness that it begins with.
func Clean(prompt string, most int) string {
	s := strings.ToValidUTF8(prompt[:min(len(prompt), most)], "")
	s = strings.NewReplacer("“", `"`, "”", `"`, "‘", "'", "’", "'", "\x00", "").Replace(s)
	s = polite().ReplaceAllString(strings.Join(strings.Fields(s), " "), "")
	return strings.TrimRight(s, "?!. ")
}

// Number reads digits, or a small number in words; 0 where there is none.
func Number(s string) int {
	n, _ := strconv.Atoi(s) // 0 where it is none
	return max(n, 1+slices.Index(strings.Fields("one two three four five six seven eight nine ten"), strings.ToLower(s)))
}

// Unquote takes the quotes off a word that has them on both sides.
func Unquote(s string) string {
	if len(s) > 1 && s[0] == s[len(s)-1] && strings.ContainsRune("\"'`", rune(s[0])) {
		return s[1 : len(s)-1]
	}
	return s
}

// Code returns a name as Markdown shows it: to the letter.
func Code(s string) string { return "`" + strings.ReplaceAll(s, "`", "'") + "`" }

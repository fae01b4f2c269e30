// Package plain reads questions in plain language, for the experts that are
// built in, and quotes names in their answers.
package plain

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
)

// LazyRegexp returns a case-insensitive expression that is compiled at its first use: every
// process of the room links the experts, and most never ask one.
func LazyRegexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?i)" + expr) })
}

// Number reads digits, or a small number in words; 0 where there is none.
func Number(s string) int {
	n, _ := strconv.Atoi(s) // 0 where it is none
	s = Fold(s)
	for i, words := range strings.Split("one ein eine einen uno una,two zwei dos,three drei tres,four vier cuatro,five funf cinco,six sechs seis,seven sieben siete,eight acht ocho,nine neun nueve,ten zehn diez,eleven elf once,twelve zwolf doce,twenty zwanzig veinte", ",") {
		if slices.Contains(strings.Fields(words), s) {
			n = [13]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 20}[i]
		}
	}
	return max(n, 0)
}

// Unquote takes the quotes off a word that has them on both sides.
func Unquote(s string) string {
	if len(s) > 1 && s[0] == s[len(s)-1] && strings.ContainsRune("\"'`", rune(s[0])) {
		return s[1 : len(s)-1]
	}
	return s
}

// Code returns a name as a code span of Markdown.
func Code(s string) string { return "`" + strings.ReplaceAll(s, "`", "'") + "`" }

// AmbiguousError is a question that cannot be answered without asking back; Needs is what is
// missing, in a word.
type AmbiguousError struct {
	Message, Needs string
	Options        []string
}

func (u *AmbiguousError) Error() string { return u.Message }

// ErrorReply makes a reply of an error: a question back of an [AmbiguousError], its text of
// a [core.Error], late if the time of ctx is over, and failed, a format, of any other. For a
// question that was cancelled it returns the error of ctx.
func (v Translator) ErrorReply(ctx context.Context, err error, late, failed string) (core.Reply, error) {
	var ask *AmbiguousError
	var known *core.Error
	switch {
	case errors.As(err, &ask):
		return experts.Clarify(ask.Message, ask.Options...), nil
	case errors.As(err, &known):
		return experts.Failure(strings.TrimSpace(known.Message+" "+known.Hint), map[string]any{"error": known.Message}), nil
	case errors.Is(ctx.Err(), context.Canceled):
		return core.Reply{}, ctx.Err()
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded):
		return experts.Failure(late, nil), nil
	}
	return experts.Failure(v.Say(failed, err), nil), nil
}

// Package calc is the expert for arithmetic and units. It computes exactly, in
// fractions, and says so where a result had to be rounded. Every question is
// answered in bounded time: what would be too large is refused.
package calc

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"yaap/core"
	"yaap/experts"
)

const maxPrompt = 8 << 10 // bytes

const help = "I can do arithmetic and convert units. For example: \"what is 12% of 840\", or \"5 miles in km\"."

// New returns the expert. It is safe for concurrent use.
func New() experts.Expert {
	lex := newLexicon()
	return experts.Expert{
		Name: "calc",
		Description: "Does arithmetic exactly: plus, minus, times, divided by, percent of a number, discounts and tax, fractions, " +
			"powers, square roots, factorials, very large numbers, sums and averages of a list, remainders, common divisors. " +
			"Converts units: length (km, miles, feet), mass (kg, pounds), temperature (Celsius, Fahrenheit), " +
			"bytes (GB, GiB), seconds, minutes and hours, area, volume, speed; and numbers between decimal, hex, octal and binary.",
		Examples: []string{
			"what is 12% of 840?",
			"1/3 + 1/6 * 2",
			"square root of 2 plus 2^10",
			"convert 72 F to celsius",
			"average of 3, 4 and 8",
		},
		Answer: func(ctx context.Context, q experts.Question) (core.Reply, error) {
			return answer(ctx, lex, q)
		},
	}
}

func answer(ctx context.Context, lex lexicon, q experts.Question) (core.Reply, error) {
	if len(q.Prompt) > maxPrompt {
		return experts.Failure("That is too long for me: I read questions of at most 8000 characters.", nil), nil
	}
	r, err := lex.read(ctx, q.Prompt, q.Context)
	if errors.Is(err, errUnread) {
		bare := trailer.ReplaceAllString(preamble.ReplaceAllString(q.Prompt, ""), "")
		r, err = lex.read(ctx, bare, q.Context)
	}
	var refused refusal
	switch {
	case err == nil:
		return r.reply(), nil
	case ctx.Err() != nil:
		return core.Reply{}, ctx.Err()
	case errors.As(err, &refused):
		return experts.Failure(string(refused), nil), nil
	}
	return experts.Clarify(help, "what is 12% of 840", "5 miles in km"), nil
}

// What people say around a calculation: "my rent goes up: what is 12% of 840
// for a tenant?"
var (
	preamble = regexp.MustCompile(`(?is)^\D*\b(?:what is|what's|whats|how much is|calculate|compute|work out)\b`)
	trailer  = regexp.MustCompile(`(?is)[, ]+(?:for|because|since|so|today)\b\D*$`)
)

// withoutMoney drops the name of a currency; of two it would have to know the
// rate.
func withoutMoney(toks []token) ([]token, error) {
	seen := map[string]bool{}
	toks = slices.DeleteFunc(toks, func(t token) bool {
		if t.kind == "money" {
			seen[t.text] = true
		}
		return t.kind == "money"
	})
	if len(seen) > 1 {
		return nil, refusal("I do not know exchange rates: they change every minute. Tell me the rate and I can multiply.")
	}
	return toks, nil
}

// recall puts the result of the conversation's last calculation in the place
// of "it" and "that".
func recall(toks []token, conversation []core.Message) []token {
	var last token
	for _, m := range conversation {
		if _, after, ok := strings.Cut(m.Text, " is "); ok && m.Role != core.RoleUser && m.Role != core.RoleSystem {
			text := numeral.FindString(strings.TrimPrefix(after, "about "))
			if n, text := parseNumeral(text); n != nil && len(text) < 400 {
				last = token{kind: "num", text: text, num: n}
			}
		}
	}
	for i, t := range toks {
		if t.kind == "ans" {
			toks[i] = last // no kind is known to the parser where there is none
		}
	}
	return toks
}

// Package calc is the expert for arithmetic and units. It computes exactly, in
// fractions, and says so where a result had to be rounded. Every question is
// answered in bounded time: what would be too large is refused.
package calc

import (
	"context"
	"errors"
	"math/big"
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
	toks, currencies := withoutMoney(recall(lex.tokens(q.Prompt), q.Context))
	if len(currencies) > 1 {
		return experts.Failure("I do not know exchange rates: they change every minute. Tell me the rate and I can multiply.", nil), nil
	}
	r, err := ask(ctx, toks)
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

// ask answers the question that toks are, or the only one among the words that
// mean nothing here.
func ask(ctx context.Context, toks []token) (result, error) {
	r, err := question(ctx, toks)
	if err == nil || !errors.Is(err, errUnread) {
		return r, err
	}
	if bare := withoutLabels(toks); len(bare) < len(toks) && complete(bare) {
		if r, err := question(ctx, bare); err == nil && r.value.unit == nil {
			return r, nil
		}
	}
	found := 0
	for rest := toks; len(rest) > 0; {
		end := slices.IndexFunc(rest, func(t token) bool { return t.kind == "unknown" })
		if end < 0 {
			end = len(rest)
		}
		part := trim(rest[:end])
		if complete(part) && part[0].fresh && (end == len(rest) || aside(rest[end].text)) {
			switch one, oneErr := question(ctx, part); {
			case oneErr == nil:
				r, found = one, found+1
			case !errors.Is(oneErr, errUnread):
				err = oneErr
			}
		}
		rest = rest[min(end+1, len(rest)):]
	}
	if found == 1 {
		return r, nil
	}
	return result{}, err
}

// aside reports whether a word after a calculation leaves it as it is: not
// "12 + 30 parsecs".
func aside(word string) bool {
	return slices.Contains(strings.Fields("for because since when while who where which but so today though having as"), strings.ToLower(word))
}

// withoutLabels drops the one thing that is counted, as in "3 apples plus 4
// apples"; with different things nothing is dropped.
func withoutLabels(toks []token) []token {
	label := ""
	var out []token
	for i, t := range toks {
		name := strings.TrimSuffix(strings.ToLower(t.text), "s")
		switch {
		case t.kind != "unknown":
			out = append(out, t)
		case i == 0 || toks[i-1].kind != "num" && toks[i-1].kind != "post" || label != "" && name != label || len(name) < 3 || strings.ContainsAny(name, "0123456789"):
			return toks
		}
		if t.kind == "unknown" {
			label = name
		}
	}
	return out
}

// trim drops what cannot begin or end a question.
func trim(toks []token) []token {
	loose := func(t token) bool {
		return t.is("op", ",") || t.kind == "word" && !slices.Contains([]string{"howmany", "convert", "round", "places", "whole", "degrees", "radians"}, t.text)
	}
	for len(toks) > 0 && loose(toks[0]) {
		toks = toks[1:]
	}
	for len(toks) > 0 && loose(toks[len(toks)-1]) {
		toks = toks[:len(toks)-1]
	}
	return toks
}

// complete reports whether toks, found among other words, are worth reading:
// not "20%" or "+ 5" alone.
func complete(toks []token) bool {
	operands := 0
	for i, t := range toks {
		switch t.kind {
		case "num", "unit", "const", "base":
			if i == 0 || t.kind != "unit" || toks[i-1].kind != "num" {
				operands++
			}
		case "fn", "list":
			operands += 2
		case "post":
			if t.text != "%" {
				operands += 2
			}
		}
	}
	return operands > 1 && (toks[0].kind != "op" || toks[0].text == "(")
}

// withoutMoney drops currency names and returns which there were.
func withoutMoney(toks []token) ([]token, map[string]bool) {
	seen := map[string]bool{}
	return slices.DeleteFunc(toks, func(t token) bool {
		if t.kind == "money" {
			seen[t.text] = true
		}
		return t.kind == "money"
	}), seen
}

// recall puts the result of the conversation's last calculation in the place
// of "it" and "that".
func recall(toks []token, conversation []core.Message) []token {
	for i, t := range toks {
		if t.kind != "ans" {
			continue
		}
		toks[i] = token{kind: "unknown", text: t.text}
		for _, m := range slices.Backward(conversation) {
			if n, text := lastResult(m); n != nil {
				toks[i] = token{kind: "num", text: text, num: n}
				break
			}
		}
	}
	return toks
}

// lastResult finds the number that a message of this expert's, or one that
// ends like it, says.
func lastResult(m core.Message) (n *big.Rat, text string) {
	if m.Role != core.RoleAssistant && m.Role != core.RoleTool {
		return nil, ""
	}
	if m.Reply != nil {
		text, _ = m.Reply.Data["decimal"].(string)
	}
	if m.Result != nil && text == "" {
		text, _ = m.Result.Data["decimal"].(string)
	}
	if _, after, ok := strings.Cut(m.Text, " is "); ok && text == "" {
		text = numeral.FindString(strings.TrimPrefix(after, "about "))
	}
	if text == "" || len(text) > 400 {
		return nil, ""
	}
	return parseNumeral(text)
}

// Package calc is the expert for arithmetic and units. It computes exactly, in
// fractions, and says so where a result had to be rounded. Every question is
// answered in bounded time: what would be too large is refused.
package calc

import (
	"context"
	"errors"
	"strconv"
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
		Name:    "calc",
		Context: true, // "and half of that?"
		Description: "Does arithmetic exactly: plus, minus, times, divided by, percent of a number, discounts and tax, fractions, " +
			"powers, square roots, factorials, very large numbers, sums and averages of a list, remainders, the greatest common divisor (gcd). " +
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
			return lex.answer(ctx, q)
		},
	}
}

func (l *lexicon) answer(ctx context.Context, q experts.Question) (core.Reply, error) {
	if len(q.Prompt) > maxPrompt {
		return experts.Failure("That is too long for me: I read questions of at most 8000 characters.", nil), nil
	}
	r, err := l.read(ctx, q.Prompt, q.Context)
	if errors.Is(err, unread) {
		bare := l.trailer.ReplaceAllString(l.preamble.ReplaceAllString(q.Prompt, ""), "")
		r, err = l.read(ctx, bare, q.Context)
	}
	switch {
	case ctx.Err() != nil:
		return core.Reply{}, ctx.Err()
	case errors.Is(err, unread):
		return experts.Clarify(help, "what is 12% of 840", "5 miles in km"), nil
	case errors.As(err, new(question)):
		return experts.Clarify(err.Error()), nil
	case err != nil:
		return experts.Failure(err.Error(), nil), nil
	}
	return r.reply(), nil
}

// result is a value and how it is wanted.
type result struct {
	value  value
	target *unit  // what to convert to, or nil
	base   string // a base, or "fraction"
	places int    // digits after the point, -1 as they come
}

// read reads and computes a whole question.
func (l *lexicon) read(ctx context.Context, prompt string, conversation []core.Message) (r result, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case refusal:
			err = e
		case question:
			err = e
		default:
			panic(e)
		}
	}()
	r.places = -1
	if m := l.rounding.FindStringSubmatch(prompt); m != nil {
		prompt = strings.TrimSuffix(prompt, m[0])
		r.places, _ = strconv.Atoi(m[1])
	}
	p := &parser{ctx: ctx, toks: l.recall(l.tokens(prompt), conversation)}
	for p.take("op", ",") || p.take("word", "and") || p.take("word", "of") {
	}
	if p.take("word", "round") {
		r.places = max(r.places, 0)
	}
	p.take("word", "convert")
	p.take("word", "from")
	switch t := p.peek(); {
	case p.take("word", "howmany") || t.kind == "unit" && p.peekAt(1).is("word", "in") && p.peekAt(2).kind == "num": // "seconds in a week"
		p.target(&r)
		expect(r.target != nil)
		_ = p.take("word", "in") || p.take("word", "to")
	case t.kind == "base":
		p.target(&r)
		p.take("word", "of")
	}
	r.value = p.sum()
	if r.base == "" && r.target == nil && (p.take("word", "in") || p.take("word", "to")) {
		p.take("word", "howmany")
		p.target(&r)
	}
	p.take("op", ",")
	expect(len(p.toks) == 0)
	if v := r.value; p.steps == 0 && r.target == nil && r.base == "" && r.places < 0 {
		expect(v.unit != nil && strings.ContainsAny(prompt, "0123456789"))
		panic(question("Into what shall I convert " + v.text + "? Say for example \"" + v.text + " in\" and the other unit."))
	}
	r.convert()
	return r, nil
}

// target reads what to convert to.
func (p *parser) target(r *result) {
	switch t := p.next(); {
	case t.kind == "unit":
		r.target = t.unit
	case t.is("post", "%"):
		r.target = percent()
	case t.kind == "base":
		p.steps++
		r.base = t.text
	default:
		panic(unread)
	}
}

func (r *result) convert() {
	if r.target != nil {
		r.value = r.value.to(r.target)
		r.value.exact = r.value.exact && fits(r.value.n)
	}
	switch r.base {
	case "":
	case "fraction", "10":
		r.value = r.value.plain()
	default:
		if r.value.unit != nil || !r.value.n.IsInt() {
			panic(notWhole)
		}
	}
	if len(strings.TrimPrefix(r.value.n.Num().String(), "-")) > maxDigits {
		panic(tooLarge)
	}
}

// recall puts the result of the conversation's last calculation in the place
// of "it" and "that".
func (l *lexicon) recall(toks []token, conversation []core.Message) []token {
	var last token // no kind is known to the parser where there is none
	for _, m := range conversation {
		if _, after, ok := strings.Cut(m.Text, " is "); ok && m.Role != core.RoleUser && m.Role != core.RoleSystem {
			text := l.numeral.FindString(strings.TrimPrefix(after, "about "))
			if text != "" && len(text) < 400 {
				last = l.parseNumeral(text)
			}
		}
	}
	for i, t := range toks {
		if t.kind == "ans" {
			toks[i] = last
		}
	}
	return toks
}

package calc

import (
	"context"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"yaap/core"
)

// result is a value and how it is wanted.
type result struct {
	value  value
	target []*unit // convert to these: one, or "feet and inches"
	base   string  // a base, or "fraction"
	places int     // digits after the point, -1 as they come
}

var rounding = regexp.MustCompile(`(?i)[, ]*\b(?:rounded |round )?(?:off )?(?:to|with|in|as) (?:the nearest (?:integer|whole number|unit)|an integer|` +
	`(\d{1,2}) (?:decimals?|(?:decimal )?(?:places?|digits?)|dp)(?: after the (?:decimal )?point)?)[ ?.!]*$`)

// read reads and computes a whole question.
func (l *lexicon) read(ctx context.Context, prompt string, conversation []core.Message) (result, error) {
	r := result{places: -1}
	if m := rounding.FindStringSubmatch(prompt); m != nil {
		prompt = strings.TrimSuffix(prompt, m[0])
		r.places, _ = strconv.Atoi(m[1])
	}
	toks, err := withoutMoney(recall(l.tokens(prompt), conversation))
	if err != nil {
		return r, err
	}
	p := &parser{ctx: ctx, toks: toks}
	for p.peek().is("op", ",") || p.peek().is("word", "and") || p.peek().is("word", "of") || p.peek().is("word", "to") && p.peekAt(1).kind == "num" {
		p.next()
	}
	if p.take("word", "round") {
		r.places = max(r.places, 0)
	}
	p.take("word", "convert")
	p.take("word", "from")
	switch unitFirst := p.peek().kind == "unit" && p.peekAt(1).is("word", "in"); {
	case p.take("word", "howmany") || unitFirst:
		p.target(&r)
		p.expect(len(r.target) > 0)
		if !p.take("word", "in") {
			p.take("word", "to")
		}
	case p.take("word", "to") || p.peek().kind == "base":
		p.target(&r)
		p.take("word", "of")
	}
	r.value = p.phrase()
	if r.base == "" && len(r.target) == 0 && (p.take("word", "in") || p.take("word", "to")) {
		p.take("word", "howmany")
		p.target(&r)
	}
	p.expect(len(p.toks) == 0)
	if p.err != nil {
		return r, p.err
	}
	if p.steps == 0 && len(r.target) == 0 && r.base == "" && r.places < 0 {
		if v := r.value; v.unit != nil && strings.ContainsAny(prompt, "0123456789") {
			return r, refusal("Into what shall I convert " + v.text + "? Say for example \"" + v.text + " in\" and the other unit.")
		}
		return r, errUnread
	}
	return r, r.convert()
}

// target reads what to convert to.
func (p *parser) target(r *result) {
	switch t := p.next(); {
	case t.kind == "unit":
		r.target = append(r.target, t.unit)
		if p.peek().is("word", "and") && p.peekAt(1).kind == "unit" {
			p.next()
			r.target = append(r.target, p.next().unit)
		}
	case t.kind == "base":
		r.base = t.text
		p.steps++
	case t.is("post", "%"):
		r.target = append(r.target, percent())
	default:
		p.fail(errUnread)
	}
}

func (r *result) convert() (err error) {
	for i := len(r.target) - 1; i >= 0; i-- { // by way of the second, for a common dimension
		if r.value, err = r.value.to(r.target[i]); err != nil {
			return err
		}
		r.value.exact = r.value.exact && fits(r.value.n)
	}
	if r.base == "fraction" || r.base == "10" {
		r.value = r.value.plain()
	} else if r.base != "" && (r.value.unit != nil || !r.value.n.IsInt()) {
		return notWhole
	}
	if text := r.value.n.Num().String(); len(strings.TrimPrefix(text, "-")) > maxDigits {
		return tooLarge
	}
	return nil
}

// inTwo says a quantity in whole ones of the first unit and a rest in the
// second.
func (r result) inTwo() string {
	n := r.value.n
	whole := new(big.Rat).SetInt(new(big.Int).Quo(n.Num(), n.Denom()))
	rest := new(big.Rat).Sub(n, whole)
	rest.Mul(rest, r.target[0].scale).Quo(rest, r.target[1].scale)
	text, _ := decimal(rest, r.value.exact)
	return whole.RatString() + " " + r.target[0].name + " " + text + " " + r.target[1].name
}

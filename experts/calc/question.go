package calc

import (
	"context"
	"math/big"
	"slices"
	"strings"
)

// result is a value and how it is wanted.
type result struct {
	value  value
	target []*unit // convert to these: one, or "feet and inches"
	base   string  // a base, "fraction" or "sci"
	places int     // digits after the point, -1 as they come
}

// question reads and computes a whole question.
func question(ctx context.Context, toks []token) (result, error) {
	r := result{places: -1}
	p := &parser{ctx: ctx, toks: trim(toks)}
	if last := len(p.toks) - 1; last > 0 && p.toks[last].is("verb", "change") { // "from 80 to 100, the percent increase"
		p.toks = append([]token{p.toks[last]}, trim(p.toks[:last])...)
	}
	p.take("word", "convert")
	p.take("word", "from")
	if p.take("word", "round") {
		r.places = 0
	}
	r.rounding(p)
	if p.take("word", "round") {
		p.fail(errUnread)
	}
	first := p.peek()
	switch unitFirst := first.kind == "unit" && p.peekAt(1).is("word", "in"); {
	case first.is("word", "howmany") || unitFirst:
		p.take("word", "howmany")
		p.readTarget(&r)
		p.expect(len(r.target) > 0)
		if !p.take("word", "in") {
			p.take("word", "to")
		}
	case first.is("word", "to") || first.kind == "base":
		p.take("word", "to")
		p.readTarget(&r)
		p.take("word", "of")
	}
	if len(p.toks) == 0 {
		return r, errUnread
	}
	r.value = p.phrase()
	if in := p.peek(); p.err == nil && (in.is("word", "in") || in.is("word", "to")) && len(r.target) == 0 && r.base == "" {
		p.next()
		p.take("word", "howmany")
		p.readTarget(&r)
		if r.value.unit == nil && len(r.target) > 0 && r.target[0].dim == "length" && in.text == "in" && p.err == nil {
			r.value = measured(r.value, inch())
		}
	}
	p.expect(len(p.toks) == 0)
	if p.err != nil {
		return r, p.err
	}
	asked := p.steps > 0 || len(r.target) > 0 || r.base != "" || r.places >= 0
	if !asked && r.value.unit != nil && slices.ContainsFunc(toks, func(t token) bool { return t.kind == "num" }) {
		return r, refusal("Into what shall I convert " + r.value.text + "? Say for example \"" + r.value.text + " in " + suggest(r.value.unit) + "\".")
	}
	p.expect(asked)
	return r, p.convert(&r)
}

// readTarget reads what to convert to.
func (p *parser) readTarget(r *result) {
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
	case t.is("word", "places"): // "decimal"
		r.base = "10"
		p.steps++
	case t.is("post", "%"):
		r.target = append(r.target, &unit{dim: "none", name: "%", scale: big.NewRat(1, 100)})
	case t.is("word", "in"):
		r.target = append(r.target, inch())
	default:
		p.fail(errUnread)
	}
}

// rounding takes "to 2 decimals" and "to the nearest integer" from the end.
func (r *result) rounding(p *parser) {
	n := len(p.toks)
	switch {
	case n >= 2 && p.toks[n-1].is("word", "places") && p.toks[n-2].kind == "num" && p.toks[n-2].num.IsInt():
		n -= 2
		places := p.toks[n].num.Num()
		if !places.IsInt64() || places.Int64() > 100 {
			p.fail(refusal("I round to at most 100 decimals."))
			return
		}
		r.places = int(places.Int64())
	case n >= 2 && p.toks[n-1].is("word", "whole") && (p.toks[n-2].is("word", "nearest") || p.toks[n-2].is("word", "to")):
		n--
		r.places = 0
	case n >= 3 && r.places == 0 && p.toks[n-1].kind == "num" && p.toks[n-2].is("word", "to") && len(p.toks[n-1].text) < 3 && p.toks[n-1].num.IsInt():
		n--
		r.places = int(p.toks[n].num.Num().Int64())
	default:
		return
	}
	for n > 0 && p.toks[n-1].kind == "word" {
		n--
	}
	p.toks = p.toks[:n]
}

func (p *parser) convert(r *result) error {
	if p.err != nil {
		return p.err
	}
	if len(r.target) > 0 {
		converted, ok := r.value.to(r.target[0])
		if !ok {
			return mismatch(r.value.unit, r.target[0])
		}
		converted.exact = converted.exact && fits(converted.n)
		r.value = converted
	} else {
		switch {
		case r.base == "fraction" || r.base == "10" || r.base == "sci":
			r.value = r.value.plain()
		case r.base != "" && (r.value.unit != nil || !r.value.n.IsInt()):
			return notWhole
		}
	}
	if len(r.target) > 1 && r.target[1].dim != r.target[0].dim {
		return mismatch(r.target[0], r.target[1])
	}
	if text := r.value.n.Num().String(); len(strings.TrimPrefix(text, "-")) > maxDigits {
		return tooLarge
	}
	return nil
}

// suggest names a unit that a quantity may be converted to.
func suggest(u *unit) string {
	for _, pair := range [][2]string{{"mi", "km"}, {"ft", "m"}, {"lb", "kg"}, {"°F", "°C"}, {"h", "minutes"}, {"GiB", "GB"}} {
		if u.name == pair[0] {
			return pair[1]
		}
	}
	return map[string]string{
		"length": "miles", "mass": "pounds", "temperature": "fahrenheit", "time": "hours",
		"data": "GiB", "area": "acres", "volume": "gallons", "speed": "mph",
	}[u.dim]
}

// split divides a quantity into whole ones of the first unit and a rest in the
// second.
func (r result) split() (whole *big.Rat, rest value) {
	whole = new(big.Rat).SetInt(new(big.Int).Quo(r.value.n.Num(), r.value.n.Denom()))
	rest = r.value
	rest.n = new(big.Rat).Sub(r.value.n, whole)
	rest, _ = rest.to(r.target[1])
	return whole, rest
}

package calc

import (
	"context"
	"errors"
	"math/big"
	"strings"
)

const (
	maxDepth = 100
	maxSteps = 500
)

// errUnread says that the tokens are not arithmetic as this package knows it.
var errUnread = errors.New("not arithmetic")

// parser reads and computes at the same time. The first thing that goes wrong
// stays in err, after which nothing is read any more.
type parser struct {
	ctx   context.Context
	toks  []token
	depth int
	steps int // operations done
	list  int // inside so many lists, where "and" separates
	err   error
}

func (p *parser) fail(err error) value {
	if p.err == nil {
		p.err = err
	}
	p.toks = nil
	return value{n: new(big.Rat), exact: true}
}

// step counts one operation and checks what came of it.
func (p *parser) step(v value, err error) value {
	p.steps++
	switch {
	case p.err != nil:
		return p.fail(p.err)
	case err != nil:
		return p.fail(err)
	case p.ctx.Err() != nil:
		return p.fail(p.ctx.Err())
	case p.steps > maxSteps:
		return p.fail(refusal("That is longer than the 500 steps I compute at once."))
	}
	v.n = rounded(v.n, v.exact)
	if !fits(v.n) {
		return p.fail(tooLarge)
	}
	return v
}

func (p *parser) peek() token {
	if len(p.toks) == 0 {
		return token{}
	}
	return p.toks[0]
}

func (p *parser) peekAt(i int) token {
	if i >= len(p.toks) {
		return token{}
	}
	return p.toks[i]
}

func (p *parser) next() token {
	t := p.peek()
	if len(p.toks) > 0 {
		p.toks = p.toks[1:]
	}
	return t
}

func (p *parser) take(kind, text string) bool {
	if !p.peek().is(kind, text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(ok bool) {
	if !ok {
		p.fail(errUnread)
	}
}

// phrase reads one of the sentences that begin with a verb, or an expression,
// and what is done to its result: "3 + 4, times 2", "and then add 5".
func (p *parser) phrase() value {
	var v value
	switch t := p.peek(); {
	case t.is("verb", "share"):
		p.next()
		whole := p.sum()
		p.take("op", ",")
		v = p.share(p.sum(), whole)
	case t.kind == "verb":
		p.next()
		v = p.verb(t.text)
	default:
		v = p.sum()
	}
	for p.err == nil {
		if p.take("verb", "share") {
			v = p.share(v, p.sum())
			continue
		}
		skip := 0
		for p.peekAt(skip).is("op", ",") || p.peekAt(skip).is("word", "and") {
			skip++
		}
		t := p.peekAt(skip)
		if t.kind != "verb" && (t.kind != "op" || skip == 0) {
			return v
		}
		p.toks = p.toks[skip+1:]
		p.take("word", "by")
		v.text, v.read = "("+v.text+")", "("+v.read+")"
		v = p.binary(v, t.text, p.product())
	}
	return v
}

func (p *parser) verb(name string) value {
	if name == "mod" {
		p.list++
		a := p.unary()
		p.list--
		p.expect(p.take("op", "/") || p.take("word", "by") || p.take("op", "mod") || p.take("word", "and"))
		return p.binary(a, "mod", p.unary())
	}
	p.list++
	a := p.subject(name)
	sep := p.next()
	p.list--
	p.expect(sep.kind == "word" || sep.is("op", ","))
	b := p.sum()
	switch name {
	case "increase":
		return p.binary(a, "+", b)
	case "decrease":
		return p.binary(a, "-", b)
	case "+":
		if sep.is("word", "to") && !b.percent() { // "add 5 to 20", and not "add 5 and 20"
			a, b = b, a
		}
		v := p.binary(a, "+", b)
		for p.peekAt(1).kind != "verb" && (p.take("op", ",") || p.take("word", "and")) {
			v = p.binary(v, "+", p.sum())
		}
		return v
	case "-", "take":
		return p.binary(b, "-", a)
	case "|-|":
		if a.dim() == b.dim() && compare(a, b) < 0 {
			a, b = b, a
		}
		return p.binary(a, "-", b)
	case "ratio":
		return p.binary(a, "/", b)
	case "change":
		v := p.binary(p.binary(b, "-", a), "/", a)
		v.text, v.read = "change from "+a.text+" to "+b.text, "("+b.read+" - "+a.read+") / "+a.read
		return p.asPercent(v)
	}
	return p.binary(a, name, b)
}

// subject reads what a verb is done with; in "take 15% off 80" it ends at off.
func (p *parser) subject(verb string) value {
	if verb == "take" {
		return p.unary()
	}
	return p.sum()
}

// share is part as a percentage of whole.
func (p *parser) share(part, whole value) value {
	v := p.asPercent(p.binary(part, "/", whole))
	v.text = part.text + " as a percentage of " + whole.text
	return v
}

func (p *parser) asPercent(v value) value {
	percent := unit{dim: "none", name: "%", scale: big.NewRat(1, 100)}
	v, ok := v.to(&percent)
	p.expect(ok)
	return v
}

func (p *parser) sum() value {
	if p.depth++; p.depth > maxDepth {
		return p.fail(refusal("That is nested more deeply than I read."))
	}
	defer func() { p.depth-- }()
	v := p.product()
	for p.err == nil {
		switch t := p.peek(); {
		case t.is("op", "+"), t.is("op", "-"):
			p.next()
			v = p.binary(v, t.text, p.product())
		default:
			return v
		}
	}
	return v
}

// aside is "15% off 80" and "20% more than 150".
func (p *parser) aside(part value, op string, from value, word string) value {
	v := p.binary(from, op, part)
	if word != "off" {
		word += " than"
	}
	v.text = part.text + " " + word + " " + from.text
	return v
}

func (p *parser) product() value {
	v := p.unary()
	for p.err == nil {
		switch t := p.peek(); {
		case t.is("op", "*"), t.is("op", "/"), t.is("op", "mod"), t.is("op", "choose"), t.is("word", "of"):
			p.next()
			v = p.binary(v, t.text, p.unary())
		case t.is("word", "off"), t.is("word", "less"):
			p.next()
			v = p.aside(v, "-", p.unary(), t.text)
		case t.is("word", "more"):
			p.next()
			v = p.aside(v, "+", p.unary(), t.text)
		case t.is("word", "by") && p.list == 0 && v.dim() == "length": // "3 m by 4 m"
			p.next()
			v = p.binary(v, "*", p.unary())
		case v.percent() && t.kind == "num":
			v = p.binary(v, "of", p.unary())
		case t.is("op", "("), t.kind == "const", t.kind == "fn":
			v = p.binary(v, "*", p.unary())
		default:
			return v
		}
	}
	return v
}

func (p *parser) unary() value {
	if p.depth++; p.depth > maxDepth {
		return p.fail(refusal("That is nested more deeply than I read."))
	}
	defer func() { p.depth-- }()
	switch {
	case p.take("op", "+"):
		return p.unary()
	case p.take("op", "-"):
		v := p.unary()
		v.n = new(big.Rat).Neg(v.n)
		v.text, v.read = "-"+v.text, "-"+v.read
		return v
	}
	v := p.postfix()
	if p.take("op", "^") {
		return p.binary(v, "^", p.unary())
	}
	return v
}

func (p *parser) postfix() value {
	v := p.quantity()
	for p.err == nil && p.peek().kind == "post" {
		switch t := p.next(); t.text {
		case "!":
			n, err := factorial(p.number(v))
			v = p.step(value{n: n, exact: v.exact, text: v.text + "!", read: v.read + "!"}, err)
		case "%":
			p.number(v)
			v.unit = &unit{dim: "none", name: "%", scale: big.NewRat(1, 100)}
			v.text, v.read = v.text+"%", v.read+"/100"
			p.steps++
		default:
			n, _ := new(big.Rat).SetString(t.text)
			v = p.binary(v, "^", value{n: n, exact: true, text: t.text, read: t.text})
		}
	}
	return v
}

// number returns v as a bare number.
func (p *parser) number(v value) *big.Rat {
	v = v.plain()
	if v.unit != nil {
		return p.fail(refusal("I can do that with numbers, but not with " + v.unit.name + ".")).n
	}
	return v.n
}

// quantity reads a number with the unit after it: "3 h 25 min", "6 ft 2".
func (p *parser) quantity() value {
	v := p.primary()
	if u := p.unitNext(v); u != nil {
		v = measured(v, u)
	}
	for p.err == nil && v.unit != nil {
		skip := 0
		if p.peek().is("word", "and") && p.list == 0 {
			skip = 1
		}
		num, after := p.peekAt(skip), p.peekAt(skip+1)
		if num.kind != "num" {
			return v
		}
		u := after.unit
		if v.unit.name == "ft" && (after.is("word", "in") || after.kind == "") {
			u = inch()
		}
		if u == nil || u.dim != v.unit.dim || u.dim == "temperature" {
			return v
		}
		if after.kind == "unit" || p.peekAt(skip+2).kind != "unit" { // not the "in" of "5 ft 11 in cm"
			skip++
		}
		p.toks = p.toks[min(len(p.toks), skip+1):]
		part := measured(value{n: num.num, exact: true, text: num.text, read: num.text}, u)
		whole, _ := part.to(v.unit)
		whole.n = whole.n.Add(whole.n, v.n)
		whole.text, whole.read = v.text+" "+part.text, v.read+" + "+part.read
		v = p.step(whole, nil)
	}
	return v
}

func inch() *unit { return &unit{dim: "length", name: "inch", scale: big.NewRat(254, 10000)} }

func measured(v value, u *unit) value {
	v.unit = u
	v.text, v.read = v.text+" "+u.name, v.read+" "+u.name
	return v
}

// unitNext takes the unit that follows v, if one does. "in" is the inch where
// no unit comes after it.
func (p *parser) unitNext(v value) *unit {
	t := p.peek()
	switch after := p.peekAt(1); {
	case v.unit != nil || v.n == nil || p.err != nil:
		return nil
	case t.kind == "unit":
		return p.next().unit
	case t.is("word", "from") && after.kind == "unit": // "360 from minutes to hours"
		p.next()
		return p.next().unit
	case t.is("word", "in") && (after.kind == "" || after.kind == "op" || after.is("word", "in") || after.is("word", "to")):
		p.next()
		return inch()
	}
	return nil
}

func (p *parser) primary() value {
	t := p.next()
	switch t.kind {
	case "huge":
		return p.fail(tooLarge)
	case "num":
		if strings.ContainsAny(t.text, "exob") || t.words > 1 {
			p.steps++
		}
		read := t.text
		if strings.Contains(t.text, " ") {
			read = t.num.RatString()
		}
		return value{n: t.num, exact: true, text: t.text, read: read}
	case "unit": // "an hour"
		return measured(value{n: big.NewRat(1, 1), exact: true, text: "1", read: "1"}, t.unit)
	case "const":
		p.steps++
		return constant(t.text)
	case "fn":
		p.take("word", "of")
		return p.function(t.text)
	case "list":
		return p.listOf(t.text)
	case "op":
		if t.text == "(" {
			v := p.sum()
			p.expect(p.take("op", ")"))
			v.text, v.read = "("+v.text+")", "("+v.read+")"
			return v
		}
	}
	return p.fail(errUnread)
}

func constant(name string) value {
	digits := map[string]string{
		"pi": "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651328230664709384460955058223172535940812848111745",
		"e":  "2.71828182845904523536028747135266249775724709369995957496696762772407663035354759457138217852516642742746639193200305992181741359662904357290033429526059563073",
	}
	if name == "tau" {
		v := constant("pi")
		v.n.Mul(v.n, big.NewRat(2, 1))
		v.text, v.read = name, name
		return v
	}
	n, _ := new(big.Rat).SetString(digits[name])
	return value{n: n, text: name, read: name}
}

// binary computes a op b. A percentage added or taken away is one of a.
func (p *parser) binary(a value, op string, b value) value {
	if p.err != nil {
		return p.fail(p.err)
	}
	v := value{exact: a.exact && b.exact}
	v.text, v.read = a.text+" "+op+" "+b.text, a.read+" "+op+" "+b.read
	switch op {
	case "+", "-":
		return p.add(a, op, b, v)
	case "*", "of":
		v.read = a.read + " * " + b.read
		return p.multiply(a, "*", b, v)
	case "/":
		if b.n.Sign() == 0 {
			return p.fail(zeroDivide)
		}
		return p.multiply(a, "/", b, v)
	case "^":
		v.text, v.read = a.text+"^"+b.text, a.read+"^"+b.read
		if a.unit != nil && a.dim() == "length" && b.unit == nil && b.n.Cmp(big.NewRat(2, 1)) == 0 {
			return p.multiply(a, "*", a, v)
		}
		n, exact, err := power(p.number(a), p.number(b))
		v.n, v.exact = n, exact && v.exact
		return p.step(v, err)
	case "mod":
		if a.dim() == b.dim() && a.unit != nil {
			b, _ = b.to(a.unit)
			v.unit, a.unit, b.unit = a.unit, nil, nil
		}
		n, err := modulus(p.number(a), p.number(b))
		v.n = n
		return p.step(v, err)
	case "choose":
		n, err := choose(p.number(a), p.number(b))
		v.n = n
		return p.step(v, err)
	}
	return p.fail(errUnread)
}

func (p *parser) add(a value, op string, b, v value) value {
	if b.percent() && !a.percent() {
		v.read = a.read + " * (1 " + op + " " + b.read + ")"
		b = value{n: new(big.Rat).Mul(b.plain().n, a.n), unit: a.unit, exact: b.exact}
	}
	if a.dim() != b.dim() {
		return p.fail(mismatch(a.unit, b.unit))
	}
	if a.unit != b.unit && a.unit != nil && b.unit != nil {
		if a.dim() == "temperature" && a.unit.name != b.unit.name {
			return p.fail(refusal("Temperatures on different scales cannot be added; convert one of them first."))
		}
		b, _ = b.to(a.unit)
	} else if a.unit != b.unit {
		a, b = a.plain(), b.plain()
	}
	v.unit = a.unit
	if op == "+" {
		v.n = new(big.Rat).Add(a.n, b.n)
	} else {
		v.n = new(big.Rat).Sub(a.n, b.n)
	}
	return p.step(v, nil)
}

func (p *parser) multiply(a value, op string, b, v value) value {
	a, b = a.plain(), b.plain()
	u, ok := combined(a.unit, b.unit, op)
	if !ok {
		return p.fail(refusal("I cannot tell what " + a.text + " " + op + " " + b.text + " would be measured in."))
	}
	if op == "*" {
		v.n = new(big.Rat).Mul(a.n, b.n)
	} else {
		v.n = new(big.Rat).Quo(a.n, b.n)
	}
	v.unit = u
	if u != nil && u.name == "" {
		v.n.Mul(v.n, u.scale)
		v.unit = nil
	}
	return p.step(v, nil)
}

func mismatch(a, b *unit) refusal {
	describe := func(u *unit) string {
		if u == nil {
			return "a bare number"
		}
		return u.name + " (" + u.dim + ")"
	}
	return refusal("I cannot bring " + describe(a) + " and " + describe(b) + " together.")
}

func compare(a, b value) int {
	if a.unit != nil && b.unit != nil {
		b, _ = b.to(a.unit)
	}
	return a.n.Cmp(b.n)
}

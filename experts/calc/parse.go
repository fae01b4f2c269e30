package calc

import (
	"context"
	"errors"
	"math/big"
	"strconv"
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
	return whole(0)
}

func (p *parser) peek() token { return p.peekAt(0) }

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

func (p *parser) sum() value {
	v := p.product()
	for p.err == nil && (p.peek().is("op", "+") || p.peek().is("op", "-")) {
		v = p.binary(v, p.next().text, p.product())
	}
	return v
}

func (p *parser) product() value {
	v := p.unary()
	for p.err == nil {
		switch t := p.peek(); {
		case t.is("op", "*"), t.is("op", "/"), t.is("op", "mod"), t.is("op", "choose"), t.is("word", "of"):
			p.next()
			v = p.binary(v, t.text, p.unary())
		case t.kind == "part": // "15% off 80" and "20% more than 150"
			p.next()
			op := "-"
			if t.text == "more than" {
				op = "+"
			}
			from := p.unary()
			text := v.text + " " + t.text + " " + from.text
			v = p.binary(from, op, v)
			v.text = text
		case v.percent() && t.kind == "num":
			v = p.binary(v, "of", p.unary())
		case t.is("op", "("), t.kind == "const", t.kind == "root":
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
		v.text = "-" + v.text
		return v
	}
	v := p.quantity()
	for p.err == nil && p.peek().kind == "post" {
		switch t := p.next(); t.text {
		case "!":
			v = p.apply(v, v.text+"!", factorial)
		case "%":
			p.number(v)
			v.unit, v.text = percent(), v.text+"%"
			p.steps++
		default:
			k, _ := strconv.ParseInt(t.text, 10, 64)
			v = p.binary(v, "^", whole(k))
		}
	}
	if p.take("op", "^") {
		return p.binary(v, "^", p.unary())
	}
	return v
}

// quantity reads a number with the unit after it: "3 h 25 min".
func (p *parser) quantity() value {
	v := p.primary()
	if p.peek().is("word", "from") && p.peekAt(1).kind == "unit" { // "360 from minutes to hours"
		p.next()
	}
	if p.peek().kind != "unit" || v.unit != nil {
		return v
	}
	v = v.measured(p.next().unit)
	for p.err == nil {
		skip := 0
		if p.peek().is("word", "and") && p.list == 0 {
			skip = 1
		}
		num, u := p.peekAt(skip), p.peekAt(skip+1).unit
		if num.kind != "num" || u == nil || u.dim != v.unit.dim || u.dim == "temperature" {
			return v
		}
		p.toks = p.toks[skip+2:]
		part := value{n: num.num, exact: true, text: num.text}.measured(u)
		text := v.text + " " + part.text
		v = p.binary(v, "+", part)
		v.text = text
	}
	return v
}

func (p *parser) primary() value {
	switch t := p.next(); t.kind {
	case "huge":
		return p.fail(tooLarge)
	case "num":
		if strings.ContainsAny(t.text, "exob") || t.words > 1 { // worth showing as a plain number
			p.steps++
		}
		return value{n: t.num, exact: true, text: t.text}
	case "unit": // "an hour"
		return whole(1).measured(t.unit)
	case "const":
		p.steps++
		return value{n: t.num, text: t.text}
	case "root", "power", "factorial":
		p.take("word", "of")
		return p.function(t)
	case "list":
		return p.listOf(t.text)
	case "op":
		if t.text == "(" {
			v := p.sum()
			p.expect(p.take("op", ")"))
			v.text = "(" + v.text + ")"
			return v
		}
	}
	return p.fail(errUnread)
}

// function reads the argument of "square root of" and its like.
func (p *parser) function(t token) value {
	arg := p.unary()
	bare, open := strings.CutPrefix(arg.text, "(")
	if open {
		bare = strings.TrimSuffix(bare, ")")
	}
	k, _ := strconv.Atoi(t.text)
	switch t.kind {
	case "power":
		return p.binary(arg, "^", whole(int64(k)))
	case "factorial":
		return p.apply(arg, arg.text+"!", factorial)
	}
	text := t.text + "th root of " + arg.text
	switch k {
	case 2:
		text = "sqrt(" + bare + ")"
	case 3:
		text = "cbrt(" + bare + ")"
	}
	exact := arg.exact
	v := p.apply(arg, text, func(n *big.Rat) (*big.Rat, error) {
		root, full, err := nthRoot(n, k)
		exact = exact && full
		return root, err
	})
	v.exact = exact
	return v
}

// listOf reads "3, 4 and 8", with or without parentheses, and sums it up as
// name says.
func (p *parser) listOf(name string) value {
	p.list++
	defer func() { p.list-- }()
	p.take("word", "of")
	open := p.take("op", "(")
	op := map[string]string{"sum": "+", "average": "+", "product": "*"}[name]
	if op == "" {
		op = name
	}
	v := p.sum()
	texts := []string{v.text}
	for p.err == nil {
		comma, and := p.take("op", ","), p.take("word", "and")
		if !comma && !and && p.peek().kind != "num" {
			break
		}
		item := p.sum()
		texts = append(texts, item.text)
		p.expect(item.percent() == v.percent())
		v = p.binary(v, op, item)
	}
	p.expect(len(texts) > 1 && (!open || p.take("op", ")")))
	if name == "average" {
		v = p.binary(v, "/", whole(int64(len(texts))))
	}
	v.text = name + "(" + strings.Join(texts, ", ") + ")"
	return v
}

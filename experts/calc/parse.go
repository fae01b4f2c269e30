package calc

import (
	"context"
	"math/big"
	"strconv"
	"strings"
)

const (
	maxDepth = 100
	maxSteps = 500
)

// refusal is a reason, in words, why something is not computed; unread says
// that it is not arithmetic as this package knows it. Inside the parser they
// and a question are panics, which lexicon.read turns into errors.
type refusal string

func (r refusal) Error() string { return string(r) }

// question is what must be known besides to compute.
type question string

func (q question) Error() string { return string(q) }

const unread = refusal("not arithmetic")

func expect(ok bool) {
	if !ok {
		panic(unread)
	}
}

// parser reads and computes at the same time.
type parser struct {
	ctx   context.Context
	toks  []token
	depth int
	steps int // operations done
	list  int // inside so many lists, where "and" separates
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
	p.toks = p.toks[min(1, len(p.toks)):]
	return t
}

func (p *parser) take(kind, text string) bool {
	if !p.peek().is(kind, text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) sum() value {
	v := p.product()
	for p.peek().is("op", "+") || p.peek().is("op", "-") {
		v = p.binary(v, p.next().text, p.product())
	}
	return v
}

func (p *parser) product() value {
	v := p.unary()
	for {
		switch t := p.peek(); {
		case t.is("op", "*"), t.is("op", "/"), t.is("op", "mod"), t.is("word", "of"):
			p.next()
			v = p.binary(v, t.text, p.unary())
		case t.is("op", "("), t.kind == "const", t.kind == "root":
			v = p.binary(v, "*", p.unary())
		default:
			return v
		}
	}
}

func (p *parser) unary() value {
	if p.depth++; p.depth > maxDepth {
		panic(refusal("That is nested more deeply than I read."))
	}
	defer func() { p.depth-- }()
	switch {
	case p.take("op", "+"):
		return p.unary()
	case p.take("op", "-"):
		v := p.unary()
		v.n, v.text = new(big.Rat).Neg(v.n), "-"+v.text
		return v
	}
	v := p.quantity()
	for p.peek().kind == "post" {
		switch t := p.next(); t.text {
		case "!":
			v = p.factorial(v)
		case "%":
			v = value{n: v.number(), unit: percent(), exact: v.exact, text: v.text + "%"}
			p.steps++
		default:
			v = p.binary(v, "^", whole(rat(t.text).Num().Int64()))
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
	if p.peek().kind != "unit" || v.unit != nil {
		return v
	}
	v = v.measured(p.next().unit)
	for {
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
}

func (p *parser) primary() value {
	switch t := p.next(); t.kind {
	case "huge":
		panic(tooLarge)
	case "num":
		return p.numeral(t)
	case "unit": // "an hour"
		return whole(1).measured(t.unit)
	case "const":
		p.steps++
		return value{n: t.num, text: t.text}
	case "root", "power", "factorial", "times":
		p.take("word", "of")
		return p.function(t)
	case "list":
		return p.listOf(t.text)
	case "op":
		if t.text == "(" {
			v := p.sum()
			expect(p.take("op", ")"))
			if strings.ContainsAny(v.text, " -^(!") {
				v.text = "(" + v.text + ")"
			}
			return v
		}
	}
	panic(unread)
}

// numeral makes one number of "3 1/2", "two million" and "two thirds", of which
// first is the first word.
func (p *parser) numeral(first token) value {
	v := value{n: first.num, exact: true, text: first.text}
	if t := p.peekAt(2); v.n.IsInt() && p.peek().kind == "num" && p.peekAt(1).is("op", "/") && t.kind == "num" && p.peek().num.Cmp(t.num) < 0 {
		v.n = new(big.Rat).Add(v.n, new(big.Rat).Quo(p.peek().num, t.num))
		v.text += " " + p.peek().text + "/" + t.text
		p.toks = p.toks[3:]
		return v
	}
	for last := first; p.peek().word == "scale" || p.peek().word == "frac" && last.word != "frac"; {
		last = p.next()
		v.n = new(big.Rat).Mul(v.n, last.num)
		v.text = v.n.RatString()
		p.steps++
	}
	if strings.ContainsAny(first.text, "exob") { // worth showing as a plain number
		p.steps++
	}
	return v
}

// function reads the argument of "square root of" and its like.
func (p *parser) function(t token) value {
	arg := p.unary()
	k, _ := strconv.Atoi(t.text)
	switch t.kind {
	case "times":
		return p.binary(whole(int64(k)), "*", arg)
	case "power":
		return p.binary(arg, "^", whole(int64(k)))
	case "factorial":
		return p.factorial(arg)
	}
	v := value{text: t.text + "th root of " + arg.text}
	if name := map[int]string{2: "sqrt", 3: "cbrt"}[k]; name != "" {
		v.text = name + "(" + bare(arg.text) + ")"
	}
	v.n, v.exact = nthRoot(arg.number(), k)
	v.exact = v.exact && arg.exact
	return p.step(v)
}

// listOf reads "3, 4 and 8", with or without parentheses, and sums it up as
// name says.
func (p *parser) listOf(name string) value {
	p.list++
	defer func() { p.list-- }()
	p.take("word", "of")
	open := p.take("op", "(")
	op := name
	if sign := map[string]string{"sum": "+", "average": "+", "product": "*", "difference": "-"}[name]; sign != "" {
		op = sign
	}
	v := p.sum()
	texts := []string{v.text}
	for {
		comma, and := p.take("op", ","), p.take("word", "and")
		if !comma && !and && (p.peek().kind != "num" || p.peek().word != "") {
			break
		}
		item := p.sum()
		texts = append(texts, item.text)
		expect(item.percent() == v.percent())
		v = p.binary(v, op, item)
	}
	expect(len(texts) > 1 && (!open || p.take("op", ")")))
	switch name {
	case "average":
		v = p.binary(v, "/", whole(int64(len(texts))))
	case "difference":
		expect(len(texts) == 2)
		v.n = new(big.Rat).Abs(v.n)
	}
	v.text = name + "(" + strings.Join(texts, ", ") + ")"
	return v
}

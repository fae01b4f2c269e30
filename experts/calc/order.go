package calc

import (
	"math/big"
	"slices"
	"strings"
)

// joints returns the words that may stand between the two operands of a verb.
func joints(verb string) []string {
	switch verb {
	case "subtract":
		return []string{"from", "of"}
	case "increase", "decrease":
		return []string{"by", "in", "of"}
	case "add", "change":
		return []string{"to", "of"}
	}
	return []string{"by", "and", "to", "into", "in"}
}

// order reads what a verb tells to do with two operands: "subtract 5 from 20".
func (p *parser) order(verb string) value {
	switch verb {
	case "remainder":
		return p.remainder()
	case "share": // "what % is 5 of 20"
		a := p.unary()
		expect(p.takeWord("of"))
		return p.binary(a, "/", p.unary()).to(percent())
	}
	if verb == "add" && !slices.ContainsFunc(p.toks, func(t token) bool { return t.is("word", "to") }) {
		return p.listOf("sum")
	}
	if (verb == "increase" || verb == "decrease") && p.takeWord("from") {
		verb = "change"
	}
	steps := p.steps
	p.list++
	a := p.terms()
	p.list--
	if verb == "divide" && p.ways() {
		b := p.unary()
		p.takeWord("ways")
		return p.binary(a, "/", b)
	}
	if !p.takeWord(joints(verb)...) {
		if p.steps > steps && verb != "percent" && verb != "change" { // "take 15% off 80", "teile 144 durch 12"
			return a
		}
		expect(verb == "percent" || verb == "change")
	}
	b := p.terms()
	a.text, b.text = inParens(a.text), inParens(b.text)
	switch verb {
	case "add":
		return p.binary(b, "+", a)
	case "subtract":
		return p.binary(b, "-", a)
	case "increase":
		return p.binary(a, "+", b)
	case "decrease":
		return p.binary(a, "-", b)
	case "multiply":
		return p.binary(a, "*", b)
	case "divide":
		return p.binary(a, "/", b)
	case "percent":
		return p.binary(b, "/", a).to(percent())
	case "change":
		d := p.binary(b, "-", a)
		d.text = "(" + d.text + ")"
		return p.binary(d, "/", a).to(percent())
	}
	panic(unread)
}

// inParens puts an expression of several operands in parentheses.
func inParens(text string) string {
	for _, sign := range []string{" + ", " - ", " * ", " / ", " of "} {
		if strings.Contains(text, sign) {
			return "(" + text + ")"
		}
	}
	return text
}

// remainder reads "17 divided by 5", of which the last operand is the divisor.
func (p *parser) remainder() value {
	v, by := p.unary(), (*value)(nil)
	for p.take("op", "/") || p.takeWord("by") {
		if by != nil {
			v = p.binary(v, "/", *by)
			v.text = "(" + v.text + ")"
		}
		b := p.unary()
		by = &b
	}
	expect(by != nil)
	return p.binary(v, "mod", *by)
}

// listOf reads "3, 4 and 8" or "1 to 100", with or without parentheses, and
// sums it up as name says.
func (p *parser) listOf(name string) value {
	p.list++
	defer func() { p.list-- }()
	p.takeWord("of", "from")
	open := p.take("op", "(")
	items := []value{p.sum()}
	texts := []string{items[0].text}
	if p.peek().is("word", "to") && p.peekAt(1).kind == "num" {
		p.next()
		v := p.series(name, items[0], p.sum())
		expect(!open || p.take("op", ")"))
		return v
	}
	for {
		comma, and := p.take("op", ","), p.takeWord("and")
		if !comma && !and && (p.peek().kind != "num" || p.peek().word != "") {
			break
		}
		item := p.sum()
		expect(item.percent() == items[0].percent())
		items, texts = append(items, item), append(texts, item.text)
	}
	expect(len(items) > 1 && (!open || p.take("op", ")")))
	v := p.summary(name, items)
	v.text = name + "(" + strings.Join(texts, ", ") + ")"
	return v
}

// summary is the sum, the average, the median ... of a list.
func (p *parser) summary(name string, items []value) value {
	if name == "median" {
		for i := range items {
			_, items[i] = alike(items[0], items[i])
		}
		slices.SortFunc(items, func(a, b value) int { return a.n.Cmp(b.n) })
		half := len(items) / 2
		if len(items)%2 == 1 {
			return p.step(items[half])
		}
		return p.binary(p.binary(items[half-1], "+", items[half]), "/", whole(2))
	}
	op := name
	if sign := map[string]string{"sum": "+", "average": "+", "product": "*", "difference": "-"}[name]; sign != "" {
		op = sign
	}
	v := items[0]
	for _, item := range items[1:] {
		v = p.binary(v, op, item)
	}
	switch name {
	case "average":
		v = p.binary(v, "/", whole(int64(len(items))))
	case "difference":
		expect(len(items) == 2)
		v.n = new(big.Rat).Abs(v.n)
	}
	return v
}

// series sums up the whole numbers from one to another.
func (p *parser) series(name string, from, to value) value {
	a, b := from.number(), to.number()
	v := value{n: whole(1).n, exact: from.exact && to.exact, text: name + "(" + from.text + " to " + to.text + ")"}
	if p.dry {
		return p.step(v)
	}
	if !a.IsInt() || !b.IsInt() || a.Cmp(b) > 0 {
		panic(refusal("From the smaller whole number to the larger one, please: \"sum of 1 to 100\"."))
	}
	count := new(big.Rat).Add(new(big.Rat).Sub(b, a), whole(1).n)
	middle := new(big.Rat).Quo(new(big.Rat).Add(a, b), whole(2).n)
	switch name {
	case "sum":
		v.n = middle.Mul(middle, count)
	case "average", "median":
		v.n = middle
	case "min":
		v.n = a
	case "max":
		v.n = b
	case "product":
		if b.Num().BitLen() > 12 || b.Num().Int64() > 3300 || a.Num().BitLen() > 12 {
			panic(tooLarge)
		}
		v.n = new(big.Rat).SetInt(new(big.Int).MulRange(a.Num().Int64(), b.Num().Int64()))
	default:
		panic(unread)
	}
	return p.step(v)
}

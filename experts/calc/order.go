package calc

import (
	"math/big"
	"slices"
	"strings"
)

// verb is what an order does with two operands.
type verb struct {
	joints  []string // what may stand between them
	op      string
	swapped bool // "subtract 5 from 20"
}

func verbs(name string) verb {
	any := []string{"by", "and", "to", "into", "in"}
	return map[string]verb{
		"exceed":   {[]string{"than", "to"}, "-", false},
		"add":      {[]string{"to", "of"}, "+", true},
		"subtract": {[]string{"from", "of"}, "-", true},
		"increase": {[]string{"by", "in", "of"}, "+", false},
		"decrease": {[]string{"by", "in", "of"}, "-", false},
		"multiply": {any, "*", false},
		"divide":   {any, "/", false},
		"percent":  {any, "/", true},
		"change":   {[]string{"to", "of"}, "-", true},
	}[name]
}

// order reads what a verb tells to do with two operands: "subtract 5 from 20".
func (p *parser) order(name string) value {
	switch {
	case name == "remainder":
		return p.remainder()
	case name == "morethan": // "by what percent is 100 more than 80"
		a := p.unary()
		expect(p.take("op", "ontop"))
		return p.percentMore(a, p.terms())
	case name == "times": // "how many times does 7 go into 100"
		by := p.unary()
		expect(p.takeWord("into", "in", "to"))
		v := p.binary(p.unary(), "/", by)
		if rest := p.binary(p.binary(v, "mod", whole(1)), "*", by); rest.n.Sign() != 0 {
			p.note = "and " + rest.n.RatString() + " is left"
		}
		return p.call("floor", v)
	case name == "share": // "what % is 5 of 20"
		a := p.unary()
		expect(p.takeWord("of") || p.take("op", "/"))
		return p.binary(a, "/", p.unary()).to(percent())
	case name == "add" && !slices.ContainsFunc(p.toks, func(t token) bool { return t.is("word", "to") }):
		return p.listOf("sum")
	case (name == "increase" || name == "decrease") && p.takeWord("from"):
		name = "change"
	}
	does, steps := verbs(name), p.steps
	expect(does.op != "")
	p.list++
	a := p.terms()
	p.list--
	if name == "divide" && p.ways() {
		b := p.unary()
		p.takeWord("ways")
		return p.binary(a, "/", b)
	}
	toPercent := name == "percent" || name == "change"
	if !p.takeWord(does.joints...) && !p.take("op", "share") && !toPercent {
		expect(p.steps > steps) // "take 15% off 80", "teile 144 durch 12"
		return a
	}
	b := p.terms()
	a.text, b.text = inParens(a.text), inParens(b.text)
	if does.swapped {
		a, b = b, a
	}
	if name == "change" {
		return p.percentMore(a, b)
	}
	v := p.binary(a, does.op, b)
	if toPercent {
		v = v.to(percent())
	}
	return v
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
	item := p.item
	p.item = !open
	defer func() { p.item = item }()
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
	if sign := map[string]string{"sum": "+", "average": "+", "product": "*", "difference": "-", "quotient": "/"}[name]; sign != "" {
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
	case "quotient":
		expect(len(items) == 2)
	}
	return v
}

// series sums up the whole numbers from one to another.
func (p *parser) series(name string, from, to value) value {
	a, b := from.number(), to.number()
	v := value{n: whole(1).n, exact: from.exact && to.exact, text: name + "(" + from.text + " to " + to.text + ")"}
	expect(name == "sum" || name == "average" || name == "product")
	switch {
	case p.dry:
		return p.step(v)
	case !a.IsInt() || !b.IsInt() || a.Cmp(b) > 0:
		panic(refusal("From the smaller whole number to the larger one, please: \"sum of 1 to 100\"."))
	case name == "product":
		if b.Cmp(rat("3300")) > 0 || a.Cmp(rat("-3300")) < 0 {
			panic(tooLarge)
		}
		v.n = new(big.Rat).SetInt(new(big.Int).MulRange(a.Num().Int64(), b.Num().Int64()))
		return p.step(v)
	}
	v.n = new(big.Rat).Add(a, b)
	v.n.Quo(v.n, rat("2")) // the middle
	if name == "sum" {
		count := new(big.Rat).Sub(b, a)
		v.n.Mul(v.n, count.Add(count, rat("1")))
	}
	return p.step(v)
}

// change reads "after 20% off" or "before a 20% increase", and returns what becomes of one.
func (p *parser) change() value {
	p.next()
	rate := p.unary()
	if p.take("verb", "increase") {
		return p.changed(rate, "+")
	}
	expect(p.take("op", "off") || p.take("verb", "decrease"))
	return p.changed(rate, "-")
}

// changed is what becomes of one that grows or shrinks by a rate.
func (p *parser) changed(rate value, sign string) value {
	expect(rate.percent())
	v := p.binary(whole(1), sign, rate)
	v.text = "(" + v.text + ")"
	return v
}

// undone is what v was before a change; where that was not asked yet, it is to follow.
func (p *parser) undone(v, change value, asked bool) value {
	p.take("op", ",")
	expect(asked || p.take("op", "before"))
	return p.binary(v, "/", change)
}

// percentMore is how many percent a is more than b.
func (p *parser) percentMore(a, b value) value {
	v := p.binary(a, "-", b)
	v.text = "(" + v.text + ")"
	return p.binary(v, "/", b).to(percent())
}

// interest reads "on 1000 at 5% for 3 years" in any order, for what comes on top,
// or with the capital and the rate before it "for 3 years", for all.
func (p *parser) interest(kind string, capital, rate value) value {
	years, all := value{}, capital.n != nil
	for p.takeWord("of", "at", "in") {
		v := p.unary()
		part := &capital
		if v.percent() {
			part = &rate
		} else if v.dim() == "time" {
			part = &years
		}
		expect(part.n == nil)
		*part = v
	}
	expect(capital.n != nil && rate.n != nil && years.n != nil)
	years = years.to(&unit{dim: "time", name: "year", scale: rat("31556952")})
	if years.unit, years.text = nil, years.n.RatString(); !years.n.IsInt() {
		years.text = "(" + years.text + ")"
	}
	if kind == "simple" {
		v := p.binary(p.binary(capital, "*", rate), "*", years)
		if p.note = "simple interest"; all {
			v = p.binary(capital, "+", v)
		}
		return v
	}
	p.note = "compounded once a year"
	v := p.binary(capital, "*", p.binary(p.changed(rate, "+"), "^", years))
	if !all {
		v = p.binary(v, "-", capital)
	}
	return v
}

// deal reads what was paid and what is got for it, and the gain that is asked for:
// "bought for 42, sold for 63, what is my margin".
func (p *parser) deal() value {
	var bought, sold value
	gain := ""
	for {
		switch t := p.peek(); t.kind {
		case "gain":
			expect(gain == "")
			gain = p.next().text
		case "deal":
			side := map[string]*value{"buy": &bought, "sell": &sold}[p.next().text]
			expect(side.n == nil)
			*side = p.unary()
		default:
			if p.take("op", ",") || p.takeWord("and") {
				continue
			}
			expect(gain != "" && bought.n != nil && sold.n != nil)
			v := p.binary(sold, "-", bought)
			v.text = "(" + v.text + ")"
			switch gain {
			case "margin":
				p.note = "the margin on the selling price"
				v = p.binary(v, "/", sold).to(percent())
			case "markup":
				p.note = "the markup on the cost"
				v = p.binary(v, "/", bought).to(percent())
			}
			return v
		}
	}
}

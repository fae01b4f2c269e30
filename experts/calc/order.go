package calc

import (
	"math/big"
	"slices"
	"strings"
)

// inParens puts an expression of several operands in parentheses.
func inParens(text string) string {
	if bare(text) != text {
		return text
	}
	for _, sign := range []string{" + ", " - ", " * ", " / ", " of "} {
		if strings.Contains(text, sign) {
			return "(" + text + ")"
		}
	}
	return text
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
		items = append(items, item)
	}
	expect(len(items) > 1 && (!open || p.take("op", ")")))
	return p.summed(name, items)
}

// summed is the summary of a list and how it is written.
func (p *parser) summed(name string, items []value) value {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = item.text
	}
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
	if name == "hypot" || name == "deviation" {
		return p.spread(name, items)
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

// spread is the root of the squares of a list, or of their average distance from
// the average.
func (p *parser) spread(name string, items []value) value {
	var squares []value
	root, middle := value{n: big.NewRat(1, 2), exact: true}, whole(0)
	if name == "deviation" {
		middle = p.summary("average", items)
	}
	for _, item := range items {
		squares = append(squares, p.binary(p.binary(item, "-", middle), "^", whole(2)))
	}
	sum := p.summary("sum", squares)
	if name == "hypot" {
		return p.binary(sum, "^", root)
	}
	sample, _ := decimal(p.binary(p.binary(sum, "/", whole(int64(len(items)-1))), "^", root).n, false)
	p.note = "of all there are; of a sample " + sample
	return p.binary(p.binary(sum, "/", whole(int64(len(items)))), "^", root)
}

// series sums up the whole numbers from one to another.
func (p *parser) series(name string, from, to value) value {
	a, b := from.number(), to.number()
	v := value{n: whole(1).n, exact: from.exact && to.exact, text: name + "(" + from.text + " to " + to.text + ")"}
	expect(name == "sum" || name == "average" || name == "product")
	switch {
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

// changed is what becomes of one that grows or shrinks by a rate.
func (p *parser) changed(rate value, sign string) value {
	expect(rate.percent())
	v := p.binary(whole(1), sign, rate)
	v.text = "(" + v.text + ")"
	return v
}

// percentMore is how many percent a is more than b.
func (p *parser) percentMore(a, b value) value {
	v := p.binary(a, "-", b)
	v.text = "(" + v.text + ")"
	return p.binary(v, "/", b).to(percent())
}

// interest is what a capital earns at a rate in a time, or all that it has become.
func (p *parser) interest(simple bool, capital, rate, years value, all bool) value {
	years = years.to(&unit{dim: "time", name: "year", scale: rat("31556952")})
	if years.unit, years.text = nil, years.n.RatString(); !years.n.IsInt() {
		years.text = "(" + years.text + ")"
	}
	if simple {
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

package calc

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
)

// part is one operand of a question and what stands beside it.
type part struct {
	value
	joint  string // the word before it: from, to, of, by
	before string // what was named last before it
	after  string // what is named right after it, or ""
	ans    bool   // it is "that"
}

// bag is what a question names, in any order.
type bag struct {
	named               map[string]bool
	amounts             []part
	rates, times, count []part
	units               []*unit // that stand without a number
	loose               int     // words left unread
	opens               bool    // a verb stands first
	does                bool    // a verb is among them: what is measured in time is an amount
	capital             bool    // the first amount stands before what is named first
}

// names returns what a token names in a bag, "" for nothing.
func (t token) names() string {
	switch {
	case t.kind == "topic", t.kind == "about", t.kind == "interest", t.kind == "deal", t.kind == "gain", t.kind == "list",
		t.kind == "verb" && t.text != "convert" && t.text != "round",
		t.kind == "op" && slices.Contains([]string{"ofwhat", "share", "off", "ontop", "before", "after", "with", "without", "incl"}, t.text),
		t.kind == "word" && (t.text == "each" || t.text == "ways"):
		return t.text
	case t.is("post", "%"):
		return "percent"
	case t.is("verb", "convert"):
		return "change"
	}
	return ""
}

// bag reads a question by what it names and by what its operands are, in any
// order. An order says something only where a word as from or by does.
func (p *parser) bag(r *result) value {
	b, joint, before := bag{named: map[string]bool{}, loose: r.loose}, "", ""
	var last *part // that nothing stands after yet
	b.opens = p.peek().kind == "verb"
	b.does = slices.ContainsFunc(p.toks, func(t token) bool { return t.kind == "verb" })
	if b.does { // "add 3 kg and 500 g"
		p.list++
		defer func() { p.list-- }()
	}
	for len(p.toks) > 0 {
		t := p.peek()
		if len(b.amounts) > 0 && (p.precision(r) || t.is("verb", "round") || t.kind == "base" || p.peekAt(1).kind == "base") {
			break
		}
		name := t.names()
		switch {
		case name != "" && (t.kind != "list" || !b.does): // "multiply the sum of 3 and 4 by 5"
			if p.next(); name == "incl" || name == "with" && p.peek().is("topic", "tax") {
				name = "gross"
			}
			if b.named[name] = true; last != nil {
				last.after = name
			}
			before, last, joint = name, nil, ""
			if (t.kind == "op" && t.text == "share") || name == "ontop" || name == "off" {
				joint = name
			}
			continue
		case t.is("op", "-") && len(b.amounts) > 0 && p.peekAt(2).is("post", "%"): // "costs 80 and is reduced by 35%"
			p.next()
			b.named["decrease"] = true
			last, joint = nil, ""
			continue
		case t.kind == "unit":
			b.units, last = append(b.units, p.next().unit), nil
			continue
		case t.kind == "ans" && t.word == "the total" && p.ans == nil:
			p.next()
			b.named["total"] = true
			continue
		case t.kind == "per" && t.unit.name == "year", t.kind == "unread", t.kind == "ans" && p.ans == nil, t.is("op", ","), t.is("word", "each"):
			p.next()
			last, joint = nil, ""
			continue
		case t.kind == "word" && t.text != "howmany", t.is("op", "/"), t.is("op", "+"), t.is("op", "*") && t.word == "por":
			if joint = t.text; t.kind == "op" && t.word != "por" {
				b.named[t.text] = true
			}
			if t.word == "auf" && len(b.amounts) > 0 { // "von 40 auf 50"
				joint = "to"
			}
			p.next()
			last = nil
			continue
		}
		if by := p.share(); by != nil && b.has("increase", "decrease") { // "reduce 80 by a quarter"
			p.next()
			b.rates = append(b.rates, part{value: *by})
			continue
		}
		last = b.add(part{value: p.terms(), joint: joint, before: before, ans: t.kind == "ans"}, p.peek())
		joint = ""
	}
	v := b.value(p)
	if len(b.units) > 0 {
		expect(v.is(b.units[0].dim))
		r.target = b.units[0]
	}
	return v
}

// add puts an operand where it belongs by what it is: so much percent, so many
// years, so many people, or an amount.
func (b *bag) add(v part, next token) *part {
	people := next.is("topic", "people") || next.is("word", "ways") || v.before == "people" && v.joint == ""
	switch {
	case v.percent() && (v.joint != "by" || !b.has("multiply", "divide")):
		b.rates = append(b.rates, v)
	case v.dim() == "time" && !b.does:
		b.times = append(b.times, v)
	case people, v.joint == "share" && v.before == "share" && len(b.amounts) > 0 && !b.named["remainder"], v.joint == "/" && (b.named["tip"] || b.named["people"] || b.named["each"]):
		b.count = append(b.count, v)
	default:
		b.capital = b.capital || !b.named["compound"] && !b.named["simple"]
		b.amounts = append(b.amounts, v)
		return &b.amounts[len(b.amounts)-1]
	}
	return nil
}

// has reports whether one of these was named.
func (b *bag) has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return b.named[n] })
}

// only reports whether nothing but these was named.
func (b *bag) only(names ...string) bool {
	for name := range b.named {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// holds reports whether there are so many operands of each kind.
func (b *bag) holds(amounts, rates, times, count int) bool {
	return len(b.amounts) == amounts && len(b.rates) == rates && len(b.times) == times && len(b.count) == count
}

// marked reports whether one of the two amounts has one of these words before it.
func (b *bag) marked(joints ...string) bool {
	return slices.Contains(joints, b.amounts[0].joint) || slices.Contains(joints, b.amounts[1].joint)
}

// ordered returns the two amounts, that with one of these words before it last;
// where neither has one, as they come.
func (b *bag) ordered(joints ...string) (a, marked value) {
	x, y := b.amounts[0], b.amounts[1]
	first, second := slices.Contains(joints, x.joint), slices.Contains(joints, y.joint)
	expect(!first || !second)
	if x.text, y.text = inParens(x.text), inParens(y.text); first {
		return y.value, x.value
	}
	return x.value, y.value
}

// value computes what is named of the operands.
func (b *bag) value(p *parser) value {
	list := ""
	for _, name := range []string{"average", "sum", "quotient", "product", "median", "min", "max", "gcd", "difference", "lcm", "deviation", "hypot"} {
		if b.named[name] {
			expect(list == "")
			list = name
		}
	}
	n := len(b.amounts)
	pair, rated := b.holds(2, 0, 0, 0), b.holds(1, 1, 0, 0)
	switch {
	case b.has("margin", "markup", "profit"):
		return b.gain(p)
	case b.has("compound", "simple"):
		expect(b.holds(1, 1, 1, 0) && (b.only("compound", "/") || b.only("simple", "/")))
		return p.interest(b.named["simple"], b.amounts[0].value, b.rates[0].value, b.times[0].value, b.capital)
	case b.named["tax"] && rated && b.amounts[0].joint == "in": // "what vat is in 119 at 19%"
		expect(b.only("tax", "gross"))
		v := b.amounts[0].value
		return p.binary(v, "-", p.binary(v, "/", p.changed(b.rates[0].value, "+")))
	case b.has("net", "gross", "without") && rated:
		return b.taxed(p)
	case len(b.count) > 0:
		return b.shared(p)
	case list != "" || b.named["total"] && n > 1:
		expect(b.holds(n, 0, 0, 0) && b.only(list, "total"))
		return b.folded(p, cmp.Or(list, "sum"))
	case pair && b.has("ontop", "off") && b.only("percent", "ontop", "off"):
		return b.compared(p)
	case pair && b.has("change", "percent", "increase", "decrease") && (b.marked("to") || b.amounts[0].joint == "from" || b.amounts[0].joint == "of" && !b.named["percent"]):
		expect(b.only("change", "percent", "increase", "decrease") && (b.has("change", "percent") || b.loose == 0 && b.marked("from")))
		from, to := b.ordered("to")
		if b.amounts[1].joint == "from" {
			from, to = to, from
		}
		return p.percentMore(to, from)
	case pair && b.named["percent"] && b.only("percent", "/"):
		a, of := b.ordered("of", "from", "/")
		return p.binary(a, "/", of).to(percent())
	case pair && b.named["subtract"] && b.only("subtract", "remainder"):
		a, of := b.ordered("from", "of")
		if !b.marked("from", "of") {
			expect(b.amounts[0].before != "subtract") // "a 500 le quito 125"
			a, of = of, a
		}
		return p.binary(of, "-", a)
	case pair && b.named["exceed"] && b.only("exceed"): // "how much more is 120 than 85"
		a, of := b.ordered("than", "to")
		return p.binary(a, "-", of)
	case pair && b.named["times"] && b.only("times"):
		return b.fits(p)
	case b.has("remainder"):
		return b.remainder(p)
	case pair && b.named["multiply"] && b.only("multiply", "with"):
		a, by := b.ordered("by", "with", "and", "to", "into", "in")
		return p.binary(a, "*", by)
	case b.named["multiply"] && b.only("multiply") && n > 1 && b.holds(n, 0, 0, 0):
		return b.folded(p, "product")
	case pair && b.named["divide"] && b.only("divide", "/"):
		return p.binary(b.amounts[0].value, "/", b.amounts[1].value)
	case rated && b.named["ofwhat"] && b.only("ofwhat"): // "20% of what is 15"
		return p.binary(b.amounts[0].value, "/", b.rates[0].value)
	case rated:
		return b.rated(p)
	case pair && b.named["add"] && b.only("add") && b.marked("to", "of"):
		a, to := b.ordered("to", "of")
		return p.binary(to, "+", a)
	case pair && (b.has("increase") && b.only("increase") || b.has("decrease") && b.only("decrease")) && b.marked("by", "in"):
		a, by := b.ordered("by", "in")
		return p.binary(a, map[bool]string{true: "+", false: "-"}[b.named["increase"]], by)
	case b.named["add"] && b.only("add") && n > 1 && b.holds(n, 0, 0, 0):
		return b.folded(p, "sum")
	case b.opens && b.loose == 0 && n == 1 && b.amounts[0].joint == "" && b.holds(1, 0, 0, 0) && p.steps > 0: // "add 3 + 4"
		return b.amounts[0].value
	case b.only("with"):
		return b.measured(p)
	}
	panic(unread)
}

// measured is an amount that is wanted in another unit, or what a speed makes of
// a length or a time.
func (b *bag) measured(p *parser) value {
	speed := slices.IndexFunc(b.amounts, func(v part) bool { return strings.HasSuffix(v.dim(), "/time") })
	switch {
	case b.holds(1, 0, 0, 0) && len(b.units) == 1 && len(b.named) == 0:
		expect(b.amounts[0].unit != nil)
		return b.amounts[0].value
	case speed == 0 && b.holds(1, 0, 1, 0):
		return p.binary(b.amounts[0].value, "*", b.times[0].value)
	}
	panic(unread)
}

// folded is the summary of the amounts as a list.
func (b *bag) folded(p *parser, name string) value {
	items := make([]value, len(b.amounts))
	expect(len(items) > 1)
	for i, item := range b.amounts {
		expect(!item.ans && (item.joint == "" || item.joint == "and" || item.joint == "of" && i == 0))
		items[i] = item.value
	}
	return p.summed(name, items)
}

// compared is how many percent one amount is more or less than the other, or the
// amount that is so much more or less.
func (b *bag) compared(p *parser) value {
	a, of := b.ordered("ontop", "off")
	if !b.named["percent"] {
		expect(slices.Contains([]string{"ontop", "off"}, b.amounts[1].joint))
		return p.binary(of, map[bool]string{true: "-", false: "+"}[b.named["off"]], a)
	}
	v := p.percentMore(a, of)
	if b.named["off"] {
		v.n, v.text = new(big.Rat).Neg(v.n), "-"+v.text
	}
	return v
}

// shared is what each of so many people has of an amount, with a tip on top or a
// discount taken off.
func (b *bag) shared(p *parser) value {
	expect(b.has("share", "divide", "each", "ways", "/") && b.only("share", "divide", "each", "ways", "/", "tip", "tax", "people", "with", "total", "+", "off", "decrease"))
	expect(b.holds(1, 0, 0, 1) || b.has("tip", "tax", "+", "off", "decrease") && b.holds(1, 1, 0, 1))
	v := b.amounts[0].value
	expect(b.amounts[0].joint != "to" && v.noun == "")
	if len(b.rates) > 0 {
		v = p.binary(v, map[bool]string{true: "-", false: "+"}[b.has("off", "decrease")], b.rates[0].value)
	}
	v.text = inParens(v.text)
	return p.binary(v, "/", b.count[0].value)
}

// fits is how many whole times one amount goes into the other, with a note of
// what is left.
func (b *bag) fits(p *parser) value {
	expect(b.marked("into", "in", "to"))
	by, all := b.ordered("into", "in", "to")
	v := p.binary(all, "/", by)
	if rest := p.binary(p.binary(v, "mod", whole(1)), "*", by); rest.n.Sign() != 0 {
		p.note = "and " + rest.n.RatString() + " is left"
	}
	return p.call("floor", v)
}

// remainder divides the amounts one after the other, and returns what the last of
// them leaves.
func (b *bag) remainder(p *parser) value {
	n := len(b.amounts)
	expect(n > 1 && b.holds(n, 0, 0, 0) && b.has("divide", "/") && b.only("divide", "/", "share", "remainder"))
	v := b.amounts[0].value
	v.text = inParens(v.text)
	for _, by := range b.amounts[1 : n-1] {
		v = p.binary(v, "/", by.value)
		v.text = "(" + v.text + ")"
	}
	return p.binary(v, "mod", b.amounts[n-1].value)
}

// gain is what is earned between buying and selling, in percent of either or not.
func (b *bag) gain(p *parser) value {
	expect(b.holds(2, 0, 0, 0) && b.only("margin", "markup", "profit", "buy", "sell", "percent") && b.amounts[0].before != b.amounts[1].before)
	bought, sold := b.amounts[0], b.amounts[1]
	if bought.before == "sell" {
		bought, sold = sold, bought
	}
	expect(bought.before == "buy" && sold.before == "sell")
	v := p.binary(sold.value, "-", bought.value)
	v.text = "(" + v.text + ")"
	switch {
	case b.named["margin"]:
		p.note = "the margin on the selling price"
		return p.binary(v, "/", sold.value).to(percent())
	case b.named["markup"]:
		p.note = "the markup on the cost"
		return p.binary(v, "/", bought.value).to(percent())
	}
	return v
}

// taxed returns the price that is asked for, with or without the tax, of the other.
func (b *bag) taxed(p *parser) value {
	expect(b.only("net", "gross", "without", "tax", "+", "total", "with"))
	v, rate := b.amounts[0], b.rates[0].value
	is := v.after
	if is != "net" && is != "gross" && v.joint == "" {
		is = v.before
	}
	switch net := b.has("net", "without"); {
	case b.named["+"]:
		return p.binary(v.value, "+", rate)
	case net && b.named["gross"] && is == "gross", net && !b.named["gross"] && v.after != "net", b.named["without"] && is == "gross":
		return p.binary(v.value, "/", p.changed(rate, "+"))
	case net && b.named["gross"] && is == "net", !net && v.after != "gross":
		return p.binary(v.value, "+", rate)
	}
	panic(unread)
}

// rated returns what an amount is with a rate added or taken away, what it was
// before that, or the rate of it.
func (b *bag) rated(p *parser) value {
	v, rate := b.amounts[0], b.rates[0]
	expect(b.only("increase", "decrease", "add", "subtract", "off", "with", "+", "total", "tip", "tax", "before", "after", "buy") && (v.joint != "to" || b.named["add"]) && (v.joint != "from" || b.has("off", "subtract")) && rate.joint != "to" && rate.joint != "from")
	sign := ""
	switch up := b.has("increase", "add", "with", "+", "total"); {
	case b.has("off", "decrease", "subtract"):
		expect(!up || b.named["with"] || b.named["total"])
		sign = "-"
	case b.has("increase", "add", "+"), up && b.has("tip", "tax"):
		sign = "+"
	}
	switch {
	case b.named["tax"] && sign == "-": // what is taken off is in it
		return p.binary(v.value, "/", p.changed(rate.value, "+"))
	case b.named["before"]:
		expect(sign != "")
		return p.binary(v.value, "/", p.changed(rate.value, sign))
	case sign != "":
		v.noun = "" // "25% off a 240 jacket"
		expect(!b.named["after"] || v.joint == "of" || v.before == "off")
		return p.binary(v.value, sign, rate.value)
	}
	expect((b.has("tip", "tax") || len(b.named) == 0 && rate.joint == "" && v.joint == "") && v.noun == "" && b.loose == 0)
	return p.binary(rate.value, "of", v.value)
}

package calc

import (
	"context"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/yaap-chat/yaap/experts/plain"
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

// question is what must be known besides to compute; bare says that it was asked
// with nothing but an operand.
type question struct {
	ask  string
	bare bool
}

func (q question) Error() string { return q.ask }

const (
	unread  = refusal("not arithmetic")
	tooLong = refusal("That is longer than the 500 steps I compute at once.")
)

// reason is the refusal or the question that a panic is, nil for none. Any other
// panic goes on.
func reason(panicked any) error {
	switch e := panicked.(type) {
	case nil:
		return nil
	case refusal:
		return e
	case question:
		return e
	}
	panic(panicked)
}

func expect(ok bool) {
	if !ok {
		panic(unread)
	}
}

// parser reads and computes at the same time.
type parser struct {
	ctx     context.Context
	toks    []token
	units   []*unit // all that there are
	ans     *value  // what "it" is, nil for nothing
	lost    bool    // "it" was nothing
	depth   int
	steps   int    // operations done
	bagged  bool   // what is named is read in any order
	nouns   bool   // it is asked how many there are of what a noun names
	list    int    // inside so many lists, where "and" separates
	verdict string // what is said in the place of the result
	note    string // what is said after it
	priced  bool   // so many of something at a price were read
	item    bool   // in one of a list without parentheses
	bars    int    // inside so many bars, where | is the end
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

func (p *parser) takeWord(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return p.take("word", w) })
}

// sum reads an expression and what is done with the whole of it: "20 as a
// percentage of 80", "64 + 15% split between 4".
func (p *parser) sum() value {
	v := p.bits()
	for {
		switch {
		case p.listed():
			return v
		case p.peek().is("op", ">"), p.peek().is("op", "<"):
			v = p.compare(v, p.next().text, p.terms())
		case p.peek().kind == "whole":
			v = p.prime(p.next().text, v)
		case p.take("op", "divisible"):
			v = p.divisible(v, p.terms())
		default:
			return v
		}
	}
}

// bits reads sums with & and | between them; & binds closer.
func (p *parser) bits() value {
	v := p.masked()
	for p.bars == 0 && p.take("op", "|") {
		v = p.binary(v, "|", p.masked())
	}
	return v
}

func (p *parser) masked() value {
	v := p.terms()
	for p.take("op", "&") {
		v = p.binary(v, "&", p.terms())
	}
	return v
}

func (p *parser) terms() value {
	v := p.product()
	for p.another() { // 5 bottles at 61 and 9 vials at 14.75
		p.next()
		v = p.binary(v, "+", p.product())
	}
	for !p.listed() && (p.peek().is("op", "+") || p.peek().is("op", "-")) && (!p.bagged || !p.peekAt(2).is("post", "%")) {
		op := p.next()
		if by := p.share(); by != nil && strings.HasSuffix(op.word, " by") {
			p.next()
			v = p.binary(v, op.text, *by)
		} else {
			v = p.binary(v, op.text, p.product())
		}
	}
	return v
}

// another reports whether so many of something at a price follow as many of something else.
func (p *parser) another() bool {
	if !p.priced || p.list > 0 || !p.peek().is("word", "and") && !p.peek().is("op", ",") && !p.peek().is("op", "+") || p.peekAt(1).kind != "num" || p.peekAt(2).kind != "noun" {
		return false
	}
	i := 3
	for p.peekAt(i).kind == "noun" {
		i++
	}
	return p.peekAt(i).is("word", "at")
}

// share is what a quarter is in percent, where nothing follows that it is of.
func (p *parser) share() *value {
	t := p.peek()
	if t.word != "frac" || len(p.toks) > 1 && !p.peekAt(1).is("op", ",") {
		return nil
	}
	n := new(big.Rat).Mul(t.num, rat("100"))
	text, _ := decimal(n, true)
	return &value{n: n, unit: percent(), exact: true, text: text + "%"}
}

// listed reports whether a list without parentheses ends here, as an operation in
// words is one with the whole of it: "the sum of 5 and 9 divided by 2".
func (p *parser) listed() bool {
	return p.item && p.peek().kind == "op" && plain.LetterPrefix(p.peek().word) > 1
}

func (p *parser) product() value {
	v := p.unary()
	for {
		switch t := p.peek(); {
		case p.listed():
			return v
		case p.bagged: // a product or a fraction is one operand
			fraction := t.word == "/" && p.peekAt(1).num != nil && v.n.Cmp(p.peekAt(1).num) < 0
			if !fraction && (!t.is("op", "*") || t.word == "por") {
				return v
			}
			p.next()
			v = p.binary(v, t.text, p.unary())
		case t.is("op", "/") && p.peekAt(2).is("op", "divisible"): // "durch 13 teilbar"
			p.next()
			by := p.unary()
			p.next()
			v = p.divisible(v, by)
		case t.kind == "op" && slices.Contains([]string{"*", "/", "mod", "div", "choose", "xor", "<<", ">>"}, t.text):
			if p.next(); t.word == "%" {
				p.note = "read as the remainder"
			}
			v = p.binary(v, t.text, p.unary())
		case t.is("word", "in") && p.peekAt(1).num != nil && v.dim() == "length": // "120 km in 90 minutes"
			p.next()
			v = p.binary(v, "/", p.unary())
			expect(v.is("length/time"))
		case t.is("word", "from") && v.percent(): // "12 percent from 350"
			p.next()
			v = p.binary(v, "of", p.unary())
		case t.is("word", "of") && (v.unit != nil || v.noun != "" || strings.Contains(v.text, "/") || p.ratio()):
			p.next()
			v = p.of(v)
		case p.takeWord("at"):
			v = p.at(v)
		case t.is("op", "off"), t.is("op", "ontop"):
			p.next()
			expect(v.percent())
			v = p.binary(p.unary(), map[string]string{"off": "-", "ontop": "+"}[t.text], v)
			v.text = "(" + v.text + ")"
		case t.is("op", "("), t.kind == "const", t.kind == "root", t.kind == "times":
			v = p.binary(v, "*", p.unary())
		default:
			return v
		}
	}
}

// ratio reports whether the question ends with "in percent".
func (p *parser) ratio() bool {
	n := len(p.toks)
	return n > 2 && p.peekAt(n-1).is("post", "%") && (p.peekAt(n-2).is("word", "in") || p.peekAt(n-2).is("word", "to"))
}

// of reads what v is a share of, which may be a share itself, or times what v is
// taken: "20% of 30% of 500", "20 of 80 in percent", "3 boxes of 12 bottles at 0.89".
func (p *parser) of(v value) value {
	ratio := v.unit == nil && p.ratio()
	b := p.unary()
	switch {
	case ratio:
		return p.binary(v, "/", b)
	case b.percent() && p.takeWord("of"):
		b = p.of(b)
	case v.noun != "":
		expect(p.nouns || b.noun != "" && !sameNoun(v, b) && p.peek().is("word", "at"))
	}
	v = p.binary(v, "of", b)
	v.noun = b.noun
	return v
}

// at reads a rate: "40 at 20%", "3 GB at 50 Mbps", "12 bottles at 0.89 each",
// "7.5 hours at 48 per hour", "1000 at 5% compound interest for 3 years".
func (p *parser) at(v value) value {
	each := p.takeWord("each")
	rate := p.unary()
	each = p.takeWord("each") || each
	switch {
	case rate.percent():
		return p.binary(rate, "of", v)
	case rate.unit == nil:
		per, named := strings.CutPrefix(rate.noun, "per ")
		expect(each || v.noun != "" && (!named || sameNoun(v, value{noun: per})))
		p.priced = v.noun != ""
		v = p.binary(v, "*", rate)
		v.noun = ""
		return v
	}
	if of := p.binary(v, "/", rate); of.is("time") {
		return of
	}
	return p.binary(v, "*", rate)
}

func (p *parser) unary() value {
	if p.depth++; p.depth > maxDepth {
		panic(refusal("That is nested more deeply than I read."))
	}
	defer func() { p.depth-- }()
	switch {
	case p.take("op", "+"):
		return p.unary()
	case p.take("op", "-"), p.take("op", "neg"):
		v := p.unary()
		v.n, v.text = new(big.Rat).Neg(v.n), "-"+v.text
		return v
	}
	v := p.quantity()
	for p.peek().kind == "post" {
		switch t := p.next(); t.text {
		case "!":
			v = p.factorial(v)
		case "ceil", "floor":
			v = p.call(t.text, v)
		case "%":
			expect(v.noun == "")
			v = value{n: v.number(), unit: percent(), exact: v.exact, text: v.text + "%"}
			p.steps++
		default:
			v = p.binary(v, "^", whole(rat(t.text).Num().Int64()))
		}
	}
	if p.take("op", "^") {
		return p.binary(v, "^", p.exponent())
	}
	for {
		switch t := p.peek(); {
		case p.bagged && v.percent() && t.kind == "per" && t.unit.name == "year": // "5% a year"
		case t.kind == "per": // "780 a day"
			v = p.binary(v, "per", one(t.unit))
		case t.is("op", "per") && p.peekAt(1).kind == "noun": // "1.35 per apple"
			p.next()
			v.noun = "per " + p.peek().text
		case t.is("op", "per") && p.peekAt(1).unit != nil:
			p.next()
			v = p.binary(v, "per", one(p.peek().unit))
		case t.is("op", "per"):
			p.next()
			v = p.binary(v, "/", p.quantity())
			continue
		default:
			return v
		}
		p.next()
	}
}

// exponent reads what stands after "^": "2 to the 64th power" has an ordinal.
func (p *parser) exponent() value {
	if t := p.peek(); t.word == "ordinal" || t.word == "frac" && len(p.toks) == 1 {
		p.next()
		n := t.num
		if t.word == "frac" {
			n = new(big.Rat).Inv(n)
		}
		return value{n: n, exact: true, text: n.RatString()}
	}
	return p.unary()
}

// quantity reads a number with the unit after it: "3 h 25 min", "5 ft 11".
func (p *parser) quantity() value {
	v := p.primary()
	for v.unit == nil && p.peek().kind == "noun" { // "47 tests passed"
		v.noun = strings.TrimSpace(v.noun + " " + p.next().text)
	}
	if v.noun != "" {
		v.text += " " + v.noun
		return v
	}
	if v.unit != nil || p.unitAt(0) == nil {
		return v
	}
	v = v.measured(p.unitAt(0))
	p.next()
	for {
		skip := 0
		if p.peek().is("word", "and") && p.list == 0 {
			skip = 1
		}
		if half := p.peekAt(1); skip == 1 && half.word == "frac" && !p.peekAt(2).is("word", "of") { // "2 pies y medio"
			v = p.binary(v, "+", value{n: half.num, exact: true, text: half.text}.measured(v.unit))
			p.toks = p.toks[2:]
			continue
		}
		num, end := p.peekAt(skip), p.peekAt(skip+1)
		if num.kind != "num" {
			return v
		}
		u, size := p.unitAt(skip+1), 2
		switch {
		case u == nil && v.unit.name == "ft" && (end.kind == "" || end.is("word", "in") || end.is("word", "to")): // 5 ft 11
			u, size = inch(), 1
		case u != nil && u.name == "m" && v.unit.name == "h": // 1h30m
			u = &unit{dim: "time", name: "min", scale: rat("60")}
		}
		if u == nil || u.dim != v.unit.dim || u.offset != nil || strings.Contains(u.dim, "/") || u.scale.Cmp(v.unit.scale) >= 0 {
			return v
		}
		p.toks = p.toks[skip+size:]
		part := value{n: num.num, exact: true, text: num.text}.measured(u)
		text := v.text + " " + part.text
		v = p.binary(v, "+", part)
		v.text = text
	}
}

func inch() *unit { return &unit{dim: "length", name: "inch", scale: rat("0.0254")} }

// unitAt is the i-th token from here as a unit, nil for none. "in" is one before
// "in", "to" or the end: 5 in to cm.
func (p *parser) unitAt(i int) *unit {
	t, after := p.peekAt(i), p.peekAt(i+1)
	if t.is("word", "in") && (after.kind == "" || after.is("word", "in") || after.is("word", "to")) {
		return inch()
	}
	if t.kind != "unit" {
		return nil
	}
	return t.unit
}

func (p *parser) primary() value {
	switch t := p.next(); t.kind {
	case "huge":
		panic(tooLarge)
	case "num":
		if p.peek().kind == "root" && (t.word == "ordinal" || t.word == "frac") {
			return p.root(t)
		}
		expect(t.word != "ordinal")
		if strings.ContainsAny(t.text, "exo") || strings.HasPrefix(t.text, "0b") { // worth showing as a plain number
			p.steps++
		}
		return p.numeral(t)
	case "ans":
		if p.ans == nil {
			p.lost = true
			return whole(1)
		}
		return *p.ans
	case "unit": // "an hour"
		expect(!p.peek().is("op", "(")) // C(10, 3)
		return whole(1).measured(t.unit)
	case "const":
		p.steps++
		return value{n: t.num, text: t.text}
	case "root":
		if t.text == "" {
			t.text = "2"
		}
		return p.function(t)
	case "power", "factorial", "times", "fn":
		return p.function(t)
	case "list":
		return p.listOf(t.text)
	case "whole":
		v := p.unary()
		return p.prime(t.text, v)
	case "rate": // "daily rate 780"
		return p.binary(p.quantity(), "per", one(t.unit))
	case "op":
		return p.enclosed(t.text)
	}
	panic(unread)
}

// enclosed reads what stands in parentheses or bars.
func (p *parser) enclosed(open string) value {
	end, ok := map[string]string{"(": ")", "|": "|"}[open]
	expect(ok)
	bars, item := p.bars, p.item
	if p.bars, p.item = 0, false; end == "|" {
		p.bars = 1
	}
	v := p.sum()
	p.bars, p.item = bars, item
	expect(p.take("op", end))
	if end == "|" {
		return p.call("abs", v)
	}
	if strings.ContainsAny(v.text, " -^(!") {
		v.text = "(" + v.text + ")"
	}
	return v
}

// numeral makes one number of "3 1/2", "two million", "two hundred and fifty"
// and "two thirds", of which first is the first word.
func (p *parser) numeral(first token) value {
	v := value{n: first.num, exact: true, text: first.text}
	if t := p.peekAt(2); v.n.IsInt() && p.peek().kind == "num" && p.peek().word == "" && p.peekAt(1).is("op", "/") && t.kind == "num" && p.peek().num.Cmp(t.num) < 0 {
		v.n = new(big.Rat).Add(v.n, new(big.Rat).Quo(p.peek().num, t.num))
		v.text += " " + p.peek().text + "/" + t.text
		p.toks = p.toks[3:]
		return v
	}
	total, part, last := new(big.Rat), first.num, first
	for {
		and := 0
		if p.peek().is("word", "and") && (p.list == 0 || last.word == "scale") {
			and = 1
		}
		t := p.peekAt(and)
		switch {
		case and == 0 && t.word == "scale" && t.num.Cmp(rat("999")) > 0:
			total, part = total.Add(total, new(big.Rat).Mul(part, t.num)), new(big.Rat)
		case and == 0 && (t.word == "scale" || t.word == "frac" && last.word != "frac" && p.peekAt(1).kind != "root"):
			part = new(big.Rat).Mul(part, t.num)
		case t.word == "small" && t.num.Sign() > 0 && p.counts(last, t),
			and == 1 && t.word == "frac" && last.word != "frac" && !p.peekAt(2).is("word", "of"): // "two and a half"
			part = new(big.Rat).Add(part, t.num)
		default:
			if last.text != first.text {
				v.n = total.Add(total, part)
				v.text = v.n.RatString()
			}
			return v
		}
		if p.steps++; p.steps > maxSteps {
			panic(tooLong)
		}
		first.text = "" // of several words
		last = t
		p.toks = p.toks[and+1:]
	}
}

// counts reports whether t goes on counting where last ended: forty two, two
// hundred fifty.
func (p *parser) counts(last, t token) bool {
	return last.word == "scale" && t.num.Cmp(last.num) < 0 || last.word == "small" &&
		(last.num.Cmp(rat("19")) > 0 && t.num.Cmp(rat("10")) < 0 || last.num.Cmp(rat("99")) > 0 && t.num.Cmp(rat("100")) < 0)
}

// root reads what stands after "4th" or "dritte": a root.
func (p *parser) root(degree token) value {
	if p.next(); degree.word == "frac" {
		degree.num = new(big.Rat).Inv(degree.num)
	}
	k := degree.num
	if !k.IsInt() || k.Num().BitLen() > 7 || k.Sign() <= 0 {
		panic(refusal("I take roots up to the 127th."))
	}
	return p.function(token{kind: "root", text: k.RatString()})
}

// function reads the argument of "square root of" and its like.
func (p *parser) function(t token) value {
	if t.is("fn", "log") {
		return p.logarithm()
	}
	p.takeWord("of")
	arg := p.unary()
	switch t.kind {
	case "times":
		k := value{n: rat(t.text), exact: true, text: t.text}
		return p.binary(k, map[bool]string{true: "*", false: "of"}[k.n.IsInt()], arg)
	case "power":
		return p.binary(arg, "^", whole(rat(t.text).Num().Int64()))
	case "factorial":
		return p.factorial(arg)
	case "fn":
		return p.call(t.text, arg)
	}
	k, _ := strconv.Atoi(t.text)
	v := value{n: whole(1).n, exact: true, text: t.text + "th root of " + arg.text}
	if name := map[int]string{2: "sqrt", 3: "cbrt"}[k]; name != "" {
		v.text = name + "(" + bare(arg.text) + ")"
	}
	v.n, v.exact = nthRoot(arg.number(), k)
	v.exact = v.exact && arg.exact
	return p.step(v)
}

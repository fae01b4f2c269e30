package calc

import (
	"math"
	"math/big"
	"slices"
	"strings"
)

// function reads the argument of a function and applies it.
func (p *parser) function(name string) value {
	arg := p.unary()
	v := value{exact: arg.exact, text: name + "(" + strings.Trim(arg.text, "()") + ")", unit: nil}
	if strings.ContainsAny(strings.Trim(arg.text, "()"), "()") {
		v.text = name + "(" + arg.text + ")"
	}
	v.read = v.text
	two, three := big.NewRat(2, 1), big.NewRat(3, 1)
	switch name {
	case "double", "triple":
		times := map[string]*big.Rat{"double": two, "triple": three}[name]
		return p.binary(value{n: times, exact: true, text: times.RatString(), read: times.RatString()}, "*", arg)
	case "square", "cube":
		exp := map[string]*big.Rat{"square": two, "cube": three}[name]
		return p.binary(arg, "^", value{n: exp, exact: true, text: exp.RatString(), read: exp.RatString()})
	}
	n := p.number(arg)
	if p.err != nil {
		return p.fail(p.err)
	}
	var err error
	var exact bool
	switch name {
	case "sqrt", "cbrt", "4", "5", "6", "7", "8", "10":
		k := map[string]int{"sqrt": 2, "cbrt": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "10": 10}[name]
		if k > 3 {
			v.text = name + "th root of " + arg.text
		}
		v.n, exact, err = nthRoot(n, k)
		v.exact = v.exact && exact
	case "factorial":
		v.text, v.read = arg.text+"!", arg.read+"!"
		v.n, err = factorial(n)
	case "abs":
		v.n = new(big.Rat).Abs(n)
	case "floor":
		v.n = floor(n)
	case "ceil":
		v.n = floor(new(big.Rat).Neg(n))
		v.n.Neg(v.n)
	case "inverse":
		return p.binary(value{n: big.NewRat(1, 1), exact: true, text: "1", read: "1"}, "/", arg)
	default:
		v.exact = false
		v.n, err = p.transcendental(name, n)
	}
	return p.step(v, err)
}

// transcendental computes in float64, which is good to about 14 digits.
func (p *parser) transcendental(name string, n *big.Rat) (*big.Rat, error) {
	f, _ := n.Float64()
	if p.take("word", "degrees") {
		f *= math.Pi / 180
	}
	p.take("word", "radians")
	switch name {
	case "ln":
		f = math.Log(f)
	case "log10":
		f = math.Log10(f)
	case "log2":
		f = math.Log2(f)
	case "exp":
		f = math.Exp(f)
	case "sin":
		f = math.Sin(f)
	case "cos":
		f = math.Cos(f)
	case "tan":
		f = math.Tan(f)
	}
	if math.Abs(f) < 1e-15 {
		f = 0
	}
	return fromFloat(f)
}

// listOf reads "3, 4 and 8", with or without parentheses, or "1 to 100", and
// sums it up as name says.
func (p *parser) listOf(name string) value {
	p.list++
	defer func() { p.list-- }()
	p.splitNumbers()
	p.take("word", "of")
	p.take("word", "between")
	open := p.take("op", "(")
	var items []value
	for more := true; more && p.err == nil; {
		items = append(items, p.sum())
		comma, and := p.take("op", ","), p.take("word", "and")
		more = comma || and || p.peek().kind == "num"
	}
	if len(items) == 1 && p.peek().is("word", "to") && p.peekAt(1).kind == "num" {
		p.next()
		return p.series(name, items[0], p.sum())
	}
	p.expect(!open || p.take("op", ")"))
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = item.text
	}
	v := p.fold(name, items)
	v.text = name + "(" + strings.Join(texts, ", ") + ")"
	v.read = v.text
	return v
}

// splitNumbers makes a list of what looks like one number: "gcd(12,18)".
func (p *parser) splitNumbers() {
	count := 0
	for _, t := range p.toks {
		if t.kind == "num" {
			count++
		}
	}
	var out []token
	for _, t := range p.toks {
		parts := strings.FieldsFunc(t.raw, func(r rune) bool { return r == ',' || r == ' ' })
		last := len(parts) - 1
		if last < 1 || count > 1 && (len(parts[last]) == 3 || !strings.Contains(t.raw, ",")) {
			out = append(out, t)
			continue
		}
		for i, part := range parts {
			if i > 0 {
				out = append(out, token{kind: "op", text: ","})
			}
			out = append(out, numberToken(part))
		}
	}
	p.toks = out
}

func (p *parser) fold(name string, items []value) value {
	v := items[0]
	count := value{n: big.NewRat(int64(len(items)), 1), exact: true}
	switch name {
	case "median":
		return p.median(items)
	case "gcd", "lcm":
		return p.divisor(name, items)
	}
	for _, item := range items[1:] {
		switch name {
		case "sum", "average":
			v = p.binary(v, "+", item.plainUnless(v))
		case "product":
			v = p.binary(v, "*", item)
		default:
			if v.dim() != item.dim() {
				return p.fail(mismatch(v.unit, item.unit))
			}
			if order := compare(item, v); name == "min" && order < 0 || name == "max" && order > 0 {
				v = item
			}
		}
	}
	if name == "average" {
		v = p.binary(v, "/", count)
	}
	return p.step(v, nil)
}

// plainUnless keeps a percentage in a list from being one of what is before it.
func (v value) plainUnless(first value) value {
	if first.percent() {
		return v
	}
	return v.plain()
}

func (p *parser) median(items []value) value {
	for _, item := range items {
		if item.dim() != items[0].dim() {
			return p.fail(mismatch(items[0].unit, item.unit))
		}
	}
	slices.SortStableFunc(items, compare)
	half := len(items) / 2
	v := items[half]
	if len(items)%2 == 0 {
		v = p.binary(p.binary(items[half-1], "+", v), "/", value{n: big.NewRat(2, 1), exact: true})
	}
	return p.step(v, nil)
}

func (p *parser) divisor(name string, items []value) value {
	v := new(big.Int)
	for i, item := range items {
		n := p.number(item)
		if !n.IsInt() {
			return p.fail(notWhole)
		}
		abs := new(big.Int).Abs(n.Num())
		gcd := new(big.Int).GCD(nil, nil, v, abs)
		switch {
		case name == "gcd":
			v = gcd
		case i == 0:
			v = abs
		case gcd.Sign() == 0:
			v.SetInt64(0)
		default:
			v = p.step(value{n: new(big.Rat).SetInt(abs.Mul(abs, v).Quo(abs, gcd)), exact: true}, nil).n.Num()
		}
	}
	return p.step(value{n: new(big.Rat).SetInt(v), exact: true}, nil)
}

// series is the sum, average or product of all whole numbers between two.
func (p *parser) series(name string, from, to value) value {
	a, b := p.number(from), p.number(to)
	v := value{exact: true, text: name + "(" + from.text + " to " + to.text + ")"}
	v.read = v.text
	v.n = new(big.Rat).Add(a, b)
	v.n.Quo(v.n, big.NewRat(2, 1)) // the average
	count := new(big.Rat).Sub(b, a)
	count.Add(count, big.NewRat(1, 1))
	switch {
	case !a.IsInt() || !b.IsInt() || count.Sign() <= 0:
		return p.fail(notWhole)
	case name == "sum":
		v.n.Mul(v.n, count)
	case name == "product" && a.Cmp(big.NewRat(1, 1)) == 0:
		n, err := factorial(b)
		v.n = n
		return p.step(v, err)
	case name != "average":
		return p.fail(errUnread)
	}
	return p.step(v, nil)
}

package calc

import (
	"math"
	"math/big"
	"slices"
)

// floating are the functions that are computed in 15 digits.
func floating(name string) func(float64) float64 {
	return map[string]func(float64) float64{
		"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
		"ln": math.Log, "log": math.Log10, "log2": math.Log2, "exp": math.Exp,
	}[name]
}

// call computes a function of one argument.
func (p *parser) call(name string, arg value) value {
	v := value{n: whole(1).n, exact: arg.exact, unit: arg.unit, text: name + "(" + bare(arg.text) + ")"}
	switch name {
	case "sin", "cos", "tan":
		arg, v.unit = angle(name, arg), nil
	case "asin", "acos", "atan":
		arg.n, v.unit = arg.number(), &unit{dim: "angle", name: "rad", scale: whole(1).n}
	case "abs", "floor", "ceil", "digits":
		expect(name != "digits" || arg.n.IsInt())
		v.n = stepwise(name, arg.n)
		return p.step(v)
	default:
		arg.n = arg.number()
	}
	f := floating(name)
	expect(f != nil)
	x, _ := arg.n.Float64()
	return p.float(v, f(x))
}

// float gives v the result of a function.
func (p *parser) float(v value, y float64) value {
	if math.IsNaN(y) || math.Abs(y) > 1e15 {
		panic(refusal(v.text + " has no value."))
	}
	v.n, v.exact = snapped(y)
	return p.step(v)
}

// logarithm reads the base, where one is named, and the number: "log 100", "log
// base 2 of 8", "log(8, 2)".
func (p *parser) logarithm() value {
	var base *big.Rat
	if p.takeWord("base") || p.peek().kind == "base" {
		base = rat(p.next().text)
		expect(base != nil)
	}
	p.takeWord("of")
	if !slices.ContainsFunc(p.toks, func(t token) bool { return t.is("op", ",") }) && base == nil {
		arg := p.unary()
		if !p.takeWord("base") {
			return p.call("log", arg)
		}
		return p.logTo(rat(p.next().text), arg)
	}
	open := base == nil && p.take("op", "(")
	arg := p.unary()
	if base == nil {
		expect(open && p.take("op", ","))
		base = p.unary().number()
		expect(p.take("op", ")"))
	}
	return p.logTo(base, arg)
}

func (p *parser) logTo(base *big.Rat, arg value) value {
	expect(base != nil)
	v := value{n: whole(1).n, exact: arg.exact, text: "log(" + bare(arg.text) + ", base " + base.RatString() + ")"}
	x, _ := arg.number().Float64()
	b, _ := base.Float64()
	return p.float(v, math.Log(x)/math.Log(b))
}

// angle returns v in radians. A bare number of more than one turn is more
// likely one of degrees.
func angle(name string, v value) value {
	if v.dim() == "angle" {
		v = v.to(&unit{dim: "angle", name: "rad", scale: whole(1).n})
		v.unit = nil
		return v
	}
	n := v.number()
	if v.exact && new(big.Rat).Abs(n).Cmp(whole(6).n) > 0 {
		panic(question{ask: "Degrees or radians? Say " + name + " " + v.text + "° or " + name + " " + v.text + " rad."})
	}
	v.n = n
	return v
}

// stepwise is the absolute value, or the whole number below or above.
func stepwise(name string, n *big.Rat) *big.Rat {
	switch name {
	case "abs":
		return new(big.Rat).Abs(n)
	case "digits":
		sum := int64(0)
		for _, c := range new(big.Rat).Abs(n).Num().String() {
			sum += int64(c - '0')
		}
		return whole(sum).n
	}
	q := new(big.Int).Div(n.Num(), n.Denom())
	if name == "ceil" && !n.IsInt() {
		q.Add(q, big.NewInt(1))
	}
	return new(big.Rat).SetInt(q)
}

// snapped returns y, or the multiple of a half that it is but for the last of 15
// digits: sin 30° and log 1000 are exact.
func snapped(y float64) (n *big.Rat, exact bool) {
	if near := math.Round(2*y) / 2; math.Abs(y-near) < 2e-15*max(1, math.Abs(y)) {
		return new(big.Rat).SetFloat64(near), true
	}
	return new(big.Rat).SetFloat64(y), false
}

package calc

import (
	"cmp"
	"math"
	"math/big"
)

// Results are held to maxDigits digits before and after the point; maxBits is
// the same bound for what is on the way to them. A rounded number keeps
// floatBits bits.
const (
	maxDigits = 10_000
	maxBits   = 36_000
	floatBits = 400
)

const (
	tooLarge   = refusal("That number would have more than 10000 digits, which is more than I work with.")
	zeroDivide = refusal("Division by zero has no result.")
	notWhole   = refusal("That works on whole numbers only.")
)

func fits(n *big.Rat) bool {
	return n.Num().BitLen() <= maxBits && n.Denom().BitLen() <= maxBits
}

// rounded keeps an inexact number from growing with every step.
func rounded(n *big.Rat, exact bool) *big.Rat {
	if exact {
		return n
	}
	n, _ = new(big.Float).SetPrec(floatBits).SetRat(n).Rat(nil)
	return n
}

// step counts one operation and checks the outcome.
func (p *parser) step(v value) value {
	p.steps++
	switch {
	case p.ctx.Err() != nil:
		panic(unread)
	case p.steps > maxSteps:
		panic(tooLong)
	case !fits(v.n):
		panic(tooLarge)
	}
	v.n = rounded(v.n, v.exact)
	return v
}

// binary computes a op b. A percentage added or taken away is one of a.
func (p *parser) binary(a value, op string, b value) value {
	v := value{exact: a.exact && b.exact, text: a.text + " " + op + " " + b.text}
	switch op {
	case "+", "-", "min", "max":
		expect(sameNoun(a, b))
		a, b = alike(a, b)
		v.noun = cmp.Or(a.noun, b.noun)
		switch v.n, v.unit = a.n, a.unit; {
		case op == "+":
			v.n = new(big.Rat).Add(a.n, b.n)
		case op == "-":
			v.n = new(big.Rat).Sub(a.n, b.n)
		case (op == "max") == (a.n.Cmp(b.n) < 0):
			v.n = b.n
		}
	case "*", "of":
		a, b = a.plain(), b.plain()
		v.n = new(big.Rat).Mul(a.n, b.n)
		v = p.unitOf(v, a, b, 1)
	case "/", "per":
		if a, b = a.plain(), b.plain(); op == "/" && a.unit == nil && b.unit != nil && new(big.Rat).Abs(a.n).Cmp(b.n) < 0 { // "1/2 mile"
			a.unit, b.unit = b.unit, nil
		}
		v.n = divided(a.n, b.n)
		v = p.unitOf(v, a, b, -1)
	default:
		if op == "^" {
			v.text = a.text + "^" + b.text
		}
		n, exact := numeric(a.number(), op, b.number())
		v.n, v.exact = n, v.exact && exact
	}
	return p.step(v)
}

// numeric computes a op b for bare numbers.
func numeric(a *big.Rat, op string, b *big.Rat) (n *big.Rat, exact bool) {
	switch op {
	case "^":
		return power(a, b)
	case "mod", "div":
		q := divided(a, b)
		q.SetInt(new(big.Int).Div(q.Num(), q.Denom())) // rounded down
		if op == "div" {
			return q, true
		}
		return q.Sub(a, q.Mul(q, b)), true
	case "choose":
		if !a.IsInt() || !b.IsInt() || b.Sign() < 0 || a.Cmp(b) < 0 {
			panic(refusal("\"n choose k\" needs whole numbers, of which k is not the larger one."))
		}
		if a.Num().BitLen() > 12 {
			panic(tooLarge)
		}
		return new(big.Rat).SetInt(new(big.Int).Binomial(a.Num().Int64(), b.Num().Int64())), true
	}
	if !a.IsInt() || !b.IsInt() {
		panic(notWhole)
	}
	switch n := new(big.Int); op {
	case "&":
		return new(big.Rat).SetInt(n.And(a.Num(), b.Num())), true
	case "|":
		return new(big.Rat).SetInt(n.Or(a.Num(), b.Num())), true
	case "xor":
		return new(big.Rat).SetInt(n.Xor(a.Num(), b.Num())), true
	case "<<", ">>":
		if b.Sign() < 0 || b.Cmp(rat("9999")) > 0 {
			panic(tooLarge)
		}
		shift := map[string]func(*big.Int, uint) *big.Int{"<<": n.Lsh, ">>": n.Rsh}[op]
		return new(big.Rat).SetInt(shift(a.Num(), uint(b.Num().Uint64()))), true
	}
	return divisor(op, a, b), true
}

// alike returns two values in the unit of the first. A percentage beside
// something else is one of that.
func alike(a, b value) (value, value) {
	switch {
	case b.percent() && !a.percent():
		b.n, b.unit = new(big.Rat).Mul(b.plain().n, a.n), a.unit
		return a, b
	case b.unit == nil && a.answer:
		b.unit = a.unit
	case b.unit == nil:
		a = a.plain()
	}
	switch {
	case a.unit == nil && b.unit == nil:
	case a.unit == nil:
		expect(a.noun == "") // "3 files larger than 5 MB"
		panic(mismatch(nil, b.unit))
	case a.dim() == "temperature" && b.dim() == "temperature" && a.unit.name != b.unit.name:
		panic(refusal("Temperatures on different scales cannot be added; convert one of them first."))
	default:
		b = b.to(a.unit)
	}
	return a, b
}

func divided(a, b *big.Rat) *big.Rat {
	if b.Sign() == 0 {
		panic(zeroDivide)
	}
	return new(big.Rat).Quo(a, b)
}

// power returns base to the power of exp; exact is false for a rounded root.
func power(base, exp *big.Rat) (n *big.Rat, exact bool) {
	if !exp.IsInt() {
		if exp.Denom().BitLen() > 7 {
			x, _ := base.Float64()
			y, _ := exp.Float64()
			if y = math.Pow(x, y); math.IsNaN(y) || math.Abs(y) > 1e15 {
				panic(refusal("I take roots up to the 127th, and that power needs a higher one."))
			}
			n, _ = snapped(y)
			return n, false
		}
		root, exact := nthRoot(base, int(exp.Denom().Int64()))
		n, _ := power(rounded(root, exact), new(big.Rat).SetInt(exp.Num()))
		return n, exact
	}
	if exp.Sign() < 0 {
		return power(divided(whole(1).n, base), new(big.Rat).Neg(exp))
	}
	e := exp.Num()
	bits := max(base.Num().BitLen(), base.Denom().BitLen()) - 1
	if bits == 0 || base.Sign() == 0 { // 1, -1 or 0
		e = big.NewInt(int64(e.Sign()) * int64(2-e.Bit(0)))
	}
	if e.BitLen() > 20 || bits*int(e.Int64()) > maxBits {
		panic(tooLarge)
	}
	return new(big.Rat).SetFrac(new(big.Int).Exp(base.Num(), e, nil), new(big.Int).Exp(base.Denom(), e, nil)), true
}

// nthRoot returns the k-th root, exact where there is one, else rounded to 110
// decimals.
func nthRoot(n *big.Rat, k int) (root *big.Rat, exact bool) {
	if n.Sign() < 0 {
		if k%2 == 0 {
			panic(refusal("A negative number has no real square root, nor any other even root."))
		}
		root, exact = nthRoot(new(big.Rat).Neg(n), k)
		return root.Neg(root), exact
	}
	num, numExact := intRoot(n.Num(), k)
	den, denExact := intRoot(n.Denom(), k)
	if numExact && denExact {
		return new(big.Rat).SetFrac(num, den), true
	}
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(110), nil)
	scaled := new(big.Int).Exp(ten, big.NewInt(int64(k)), nil)
	num, _ = intRoot(scaled.Mul(scaled, n.Num()).Quo(scaled, n.Denom()), k)
	return new(big.Rat).SetFrac(num, ten), false
}

// intRoot returns the whole part of the k-th root of n >= 0, and whether it is
// the root.
func intRoot(n *big.Int, k int) (*big.Int, bool) {
	if n.Sign() == 0 {
		return new(big.Int), true
	}
	exp, less := big.NewInt(int64(k)), big.NewInt(int64(k-1))
	x := new(big.Int).Lsh(big.NewInt(1), uint(n.BitLen()/k+1)) // at or above the root
	for {
		next := new(big.Int).Quo(n, new(big.Int).Exp(x, less, nil))
		next.Add(next, new(big.Int).Mul(x, less)).Quo(next, exp)
		if next.Cmp(x) >= 0 {
			return x, new(big.Int).Exp(x, exp, nil).Cmp(n) == 0
		}
		x = next
	}
}

func (p *parser) factorial(v value) value {
	n := v.number()
	v.text += "!"
	switch {
	case !n.IsInt() || n.Sign() < 0:
		panic(refusal("A factorial needs a whole number that is not negative."))
	case n.Num().BitLen() > 12 || n.Num().Int64() > 3300:
		panic(tooLarge)
	}
	v.n = new(big.Rat).SetInt(new(big.Int).MulRange(1, n.Num().Int64()))
	return p.step(v)
}

// divisor is the greatest common divisor, or the least common multiple.
func divisor(op string, a, b *big.Rat) *big.Rat {
	x, y := new(big.Int).Abs(a.Num()), new(big.Int).Abs(b.Num())
	n := new(big.Int).GCD(nil, nil, x, y)
	if op == "lcm" && n.Sign() > 0 {
		n.Mul(x.Quo(x, n), y)
	}
	return new(big.Rat).SetInt(n)
}

package calc

import "math/big"

// step counts one operation and checks what came of it.
func (p *parser) step(v value, err error) value {
	p.steps++
	switch {
	case p.err != nil:
		return p.fail(p.err)
	case err != nil:
		return p.fail(err)
	case p.ctx.Err() != nil:
		return p.fail(p.ctx.Err())
	case p.steps > maxSteps:
		return p.fail(refusal("That is longer than the 500 steps I compute at once."))
	case !fits(v.n):
		return p.fail(tooLarge)
	}
	v.n = rounded(v.n, v.exact)
	return v
}

// apply computes a function of a bare number.
func (p *parser) apply(arg value, text string, f func(*big.Rat) (*big.Rat, error)) value {
	n := p.number(arg)
	if p.err != nil {
		return p.fail(p.err)
	}
	n, err := f(n)
	return p.step(value{n: n, exact: arg.exact, text: text}, err)
}

// number returns v as a bare number.
func (p *parser) number(v value) *big.Rat {
	v = v.plain()
	if v.unit != nil {
		return p.fail(refusal("I can do that with numbers, but not with " + v.unit.name + ".")).n
	}
	return v.n
}

// binary computes a op b. A percentage added or taken away is one of a.
func (p *parser) binary(a value, op string, b value) value {
	if p.err != nil {
		return p.fail(p.err)
	}
	v := value{exact: a.exact && b.exact, text: a.text + " " + op + " " + b.text}
	var err error
	switch op {
	case "+", "-", "min", "max":
		if a, b, err = p.alike(a, b); err == nil {
			v.n, v.unit = added(a.n, op, b.n), a.unit
		}
	case "*", "of":
		a, b = a.plain(), b.plain()
		if v.unit = a.unit; v.unit == nil {
			v.unit = b.unit
		} else if b.unit != nil {
			return p.fail(errUnread)
		}
		v.n = new(big.Rat).Mul(a.n, b.n)
	case "/":
		v.n, v.unit, err = quotient(a.plain(), b.plain())
	case "^":
		v.text = a.text + "^" + b.text
		var exact bool
		v.n, exact, err = power(p.number(a), p.number(b))
		v.exact = v.exact && exact
	case "mod":
		v.n, err = modulus(p.number(a), p.number(b))
	case "choose":
		v.n, err = choose(p.number(a), p.number(b))
	case "gcd", "lcm":
		v.n, err = divisor(op, p.number(a), p.number(b))
	default:
		err = errUnread
	}
	return p.step(v, err)
}

// alike returns two values in the unit of the first. A percentage beside
// something else is one of that.
func (p *parser) alike(a, b value) (value, value, error) {
	switch {
	case b.percent() && !a.percent():
		b.n, b.unit = new(big.Rat).Mul(b.plain().n, a.n), a.unit
		return a, b, nil
	case b.unit == nil:
		a = a.plain()
	}
	switch {
	case a.dim() != b.dim():
		return a, b, mismatch(a.unit, b.unit)
	case a.unit == nil:
		return a, b, nil
	case a.dim() == "temperature" && a.unit.name != b.unit.name:
		return a, b, refusal("Temperatures on different scales cannot be added; convert one of them first.")
	}
	b, err := b.to(a.unit)
	return a, b, err
}

func added(a *big.Rat, op string, b *big.Rat) *big.Rat {
	switch {
	case op == "+":
		return new(big.Rat).Add(a, b)
	case op == "-":
		return new(big.Rat).Sub(a, b)
	case (op == "max") == (a.Cmp(b) < 0):
		return b
	}
	return a
}

// quotient divides; of two quantities of one kind it is a number.
func quotient(a, b value) (*big.Rat, *unit, error) {
	switch {
	case b.n.Sign() == 0:
		return nil, nil, zeroDivide
	case b.unit == nil:
	case a.unit == nil && new(big.Rat).Abs(a.n).Cmp(b.n) < 0: // "1/2 mile"
		a.unit = b.unit
	case a.unit == nil || b.unit.offset != nil:
		return nil, nil, errUnread
	default:
		converted, err := b.to(a.unit)
		if err != nil || converted.n.Sign() == 0 {
			return nil, nil, errUnread
		}
		a.unit, b = nil, converted
	}
	return new(big.Rat).Quo(a.n, b.n), a.unit, nil
}

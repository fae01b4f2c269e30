package calc

import "math/big"

// unit is what a number counts. A value in base units is
// (value + offset) * scale; offset is nil for all but temperatures.
type unit struct {
	dim, name     string
	scale, offset *big.Rat
}

func percent() *unit { return &unit{dim: "none", name: "%", scale: big.NewRat(1, 100)} }

// value is a number, of something or (unit nil) of nothing. text is how its
// expression is written. exact is false once a rounded step went into it.
type value struct {
	n     *big.Rat
	unit  *unit
	exact bool
	text  string
}

func whole(n int64) value {
	r := big.NewRat(n, 1)
	return value{n: r, exact: true, text: r.RatString()}
}

// measured returns the bare number v as so many of u.
func (v value) measured(u *unit) value {
	v.unit, v.text = u, v.text+" "+u.name
	return v
}

func (v value) percent() bool { return v.unit != nil && v.unit.name == "%" }

// plain returns v with a percentage turned into the number it stands for.
func (v value) plain() value {
	if v.percent() {
		v.n, v.unit = new(big.Rat).Mul(v.n, v.unit.scale), nil
	}
	return v
}

func (v value) dim() string {
	if v.unit == nil {
		return "none"
	}
	return v.unit.dim
}

// number returns v as a bare number.
func (v value) number() *big.Rat {
	if v = v.plain(); v.unit != nil {
		panic(refusal("I can do that with numbers, but not with " + v.unit.name + "."))
	}
	return v.n
}

// to returns v in another unit of the same dimension.
func (v value) to(u *unit) value {
	if v.dim() != u.dim {
		panic(mismatch(v.unit, u))
	}
	n := new(big.Rat).Set(v.n)
	if v.unit != nil {
		if v.unit.offset != nil {
			n.Add(n, v.unit.offset)
		}
		n.Mul(n, v.unit.scale)
	}
	n.Quo(n, u.scale)
	if u.offset != nil {
		n.Sub(n, u.offset)
	}
	v.n, v.unit = n, u
	return v
}

func mismatch(a, b *unit) refusal {
	of := "a bare number"
	if a != nil {
		of = a.name + " (" + a.dim + ")"
	}
	return refusal("I cannot bring " + of + " and " + b.name + " (" + b.dim + ") together.")
}

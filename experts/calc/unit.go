package calc

import (
	"maps"
	"math/big"
	"slices"
	"strings"
)

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
	n      *big.Rat
	unit   *unit
	noun   string // what is counted, "" for nothing: the bottles of "12 bottles"
	exact  bool
	text   string
	answer bool // it is the last result; what is added to that may go without its unit
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

// sameNoun reports whether two values are of the same things, if of any: 1 apple
// and 3 apples.
func sameNoun(a, b value) bool {
	return a.noun == "" || b.noun == "" || strings.TrimSuffix(a.noun, "s") == strings.TrimSuffix(b.noun, "s")
}

// one is one of a unit that something else is counted by: "780 per d".
func one(u *unit) value { return value{n: whole(1).n, unit: u, exact: true, text: u.name} }

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
	if !v.is(u.dim) {
		expect(v.unit == nil || v.unit.name != "")
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

// powers are the dimensions that one is made of and how often, less than never for
// one that divides: a speed is "length /time".
func powers(dim string) map[string]int {
	if made := map[string]string{"area": "length length", "volume": "length length length", "power": "energy /time"}[dim]; made != "" {
		dim = made
	}
	all := map[string]int{}
	for name := range strings.FieldsSeq(strings.ReplaceAll(dim, "/", " /")) {
		if under, ok := strings.CutPrefix(name, "/"); ok {
			all[under]--
		} else {
			all[name]++
		}
	}
	return all
}

// unitOf puts v, the number of a product of a and b or (sign -1) of their
// quotient, into the unit that there is for it. Where none is, as for so much an
// hour, the unit has no name.
func (p *parser) unitOf(v, a, b value, sign int) value {
	switch {
	case b.unit == nil, a.unit == nil && sign > 0:
		if v.unit = a.unit; v.unit == nil {
			v.unit = b.unit
		}
		return v
	case sign > 0 && a.is("time") && b.is("time"): // 2 weeks * 5 days: the longer one says how often
		if v.unit = a.unit; b.unit.scale.Cmp(a.unit.scale) < 0 {
			v.unit = b.unit
		}
		return v
	}
	scale, dims := whole(1).n, map[string]int{}
	for i, u := range []*unit{a.unit, b.unit} {
		if u == nil {
			continue
		}
		expect(u.offset == nil)
		times, by := 1, u.scale
		if i == 1 && sign < 0 {
			times, by = -1, new(big.Rat).Inv(u.scale)
		}
		scale = new(big.Rat).Mul(scale, by)
		for name, n := range powers(u.dim) {
			if dims[name] += times * n; dims[name] == 0 {
				delete(dims, name)
			}
		}
	}
	v.unit = &unit{scale: scale}
	for name, n := range dims {
		v.unit.dim = strings.Repeat(name+" ", max(n, 0)) + v.unit.dim + strings.Repeat(" /"+name, max(-n, 0))
	}
	if len(dims) == 0 {
		v.n, v.unit = new(big.Rat).Mul(v.n, scale), nil
		return v
	}
	for _, u := range p.units {
		if u.offset == nil && u.scale.Cmp(scale) == 0 && maps.Equal(powers(u.dim), dims) {
			v.unit = u
		}
	}
	return v
}

// named puts v, whose unit has no name, into the first that there is of its kind.
func (p *parser) named(v value) value {
	if v.unit == nil || v.unit.name != "" {
		return v
	}
	i := slices.IndexFunc(p.units, func(u *unit) bool { return u.offset == nil && v.is(u.dim) })
	expect(i >= 0)
	return v.to(p.units[i])
}

// is reports whether v is of a dimension.
func (v value) is(dim string) bool { return maps.Equal(powers(v.dim()), powers(dim)) }

func mismatch(a, b *unit) refusal {
	of := "a bare number"
	if a != nil {
		of = a.name + " (" + a.dim + ")"
	}
	return refusal("I cannot bring " + of + " and " + b.name + " (" + b.dim + ") together.")
}

package calc

import (
	"math/big"
	"strings"
)

// unit is what a number counts. A value in base units is
// (value + offset) * scale; offset is nil for all but temperatures.
type unit struct {
	dim, name     string
	scale, offset *big.Rat
}

// value is a number, of something or (unit nil) of nothing. text is how its
// expression is written, read how it was understood. exact is false once a
// rounded step went into it.
type value struct {
	n          *big.Rat
	unit       *unit
	exact      bool
	text, read string
}

func (v value) percent() bool { return v.unit != nil && v.unit.name == "%" }

// plain returns v with a percentage turned into the number it stands for.
func (v value) plain() value {
	if v.percent() {
		v.n = new(big.Rat).Mul(v.n, v.unit.scale)
		v.unit = nil
	}
	return v
}

func (v value) dim() string {
	if v.unit == nil {
		return "none"
	}
	return v.unit.dim
}

// to returns v in another unit of the same dimension.
func (v value) to(u *unit) (value, bool) {
	if v.dim() != u.dim {
		return v, false
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
	return v, true
}

// products says which dimension a product of two has; quotients follow from it.
func products(a, b string) string {
	if a > b {
		a, b = b, a
	}
	switch a + "*" + b {
	case "length*length":
		return "area"
	case "area*length":
		return "volume"
	case "speed*time":
		return "length"
	case "data/time*time":
		return "data"
	}
	return ""
}

// quotient is the dimension d for which d times b is a.
func quotient(a, b string) string {
	for _, d := range []string{"length", "area", "speed", "time", "data/time"} {
		if products(d, b) == a {
			return d
		}
	}
	return ""
}

// combined returns the unit of a product or quotient of two units.
func combined(a, b *unit, op string) (*unit, bool) {
	switch {
	case a == nil && op == "*":
		return b, true
	case b == nil:
		return a, true
	case a == nil: // "1/2 mile"
		return b, true
	case a.offset != nil || b.offset != nil:
		return nil, false
	case op == "*" && products(a.dim, b.dim) != "":
		return &unit{dim: products(a.dim, b.dim), name: productName(a, b), scale: new(big.Rat).Mul(a.scale, b.scale)}, true
	case op == "/" && a.dim == b.dim:
		return &unit{dim: "none", scale: new(big.Rat).Quo(a.scale, b.scale)}, true
	case op == "/" && quotient(a.dim, b.dim) != "":
		return &unit{dim: quotient(a.dim, b.dim), name: quotientName(a, b), scale: new(big.Rat).Quo(a.scale, b.scale)}, true
	}
	return nil, false
}

func productName(a, b *unit) string {
	if a == b {
		return a.name + "²"
	}
	if rest, ok := strings.CutSuffix(a.name, "/"+b.name); ok {
		return rest
	}
	if rest, ok := strings.CutSuffix(b.name, "/"+a.name); ok {
		return rest
	}
	if rest, ok := strings.CutSuffix(a.name, "²"); ok && rest == b.name {
		return a.name[:len(rest)] + "³"
	}
	return a.name + "·" + b.name
}

func quotientName(a, b *unit) string {
	if a.name == b.name+"²" {
		return b.name
	}
	if rest, ok := strings.CutPrefix(b.name, a.name+"/"); ok {
		return rest
	}
	return a.name + "/" + b.name
}

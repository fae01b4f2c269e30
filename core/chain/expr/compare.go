package expr

import (
	"cmp"
	"math/big"
	"strings"
)

// num is a number: whole ones that fit are exact, others are compared as they
// are written where that matters.
type num struct {
	i     int64
	f     float64
	text  string // of a number that neither holds exactly
	whole bool
}

func (n num) float() float64 {
	if n.whole {
		return float64(n.i)
	}
	return n.f
}

func (n num) compare(m num) int {
	switch {
	case n.whole && m.whole:
		return cmp.Compare(n.i, m.i)
	case n.text != "" || m.text != "" || n.whole || m.whole:
		a, ok := n.exact()
		b, also := m.exact()
		if ok && also {
			return a.Cmp(b)
		}
	}
	return cmp.Compare(n.float(), m.float())
}

// exact is the number as a fraction. It reports false for those that are too
// long to be worth it, and for no number.
func (n num) exact() (*big.Rat, bool) {
	switch {
	case n.whole:
		return new(big.Rat).SetInt64(n.i), true
	case n.text != "":
		if len(n.text) > 64 || strings.ContainsAny(n.text, "eE") {
			return nil, false
		}
		return new(big.Rat).SetString(n.text)
	}
	r := new(big.Rat).SetFloat64(n.f)
	return r, r != nil
}

// equal compares two values of any type; numbers are equal when they are the
// same number.
func equal(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case string:
		b, ok := b.(string)
		return ok && a == b
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, v := range a {
			other, ok := b[key]
			if !ok || !equal(v, other) {
				return false
			}
		}
		return true
	}
	x, ok := number(a)
	y, also := number(b)
	return ok && also && x.compare(y) == 0
}

// holds reports whether a list has an element, a text a part, or an object a
// key. ok is false where the question makes no sense.
func holds(in, what any) (yes, ok bool) {
	switch in := in.(type) {
	case []any:
		for _, v := range in {
			if equal(v, what) {
				return true, true
			}
		}
		return false, true
	case map[string]any:
		key, ok := what.(string)
		if ok {
			_, yes = in[key]
		}
		return yes, ok
	case string:
		part, ok := what.(string)
		return ok && strings.Contains(in, part), ok
	}
	return false, false
}

package expr

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
)

const (
	maxValueDepth = 1000 // values are not made by us: a list may hold itself
	maxDigits     = 1000 // of an integer that is compared exactly
)

// plain returns values of named types, such as a status, as what they are made
// of.
func plain(v any) any {
	switch v.(type) {
	case nil, bool, string, int, int64, uint64, float64, json.Number, []any, map[string]any:
		return v
	}
	switch r := reflect.ValueOf(v); {
	case r.Kind() == reflect.Bool:
		return r.Bool()
	case r.Kind() == reflect.String:
		return r.String()
	case r.CanInt():
		return r.Int()
	case r.CanUint():
		return r.Uint()
	case r.CanFloat():
		return r.Float()
	}
	return v
}

// kindOf says what a plain value is, in the user's words.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "text"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	if _, ok := toNumber(v); ok {
		return "a number"
	}
	return "something unknown"
}

// equal compares deeply; numbers are equal by value, whatever their types.
func equal(a, b any, depth int) bool {
	if depth > maxValueDepth {
		return false
	}
	a, b = plain(a), plain(b)
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
			if !equal(a[i], b[i], depth+1) {
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
			if w, ok := b[key]; !ok || !equal(v, w, depth+1) {
				return false
			}
		}
		return true
	}
	x, isNumber := toNumber(a)
	y, both := toNumber(b)
	order, ok := x.compare(y)
	return isNumber && both && ok && order == 0
}

// compare orders two numbers or two texts; false for anything else.
func compare(a, b any) (order int, ok bool) {
	if s, ok := a.(string); ok {
		t, ok := b.(string)
		return strings.Compare(s, t), ok
	}
	x, isNumber := toNumber(a)
	y, both := toNumber(b)
	if !isNumber || !both {
		return 0, false
	}
	return x.compare(y)
}

// contains reports whether a list has an element, an object a key, a text a
// part; false as ok where there is nothing to look into or to look for.
func contains(in, what any) (is, ok bool) {
	if list, ok := in.([]any); ok {
		for _, e := range list {
			if equal(e, what, 0) {
				return true, true
			}
		}
		return false, true
	}
	s, ok := what.(string)
	if !ok {
		return false, false
	}
	switch in := in.(type) {
	case string:
		return strings.Contains(in, s), true
	case map[string]any:
		_, is := in[s]
		return is, true
	}
	return false, false
}

// number is an integer (i, or big where it is too great for that) or a float.
type number struct {
	integer bool
	i       int64
	big     *big.Int
	f       float64
}

func toNumber(v any) (number, bool) {
	switch v := v.(type) {
	case int:
		return number{integer: true, i: int64(v)}, true
	case int64:
		return number{integer: true, i: v}, true
	case float64:
		return number{f: v}, true
	case uint64:
		if v > math.MaxInt64 {
			return number{integer: true, big: new(big.Int).SetUint64(v)}, true
		}
		return number{integer: true, i: int64(v)}, true
	case json.Number:
		return parseNumber(string(v))
	}
	return number{}, false
}

func parseNumber(s string) (number, bool) {
	if !strings.ContainsAny(s, ".eE") && len(s) <= maxDigits {
		if len(s) < 19 { // fits
			i, err := strconv.ParseInt(s, 10, 64)
			return number{integer: true, i: i}, err == nil
		}
		i, ok := new(big.Int).SetString(s, 10)
		if ok && i.IsInt64() {
			return number{integer: true, i: i.Int64()}, true
		}
		return number{integer: true, big: i}, ok
	}
	f, err := strconv.ParseFloat(s, 64)
	return number{f: f}, err == nil || math.IsInf(f, 0)
}

// compare orders by the exact values; false with a NaN.
func (n number) compare(m number) (order int, ok bool) {
	if math.IsNaN(n.f) || math.IsNaN(m.f) {
		return 0, false
	}
	if n.integer && m.integer && n.big == nil && m.big == nil {
		return cmp.Compare(n.i, m.i), true
	}
	x, exact := n.float()
	y, both := m.float()
	if exact && both {
		return cmp.Compare(x, y), true
	}
	return n.exact().Cmp(m.exact()), true
}

// float returns the number as a float, and whether it is still the same.
func (n number) float() (f float64, ok bool) {
	if !n.integer {
		return n.f, true
	}
	const most = 1 << 53
	return float64(n.i), n.big == nil && -most <= n.i && n.i <= most
}

func (n number) exact() *big.Float {
	switch {
	case n.big != nil:
		return new(big.Float).SetInt(n.big)
	case n.integer:
		return new(big.Float).SetInt64(n.i)
	default:
		return big.NewFloat(n.f)
	}
}

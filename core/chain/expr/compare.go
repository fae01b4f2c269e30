package expr

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

const (
	maxValueDepth = 1000 // values are not made by us: a list may hold itself
	maxDigits     = 1000 // of an integer that is compared exactly
)

// TypeName names the type of a value for people.
func TypeName(v any) string {
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
	below := func(a, b any) bool { return depth < maxValueDepth && equal(a, b, depth+1) }
	switch a := a.(type) {
	case nil, bool:
		return a == b
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, below)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, below)
	}
	order, ok := compare(a, b)
	return ok && order == 0
}

// compare orders two numbers, by their exact values, or two texts; false for
// anything else, and for a NaN.
func compare(a, b any) (order int, ok bool) {
	if s, ok := a.(string); ok {
		t, ok := b.(string)
		return strings.Compare(s, t), ok
	}
	x, isNumber := toNumber(a)
	y, both := toNumber(b)
	switch {
	case !isNumber, !both, math.IsNaN(x.f), math.IsNaN(y.f):
		return 0, false
	case x.big == nil && y.big == nil:
		return cmp.Compare(x.f, y.f), true
	}
	return x.exact().Cmp(y.exact()), true
}

// contains reports whether a list has an element, an object a key, a text a
// part; false as ok where there is nothing to look into or to look for.
func contains(in, what any) (is, ok bool) {
	key, isText := what.(string)
	switch in := in.(type) {
	case []any:
		return slices.ContainsFunc(in, func(e any) bool { return equal(e, what, 0) }), true
	case string:
		return isText && strings.Contains(in, key), isText
	case map[string]any:
		_, is := in[key]
		return is && isText, isText
	}
	return false, false
}

// number is a float, or an integer that no float is equal to.
type number struct {
	f   float64
	big *big.Int
}

func toNumber(v any) (number, bool) {
	switch v := v.(type) {
	case int:
		return integer(int64(v)), true
	case int64:
		return integer(v), true
	case float64:
		return number{f: v}, true
	case json.Number:
		s := string(v)
		if !strings.ContainsAny(s, ".eE") && len(s) <= maxDigits {
			i, ok := new(big.Int).SetString(s, 10)
			if ok && i.IsInt64() {
				return integer(i.Int64()), true
			}
			return number{big: i}, ok
		}
		f, err := strconv.ParseFloat(s, 64)
		return number{f: f}, err == nil || math.IsInf(f, 0)
	}
	return number{}, false
}

func integer(i int64) number {
	const most = 1 << 53
	if -most <= i && i <= most {
		return number{f: float64(i)}
	}
	return number{big: big.NewInt(i)}
}

func (n number) exact() *big.Float {
	if n.big != nil {
		return new(big.Float).SetInt(n.big)
	}
	return big.NewFloat(n.f)
}

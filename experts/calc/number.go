package calc

import (
	"math/big"
	"regexp"
	"strings"
)

// numerals are the ways to write a number, the first that fits is taken. What
// follows groups of three digits is no digit.
type numerals struct{ based, grouped, commas, points, plain, dotted, exponent *regexp.Regexp }

func newNumerals() numerals {
	return numerals{
		based:    regexp.MustCompile(`^(?i:0x[0-9a-f]+|0b[01]+|0o[0-7]+)`),
		grouped:  regexp.MustCompile(`^(\d{1,3}(?: \d{3})+|\d{1,3}(?:'\d{3})+|\d{1,3}(?:_\d{3})+)(?:\D|$)`),
		commas:   regexp.MustCompile(`^([1-9]\d{0,2}(?:,\d{3})+)(?:\D|$)`),
		points:   regexp.MustCompile(`^(\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?)(?:\D|$)`),
		plain:    regexp.MustCompile(`^[.,]\d+`),
		dotted:   regexp.MustCompile(`^\.\d+`),
		exponent: regexp.MustCompile(`^(?i:e[+-]?\d+)`),
	}
}

// digits returns how many digits s starts with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// scan returns the length of the number at the start of s, 0 for none: 12,
// 1,234.5, 1.234,50, 1 000, .5, 3,5, 1e6, 0xff. In a list a comma separates, but
// for thousands unless the list is in parentheses.
func (r numerals) scan(s string, list, open bool) int {
	n := len(r.based.FindString(s))
	if n > 0 {
		return n
	}
	decimals := r.plain // a comma, too
	if m := r.points.FindStringSubmatch(s); m != nil {
		n = len(m[1])
		decimals = nil
	} else if m := r.grouped.FindStringSubmatch(s); m != nil {
		n = len(m[1])
	} else if m := r.commas.FindStringSubmatch(s); m != nil && !open {
		n = len(m[1])
		decimals = r.dotted
	} else {
		n = digits(s)
	}
	if list && decimals != nil || n == 0 {
		decimals = r.dotted
	}
	if decimals != nil {
		n += len(decimals.FindString(s[n:]))
	}
	if n > 0 {
		n += len(r.exponent.FindString(s[n:]))
	}
	return n
}

// parseNumeral reads a literal that scanNumber found. What no result could hold
// is huge.
func parseNumeral(s string) token {
	s = strings.ToLower(s)
	if len(s) > 2 && s[0] == '0' && strings.IndexByte("xbo", s[1]) >= 0 {
		if i, ok := new(big.Int).SetString(s, 0); ok && i.BitLen() <= maxBits {
			return token{kind: "num", text: s, num: new(big.Rat).SetInt(i)}
		}
		return token{kind: "huge"}
	}
	if strings.ContainsAny(s, " '_") {
		s = strings.NewReplacer(" ", "", "'", "", "_", "").Replace(s)
	}
	mantissa, exponent, hasExponent := strings.Cut(s, "e")
	comma := strings.LastIndexByte(mantissa, ',')
	switch {
	case comma < 0 && strings.Count(mantissa, ".") > 1:
		mantissa = strings.ReplaceAll(mantissa, ".", "")
	case comma < 0:
	case comma > strings.LastIndexByte(mantissa, '.') && (strings.Contains(mantissa, ".") || len(mantissa)-comma != 4 || mantissa[0] == '0'): // 3,14 and 1.234,50
		mantissa = strings.Replace(strings.ReplaceAll(mantissa, ".", ""), ",", ".", 1)
	default:
		mantissa = strings.ReplaceAll(mantissa, ",", "")
	}
	if len(mantissa) > maxDigits || len(strings.TrimLeft(exponent, "+-0")) > 4 {
		return token{kind: "huge"}
	}
	if s = mantissa; hasExponent {
		s += "e" + exponent
	}
	n := rat(s)
	if n == nil {
		panic(unread)
	}
	return token{kind: "num", text: s, num: n}
}

package calc

import (
	"math/big"
	"strings"
)

// digits returns how many digits s starts with.
func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

// grouped returns how long the groups of three digits at the start of s are,
// each after sep.
func grouped(s string, sep byte) int {
	n := 0
	for len(s) >= n+4 && s[n] == sep && digits(s[n+1:min(len(s), n+5)]) == 3 {
		n += 4
	}
	return n
}

// scanNumber returns the length of the number at the start of s, 0 for none:
// 12, 1,234.5, 1.234,50, 1 000, .5, 3,5, 1e6, 0xff. In a list a comma separates,
// but for thousands unless the list is in parentheses.
func scanNumber(s string, list, open bool) int {
	if len(s) > 2 && s[0] == '0' {
		n, set := 2, map[byte]string{'x': "0123456789abcdef", 'b': "01", 'o': "01234567"}[s[1]|0x20]
		for n < len(s) && strings.IndexByte(set, s[n]|0x20) >= 0 {
			n++
		}
		if n > 2 {
			return n
		}
	}
	n := digits(s)
	if n == 0 && (s[0] != '.' || digits(s[1:]) == 0) {
		return 0
	}
	group := byte(0)
	if n > 0 && n <= 3 && len(s) > n {
		if sep := s[n]; strings.IndexByte(", '_.", sep) >= 0 && (sep != ',' || !open && s[0] != '0') {
			g := grouped(s[n:], sep)
			decimals := len(s) > n+g && s[n+g] == ',' && digits(s[n+g+1:]) > 0
			if g > 0 && (sep != '.' || decimals || g > 4) { // 1.000 may be 1, 1.000.000 is a million
				n, group = n+g, sep
			}
		}
	}
	point := byte('.')
	if group == '.' || group == 0 && n > 0 && !list || (group == ' ' || group == '\'') && !list {
		if n < len(s) && s[n] == ',' {
			point = ','
		}
	}
	if n < len(s) && s[n] == point {
		n += 1 + digits(s[n+1:])
		if s[n-1] == point {
			n--
		}
	}
	if n < len(s) && s[n]|0x20 == 'e' {
		e := n + 1
		if e < len(s) && (s[e] == '+' || s[e] == '-') {
			e++
		}
		if d := digits(s[e:]); d > 0 {
			n = e + d
		}
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

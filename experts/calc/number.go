package calc

import (
	"math/big"
	"regexp"
	"strings"
)

// numerals are the ways to write a number, the first that fits is taken. What
// follows groups of three digits is no digit.
type numerals struct{ based, points, grouped, commas, thousands, decimals, dotted, exponent *regexp.Regexp }

func newNumerals() numerals {
	return numerals{
		based:     regexp.MustCompile(`^(?i:0x[0-9a-f]+|0b[01]+|0o[0-7]+)`),
		points:    regexp.MustCompile(`^(\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?)(?:\D|$)`),
		grouped:   regexp.MustCompile(`^(\d{1,3}(?:( )\d{3})(?: \d{3})*|\d{1,3}(?:'\d{3})+|\d{1,3}(?:_\d{3})+)(?:\D|$)`),
		commas:    regexp.MustCompile(`^([1-9]\d{0,2}(?:,\d{3})+)(?:\D|$)`),
		thousands: regexp.MustCompile(`^([1-9]\d{0,2}\.\d{3})(?:[^\d.,]|[.,](?:\D|$)|$)`),
		decimals:  regexp.MustCompile(`^[.,]\d+`),
		dotted:    regexp.MustCompile(`^\.\d+`),
		exponent:  regexp.MustCompile(`^(?i:e[+-]?\d+)`),
	}
}

// digits returns how many digits s starts with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// scan returns the number at the start of s as big.Rat reads it, and its length,
// 0 for none: 12, 1,234.5, 1.234,50, 1 000, .5, 3,5, 1e6, 0xff. In a list a
// comma separates (and a blank, if blanks says so), but for thousands unless the list is in parentheses.
func (r numerals) scan(s string, list, open bool, european, blanks func() bool) (text string, n int) {
	if text = r.based.FindString(s); text != "" {
		return strings.ToLower(text), len(text)
	}
	decimals := r.decimals
	if m := r.points.FindStringSubmatch(s); m != nil {
		text, n, decimals = strings.Replace(strings.ReplaceAll(m[1], ".", ""), ",", ".", 1), len(m[1]), nil
	} else if m := r.thousands.FindStringSubmatch(s); m != nil && european() {
		text, n, decimals = strings.ReplaceAll(m[1], ".", ""), len(m[1]), nil
	} else if m := r.grouped.FindStringSubmatch(s); m != nil && (m[2] == "" || !blanks()) {
		text, n = strings.NewReplacer(" ", "", "'", "", "_", "").Replace(m[1]), len(m[1])
	} else if m := r.commas.FindStringSubmatch(s); m != nil && !open {
		text, n, decimals = strings.ReplaceAll(m[1], ",", ""), len(m[1]), r.dotted
	} else {
		n = digits(s)
		text = s[:n]
	}
	if decimals != nil && (list || n == 0) {
		decimals = r.dotted
	}
	if decimals != nil {
		part := decimals.FindString(s[n:])
		text, n = text+strings.Replace(part, ",", ".", 1), n+len(part)
	}
	if n > 0 {
		part := r.exponent.FindString(s[n:])
		text, n = text+strings.ToLower(part), n+len(part)
	}
	return text, n
}

// numeral is a number that scan returned. What no result could hold is huge.
func numeral(text string) token {
	if len(text) > 2 && strings.IndexByte("xbo", text[1]) >= 0 {
		if i, ok := new(big.Int).SetString(text, 0); ok && i.BitLen() <= maxBits {
			return token{kind: "num", text: text, num: new(big.Rat).SetInt(i)}
		}
		return token{kind: "huge"}
	}
	mantissa, exponent, _ := strings.Cut(text, "e")
	if len(mantissa) > maxDigits || len(strings.TrimLeft(exponent, "+-0")) > 4 {
		return token{kind: "huge"}
	}
	n := rat(text)
	expect(n != nil)
	return token{kind: "num", text: text, num: n}
}

// roman writes a whole number from 1 to 3999 as the Romans did, "" for another.
func roman(n *big.Int) (text string) {
	if !n.IsInt64() || n.Int64() < 1 || n.Int64() > 3999 {
		return ""
	}
	rest := n.Int64()
	for i, letters := range strings.Fields("M CM D CD C XC L XL X IX V IV I") {
		for worth := []int64{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1}[i]; rest >= worth; rest -= worth {
			text += letters
		}
	}
	return text
}

// romanNumber returns the number that a word is in roman letters, nil for none.
func romanNumber(word string) *big.Rat {
	if strings.Trim(word, "MDCLXVI") != "" {
		return nil
	}
	n, before := int64(0), int64(0)
	for i := range min(len(word), 16) {
		worth := map[byte]int64{'M': 1000, 'D': 500, 'C': 100, 'L': 50, 'X': 10, 'V': 5, 'I': 1}[word[i]]
		if n += worth; before < worth {
			n -= 2 * before
		}
		before = worth
	}
	if word == "" || roman(big.NewInt(n)) != word {
		return nil
	}
	return big.NewRat(n, 1)
}

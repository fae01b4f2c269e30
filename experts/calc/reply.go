package calc

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
)

const maxShown = 1000 // characters of a result in a message: what fits a screen

// reads says what was read, in the signs of a textbook.
func (r result) reads() string {
	text := strings.NewReplacer("root of ", "root of ", " of ", " × ", " * ", " × ", " / ", " ÷ ", " - ", " − ").Replace(bare(r.value.text))
	switch {
	case r.target != nil && r.rest != nil:
		text += " in " + r.target.name + " and " + r.rest.name
	case r.target != nil:
		text += " in " + r.target.name
	case r.base != "":
		text += " in " + map[string]string{"16": "hex", "2": "binary", "8": "octal", "10": "decimal", "fraction": "fractions", "e": "scientific notation", "roman": "roman numerals"}[r.base]
	}
	if runes := []rune(text); len(runes) > maxReads {
		return string(runes[:maxReads]) + "…"
	}
	return text
}

// reply says the result in bold and of what it is, and, for programs, in data.
// What is not shown in full has a ≈.
func (r result) reply() core.Reply {
	v := r.value
	text, full := decimal(v.n, v.exact)
	fraction, shown := v.n.RatString(), text
	switch {
	case r.places >= 0:
		text = v.n.FloatString(r.places)
		same, _ := new(big.Rat).SetString(text)
		shown, full = text, v.exact && same.Cmp(v.n) == 0
	case r.base == "fraction" && v.exact:
		text, shown, full = fraction, fraction, true
	case r.base == "e":
		text, full = scientific(v.n)
		shown = text
	case r.base != "" && r.base != "10" && r.base != "fraction":
		text = inBase(v.n.Num(), r.base)
		if shown = text; r.base == "2" || r.base == "8" {
			r.note = "written " + strings.Replace(strings.Replace(text, "0b", "", 1), "0o", "", 1)
		}
	case full && strings.Contains(text, ".") && len(text) > 60 && len(strings.Trim(text, "-0.")) <= 12:
		shown, _ = decimal(v.n, false) // 3e-100
	}
	v.text = bare(v.text)
	data := map[string]any{"expression": v.text, "result": number(text), "decimal": text, "exact": full}
	if !full && v.exact && r.places < 0 && len(fraction) <= 60 {
		data["result"], data["exact"] = fraction, true
	}
	shown = shorten(shown)
	if v.unit != nil {
		data["unit"] = v.unit.name
		shown = strings.Replace(shown+" "+v.unit.name, " %", "%", 1)
	}
	if r.rest != nil {
		shown, full = r.inTwo()
	}
	sign := map[bool]string{true: " = ", false: " ≈ "}[full]
	r.target, r.base = nil, ""
	message := "**" + shown + "**"
	if of := r.reads(); of != shown {
		message += sign + of
	}
	if r.note != "" {
		message += ", " + r.note
	}
	if r.verdict != "" {
		data["result"], message = r.verdict, "**"+r.verdict+"**"+r.note
	}
	reply := experts.Success(message, data)
	reply.Thought = "computed in exact fractions"
	if !v.exact {
		reply.Thought = "computed with rounding, as it has no end"
	}
	return reply
}

// inTwo writes the result as so many whole target units and the rest.
func (r result) inTwo() (text string, full bool) {
	n := new(big.Rat).SetInt(new(big.Int).Quo(r.value.n.Num(), r.value.n.Denom()))
	rest := r.value
	rest.n = new(big.Rat).Sub(rest.n, n)
	text, full = decimal(rest.to(r.rest).n, r.value.exact)
	return n.RatString() + " " + r.target.name + " " + strings.TrimPrefix(text, "-") + " " + r.rest.name, full
}

// bare returns an expression without the parentheses around the whole of it.
func bare(text string) string {
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
	if len(inner) == len(text)-2 && !strings.ContainsAny(inner, "()") {
		return inner
	}
	return text
}

// number is a float64 where that says exactly what text says, else a string.
func number(text string) any {
	f, err := strconv.ParseFloat(text, 64)
	if err == nil && len(text) <= 17 && strconv.FormatFloat(f, 'f', -1, 64) == text {
		return f
	}
	return text
}

// shorten leaves out the middle of a long number.
func shorten(text string) string {
	if len(text) <= maxShown {
		return text
	}
	if strings.ContainsAny(text, "./") {
		return text[:maxShown] + "…"
	}
	return fmt.Sprintf("%s…%s (%d digits)", text[:500], text[len(text)-100:], len(strings.TrimLeft(text, "-")))
}

func inBase(n *big.Int, base string) string {
	if base == "roman" {
		return roman(n)
	}
	b, _ := strconv.Atoi(base)
	prefix := map[int]string{2: "0b", 8: "0o", 16: "0x"}[b]
	digits, negative := strings.CutPrefix(n.Text(b), "-")
	if negative {
		prefix = "-" + prefix
	}
	return prefix + digits
}

// scientific writes n with one digit before the point and a power of ten.
func scientific(n *big.Rat) (text string, full bool) {
	text = new(big.Float).SetPrec(floatBits).SetRat(n).Text('e', 11)
	mantissa, exponent, _ := strings.Cut(text, "e")
	power, _ := strconv.Atoi(exponent)
	return strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".") + " × 10^" + strconv.Itoa(power), rat(text).Cmp(n) == 0
}

// decimal writes n in full where that is possible, else rounded to 12 digits.
func decimal(n *big.Rat, exact bool) (text string, full bool) {
	if places, ok := n.FloatPrec(); ok && exact && places <= maxDigits {
		return n.FloatString(places), true
	}
	return new(big.Float).SetPrec(floatBits).SetRat(n).Text('g', 12), false
}

package calc

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"yaap/core"
	"yaap/experts"
)

const maxShown = 60 // digits of a result in a sentence

// reply says the result in one sentence and, for programs, in data.
func (r result) reply() core.Reply {
	v := r.value
	text, full := decimal(v.n, v.exact)
	fraction, note := v.n.RatString(), ""
	shown, about := shorten(text), !full
	switch {
	case r.places >= 0:
		text = v.n.FloatString(r.places)
		shown, about = shorten(text), false
		if rounded, _ := new(big.Rat).SetString(text); rounded.Cmp(v.n) != 0 || !v.exact {
			note, full = fmt.Sprintf(" (rounded to %d decimals)", r.places), false
			if r.places == 1 {
				note = " (rounded to 1 decimal)"
			}
		}
	case r.base == "fraction" && v.exact:
		text, shown, about, full = fraction, shorten(fraction), false, true
	case r.base != "" && r.base != "10" && r.base != "fraction":
		text = inBase(v.n.Num(), r.base)
		shown, about = shorten(text), false
	case full && len(text) > maxShown && strings.Contains(text, "."):
		shown, _ = decimal(v.n, false)
		about = true
	case !v.exact:
		note = " (rounded)"
	case !full && v.unit == nil && len(fraction) <= 40 && fraction != strings.ReplaceAll(v.text, " ", ""):
		note = " (exactly " + fraction + ")"
	case full && v.unit == nil && !v.n.IsInt() && strings.Count(v.text, "/") > 1 && len(fraction) <= 20:
		shown = fraction + ", or " + shown
	}
	v.text = bare(v.text)
	data := map[string]any{"expression": v.text, "result": number(text), "decimal": text, "exact": full}
	if !full && v.exact && r.places < 0 && len(fraction) <= maxShown {
		data["result"], data["exact"] = fraction, true
	}
	if v.unit != nil {
		data["unit"] = v.unit.name
		shown = strings.Replace(shown+" "+v.unit.name, " %", "%", 1)
	}
	is := v.text + " is "
	if runes := []rune(is); len(runes) > 200 {
		is = string(runes[:195]) + "… is "
	}
	switch {
	case v.text == shown: // "3 dozen"
		is = "That is "
	case about:
		is += "about "
	}
	reply := experts.Success(is+shown+note+".", data)
	reply.Thought = "computed in exact fractions"
	if !v.exact {
		reply.Thought = "computed to 110 digits, as it has no end"
	}
	return reply
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
	return fmt.Sprintf("%s…%s (%d digits)", text[:20], text[len(text)-10:], len(strings.TrimLeft(text, "-")))
}

func inBase(n *big.Int, base string) string {
	b, _ := strconv.Atoi(base)
	prefix := map[int]string{2: "0b", 8: "0o", 16: "0x"}[b]
	digits, negative := strings.CutPrefix(n.Text(b), "-")
	if negative {
		prefix = "-" + prefix
	}
	return prefix + digits
}

// decimal writes n in full where that is possible, else rounded to 12 digits.
func decimal(n *big.Rat, exact bool) (text string, full bool) {
	if places, ok := n.FloatPrec(); ok && exact && places <= maxDigits {
		return n.FloatString(places), true
	}
	return new(big.Float).SetPrec(floatBits).SetRat(n).Text('g', 12), false
}

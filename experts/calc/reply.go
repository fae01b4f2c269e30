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
	exact := v.n.RatString()
	shown, about := text, !full
	note := ""
	switch {
	case r.places >= 0:
		text = v.n.FloatString(r.places)
		shown, about = text, false
		if rounded, _ := new(big.Rat).SetString(text); rounded.Cmp(v.n) != 0 || !v.exact {
			note, full = fmt.Sprintf(" (rounded to %d decimals)", r.places), false
		}
	case r.base == "fraction" && v.exact:
		text, shown, about, full = exact, exact, false, true
	case r.base == "sci":
		shown, about = scientific(v.n, v.exact)
		text = shown
	case r.base != "" && r.base != "10":
		text = inBase(v.n.Num(), r.base)
		shown = shorten(text)
	case len(r.target) > 1:
		shown = r.inTwo()
	case !full && v.exact && len(exact) <= 40 && exact != strings.ReplaceAll(v.text, " ", "") && v.unit == nil:
		note = " (exactly " + exact + ")"
	case !full && !v.exact:
		note = " (rounded)"
	case full && v.unit == nil && strings.Contains(v.text, "/") && !v.n.IsInt() && len(exact) <= 20 && strings.Count(v.text, " ") > 2:
		shown = exact + ", or " + shorten(text)
	default:
		shown, about = r.short(text, about)
	}
	name := ""
	if v.unit != nil && len(r.target) < 2 {
		name = v.unit.name
		shown = join(shown, name)
	}
	is := sentence(v.text) + " is "
	switch {
	case v.text == shown: // "3 dozen"
		is = "That is "
	case about:
		is += "about "
	}
	reply := experts.Success(is+shown+note+".", map[string]any{
		"expression": v.text,
		"result":     number(text),
		"decimal":    text,
		"exact":      full,
	})
	if !full && v.exact && r.places < 0 && r.base == "" && len(r.target) < 2 && len(exact) <= maxShown {
		reply.Data["result"], reply.Data["exact"] = exact, true
	}
	if name != "" {
		reply.Data["unit"] = name
	}
	reply.Thought = "read as " + sentence(v.read)
	return reply
}

// sentence keeps an expression from filling the screen.
func sentence(text string) string {
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:199]) + "…"
	}
	return text
}

func join(n, unit string) string {
	if unit == "%" {
		return n + unit
	}
	return n + " " + unit
}

// number is a float64 where that says exactly what text says, else a string.
func number(text string) any {
	f, err := strconv.ParseFloat(text, 64)
	if err == nil && len(text) <= 17 && strconv.FormatFloat(f, 'f', -1, 64) == text {
		return f
	}
	return text
}

func (r result) short(text string, about bool) (string, bool) {
	if len(text) <= maxShown {
		return text, about
	}
	if r.value.n.IsInt() {
		return shorten(text), about
	}
	return decimal(r.value.n, false)
}

// shorten leaves out the middle of a long whole number.
func shorten(text string) string {
	if len(text) <= maxShown {
		return text
	}
	digits := len(strings.TrimLeft(text, "-"))
	return fmt.Sprintf("%s…%s (%d digits)", text[:20], text[len(text)-10:], digits)
}

func inBase(n *big.Int, base string) string {
	sign := ""
	if n.Sign() < 0 {
		sign = "-"
	}
	b, _ := strconv.Atoi(base)
	prefix := map[int]string{2: "0b", 8: "0o", 16: "0x"}[b]
	return sign + prefix + new(big.Int).Abs(n).Text(b)
}

func scientific(n *big.Rat, exact bool) (text string, about bool) {
	mantissa, exponent, _ := strings.Cut(new(big.Float).SetPrec(256).SetRat(n).Text('e', 11), "e")
	e, _ := strconv.Atoi(exponent)
	text = trimZeros(mantissa) + "e" + strconv.Itoa(e)
	back, _ := new(big.Rat).SetString(text)
	return text, !exact || back.Cmp(n) != 0
}

func (r result) inTwo() string {
	whole, rest := r.split()
	text, _ := decimal(rest.n, rest.exact)
	return whole.RatString() + " " + r.target[0].name + " " + text + " " + r.target[1].name
}

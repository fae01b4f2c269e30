package calc

import (
	"regexp"
	"slices"
	"strings"
)

// proportions are the words by which it is said that so much is for so many, and asked how
// much is for others.
type proportions struct {
	said    map[string][]string
	numbers *regexp.Regexp
}

func newProportions() proportions {
	return proportions{map[string][]string{}, regexp.MustCompile(`\d+(?:[.,]\d+)?`)}
}

// has is what stands before and behind the first of the words of a kind; false where none does.
func (p proportions) has(kind, text string) (before, behind string, ok bool) {
	at, size := -1, 0
	for _, w := range p.said[kind] {
		if i := strings.Index(" "+text+" ", " "+w+" "); i >= 0 && (at < 0 || i < at || i == at && len(w) > size) {
			at, size = i, len(w)
		}
	}
	if at < 0 {
		return "", "", false
	}
	return strings.TrimSpace(text[:at]), strings.TrimSpace(text[min(at+size, len(text)):]), true
}

// amount is the only number of a text and the word behind it; false where it has none, or more.
func (p proportions) amount(text string) (number, word string, ok bool) {
	found := p.numbers.FindAllStringIndex(text, -1)
	if len(found) != 1 {
		return "", "", false
	}
	number = text[found[0][0]:found[0][1]]
	if words := strings.Fields(text[found[0][1]:]); len(words) > 0 {
		word = words[0]
	}
	return number, word, true
}

// proportional is a prompt in which so much is for so many, and asked how much is for others,
// as a product: "6.4 litres per 100 km, how much for 275 km". Of what takes time nothing is
// taken to grow with what does it.
func (l *lexicon) proportional(prompt string) string {
	p := l.proportions
	text := strings.ToLower(l.signs.Replace(prompt))
	at := -1
	for i, c := range text {
		if strings.ContainsRune(",;.:", c) && strings.HasPrefix(text[i+1:], " ") {
			if opens, _, ok := p.has("asks", strings.TrimLeft(text[i+1:], " ¿")); ok && opens == "" {
				at = i
			}
		}
	}
	if at < 0 {
		return prompt
	}
	if dose := p.dose(text[:at], text[at+1:]); dose != "" {
		return dose
	}
	much, many, ok := p.has("for", text[:at])
	_, other, asked := p.has("for", strings.Trim(text[at+1:], " ?¿!."))
	if !ok || !asked {
		return prompt
	}
	first, unit, one := p.amount(much)
	second, thing, two := p.amount(many)
	third, things, three := p.amount(other)
	if !one || !two || !three || things != "" && things != thing || p.numbers.MatchString(text[at+1:len(text)-len(other)]) && strings.Count(text[at+1:], third) > 1 {
		return prompt
	}
	of := strings.Fields(much[strings.Index(much, first)+len(first):])
	means, n := l.Find(unit)
	switch {
	case n < len(unit) || len(means) == 0 || means[0].unit == nil:
		unit = ""
	case means[0].unit.dim == "time":
		return prompt
	default:
		of = of[1:]
	}
	wanted, _, _ := p.has("for", strings.Trim(text[at+1:], " ?¿!."))
	_, wanted, _ = p.has("asks", wanted)
	for wanted != "" { // of what was told, as far as that is said
		word, rest, _ := strings.Cut(wanted, " ")
		if means, n := l.Find(wanted); slices.ContainsFunc(means, func(t token) bool { return t.kind == "skip" }) {
			rest = wanted[n:]
		} else if len(of) > 0 && !slices.Contains(of, word) {
			return prompt
		}
		wanted = strings.TrimSpace(rest)
	}
	return strings.Join(strings.Fields(first+" "+unit+" * "+third+" / "+second), " ")
}

// dose is "31.5 kg at 2.2 mg per kg" as a product, where that is asked for in mg; empty for
// what is no such thing.
func (p proportions) dose(told, asked string) string {
	before, behind, ok := p.has("by", told)
	found := p.numbers.FindAllStringIndex(before, -1)
	if !ok || len(found) != 2 || p.numbers.MatchString(asked) || p.numbers.MatchString(behind) {
		return ""
	}
	whole, each := before[found[0][0]:found[1][0]], strings.Fields(before[found[1][0]:])
	amount := strings.Fields(whole)
	if by := strings.Fields(behind); len(by) != 1 || len(amount) < 2 || amount[1] != by[0] || len(each) != 2 || !slices.Contains(strings.Fields(asked), each[1]) {
		return ""
	}
	return amount[0] + " * " + each[0] + " " + each[1]
}

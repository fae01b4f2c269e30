package data

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// measure is the unit that the numbers of a column have, as sizes knows it: kg of weight_kg.
// What is by the unit, such as price_per_kg, has none.
func (c *column) measure() string {
	words := strings.Fields(c.key)
	switch after := strings.TrimSpace(c.unit.after); {
	case c.kind != isNumber || c.per() != "":
		return ""
	case sizes()[after].family != "":
		return after
	case len(words) > 1:
		return unitOf(words[len(words)-1])
	}
	return ""
}

// per is the unit that a column is by: kg of price_per_kg; empty where it is by none.
func (c *column) per() string {
	words := strings.Fields(c.key)
	for i, w := range words[:max(len(words)-1, 0)] {
		if slices.Contains([]string{"per", "pro", "je", "por"}, w) {
			return unitOf(words[i+1])
		}
	}
	return ""
}

// unitOf is the unit that a word names, empty for another word.
func unitOf(word string) string {
	for _, m := range vocab().means[word] {
		if m.kind == "measure" {
			return m.of
		}
	}
	if sizes()[word].family != "" && len(word) > 1 {
		return word
	}
	return ""
}

// factor is by how much an amount in one unit is multiplied for another; 0 where they measure
// different things.
func factor(from, to string) float64 {
	a, b := sizes()[from], sizes()[to]
	if a.family == "" || a.family != b.family {
		return 0
	}
	return a.size / b.size
}

// inUnit is the number at a token in the unit of a column, where the words behind it name one,
// and where these end. Of another kind of unit there is none.
func (r *reader) inUnit(c *column, i int) (number string, end int) {
	said, end := r.means(i+1, "measure")
	if end == 0 || end != i+2 || r.column(r.spanAt(i+1)).col == c { // which is named again
		return r.toks[i].amount, i + 1
	}
	n, err := strconv.ParseFloat(r.toks[i].amount, 64)
	by := factor(said.of, c.measure())
	if by == 0 || err != nil {
		return "", 0
	}
	return strconv.FormatFloat(n*by, 'g', 12, 64), end
}

// weighed is the column of numbers that are in a unit of the same kind; nil where none is, or
// several are.
func (r *reader) weighed(unit string) *column {
	var found []*column
	for _, t := range r.scope.tables {
		for _, c := range t.numbers() {
			if factor(unit, c.measure()) != 0 {
				found = append(found, c)
			}
		}
	}
	for _, c := range []*column{r.like("quantity"), r.like("stock")} {
		if slices.Contains(found, c) {
			return c
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

// unit reads a unit by itself: "how many kilos", "in grams", "a kilo of".
func (r *reader) unit(unit string, end int) bool {
	price := r.like("price")
	asked := false
	for from := max(0, r.i-maxSpan); from < r.i; from++ {
		_, to := r.means(from, "howmany", "howmuch")
		asked = asked || to == r.i
	}
	in := r.i > 0 && slices.Contains([]string{"in", "en"}, r.toks[r.i-1].low)
	switch {
	case in && r.in == "":
		r.in = unit
	case asked && len(r.fns) == 0:
		c := r.weighed(unit)
		if c == nil {
			return false
		}
		r.fns, r.in, r.resolved, r.said = []value{{fn: "sum", col: r.noted(c)}}, unit, r.resolved+1, max(r.said, 3)
		delete(r.has, "howmany")
		delete(r.has, "howmuch")
		r.has["weighed"] = true
	case r.i > 0 && r.toks[r.i-1].amount == "1" && price != nil && price.per() == unit:
	default:
		return false
	}
	r.i = end
	return true
}

// convert gives the amounts that were asked for in a unit to it.
func (r *reader) convert() error {
	if r.in == "" {
		return nil
	}
	fits := func(v value) bool { return v.col != nil && factor(v.col.measure(), r.in) != 0 && v.times == nil }
	if n := r.numbers(); len(r.fns) == 0 && len(n) == 1 && len(r.cols) == 1 && fits(value{col: n[0]}) && r.direction() == 0 && len(r.by) == 0 {
		return nil // how heavy is Tank in grams
	}
	if len(r.fns) == 0 || slices.ContainsFunc(r.fns, func(v value) bool { return !fits(v) }) {
		return asks("a unit", r.translator.Say("I cannot give that in %s.", r.in))
	}
	r.fns = slices.Clone(r.fns)
	for i := range r.fns {
		if r.fns[i].col.measure() != r.in {
			r.fns[i].in = r.in
		}
	}
	return nil
}

// given is a column in the unit that is asked for.
func (r *reader) given(c *column) value {
	v := value{col: c}
	if c.measure() != r.in && factor(c.measure(), r.in) != 0 {
		v.in = r.in
	}
	return v
}

// versus reads the column of numbers that another is compared with: "below the reorder level".
func (r *reader) versus(c *column, op string, i int) (cond, int) {
	other, from, to := r.next(i, r.column)
	if other.level < 3 || other.col.kind != isNumber || len(r.scope.tables) != 1 || !strings.ContainsAny(op, "<>") {
		return cond{}, 0
	}
	if c == nil {
		for _, of := range []string{"stock", "quantity"} {
			if own := r.like(of); own != other.col {
				c = cmp.Or(c, own)
			}
		}
	}
	if c == nil || c == other.col {
		return cond{}, 0
	}
	r.has["their own"] = from > i
	return test(c, "§ "+op+" "+ident(other.col.name), op+" "+other.col.name), to
}

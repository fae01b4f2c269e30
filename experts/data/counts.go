package data

import (
	"cmp"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/experts/plain"
)

// sold is the column of pieces where "how many" or "most of" is said with a verb
// such as sold, which may be of money too.
func (r *reader) sold(c *column) *column {
	if other := r.like("quantity"); other != nil && r.has["~"+c.name] && r.asks("howmany", "units") {
		return r.noted(other)
	}
	return c
}

// soldOf is the column of pieces where "how much bread was sold" may be of them and of money;
// nil where it is not.
func (r *reader) soldOf() *column {
	pieces, n := r.like("quantity"), r.numbers()
	if pieces == nil || len(n) != 1 || n[0] == pieces || n[0].table != pieces.table || !r.has["~"+n[0].name] || !says(r.spans, "sells") {
		return nil
	}
	for i := range r.toks {
		if _, to := r.means(i, "howmuch"); to > 0 {
			if of, _, _ := r.next(to, func(s span) ref { return r.value(s, nil) }); of.level == 4 && of.table == pieces.table {
				return pieces
			}
		}
	}
	return nil
}

// countsPieces is the column of how many there are of what is named: "how many lambs", where each
// sale has a quantity, and "how many spades are left" of a stock; nil where rows are counted.
func (r *reader) countsPieces() *column {
	quantity, stock, left := r.like("quantity"), r.like("stock"), says(r.spans, "left")
	for i := range r.toks {
		for n := range min(maxSpan, len(r.toks)-i) {
			v, last := r.value(r.spans[i][n], nil), r.toks[i+n]
			ends := n == 0 && last.low != plain.Fold(v.value) && strings.HasPrefix(last.low, plain.Fold(v.value)) // Lampen, of lampe
			switch {
			case v.level < 4 || !r.tested(v.col):
			case stock != nil && left && v.table == stock.table:
				return stock
			case quantity != nil && (last.key != last.low || ends) && v.table == quantity.table:
				return quantity
			}
		}
	}
	return nil
}

// says reports whether words of one of some kinds stand somewhere, whatever they were read as.
func says(spans [][maxSpan]span, kinds ...string) bool {
	return slices.ContainsFunc(spans, func(s [maxSpan]span) bool { return stands([][maxSpan]span{s}, 0, kinds...) })
}

// priced reads "how much is the spade", which asks for its price, and "how much clay is left".
func (r *reader) priced() {
	price, stock := r.like("price"), r.like("stock")
	if !r.has["howmuch"] || len(r.cols)+len(r.fns)+len(r.things)+len(r.by) > 0 || r.dir != 0 || r.end != "" || len(r.conds) != 1 || r.conds[0].col == nil || r.conds[0].col.kind != isText {
		return
	}
	switch of := r.conds[0].col.table; {
	case stock != nil && stock.table == of && says(r.spans, "left"):
		r.fns = []value{{fn: "sum", col: r.noted(stock)}}
	case price != nil && price.table == of && says(r.spans, "present") && !says(r.spans, "past"):
		r.cols, r.has["howmuch"], r.has["what"], r.has["tested"] = []*column{r.noted(price)}, false, true, true
	}
}

// counted is what "how many" is said of.
func (r *reader) counted() []value {
	c := r.counts
	if c == nil && len(r.cols) > 0 && (len(r.things) == 0 || r.has["distinct"]) {
		c = r.cols[0]
		if c.kind == isNumber && slices.ContainsFunc(r.conds, func(cd cond) bool { return cd.col == c && cd.expr != "" }) {
			c = nil // how many of them weigh over 20 kg
		}
	}
	amount := c != nil && c.kind == isNumber && !c.isID() && !r.has["distinct"]
	switch {
	case len(r.having) > 0 && r.having[0].col != nil:
		return []value{{fn: r.having[0].fn, col: r.having[0].col}}
	case len(r.having) > 0, r.has["howmanyoften"]:
	case c == nil && len(r.things) == 0 && r.countsPieces() != nil:
		return []value{{fn: "sum", col: r.noted(r.countsPieces())}}
	case r.counts == nil && len(r.things) > 0 && r.things[0].repeats() && !r.has["distinct"]: // students with a row for each subject
		return []value{{fn: "count"}, {fn: "different", col: r.things[0].label()}}
	case c == nil, amount && r.has["howmanycount"] && len(r.things) > 0:
	case c.kind == isDate: // how many apples were sold
		if c := r.measure(); c != nil {
			return []value{{fn: "sum", col: cmp.Or(r.like("quantity"), c)}, {fn: "count"}}
		}
	case amount && r.has["howmanycount"]:
		return []value{{fn: "count", col: c}}
	case amount:
		if n := r.numbers(); len(n) == 2 && n[0] == c && n[1].table == c.table && !r.has["~"+n[1].name] && says(r.spans, "past", "perfect") && !says(r.spans, "and") {
			return []value{{fn: "sum", col: n[1]}} // how many seats were sold
		}
		c = r.sold(c)
		if slices.ContainsFunc(r.toks, func(t token) bool { return slices.Contains([]string{"did", "were", "wurden", "haben"}, t.low) }) {
			return []value{{fn: "sum", col: c}} // how many seats did we sell
		}
		return []value{{fn: "sum", col: c}, {fn: "count", col: c}} // how many kilos
	default:
		return []value{{fn: "different", col: c}}
	}
	return []value{{fn: "count"}}
}

// haveSome reads "how many customers have a discount" as those where one stands.
func (r *reader) haveSome() {
	if says(r.spans, "perfect", "where") && len(r.things) > 0 && len(r.cols) == 1 && r.cols[0].gaps && r.cols[0].kind != isBool && len(r.fns)+len(r.by)+len(r.order) == 0 && r.dir == 0 && r.asks("howmany", "which", "who") {
		r.conds = append(slices.Clone(r.conds), test(r.cols[0], "§ IS NOT NULL", "is not empty"))
		if r.has["howmany"] {
			r.cols = nil
		}
	}
}

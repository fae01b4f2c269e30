package data

import (
	"cmp"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/experts/plain"
)

// function reads "sum of amount".
func (r *reader) function(name string, end int) bool {
	names := []string{name}
	for _, and := r.means(end, "and"); and > 0; _, and = r.means(end, "and") {
		fn, to := r.means(and, "fn")
		if to == 0 {
			break
		}
		names, end = append(names, fn.of), to
	}
	if _, to := r.means(end, "worth"); name == "sum" && to > 0 && r.worth(to) {
		return true
	}
	extreme := sign(name)
	if fn, to := r.means(end, "fn"); extreme != 0 && to > 0 && fn.of != "max" && fn.of != "min" {
		if next, _, _ := r.next(to, r.column); next.col != nil && !next.col.isID() || r.column(r.spans[to-1][0]).level < 4 {
			r.dir, r.has["most"], r.has["of means"], r.i = extreme, true, true, r.skip(end) // the highest total amount
			return true
		}
	}
	next, from, to := r.nextColumn(end)
	if extreme == 0 && next.col != nil && next.col.kind != isNumber && len(r.numbers()) > 0 {
		next = ref{} // the average age of the team sales
	}
	if named := r.table(r.spanAt(from)); named.table != nil && named.level >= next.level && next.col != nil && (next.col.kind != isNumber || next.col.isID()) {
		next = ref{} // the total of the invoices, each with its invoice
	}
	if _, by := r.means(from, "by", "each", "and"); by > 0 || next.col != nil && next.level < 4 && next.col.isID() || extreme != 0 && next.col != nil && next.col.kind == isText {
		next = ref{}
	}
	if n := len(r.fns); extreme != 0 && next.col == nil && n > 0 && sign(r.fns[n-1].fn) == 0 {
		r.dir, r.has["most"], r.has["of means"], r.i = extreme, true, true, end // el precio medio más alto
		return true
	}
	r.has["whose"] = r.has["whose"] || extreme != 0 && len(r.things) > 0 && r.asks("where", "which", "show")
	switch {
	case next.col != nil:
		for next.col != nil {
			_, whole := r.means(from, "whole")
			r.i, r.has["whole"] = from, r.has["whole"] || whole > 0
			r.take(next, to)
			for _, name := range names {
				r.fns = append(r.fns, value{fn: name, col: next.col})
			}
			_, and := r.means(r.i, "and")
			if next, from, to = r.next(and, r.column); and == 0 || next.level < 3 || next.col.kind != isNumber {
				break
			}
		}
	default:
		r.i = end
		for _, name := range names {
			r.fns = append(r.fns, value{fn: name})
		}
	}
	return true
}

// product reads "times price" behind a column of numbers.
func (r *reader) product(end int) bool {
	next, _, to := r.next(end, r.column)
	if next.col == nil || next.col.kind != isNumber {
		return false
	}
	n, numbers := len(r.fns), r.numbers()
	switch {
	case n > 0 && r.fns[n-1].col != nil && r.fns[n-1].times == nil:
		r.fns[n-1].times = next.col
	case n < 2 && len(numbers) > 0:
		of := numbers[len(numbers)-1]
		r.cols = slices.DeleteFunc(slices.Clone(r.cols), func(c *column) bool { return c == of })
		r.fns = []value{{fn: "sum", col: of, times: next.col}}
	default:
		return false
	}
	r.take(next, to)
	if fn, last := r.means(to, "fn"); fn.of == "sum" && last > 0 && r.fns[len(r.fns)-1].fn == "sum" {
		r.i = last // stock times price total
	}
	return true
}

// worth reads the pieces whose value is asked for, by the price: of the stock, or of the
// orders where no column has it.
func (r *reader) worth(end int) bool {
	c, _, to := r.next(end, r.column)
	price, pieces := r.like("price"), r.like("quantity")
	if tab, _, last := r.next(end, r.table); tab.table != nil && (c.col == nil || c.col.isID()) && pieces != nil && (r.like("money") == nil || r.like("money") == price) {
		c, to = ref{table: pieces.table, col: pieces, level: 2}, last
	}
	if c.col == nil || price == nil || c.col != r.like("stock") && c.col != pieces || c.col == price || c.table != price.table {
		return false
	}
	r.fns = []value{{fn: "sum", col: c.col, times: price}}
	r.take(c, to)
	return true
}

// revenue is what was sold by its price, where a word for money is no column but that of the
// pieces, and the value of a stock is that by its price.
func (r *reader) revenue() {
	price, stock := r.like("price"), r.like("stock")
	valued := says(r.spans, "valued")
	sold := func(c *column) bool {
		return r.priceOf(c) != nil || c != nil && price != nil && c != price && c.table == price.table && valued && c == stock
	}
	pieces := cmp.Or(stock, r.like("quantity"))
	if len(r.fns)+len(r.cols) == 0 && len(r.things) == 1 && says(r.spans, "valued") && pieces != nil && price != nil && price.table == pieces.table && r.things[0] == price.table && !r.has["howmany"] {
		r.fns = []value{{fn: "sum", col: pieces, times: price}}
		r.has["howmuch"] = false // is the stock worth
	}
	if n := r.numbers(); len(r.fns) == 0 && len(n) == 1 && sold(n[0]) {
		r.fns = []value{{fn: "sum", col: n[0]}}
	}
	for i, f := range r.fns {
		if f.times != nil || !sold(f.col) {
			continue
		}
		if r.fns[i].times = price; sign(f.fn) != 0 {
			r.dir = cmp.Or(r.dir, sign(f.fn)) // the film with the highest revenue
			r.fns[i].fn = "sum"
		}
	}
	for _, list := range [][]order{r.order, r.shown} {
		for i, o := range list {
			list[i].times = cmp.Or(o.times, r.priceOf(o.col))
		}
	}
}

// priceOf is the price of pieces whose revenue is asked for; nil where it is not.
func (r *reader) priceOf(c *column) *column {
	price := r.like("price")
	if c == nil || price == nil || c == price || c.table != price.table {
		return nil
	}
	if r.has["whole"] && r.has["~"+c.name] && c.key == "sold" || r.has["whole of "+c.name] && r.earns(c) {
		return price
	}
	return nil
}

// amountOf is a column for people, with the price that it is multiplied by.
func (r *reader) amountOf(c *column) string {
	if price := r.priceOf(c); price != nil {
		return plain.Code(c.name) + " × " + plain.Code(price.name)
	}
	return plain.Code(c.name)
}

// uses reports whether a function of a column was read.
func (r *reader) uses(fn string) bool {
	return slices.ContainsFunc(r.fns, func(f value) bool { return f.fn == fn })
}

// peak reads "how warm", which asks for the highest of a column.
func (r *reader) peak(what string, end int) bool {
	fn, of, _ := strings.Cut(what, " ")
	c := r.like(of)
	if c == nil {
		return false
	}
	r.take(ref{table: c.table, col: c, level: 2}, end)
	r.fns, r.has["peak"] = append(r.fns, value{fn: fn, col: c}), true
	return true
}

// span puts the highest and the lowest of a column, whose difference is asked for, together.
func (r *reader) span() error {
	if !r.has["span"] {
		return nil
	}
	if len(r.fns) != 2 || !r.uses("max") || !r.uses("min") || r.fns[0].col != r.fns[1].col {
		return asks("two values", r.translator.Say("The difference of what?"), r.suggest("max")...)
	}
	r.fns, r.has["span"] = []value{{fn: "range", col: r.fns[0].col}}, false
	return nil
}

// settled takes of what somebody "has paid" the rows of which it is said that they are.
func (r *reader) settled() {
	paid := r.scope.done("settles")
	if paid == nil || paid.table != r.scope.main() || !r.uses("sum") || !says(r.spans, "settles") || !says(r.spans, "perfect", "past") || slices.ContainsFunc(r.conds, func(c cond) bool { return c.col == paid }) {
		return
	}
	is := truth(paid, true)
	if paid.kind == isDate {
		is = test(paid, "§ IS NOT NULL", "is not empty")
	}
	r.conds = append(slices.Clone(r.conds), is)
}

// zero reads "out of stock".
func (r *reader) zero(c *column, end int) bool {
	if c == nil && r.toks[r.i].low == "sold" { // "sold out" is no number of what was sold
		r.unread, r.i = append(r.unread, r.toks[r.i].text+" "+r.toks[end-1].text), end
		return true
	}
	if c == nil {
		return false
	}
	r.resolved++
	r.add(test(c, "coalesce(§, 0) = 0", "is 0"))
	r.i = end
	return true
}

package data

import (
	"cmp"
	"slices"
	"strings"
)

// fact reads "how old" and "when", which ask for a column but name nothing.
func (r *reader) fact(of string, end int) bool {
	c := r.like(of)
	if of == "date" {
		r.has["when"] = true
		if c = cmp.Or(c, r.scope.date()); r.names(end, func(c *column) bool { return c.kind == isDate }) {
			r.i = end
			return true
		}
	}
	if of == "price" && c == nil {
		c = r.like("money")
	}
	named, _, to := r.next(end, r.column)
	counted := to < len(r.toks) && r.toks[to].amount != ""                         // plot 5
	if of == "size" && named.level > 2 && named.col.kind == isNumber && !counted { // how big is the area
		r.has["what"], r.i = true, end
		return true
	}
	if since := cmp.Or(r.like("born"), r.years()); of == "age" && c == nil && since != nil {
		r.fns = append(r.fns, value{fn: "age", col: since})
		r.i, r.resolved = end, r.resolved+1
		return true
	}
	if c == nil || of == "duration" && !says(r.spans[end:], "lasts") {
		return false // how long must it rest
	}
	said, lost := r.said, r.lost
	r.has["lasts"] = of == "duration"
	r.take(ref{table: c.table, col: c, level: 2}, end)
	r.said, r.lost = said, lost
	if !slices.Contains(r.cols, c) {
		r.cols = append(r.cols, c)
	}
	return true
}

// whether reads "is Ann active?", of one row, as what stands there.
func (r *reader) whether() {
	one := func(c cond) bool {
		return c.col != nil && (c.col.unique || c.col.serial) && !c.not && (len(c.vals) == 1 || strings.HasPrefix(c.said, "has "))
	}
	at := slices.IndexFunc(r.conds, one)
	if !stands(r.spans, 0, "past", "perfect", "present") || at < 0 || len(r.conds) < 2 || len(r.scope.tables) != 1 || len(r.cols)+len(r.fns)+len(r.by)+len(r.order)+len(r.having) > 0 || r.dir != 0 || r.end != "" || len(r.unread) > 0 {
		return
	}
	for i, c := range r.conds {
		if i != at && r.has["debt"] {
			r.asked = append(r.asked, c)
		}
		if i != at && !slices.Contains(r.cols, c.col) && c.col != r.conds[at].col {
			r.cols = append(r.cols, c.col)
			delete(r.has, "~"+c.col.name) // it is no mere verb
		}
	}
	r.conds, r.things, r.has["what"], r.has["tested"] = []cond{r.conds[at]}, nil, true, true
}

// names reports whether a column that fits is named from a token on: "when is it due".
func (r *reader) names(from int, fits func(*column) bool) bool {
	return slices.ContainsFunc(r.spans[min(from, len(r.spans)):], func(s [maxSpan]span) bool {
		c := r.column(s[0])
		return c.level > 2 && fits(c.col)
	})
}

// years is the column that says when something was made, founded or born.
func (r *reader) years() *column {
	return r.scope.first(func(c *column) bool {
		return c.years && c.named("built", "founded", "born", "made", "cast", "baujahr") || c.years && len(strings.Fields(c.key)) > 1
	})
}

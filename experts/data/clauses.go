package data

import "strings"

// function reads "sum of amount", and "total" where that is a column too.
func (r *reader) function(name string, n int, col ref) bool {
	names := []string{name}
	i := r.i + n
	for {
		and, k := r.means(i, "and")
		if k == 0 {
			and.kind, k = "", 0
		}
		fn, m := r.means(i+k, "fn")
		if m == 0 || and.kind == "" {
			break
		}
		names, i = append(names, fn.of), i+k+m
	}
	if end := r.ranksBy(name, i); end > 0 {
		r.most, r.i = map[string]int{"max": 1, "min": -1}[name], end
		return true
	}
	next, at, k := r.columnBehind(i)
	if at < len(r.toks) {
		if _, m := r.means(at, "by", "and"); m > 0 {
			next, k = ref{}, 0
		}
	}
	superlative := name == "max" || name == "min"
	r.implied = r.implied || superlative && len(r.entity) > 0 && r.afterWith()
	if superlative && next.col != nil && next.col.kind == isText && next.level > 1 {
		next = ref{} // the largest of them, by another column
	}
	switch {
	case next.col != nil && next.level > 1:
		if c, ok := r.numeric(next, at, k); ok || superlative || next.col.kind != isText {
			next = c
		} else if tab := r.table(r.spans[at][k-1]); name == "sum" && tab.table != nil {
			r.howMany, r.i = true, at // total orders
			return true
		}
		r.i = at
		for next.col != nil {
			r.take(next, k)
			for _, name := range names {
				r.fns = append(r.fns, function{name, next.col})
			}
			_, and := r.means(r.i, "and")
			if next, at, k = r.columnAt(r.i + and); and == 0 || at != r.i+and || next.level < 3 || next.col.kind != isNumber {
				break
			}
			r.i = at
		}
	case col.col != nil:
		if col.col.kind != isNumber || len(r.fns) > 0 {
			return false
		}
		r.resolved-- // it is no more than the word of a function
		r.take(col, n)
		r.fns = append(r.fns, function{"sum", col.col})
	default:
		r.i = i
		for _, name := range names {
			r.fns = append(r.fns, function{name: name})
		}
	}
	return true
}

// afterWith reports whether "with the" stands before the next word.
func (r *reader) afterWith() bool {
	for i := r.i - 1; i >= 0 && i >= r.i-2; i-- {
		if m, n := r.means(i, "where"); n > 0 && m.kind != "" {
			return true
		}
	}
	return false
}

// ranksBy reads the function behind "the highest", as in "the highest total
// amount", and returns where it begins; 0 where there is none.
func (r *reader) ranksBy(name string, i int) int {
	i = r.skip(i)
	fn, n := r.means(i, "fn")
	if n == 0 || name != "max" && name != "min" || fn.of == "max" || fn.of == "min" {
		return 0
	}
	if next, _, _ := r.columnAt(i + n); next.col == nil && r.column(r.spans[i][n-1]).level == 4 {
		return 0
	}
	return i
}

// columnBehind is columnAt behind a function, where the name of the table may
// stand before it, as in "average sale price".
func (r *reader) columnBehind(i int) (ref, int, int) {
	next, at, k := r.columnAt(i)
	if next.col != nil && r.table(r.spans[at][k-1]).level <= next.level {
		return next, at, k
	}
	if at >= len(r.toks) || r.table(r.spans[at][0]).level < 3 {
		return next, at, k
	}
	if behind, j, m := r.columnAt(at + 1); behind.col != nil && j == at+1 {
		return behind, j, m
	}
	return next, at, k
}

// numeric prefers a column of numbers among those that are meant as well.
func (r *reader) numeric(best ref, i, n int) (ref, bool) {
	for _, ref := range r.spans[i][n-1].refs {
		if !ref.valued && ref.col != nil && r.scope.has(ref.table) && ref.col.kind == isNumber && best.level < 4 && best.col.kind != isNumber {
			return ref, true
		}
	}
	return best, best.col.kind == isNumber
}

// grouping reads "by region and product", "per month" and "sorted by amount".
func (r *reader) grouping(kind string, n int) bool {
	i := r.i + n
	sort := kind == "sort" || r.sort
	if kind == "sort" {
		r.sort = true
	}
	found := false
	for i < len(r.toks) {
		i = r.skip(i)
		if i >= len(r.toks) {
			break
		}
		ref, at, k := r.columnAt(i)
		unit, m := r.means(i, "unit")
		switch {
		case ref.col != nil && (m == 0 || ref.level > 2) && r.table(r.spans[at][k-1]).level <= ref.level:
			r.i = at
			r.take(ref, k)
			if sort {
				r.order = append(r.order, order{col: ref.col})
			} else {
				r.by = append(r.by, group{col: ref.col})
			}
		case m > 0 && r.scope.date() != nil:
			r.i = i
			r.by, r.i = append(r.by, group{r.scope.date(), unit.of}), i+m
		case !found && r.entityAt(i):
		default:
			i = len(r.toks)
			continue
		}
		found, i = true, r.i
		_, k = r.means(i, "and")
		if k == 0 {
			break
		}
		if next, _, _ := r.columnAt(i + k); next.col == nil {
			break
		}
		i += k
	}
	if i = r.skip(r.i + n); !found && kind == "by" && i < len(r.toks) && r.value(r.spans[i][0], nil).col != nil {
		r.i = i // by Ann
		return true
	}
	return found
}

// entityAt reads a table's name to group by, which means its label.
func (r *reader) entityAt(i int) bool {
	for n := min(maxSpan, len(r.toks)-i); n > 0; n-- {
		if ref := r.table(r.spans[i][n-1]); ref.table != nil && ref.table.label() != nil {
			r.i = i
			r.take(ref, n)
			r.by = append(r.by, group{col: ref.table.label()})
			return true
		}
	}
	return false
}

// ends reads "top 5", "the last 3", "first".
func (r *reader) ends(kind string, n int) bool {
	i := r.skip(r.i + n)
	r.end, r.limit = kind, 0
	r.i += n
	if i >= len(r.toks) {
		r.limit = 5
		return true
	}
	num, k := r.means(i, "num")
	switch {
	case r.toks[i].number != "":
		r.i = i
		return r.amount(r.toks[i].number, 1)
	case k > 0:
		r.i = i
		return r.amount(num.of, k)
	}
	r.limit = 5
	if last := r.toks[i].low; !r.toks[i].file && !strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "n") {
		r.limit = 1
	}
	return true
}

// amount reads a number of rows.
func (r *reader) amount(number string, n int) bool {
	count := 0
	for _, c := range number {
		if c < '0' || c > '9' || count > 1_000_000 {
			return false
		}
		count = count*10 + int(c-'0')
	}
	if count == 0 {
		return false
	}
	r.limit = count
	r.i += n
	return true
}

// number reads a number that stands alone: of rows, or of the row of a table.
func (r *reader) number() bool {
	i := r.skip(r.i + 1)
	if len(r.entity) > 0 && r.i > 0 && r.table(r.spans[r.i-1][0]).table != nil {
		if id := r.entity[len(r.entity)-1].id(); id != nil {
			r.add(cond{col: id, op: "=", vals: []string{r.toks[r.i].number}, said: "= " + r.toks[r.i].text})
			r.i++
			return true
		}
	}
	if i >= len(r.toks) {
		return false
	}
	_, n := r.means(i, "sup", "rows", "top", "first", "last", "most", "least", "fn", "common")
	if n == 0 && r.table(r.spans[i][0]).table == nil && !r.show {
		return false
	}
	return r.amount(r.toks[r.i].number, 1)
}

// unit reads "month" where the months of a date are meant.
func (r *reader) unit(unit string, n int) bool {
	c := r.scope.date()
	switch {
	case c == nil:
		return false
	case !r.which && r.most == 0 && r.sup == nil:
		r.rows = unit == "day" && c.unique
		if r.rows {
			r.i += n
		}
		return r.rows
	}
	r.by = append(r.by, group{c, unit})
	r.i += n
	return true
}

// asked reads "how old": a column by what is like it.
func (r *reader) asked(concept string, n int) bool {
	for _, ref := range r.like[concept] {
		if ref.col != nil && r.scope.has(ref.table) {
			r.take(ref, n)
			r.cols = append(r.cols, ref.col)
			return true
		}
	}
	return false
}

// descending reads "highest first" where nothing was said to sort by.
func (r *reader) descending(desc bool, n int) bool {
	if len(r.by) > 0 && r.sort {
		r.order = append(r.order, order{r.by[len(r.by)-1].col, desc})
		r.by = r.by[:len(r.by)-1]
	} else {
		r.order = append(r.order, order{nil, desc})
	}
	r.i += n
	return true
}

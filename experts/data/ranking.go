package data

import (
	"fmt"
	"slices"

	"yaap/experts/plain"
)

// ranking is a question for the first few of something.
func (r *reader) ranking(q *query, dir int) error {
	fn, err := r.rankedBy()
	if err != nil {
		return err
	}
	limit := max(r.limit, 1)
	var subject group
	texts := r.texts()
	switch {
	case len(r.by) > 0:
		subject = r.by[0]
	case len(texts) > 0:
		subject.col = texts[0]
	case len(r.entity) > 0 && len(r.scope.tables) == 2 && !slices.Contains(r.entity, r.scope.main()):
		subject.col = r.entity[0].label()
	case r.who && fn.name != "count":
		subject.col = r.scope.tables[len(r.scope.tables)-1].label()
	case r.who, r.common:
		subject.col = r.scope.main().label()
	}
	word := map[int]string{1: "highest", -1: "lowest"}[dir]
	desc := map[int]string{1: " DESC", -1: ""}[dir]
	if subject.col == nil {
		if fn.col == nil {
			return asks("by which column?", "The "+word+" by which column? "+plain.Code(r.scope.main().named())+" has "+r.scope.columns()+".")
		}
		if len(r.entity) == 0 && !r.rows && !r.show && r.end == "" && len(r.cols) > 0 {
			q.title = map[int]string{1: "latest ", -1: "first "}[dir] + fn.col.name
			q.statement = "SELECT " + r.sql(fn.col) + r.from() + r.whereClause() + notNull(r.sql(fn.col), r.conds) + " ORDER BY 1" + desc + fmt.Sprintf(" LIMIT %d", limit)
			return nil
		}
		q.title = fmt.Sprintf("the %d with the %s %s", limit, word, fn.col.name)
		if limit == 1 {
			q.title, q.best = "the row with the "+word+" "+fn.col.name, true
			if label := r.scope.main().label(); label != nil {
				q.label = label.name
			}
		}
		q.statement = "SELECT *" + r.from() + r.whereClause() + notNull(r.sql(fn.col), r.conds) + " ORDER BY " + r.sql(fn.col) + desc + fmt.Sprintf(" LIMIT %d", limit)
		return nil
	}
	value := "count(*)"
	what := "rows"
	if fn.name != "count" {
		value, what = fn.name+"("+r.sql(fn.col)+")", fn.words()
	}
	q.best = limit == 1
	q.title = word + " " + what + " by " + subject.words()
	if fn.name == "max" || fn.name == "min" {
		q.title = word + " " + fn.col.name + " by " + subject.words()
	}
	sel := subject.sql(r) + ", " + value + " AS " + ident(what)
	q.statement = "SELECT " + sel + r.from() + r.whereClause()
	if fn.name != "count" {
		q.statement += notNull(r.sql(fn.col), r.conds)
	}
	q.statement += " GROUP BY 1 ORDER BY 2" + desc + fmt.Sprintf(", 1 LIMIT %d", limit)
	if fn.name == "median" {
		q.statement = r.medians(subject.sql(r), []function{fn}, []group{subject}) + " ORDER BY 2" + desc + fmt.Sprintf(" LIMIT %d", limit)
	}
	return nil
}

// notNull leaves out the rows where a column is empty.
func notNull(col string, conds []cond) string {
	if len(conds) == 0 {
		return " WHERE " + col + " IS NOT NULL"
	}
	return " AND " + col + " IS NOT NULL"
}

// rankedBy is what things are ranked by.
func (r *reader) rankedBy() (function, error) {
	var numbers []*column
	for _, c := range r.cols {
		if c.kind == isNumber && !c.isID() {
			numbers = append(numbers, c)
		}
	}
	money := len(r.entity) > 0 && slices.ContainsFunc(r.entity[0].keys, func(k string) bool { return slices.Contains(vocab().like[k], "money") })
	ranks := function{name: "max"}
	if r.sup != nil && r.sup.dir < 0 {
		ranks.name = "min"
	}
	switch {
	case len(r.fns) > 1 && (r.fns[0].name == "max" || r.fns[0].name == "min"):
		return r.fns[1], nil
	case len(r.fns) > 0:
		return r.fns[0], nil
	case r.common:
		return function{name: "count"}, nil
	case r.sup != nil:
		ranks.col = r.sup.col
		if ranks.col == nil {
			return ranks, asks("by which column?", "By which column? "+plain.Code(r.scope.main().named())+" has "+r.scope.columns()+".")
		}
		return ranks, nil
	case len(r.order) > 0 && r.order[0].col != nil:
		return function{"sum", r.order[0].col}, nil
	case len(numbers) > 0:
		return function{"sum", numbers[0]}, nil
	case r.most != 0 && !money && (len(r.entity) > 0 || r.rows || len(r.texts()) > 1):
		return function{name: "count"}, nil
	}
	c := r.scope.measure()
	if c == nil && r.most != 0 {
		return function{name: "count"}, nil
	}
	if c == nil {
		return function{}, asks("by which column?", "By which column? "+plain.Code(r.scope.main().named())+" has "+r.scope.columns()+".")
	}
	r.notes = append(r.notes, "I took the column "+plain.Code(c.name))
	return function{"sum", c}, nil
}

// superlative finds the column that "cheapest" or "oldest" is about. What is
// old has an early date.
func (r *reader) superlative() *column {
	for _, o := range r.order {
		if o.col != nil {
			return o.col
		}
	}
	var named *column
	for _, c := range r.cols {
		if c.kind == isNumber && !c.isID() || c.kind == isDate {
			named = c
		}
	}
	of := r.sup.of
	if named != nil && (of == "money" || of == "age" && named.kind == isDate || of == "date") {
		if of == "age" {
			r.sup.dir = -r.sup.dir
		}
		return named
	}
	var found *column
	for _, ref := range r.like[of] {
		if ref.col != nil && r.scope.has(ref.table) && (ref.col.kind == isNumber || ref.col.kind == isDate) && found == nil {
			found = ref.col
		}
	}
	switch {
	case found != nil && of == "age" && found.kind == isDate:
		r.sup.dir = -r.sup.dir
	case found == nil && of == "age" && r.scope.date() != nil && r.ofRows():
		found = r.scope.date()
		r.sup.dir = -r.sup.dir
	case found == nil && of == "date":
		found = r.scope.date()
	case found == nil && named == nil && (of == "money" || of == "price"):
		found = r.scope.measure()
	case found == nil:
		found = named
	}
	if found != nil {
		r.notes = append(r.notes, "I took the column "+plain.Code(found.name))
	}
	return found
}

// ofRows reports whether rows are asked about, and not what many of them share.
func (r *reader) ofRows() bool {
	texts := r.texts()
	return r.scope.named || len(r.entity) > 0 || r.rows || r.who || len(texts) > 0 && texts[0].unique
}

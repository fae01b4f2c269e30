package data

import (
	"fmt"
	"slices"
	"strings"

	"yaap/experts/plain"
)

// query is what a question means: a statement, or a list of what there is.
type query struct {
	scope     scope
	files     bool   // asks which tables there are
	describe  *table // asks for the columns of
	statement string
	title     string // what it gives, such as "sum of amount by region"
	filter    string // the conditions in words
	best      bool   // its first row is the answer
	label     string // the column that names that row, if it is not the first
	notes     []string
}

// reads says the query in words.
func (q query) reads() string {
	var files []string
	for _, t := range q.scope.tables {
		files = append(files, t.named())
	}
	switch {
	case q.files && len(files) == 0:
		return "the tables that are here"
	case q.files:
		return "the tables in " + q.scope.main().file
	case q.describe != nil && q.title == "":
		return "the columns of " + q.describe.named()
	}
	return q.title + " in " + strings.Join(files, " and ") + q.filter
}

// named is a table as people name it.
func (t *table) named() string {
	if t.file == t.name {
		return t.file
	}
	return t.file + " " + t.name
}

// asks is a question that must be asked back; needs is what is missing.
func asks(needs, message string, options ...string) error {
	return &unclear{message: message, needs: needs, options: options}
}

// query puts the draft together.
func (r *reader) query() (query, error) {
	q := query{scope: r.scope, notes: r.notes}
	if r.asksTables && len(r.cols)+len(r.fns)+len(r.conds)+len(r.entity) == 0 && !r.rows {
		q.files = true
		return q, nil
	}
	several := 0
	for _, t := range r.tables {
		if t.file == r.scope.main().file {
			several++
		}
	}
	if q.files = r.overview() && several > 1; q.files {
		return q, nil
	}
	if r.describe && len(r.fns)+len(r.conds) == 0 {
		q.describe = r.scope.main()
		return q, nil
	}
	if err := r.complete(); err != nil {
		return q, err
	}
	if r.sup != nil && r.sup.col == nil {
		sup := *r.sup
		r.sup = &sup
		r.sup.col = r.superlative()
	}
	numbers := slices.DeleteFunc(slices.Clone(r.cols), func(c *column) bool { return c.kind != isNumber })
	if len(r.fns) > 0 && len(numbers) > 0 && r.sup == nil && r.most == 0 {
		return q, asks("which column?", "Is that about "+plain.Code(r.fns[0].col.name)+" or "+plain.Code(numbers[0].name)+"?", r.suggest(r.fns[0].name)...)
	}
	q.filter = r.filter()
	var err error
	switch dir := r.direction(); {
	case dir != 0:
		err = r.ranking(&q, dir)
	case len(r.fns) > 0 || r.howMany || len(r.by) > 0 || r.share:
		err = r.totals(&q)
	default:
		r.listing(&q)
	}
	return q, err
}

// overview reports whether nothing is asked but what there is.
func (r *reader) overview() bool {
	return (r.asksTables || r.describe || r.show) && !r.rows && !r.howMany && len(r.entity)+len(r.cols)+len(r.fns)+len(r.conds)+len(r.by)+len(r.order) == 0 && r.end == ""
}

// complete finds the columns that functions lack, and moves to the order what
// "by" is said of where rows are sorted.
func (r *reader) complete() error {
	numbers := func() *column {
		for i, c := range r.cols {
			if c.kind == isNumber && !c.isID() {
				r.cols = slices.Delete(slices.Clone(r.cols), i, i+1)
				return c
			}
		}
		return nil
	}
	if r.howMuch && (r.rows || len(r.entity) > 0) && len(r.bare()) == 0 && len(r.fns) == 0 {
		r.howMany = true
	}
	var one *column
	if len(r.fns) > 0 && r.fns[0].col == nil || r.howMuch && len(r.fns) == 0 && !r.howMany && r.sup == nil && r.most == 0 {
		if len(r.fns) == 0 {
			r.fns = []function{{name: "sum"}}
		}
		one = r.byNumber()
	}
	for i, f := range r.fns {
		superlative := f.name == "max" || f.name == "min"
		if f.col == nil && one == nil {
			one = numbers()
		}
		if f.col == nil && one == nil {
			one = r.scope.measure()
			if one != nil {
				r.notes = append(r.notes, "I took the column "+plain.Code(one.name))
			}
		}
		if f.col == nil {
			f.col, r.implied = one, true
		}
		switch {
		case f.col == nil:
			return asks("which column?", "The "+f.name+" of which column of "+plain.Code(r.scope.main().named())+"? It has "+r.scope.columns()+".", r.suggest(f.name)...)
		case f.col.kind != isNumber && !superlative:
			return asks("a column of numbers", plain.Code(f.col.name)+" has no numbers, so there is no "+f.name+" of it. "+plain.Code(r.scope.main().named())+" has "+r.scope.columns()+".", r.suggest(f.name)...)
		}
		r.fns[i] = f
	}
	if len(r.fns) == 0 && !r.howMany && !r.share {
		if c := r.byNumber(); c != nil {
			r.order = append(r.order, order{c, r.end != "bottom"})
		}
	}
	return nil
}

// byNumber takes the numbers or dates that "by" is said of out of the groups:
// rows are ordered by them.
func (r *reader) byNumber() *column {
	for i, g := range r.by {
		if g.unit == "" && (g.col.kind == isNumber || g.col.kind == isDate && r.end != "") && (!g.col.isID() || r.end != "") {
			r.by = slices.Delete(slices.Clone(r.by), i, i+1)
			return g.col
		}
	}
	return nil
}

// suggest are questions that can be asked instead.
func (r *reader) suggest(fn string) (options []string) {
	name := map[string]string{"avg": "average"}[fn]
	if name == "" {
		name = fn
	}
	for _, t := range r.scope.tables {
		for _, c := range t.cols {
			if c.kind == isNumber && !c.isID() && len(options) < 4 {
				options = append(options, name+" of "+c.name+" in "+t.file)
			}
		}
	}
	return options
}

// columns are the columns in words.
func (s scope) columns() string {
	var names []string
	for _, t := range s.tables {
		for _, c := range t.cols {
			names = append(names, plain.Code(c.name))
		}
	}
	return some(names)
}

// direction is 1 where the highest come first and -1 where the lowest do; 0
// where nothing is ranked.
func (r *reader) direction() int {
	subject := r.who || len(r.texts()) > 0 || r.which && len(r.by) > 0 || len(r.entity) > 0 && (r.implied || len(r.fns) == 0 || len(r.scope.tables) == 2)
	switch {
	case r.most != 0 && (subject || r.common):
		return r.most
	case r.sup != nil:
		return r.sup.dir
	case r.end == "top" && (len(r.fns) == 0 || len(r.by) == 0):
		return 1
	case r.end == "bottom" && (len(r.fns) == 0 || len(r.by) == 0):
		return -1
	case len(r.fns) == 1 && subject && (len(r.by) == 0 || r.which) && r.fns[0].name == "max":
		return 1
	case len(r.fns) == 1 && subject && (len(r.by) == 0 || r.which) && r.fns[0].name == "min":
		return -1
	case len(r.fns) > 1 && subject && (r.fns[0].name == "max" || r.fns[0].name == "min") && r.which:
		return map[string]int{"max": 1, "min": -1}[r.fns[0].name]
	}
	return 0
}

// texts are the bare columns that name something.
func (r *reader) texts() (all []*column) {
	for _, c := range r.cols {
		if c.kind == isText || c.isID() {
			all = append(all, c)
		}
	}
	return all
}

// totals are values over all rows, or by groups.
func (r *reader) totals(q *query) error {
	groups := slices.Clone(r.by)
	if len(r.fns) > 0 && !r.distinct {
		for _, c := range r.texts() {
			if !slices.ContainsFunc(groups, func(g group) bool { return g.col == c }) && c.kind == isText {
				groups = append(groups, group{col: c})
			}
		}
	}
	if r.versus {
		for _, c := range r.conds {
			if len(c.vals) > 1 {
				groups = append(groups, group{col: c.col})
			}
		}
	}
	values := []string{"count(*) AS row_count"}
	q.title = "rows"
	fns := r.fns
	if len(fns) == 0 && len(r.by) > 0 && !r.howMany {
		fns = r.bare()
	}
	switch {
	case r.share:
		cond := r.conditions()
		if cond == "" {
			return asks("which rows?", "The share of which rows? Say a value, such as one of the column "+r.scope.columns()+".")
		}
		q.title, q.filter = "percent of the rows", r.filter()
		q.statement = "SELECT round(100.0 * sum(CASE WHEN " + cond + " THEN 1 ELSE 0 END) / count(*), 2) AS percent" + r.from()
		return nil
	case len(fns) > 0:
		var words []string
		values = nil
		for _, f := range fns {
			values, words = append(values, f.sql(r)), append(words, f.words())
		}
		q.title = strings.Join(words, " and ")
	case r.counted() != nil:
		c := r.counted()
		if c.kind == isNumber && !c.isID() && !r.distinct {
			values, q.title = []string{"count(" + r.sql(c) + ") AS " + ident("count of "+c.name)}, "values of "+c.name
			break
		}
		values, q.title = []string{"count(DISTINCT " + r.sql(c) + ") AS " + ident("different "+c.name)}, "different "+c.name
	}
	var head []string
	for _, g := range groups {
		head = append(head, g.sql(r))
	}
	q.statement = "SELECT " + strings.Join(append(slices.Clone(head), values...), ", ") + r.from() + r.whereClause()
	if slices.ContainsFunc(fns, func(f function) bool { return f.name == "median" }) {
		q.statement = r.medians(strings.Join(head, ", "), fns, groups)
	} else if len(groups) > 0 {
		q.statement += " GROUP BY " + numbered(len(groups))
	}
	if len(groups) == 0 {
		return nil
	}
	var by []string
	for _, g := range groups {
		by = append(by, g.words())
	}
	q.title += " by " + strings.Join(by, " and ")
	q.statement += " ORDER BY " + r.groupOrder(groups)
	if r.limit > 0 {
		q.statement += fmt.Sprintf(" LIMIT %d", r.limit)
	}
	return nil
}

func (r *reader) groupOrder(groups []group) string {
	desc := " DESC"
	if len(r.order) > 0 {
		if !r.order[0].desc {
			desc = ""
		}
		for i, g := range groups {
			if g.col == r.order[0].col {
				return fmt.Sprint(i+1) + desc
			}
		}
		if r.order[0].col != nil && r.order[0].col.kind == isNumber && !r.order[0].desc {
			desc = ""
		}
		return fmt.Sprint(len(groups)+1) + desc
	}
	if groups[0].unit != "" && r.end == "" {
		return "1"
	}
	if r.end == "bottom" {
		desc = ""
	}
	return fmt.Sprint(len(groups)+1) + desc
}

func numbered(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint(i+1))
	}
	return strings.Join(all, ", ")
}

// bare are the numbers that were named without a function: by groups they are
// added up.
func (r *reader) bare() (fns []function) {
	for _, c := range r.cols {
		if c.kind == isNumber && !c.isID() {
			fns = append(fns, function{"sum", c})
		}
	}
	return fns
}

// counted is the column whose different values are counted; nil where it is the
// rows.
func (r *reader) counted() *column {
	if len(r.entity) > 0 && len(r.scope.tables) == 2 && r.entity[0] == r.scope.tables[1] {
		return r.scope.on[0]
	}
	if len(r.cols) == 0 || len(r.entity) > 0 && !r.distinct {
		return nil
	}
	return r.cols[0]
}

// listing are rows as they stand, or the different values of a column.
func (r *reader) listing(q *query) {
	q.title = "rows"
	sel := "*"
	if len(r.cols) == 1 && r.cols[0].kind == isDate && r.which && len(r.conds) > 0 && r.level > 0 {
		r.cols = nil // a verb, as in "what was sold in May"
	}
	var names []string
	for _, c := range r.cols {
		names = append(names, r.sql(c))
	}
	unique := len(r.cols) == 1 && r.cols[0].kind != isNumber && r.end == "" || r.distinct
	for _, c := range r.conds {
		unique = unique && (!c.col.unique || c.op != "=")
	}
	if len(names) > 0 {
		sel = strings.Join(names, ", ")
		words := make([]string, len(r.cols))
		for i, c := range r.cols {
			words[i] = c.name
		}
		q.title = strings.Join(words, " and ")
		if unique {
			sel = "DISTINCT " + sel
		}
	} else if r.who && r.scope.main().label() != nil && len(r.conds) > 0 {
		label := r.scope.main().label()
		sel, q.title = r.sql(label), label.name
	}
	q.statement = "SELECT " + sel + r.from() + r.whereClause()
	for i, o := range r.order {
		c := o.col
		if c == nil {
			c = r.scope.measure()
		}
		if c == nil {
			continue
		}
		q.statement += map[bool]string{true: " ORDER BY ", false: ", "}[i == 0] + r.sql(c) + map[bool]string{true: " DESC"}[o.desc]
		q.title += " sorted by " + c.name
	}
	if unique && len(r.order) == 0 {
		q.statement += " ORDER BY 1"
	}
	switch {
	case r.limit > 0 && r.end == "last" && len(r.order) == 0:
		q.title = few("last", r.limit, q.title)
		q.statement += fmt.Sprintf(" LIMIT %d OFFSET max(0, (SELECT count(*)%s%s) - %[1]d)", r.limit, r.from(), r.whereClause())
	case r.limit > 0:
		q.title = few("first", r.limit, q.title)
		q.statement += fmt.Sprintf(" LIMIT %d", r.limit)
	}
}

// few says how many of something: the last row, the first 3 rows.
func few(end string, n int, what string) string {
	if n == 1 {
		return "the " + end + " " + strings.TrimSuffix(what, "s")
	}
	return fmt.Sprintf("the %s %d %s", end, n, what)
}

// medians is a statement with the middle of the values: the average of the one
// or two in the middle of each group.
func (r *reader) medians(head string, fns []function, groups []group) string {
	var by, inner, values []string
	for _, g := range groups {
		by = append(by, g.expr(r))
	}
	over := ""
	if len(by) > 0 {
		over = "PARTITION BY " + strings.Join(by, ", ") + " "
	}
	for i, f := range fns {
		if f.name != "median" {
			values = append(values, f.sql(r))
			continue
		}
		c := r.sql(f.col)
		inner = append(inner, fmt.Sprintf("row_number() OVER (%sORDER BY %s IS NULL, %[2]s) AS median_at%[3]d, count(%[2]s) OVER (%[1]s) AS median_of%[3]d", over, c, i))
		values = append(values, fmt.Sprintf("avg(CASE WHEN median_at%d IN ((median_of%[1]d + 1) / 2, (median_of%[1]d + 2) / 2) THEN %s END) AS %s", i, c, ident(f.words())))
	}
	if head != "" {
		head += ", "
	}
	statement := "SELECT " + head + strings.Join(values, ", ") + " FROM (SELECT *, " + strings.Join(inner, ", ") + r.from() + r.whereClause() + ")"
	if len(groups) > 0 {
		statement += " GROUP BY " + numbered(len(groups))
	}
	return statement
}

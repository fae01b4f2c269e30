package data

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/experts/plain"
)

// query is what a question means: one SELECT, or a list of what there is.
type query struct {
	scope      scope
	files      bool   // asks which tables there are
	describe   *table // asks for the columns of
	groups     []value
	picks      []value // functions or columns; none are whole rows
	distinct   bool
	conds      []cond
	asked      []cond // whether they are so
	having     []cond
	order      []order
	shown      []order // of the rows that the statement gives
	limit      int
	end        string // last for the last rows of the file
	statement  string
	title      string // what it gives, such as "sum of amount by region"
	best       bool   // its first row is the answer
	nth        int    // of a ranking, where not the first is asked for
	notes      []string
	translator plain.Translator
}

// value is a column, a unit of a date, or a function of a column. The function
// count without a column counts rows.
type value struct {
	fn    string
	col   *column
	times *column // that the column is multiplied by in each row
	unit  string  // of time, for a date
	in    string  // the unit that it is given in, where the column has another
}

type order struct {
	value
	desc bool
}

// sql is a column as a statement names it.
func (s scope) sql(c *column) string {
	for _, t := range s.tables {
		if t != c.table && slices.ContainsFunc(t.cols, func(other *column) bool { return strings.EqualFold(other.name, c.name) }) {
			return ident(c.table.name) + "." + ident(c.name)
		}
	}
	return ident(c.name)
}

func (v value) sql(q *query) string {
	switch {
	case v.fn == "whether":
		var all []string
		for _, c := range q.asked {
			all = append(all, "coalesce("+c.sql(q.scope.sql(c.col))+", 0)")
		}
		return "iif(" + strings.Join(all, " AND ") + ", " + literal(q.translator.Say("yes")) + ", " + literal(q.translator.Say("no")) + ")"
	case v.col == nil:
		return "count(*)"
	}
	if in := v.in; in != "" {
		v.in = ""
		return fmt.Sprintf("round(%s * %.1f / %.1f, 6)", v.sql(q), sizes()[v.col.measure()].size, sizes()[in].size)
	}
	c := q.scope.sql(v.col)
	if v.times != nil {
		c += " * " + q.scope.sql(v.times)
	}
	switch of := v.fn + v.unit; of {
	case "":
		return c
	case "different":
		return "count(DISTINCT " + c + ")"
	case "range":
		return "max(" + c + ") - min(" + c + ")"
	case "age":
		if v.col.years {
			return "CAST(strftime('%Y', 'now') AS INTEGER) - " + c
		}
		return "iif(length(" + c + ") = 4, strftime('%Y', 'now') - " + c + ", CAST((julianday('now') - julianday(" + c + ")) / 365.2425 AS INTEGER))"
	case "quarter":
		return "substr(" + c + ", 1, 4) || '-Q' || ((substr(" + c + ", 6, 2) + 2) / 3)"
	case "week":
		return "date(" + c + ", 'weekday 0', '-6 days')"
	case "year", "month", "day":
		return fmt.Sprintf("substr(%s, 1, %d)", c, map[string]int{"year": 4, "month": 7, "day": 10}[of])
	}
	return v.fn + "(" + c + ")"
}

func (v value) words(translator plain.Translator) string {
	switch {
	case v.fn == "whether":
		return translator.Say("answer")
	case v.col == nil:
		return translator.Say("rows")
	}
	if in := v.in; in != "" {
		v.in = ""
		return translator.Say("%s in %s", v.words(translator), in)
	}
	name := v.col.name
	if v.times != nil {
		name += " × " + v.times.name
	}
	switch of := v.fn + v.unit; of {
	case "":
		return name
	case "age":
		return translator.Say("years since %s", name)
	case "avg":
		return translator.Say("average %s", name)
	case "range":
		return translator.Say("difference of the highest and the lowest %s", name)
	case "stddev":
		return translator.Say("standard deviation of %s (of a sample)", name)
	case "sum", "count", "year", "quarter", "month", "week", "day":
		return translator.Say(of+" of %s", name)
	default:
		return translator.Say(of+" %s", name)
	}
}

// render writes the statement, and the title where there is none.
func (q *query) render() {
	var list, names []string
	for _, v := range append(slices.Clone(q.groups), q.picks...) {
		name := v.words(q.translator)
		sql := v.sql(q)
		switch {
		case v.unit != "":
			sql += " AS " + ident(v.unit)
		case v.fn != "" || v.in != "":
			sql += " AS " + ident(map[bool]string{true: "row_count", false: name}[v.col == nil && v.fn == "count"])
		}
		list, names = append(list, sql), append(names, name)
	}
	n := len(q.groups)
	q.title = cmp.Or(q.title, strings.Join(names[n:], q.translator.Say(" and ")), q.translator.Say("rows"))
	if n > 0 {
		q.title = q.translator.Say("%s by %s", q.title, strings.Join(names[:n], q.translator.Say(" and ")))
	}
	sel := strings.Join(list, ", ")
	if sel == "" {
		sel = "*"
	}
	if q.distinct {
		sel = "DISTINCT " + sel
	}
	from := " FROM " + ident(q.scope.main().name)
	if len(q.scope.tables) == 2 {
		a, b := q.scope.on[0], q.scope.on[1]
		from += " JOIN " + ident(b.table.name) + " ON " + ident(a.table.name) + "." + ident(a.name) + " = " + ident(b.table.name) + "." + ident(b.name)
	}
	if len(q.picks) > 0 && q.picks[0].fn == "percent" {
		sel = "round(100.0 * avg(coalesce(" + q.where() + ", 0)), 2) AS percent"
	} else {
		from += clause(" WHERE ", q.where())
	}
	q.statement = "SELECT " + sel + from
	if n > 0 {
		q.statement += " GROUP BY " + strings.Join([]string{"1", "2", "3", "4", "5", "6"}[:min(n, 6)], ", ")
	}
	var having, by []string
	for _, c := range q.having {
		having = append(having, c.sql(value{fn: c.fn, col: c.col}.sql(q)))
	}
	for _, o := range q.order {
		by = append(by, o.sql(q)+map[bool]string{true: " DESC"}[o.desc])
	}
	q.statement += clause(" HAVING ", strings.Join(having, " AND ")) + clause(" ORDER BY ", strings.Join(by, ", "))
	switch {
	case q.limit > 0 && q.end == "last" && len(q.order) == 0:
		q.statement += fmt.Sprintf(" LIMIT %d OFFSET max(0, (SELECT count(*)%s) - %[1]d)", q.limit, from)
	case q.best && q.nth > 0:
		q.statement += fmt.Sprintf(" LIMIT 1 OFFSET %d", q.nth-1)
	case q.best:
		q.statement += fmt.Sprintf(" LIMIT %d", maxTies)
	case q.limit > 0:
		q.statement += fmt.Sprintf(" LIMIT %d", q.limit)
	}
	for i, o := range q.shown {
		if i == 0 {
			q.statement = "SELECT * FROM (" + q.statement + ")"
		}
		q.statement += map[bool]string{true: " ORDER BY ", false: ", "}[i == 0] + ident(o.col.name) + map[bool]string{true: " DESC"}[o.desc]
		q.title = q.translator.Say("%s sorted by %s", q.title, value{col: o.col, times: o.times}.words(q.translator))
	}
}

// values are those that a query groups by, picks or sorts by.
func (q *query) values() (all []*value) {
	for _, list := range [][]value{q.groups, q.picks} {
		for i := range list {
			all = append(all, &list[i])
		}
	}
	for i := range q.order {
		all = append(all, &q.order[i].value)
	}
	return all
}

// once leaves of two tables the one whose amounts are worked with, since each of its rows
// would be taken as often as the other has rows for it; conditions on the other choose
// among them. What is grouped by the other is asked back.
func (q *query) once() error {
	if len(q.scope.tables) != 2 {
		return nil
	}
	main, one, on := q.scope.tables[0], q.scope.tables[1], q.scope.on
	q.groups, q.picks, q.order, q.conds = slices.Clone(q.groups), slices.Clone(q.picks), slices.Clone(q.order), slices.Clone(q.conds)
	var summed *column
	for _, v := range q.values() {
		if v.col != nil && v.col.table == one && slices.Contains([]string{"sum", "avg", "median", "stddev"}, v.fn) {
			summed = v.col
		}
	}
	other := func(v *value) bool { return v.col == nil || v.col.table != one && v.col != on[0] }
	either := func(c cond) bool { return c.or }
	switch {
	case summed == nil:
		return nil
	case slices.ContainsFunc(q.values(), other), slices.ContainsFunc(q.conds, either), len(q.having) > 0:
		return asks("one table", plain.Code(summed.name)+" stands once in "+one.named()+" for several rows of "+main.named()+", and would be counted as often. Ask for it without them.", q.scope.columns())
	}
	for _, v := range q.values() {
		if v.col == on[0] {
			v.col = on[1]
		}
	}
	for i, c := range q.conds {
		if c.col.table != one {
			said := strings.TrimPrefix(c.words(plain.Translator{}), c.col.name+" ")
			in := ident(on[1].name) + " IN (SELECT " + ident(on[0].name) + " FROM " + ident(main.name) + " WHERE " + c.sql(ident(c.col.name)) + ")"
			q.conds[i] = test(c.col, in, said)
		}
	}
	q.scope.tables = []*table{one}
	return nil
}

func clause(head, body string) string {
	if body == "" {
		return ""
	}
	return head + body
}

// where is the conditions as SQL. A rank leaves out the rows without a value.
func (q *query) where() string {
	var b strings.Builder
	either := false
	for i, c := range q.conds {
		if i > 0 {
			b.WriteString(map[bool]string{true: " OR ", false: " AND "}[c.or])
		}
		either = either || c.or
		b.WriteString(c.sql(q.scope.sql(c.col)))
	}
	where := b.String()
	if q.limit == 1 && len(q.order) > 0 && len(q.groups) == 0 { // the last income is none that is empty
		for _, v := range q.picks {
			if v.col != nil && v.fn == "" && v.col.gaps && v.col != q.order[0].col {
				if either {
					where, either = "("+where+")", false
				}
				where += clause(map[bool]string{true: " AND "}[where != ""], q.scope.sql(v.col)+" IS NOT NULL")
			}
		}
	}
	if len(q.groups) == 1 && q.best && q.groups[0].col != nil && q.groups[0].col.kind == isText { // nobody is not somebody
		if either {
			where, either = "("+where+")", false
		}
		where += clause(map[bool]string{true: " AND "}[where != ""], q.scope.sql(q.groups[0].col)+" IS NOT NULL")
	}
	if q.limit > 0 && len(q.order) > 0 && q.order[0].col != nil && q.order[0].fn != "different" {
		if either {
			where = "(" + where + ")"
		}
		where += clause(map[bool]string{true: " AND "}[where != ""], q.scope.sql(q.order[0].col)+" IS NOT NULL")
	}
	return where
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
	said, conds := q.translator.Say("%s in %s", q.title, strings.Join(files, q.translator.Say(" and "))), ""
	for i, c := range append(slices.Clone(q.conds), q.having...) {
		if i > 0 {
			conds += q.translator.Say(map[bool]string{true: " or ", false: " and "}[c.or])
		}
		conds += c.words(q.translator)
	}
	if conds != "" {
		said += q.translator.Say(" where %s", conds)
	}
	return said
}

// database is the SQLite file of the scope, if any.
func (s scope) database() string {
	for _, t := range s.tables {
		if t.file != t.name {
			return t.file
		}
	}
	return ""
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
	return &plain.AmbiguousError{Message: message, Needs: needs, Options: options}
}

// whichColumn asks back what a function or a rank is of.
func (r *reader) whichColumn(what, fn string) error {
	return asks("which column?", r.translator.Say("The %s of which column? %s has %s.", what, plain.Code(r.scope.main().named()), r.scope.columns()), r.suggest(fn)...)
}

// suggest are questions that can be asked instead.
func (r *reader) suggest(fn string) (options []string) {
	numbers := r.scope.main().numbers()
	for _, c := range numbers[:min(len(numbers), 4)] {
		options = append(options, strings.Replace(fn, "avg", "average", 1)+" of "+c.name+" in "+c.table.file)
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

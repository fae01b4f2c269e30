package data

import (
	"cmp"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/experts/plain"
)

// query puts together what was read.
func (r *reader) query() (query, error) {
	q := query{translator: r.translator, scope: r.scope, conds: r.conds, having: r.having, limit: r.limit, end: r.end}
	tables := r.has["tables"] && len(r.cols)+len(r.fns)+len(r.conds)+len(r.things) == 0 && !r.has["rows"]
	switch file := r.scope.database(); {
	case file != "" && (tables || r.overview() && !r.has["describe"]):
		q.files, q.title = true, "tables"
		q.statement = `SELECT s.name AS "table", (SELECT group_concat(name, ', ') FROM pragma_table_info(s.name)) AS columns FROM sqlite_schema s WHERE ` + isTable
		return q, nil
	case tables, r.has["describe"] && len(r.fns)+len(r.conds) == 0:
		q.describe = r.scope.main()
		return q, nil
	}
	r.revenue()
	if i := slices.IndexFunc(slices.Concat(r.conds, r.having), func(c cond) bool { return r.priceOf(c.col) != nil }); i >= 0 {
		return q, asks("one value of each", "Is that the revenue of each row, or of several? Ask for it in SQL.", r.suggest("sum")...)
	}
	if err := r.complete(); err != nil {
		return q, err
	}
	for i, f := range r.fns {
		r.fns[i].times = cmp.Or(f.times, r.priceOf(f.col)) // the largest by revenue
	}
	r.settled()
	for _, further := range []func() error{r.span, r.convert} {
		if err := further(); err != nil {
			return q, err
		}
	}
	named := r.has["both"] && slices.Contains(r.cols, r.fns[0].col)
	r.cols = slices.DeleteFunc(slices.Clone(r.cols), r.measured) // die Summe der Beträge amount
	if r.doubtful() {
		return q, asks("which column?", r.translator.Say("Is that about %s or %s?", plain.Code(r.fns[0].col.name), plain.Code(r.numbers()[0].name)), r.suggest(r.fns[0].fn)...)
	}
	if len(r.fns) > 0 && r.has["howmany"] {
		return q, asks("one question", r.translator.Say("Is that a number of rows, or the %s?", r.fns[0].words(r.translator)), r.suggest(r.fns[0].fn)...)
	}
	r.drop()
	r.haveSome()
	q.conds = r.conds
	if date := r.scope.date(); date != nil && r.has["each"] && len(r.fns)+len(r.numbers()) == 0 && len(r.by) > 0 && r.limit == 1 {
		r.fns, r.limit, q.limit, q.end = []value{{fn: map[string]string{"first": "min", "last": "max"}[r.end], col: date}}, 0, 0, "" // the first order of each customer
	}
	if r.has["both"] && len(r.by) == 0 && len(r.scope.tables) == 1 && !named {
		r.both(&q)
	}
	var err error
	switch dir := r.direction(); {
	case dir != 0:
		err = r.ranking(&q, dir)
	case r.has["share"] && len(r.conds) == 0:
		err = asks("which rows?", "The share of which rows? Say a value, such as one of the column "+r.scope.columns()+".")
	case r.has["share"]:
		q.title, q.picks = r.translator.Say("percent of the rows"), []value{{fn: "percent"}}
	case len(r.fns) > 0 || r.has["howmany"] || len(r.by) > 0 || len(r.having) > 0:
		err = r.totals(&q)
	default:
		r.listing(&q)
	}
	if err == nil {
		err = q.once()
	}
	if err == nil {
		err = r.reorder(&q)
	}
	if q.notes = r.notes; err == nil {
		q.notes = append(q.notes, r.eitherDay(&q)...)
		q.render()
	}
	return q, err
}

// eitherDay notes how dates are read that may mean another day, and what stands for 0.
func (r *reader) eitherDay(q *query) (notes []string) {
	var columns []*column
	for _, c := range q.conds {
		columns = append(columns, c.col)
	}
	for _, v := range q.values() {
		columns = append(columns, v.col)
	}
	for i, c := range columns {
		if c != nil && c.unit.free != "" && !slices.Contains(columns[:i], c) {
			notes = append(notes, r.translator.Say("%s is taken for %s", "“"+c.unit.free+"”", "0"))
		}
	}
	columns = columns[:len(q.conds)]
	for _, v := range slices.Delete(q.values(), len(q.groups), len(q.groups)+len(q.picks)) {
		columns = append(columns, v.col)
	}
	for _, c := range columns {
		if c != nil && c.unit.either != "" {
			day := new(dateReader)
			notes = append(notes, r.translator.Say("%s is taken for %s", c.unit.either, day.iso(c.unit.either)))
		}
	}
	return notes
}

// overview reports whether nothing is asked but what there is.
func (r *reader) overview() bool {
	return r.asks("tables", "describe", "show") && !r.asks("rows", "howmany") && len(r.things)+len(r.cols)+len(r.fns)+len(r.conds)+len(r.by)+len(r.order) == 0 && r.end == ""
}

// numbers are the bare columns that are amounts.
func (r *reader) numbers() []*column {
	return slices.DeleteFunc(slices.Clone(r.cols), func(c *column) bool { return c.kind != isNumber || c.isID() })
}

// texts are the bare columns that name something.
func (r *reader) texts() []*column {
	return slices.DeleteFunc(slices.Clone(r.cols), func(c *column) bool { return c.kind != isText && !c.isID() || r.tested(c) })
}

// measured reports whether a function is of the column.
func (r *reader) measured(c *column) bool {
	return slices.ContainsFunc(r.fns, func(f value) bool { return f.col == c })
}

// doubtful reports whether a function is of one column, and another stands beside
// it: the average age the salary.
func (r *reader) doubtful() bool {
	return len(r.fns) > 0 && r.fns[0].col != nil && r.dir == 0 && slices.ContainsFunc(r.numbers(), func(c *column) bool { return !r.measured(c) })
}

// tested reports whether a column has one value by the conditions: class A.
func (r *reader) tested(c *column) bool {
	return slices.ContainsFunc(r.conds, func(cd cond) bool { return cd.col == c && len(cd.vals) == 1 && !cd.not })
}

// complete finds the columns that functions lack, and moves to the order what
// "by" is said of where rows are sorted.
func (r *reader) complete() error {
	if r.has["howmany"] && len(r.fns) == 1 && r.fns[0] == (value{fn: "sum"}) && says(r.spans, "skipsum") { // how many of them in all
		r.fns = nil
	}
	if r.has["weighed"] { // how many kilos were sold
		r.cols = slices.DeleteFunc(slices.Clone(r.cols), func(c *column) bool { return c.kind == isNumber && r.has["~"+c.name] })
	}
	much := r.has["howmuch"] && len(r.fns) == 0
	if much && (r.has["rows"] || len(r.things) > 0) && len(r.numbers()) == 0 {
		did := slices.ContainsFunc(r.toks, func(t token) bool { return t.low == "did" }) || r.done() // "how much did we invoice?"
		r.has["howmany"] = !did && !says(r.spans, "skipsum") || r.has["rows"] || r.like("money") == nil
	}
	if r.has["compare"] && len(r.fns)+len(r.numbers()) == 0 && len(r.conds) > 0 {
		r.has["howmany"] = true // paid versus open orders
	}
	whole := r.has["whole"] && len(r.fns)+len(r.things)+len(r.by)+len(r.order)+len(r.having)+r.limit == 0 && !r.asks("howmany", "who", "which", "share", "distinct")
	owed := r.has["owe"] && len(r.fns) == 0 && !r.asks("who", "which", "howmany")
	if r.dir == 0 && (owed || much && !r.has["howmany"] || whole) {
		r.fns = []value{{fn: "sum"}}
		if pieces := r.soldOf(); much && pieces != nil {
			r.fns = []value{{fn: "sum", col: pieces}, {fn: "sum", col: r.numbers()[0]}}
		}
	}
	var one *column
	if len(r.order) > 0 {
		one = r.order[0].col
	}
	for i, f := range r.fns {
		numbers := r.numbers()
		switch {
		case f.col != nil:
		case one == nil && len(numbers) > 0:
			one = numbers[0]
			r.cols = slices.DeleteFunc(slices.Clone(r.cols), func(c *column) bool { return c == one })
		case one == nil && slices.ContainsFunc(r.cols, func(c *column) bool { return c.kind == isText && c.counts }):
			// what is named has no numbers that can be read, and no other column is taken for it
		case one == nil:
			one = r.noted(r.measure())
		}
		if f.col == nil {
			f.col, r.guessed = one, true
		}
		if f.col == nil {
			return r.whichColumn(f.fn, f.fn)
		}
		if f.col.kind != isNumber && f.fn != "max" && f.fn != "min" && f.fn != "age" {
			return asks("a column of numbers", plain.Code(f.col.name)+" has no numbers, so there is no "+f.fn+" of it. "+plain.Code(r.scope.main().named())+" has "+r.scope.columns()+".", r.suggest(f.fn)...)
		}
		r.fns[i] = f
	}
	return nil
}

// done reports whether a thing is said as what was done, as in "ha pedido".
func (r *reader) done() bool {
	for i, t := range r.toks {
		if t.key == t.low && stands(r.spans, i-1, "perfect") && r.table(r.spanAt(i)).table != nil {
			return true
		}
	}
	return false
}

// direction is 1 where the highest come first and -1 where the lowest do; 0
// where nothing is ranked.
func (r *reader) direction() int {
	asked := r.asks("which", "what", "who")
	dated := slices.ContainsFunc(r.cols, func(c *column) bool { return c.kind == isDate && asked })
	subject := r.has["who"] || dated || len(r.texts()) > 0 || asked && len(r.by) > 0 || len(r.things) > 0 && (r.has["whose"] || r.limit > 0 || len(r.fns) == 0 || len(r.scope.tables) == 2)
	ends := len(r.fns) == 0 || len(r.by) == 0
	switch {
	case r.nth > 0 && len(r.fns) > 0:
		return sign(r.fns[0].fn)
	case r.has["most"] && !subject && !r.has["common"]:
		return 0
	case r.dir != 0:
		return r.dir
	case ends && sign(r.end) != 0:
		return sign(r.end)
	case len(r.fns) > 0 && (subject || r.limit > 1 && r.end == "") && (len(r.by) == 0 || asked): // "the 3 highest"
		return sign(r.fns[0].fn)
	}
	return 0
}

// sign is 1 for what comes from the highest on, -1 for the lowest, 0 for others.
func sign(word string) int {
	return map[string]int{"max": 1, "top": 1, "min": -1, "bottom": -1}[word]
}

// ranking is a question for the first few of something.
func (r *reader) ranking(q *query, dir int) error {
	by, err := r.rankedBy()
	if err != nil {
		return err
	}
	if r.of == "age" && by.col != nil && (by.col.kind == isDate || by.col.years || by.col == r.like("year")) {
		dir = -dir // what is old has an early date
		by.fn = map[int]string{1: "max", -1: "min"}[dir]
	}
	ranked := func(name string) string {
		word := map[int]string{1: "highest %s", -1: "lowest %s"}[dir]
		if by.col == nil {
			word = map[int]string{1: "most %s", -1: "fewest %s"}[dir]
		}
		said := r.translator.Say(word, name)
		if nth := map[int]string{2: "second %s", 3: "third %s"}[r.nth]; nth != "" {
			said = r.translator.Say(nth, said)
		}
		return said
	}
	subject, bare := r.subject(by), value{col: by.col, times: by.times}
	all := r.has["each"] || r.of != "" && len(r.by) > 0 && !r.asks("which", "what", "who")
	if q.limit == 0 && !all {
		q.limit = 1
	}
	q.best, q.nth = q.limit == 1, r.nth
	if subject.col != nil {
		q.groups, q.picks, q.title = []value{subject}, []value{by}, ranked(by.words(r.translator))
		if by.fn == "max" || by.fn == "min" {
			q.title = ranked(bare.words(r.translator))
		}
		q.order = []order{{by, dir > 0}, {value: subject}}
		if all && (by.fn == "max" || by.fn == "min") {
			q.picks = append(r.example(subject.col), by)
		}
		return nil
	}
	if by.col == nil {
		return r.whichColumn("order", "max")
	}
	by.fn = ""
	q.order = []order{{by, dir > 0}}
	switch {
	case len(r.things) == 0 && !r.asks("rows", "show") && r.end == "" && len(r.cols) > 0:
		if !slices.Contains(r.cols, by.col) || len(r.cols) > 1 { // our best night
			for _, c := range r.cols {
				if c != by.col {
					q.picks = append(q.picks, value{col: c})
				}
			}
			q.title, q.picks = ranked(bare.words(r.translator)), append(q.picks, by)
			break
		}
		q.title, q.picks, q.best = ranked(bare.words(r.translator)), []value{by}, false
		if by.col.kind == isDate {
			q.title = r.translator.Say(map[int]string{1: "latest %s", -1: "first %s"}[dir], by.col.name)
		}
	case q.best:
		q.title = r.translator.Say("the row with the %s", ranked(bare.words(r.translator)))
	default:
		q.title = r.translator.Say("the %d with the %s", q.limit, ranked(bare.words(r.translator)))
	}
	return nil
}

// example is what names the row with the highest value of each group. SQLite
// takes a column beside max or min from that row.
func (r *reader) example(group *column) []value {
	names := r.texts()
	if len(r.things) > 0 {
		names = append(names, r.things[0].label(), r.things[0].id())
	}
	if i := slices.IndexFunc(names, func(c *column) bool { return c != nil && c != group }); i >= 0 {
		return []value{{col: names[i]}}
	}
	return nil
}

// subject is what is ranked: groups, or nothing where the rows are.
func (r *reader) subject(by value) value {
	texts, last := r.texts(), r.scope.tables[len(r.scope.tables)-1]
	switch {
	case len(r.by) > 0:
		return r.by[0]
	case r.has["who"] && r.has["most"] && len(texts) == 1 && r.whom() != nil && !r.whom().unique:
		return value{col: r.whom()} // who borrowed the most books
	case len(texts) > 0:
		return value{col: texts[0]}
	case len(r.things) > 0 && last != r.scope.main() && r.things[0] == last:
		return value{col: r.things[0].label()}
	case r.has["who"] && by.fn != "count" && len(r.things) > 0 && r.things[0].label() != nil && r.isWho():
		return value{col: r.things[0].label()} // who is the oldest patient
	case r.has["who"] && (by.fn != "count" || r.whom() != nil && !r.whom().unique):
		return value{col: r.whom()}
	}
	return value{}
}

// isWho reports whether it is asked who something is, and not whose.
func (r *reader) isWho() bool {
	_, who := r.means(0, "who")
	return who > 0 && stands(r.spans, who, "be")
}

// rankedBy is what things are ranked by.
func (r *reader) rankedBy() (value, error) {
	numbers, count := r.numbers(), value{fn: "count"}
	switch {
	case len(r.fns) > 0 && len(r.by) > 0 && r.by[0].unit != "" && !r.has["peak"]:
		return value{fn: "sum", col: r.fns[0].col, times: r.fns[0].times}, nil // the month with the highest revenue
	case len(r.fns) > 0:
		return r.fns[0], nil
	case r.has["common"]:
		return count, nil
	case r.of != "":
		extreme := map[int]string{1: "max", -1: "min"}[r.dir]
		c := r.superlative()
		if c == nil {
			return count, r.whichColumn("order", "max")
		}
		if r.of == "money" && (len(r.texts()) > 0 || len(r.things) > 0 && r.things[0] != r.scope.main()) {
			extreme = "sum" // which product sells best
		}
		return value{fn: extreme, col: c, times: r.priceOf(c)}, nil
	case len(r.order) > 0 && r.order[0].col != nil:
		return value{fn: "sum", col: r.order[0].col, times: r.order[0].times}, nil
	case len(numbers) > 0:
		last := r.sold(numbers[len(numbers)-1])
		return value{fn: "sum", col: last, times: r.priceOf(last)}, nil
	case r.asks("pieces", "units") && r.like("quantity") != nil: // the most lamps, was sold most
		return value{fn: "sum", col: r.noted(r.like("quantity"))}, nil
	case r.has["pieces"] && r.like("money") == nil: // the most errors
		return count, nil
	case r.has["most"] && (len(r.things) > 0 && !r.things[0].isMoney() || len(r.things) == 0 && (r.has["rows"] || len(r.texts()) > 1 || r.has["who"] && len(r.texts()) > 0 && r.like("quantity") == nil)):
		return count, nil
	}
	if c := r.noted(r.measure()); c != nil {
		return value{fn: "sum", col: c}, nil
	}
	if !r.has["most"] {
		return count, r.whichColumn("order", "max")
	}
	return count, nil
}

// superlative finds the column that "cheapest" or "oldest" is about.
func (r *reader) superlative() *column {
	if len(r.order) > 0 && r.order[0].col != nil {
		return r.order[0].col
	}
	var named *column
	for _, c := range r.cols {
		if c.kind == isNumber || c.kind == isDate {
			named = c
		}
	}
	found := r.like(r.of)
	latest := says(r.spans, "new")
	if born := r.like("born"); latest && r.of == "age" { // the newest member is not the youngest
		since := func(c *column) bool {
			return c != born && !c.named("born", "last") && (c.kind == isDate || c == r.years())
		}
		found = cmp.Or(r.like("signup"), r.like("hired"), r.scope.first(since), found)
	}
	if r.of == "age" && found == nil && named == nil && !latest {
		found = cmp.Or(r.like("born"), r.years())
	}
	switch texts := r.texts(); {
	case named != nil && (r.of == "money" && named.kind == isNumber || r.of == "date" || r.of == "age" && named.kind == isDate):
		return named
	case found != nil:
	case r.of == "date", r.of == "age" && (r.scope.named || len(r.things) > 0 || r.asks("rows", "who") || len(texts) > 0 && texts[0].unique):
		found = cmp.Or(r.scope.date(), r.like("year"))
	case named == nil && (r.of == "money" || r.of == "price"):
		found = r.measure()
	}
	return r.noted(cmp.Or(found, named))
}

// noted notes that a column was taken, if one was.
func (r *reader) noted(c *column) *column {
	if c != nil {
		r.notes = append(r.notes, r.translator.Say("I took the column %s", plain.Code(c.name)))
	}
	return c
}

// totals are values over all rows, or by groups.
func (r *reader) totals(q *query) error {
	q.groups, q.picks = slices.Clone(r.by), slices.Clone(r.fns)
	group := func(c *column) {
		if !slices.ContainsFunc(q.groups, func(g value) bool { return g.col == c }) {
			q.groups = append(q.groups, value{col: c})
		}
	}
	if len(r.having) > 0 && len(r.by)+len(r.texts()) == 0 {
		group(r.things[0].label())
	}
	counts := r.has["howmany"] && r.has["first"] && len(r.things) > 0 && r.counts == nil
	if len(r.having)+len(r.fns) > 0 || r.has["howmanyoften"] || counts && !r.has["distinct"] {
		for _, c := range r.texts() {
			if !c.unique || len(r.fns) == 0 { // the total fee of the visits, each with its visit
				group(c)
			}
		}
	}
	if r.has["compare"] {
		for _, c := range r.conds {
			group(c.col)
		}
	}
	if len(r.fns) == 0 && len(r.by) > 0 && !r.has["howmany"] {
		numbers := r.numbers()
		if c := r.measure(); len(numbers) == 0 && len(r.things) > 0 && r.things[0].isMoney() && c != nil {
			q.picks, numbers = []value{{fn: "count"}}, []*column{c} // sales by region
		}
		for _, c := range numbers {
			q.picks = append(q.picks, value{fn: "sum", col: c})
		}
	}
	if len(q.picks) == 0 {
		q.picks = r.counted()
	}
	if len(q.groups) == 0 {
		return nil
	}
	q.order = []order{{q.picks[len(q.picks)-1], r.end != "bottom"}}
	switch {
	case len(r.order) > 0 && slices.Contains(q.groups, r.order[0].value):
		q.order = r.order[:1]
	case len(r.order) > 0 && r.order[0].col != nil && r.order[0].col.kind == isText:
		if !slices.Contains(vocab().like[r.order[0].col.key], "name") {
			return asks("an order", plain.Code(r.order[0].col.name)+" has more than one value there, so I cannot sort by it.")
		}
		q.order = []order{{q.groups[0], r.order[0].desc}} // sorted by name
	case len(r.order) > 0:
		q.order[0].desc = r.order[0].desc
	case q.groups[0].unit != "" && r.end == "":
		q.order = []order{{value: q.groups[0]}}
	}
	return nil
}

// drop leaves out what is a verb rather than a column: sold, in the products that
// were sold in May.
func (r *reader) drop() {
	if len(r.things) > 0 && len(r.conds) > 0 && r.asks("which", "what") && len(r.fns) == 0 && r.dir == 0 {
		verb := func(c *column) bool { return c.kind == isText && r.has["~"+c.name] }
		r.cols = slices.DeleteFunc(slices.Clone(r.cols), verb) // the customers who live in Spain
	}
	if !r.asks("when", "howmany") && len(r.conds) > 0 && r.end == "" && (len(r.cols) > 1 || r.asks("which", "what")) && !slices.ContainsFunc(r.toks, func(t token) bool { return slices.Contains([]string{"date", "datum", "fecha"}, t.key) }) {
		r.cols = slices.DeleteFunc(slices.Clone(r.cols), func(c *column) bool { return c.kind == isDate && r.has["~"+c.name] })
	}
}

// unlike is the condition that no row with the value of c fits a condition.
func (c *column) unlike(other cond) cond {
	other.not = false
	in := "(SELECT " + ident(c.name) + " FROM " + ident(c.table.name) + " WHERE " + other.sql(ident(other.col.name)) + ")"
	return test(c, "§ NOT IN "+in, "has no row where "+other.words(plain.Translator{}))
}

// beyond answers with what is not in the question: who drives a van is no plate, but the
// driver of the other table, else the whole row.
func (r *reader) beyond(q *query) {
	q.picks, r.cols = nil, nil
	for _, t := range r.scope.tables {
		for _, c := range []*column{t.people(), t.label()} {
			if c != nil && !r.tested(c) && len(r.scope.tables) == 2 && (c.kind == isText || r.has["who"]) {
				q.picks, q.title = []value{{col: c}}, c.name
				return
			}
		}
	}
}

// listing are rows as they stand, or the different values of a column.
func (r *reader) listing(q *query) {
	if len(r.cols) == 1 && slices.Contains(r.cols[0].table.keys, r.cols[0].key) && len(r.things) == 0 && !r.asks("what", "which", "distinct") && r.cols[0].kind == isNumber {
		r.cols, r.things = nil, []*table{r.cols[0].table} // weights before January
	}
	if r.has["who"] || len(r.things) > 0 && !slices.ContainsFunc(r.conds, func(c cond) bool { return c.not }) {
		r.cols = slices.DeleteFunc(slices.Clone(r.cols), func(c *column) bool { return r.tested(c) && c.kind == isText })
	}
	if date := r.scope.date(); len(r.things) == 0 && len(r.cols) == 1 && len(r.numbers()) == 1 && date != nil && slices.ContainsFunc(r.conds, func(c cond) bool { return c.some && c.col == date && c.spans() }) {
		q.picks = []value{{col: date}} // the fees of May, each with its day
	}
	theirs := slices.ContainsFunc(r.toks, func(t token) bool {
		return slices.Contains([]string{"their", "ihren", "ihrem", "ihrer", "sus"}, t.low)
	})
	if len(r.things) > 0 && len(r.cols) > 0 && (theirs && !slices.Contains(r.cols, r.things[0].label()) || len(r.cols) == len(r.numbers())) {
		q.picks = []value{{col: cmp.Or(r.things[0].label(), r.things[0].cols[0])}} // the products with their prices
	}
	for _, c := range r.cols {
		q.picks = append(q.picks, r.given(c))
	}
	q.distinct = len(r.cols) == 1 && r.cols[0].kind != isNumber && r.end == "" || r.has["distinct"]
	for i, c := range r.conds {
		if c.not && q.distinct && !r.cols[0].unique && c.col != r.cols[0] && len(r.scope.tables) == 1 {
			q.conds = slices.Clone(q.conds)
			q.conds[i] = r.cols[0].unlike(c) // products not sold in the north
		}
		if len(c.vals) > 1 && !c.not && len(r.cols) > 0 && !slices.Contains(r.cols, c.col) {
			q.picks = append([]value{{col: c.col}}, q.picks...) // the salary of Ada and Bob
		}
		q.distinct = q.distinct && (!c.col.unique || len(c.vals) == 0)
	}
	if label := r.scope.main().people(); len(r.cols) == 0 && r.has["who"] && label != nil && len(r.conds) > 0 {
		q.picks, q.title, q.distinct = []value{{col: label}}, label.name, !label.unique
		r.never(q, label)
	}
	if len(q.picks) > 0 && !slices.ContainsFunc(q.picks, func(v value) bool { return !r.tested(v.col) }) {
		r.beyond(q)
	}
	date, person := r.scope.date(), r.scope.person()
	if r.has["who"] && r.end != "" && person != nil && !slices.Contains(r.cols, person) && len(r.cols) > 0 && len(r.texts()) == len(r.cols) {
		r.cols, q.picks = nil, []value{{col: person}} // who teaches the next course
	}
	if i := slices.IndexFunc(r.cols, func(c *column) bool { return c.kind == isDate }); i >= 0 && r.end != "" && !r.has["who"] {
		date = r.cols[i] // when was the last one closed
	} else if i >= 0 && r.end != "" {
		date, r.limit = r.cols[i], 1 // who was hired first
		r.cols = slices.Delete(slices.Clone(r.cols), i, i+1)
		q.picks = []value{{col: r.scope.person()}, {col: date}}
	}
	if len(r.order) == 0 && (len(r.things) > 0 || r.asks("who", "when") || len(r.numbers()) > 0) && date != nil && r.limit == 1 && r.end != "" {
		q.limit = 1
		r.order = []order{{value{col: date}, r.end == "last"}}
		r.noted(date)
	}
	if q.asked = r.asked; len(q.asked) > 0 {
		q.picks = append([]value{{fn: "whether"}}, q.picks...)
	}
	for i, c := range r.cols {
		q.title += map[bool]string{true: r.translator.Say(" and ")}[i > 0] + r.given(c).words(r.translator)
	}
	q.title = cmp.Or(q.title, r.translator.Say("rows"))
	switch last := r.end == "last"; {
	case r.limit == 1:
		q.title = r.translator.Say(map[bool]string{true: "the last %s", false: "the first %s"}[last], strings.TrimSuffix(q.title, "s"))
	case r.limit > 1:
		q.title = r.translator.Say(map[bool]string{true: "the last %d %s", false: "the first %d %s"}[last], r.limit, q.title)
	}
	for _, o := range r.order {
		if o.col == nil {
			continue
		}
		q.order = append(q.order, o)
		if len(q.picks) > 0 && !slices.Contains(q.picks, o.value) {
			q.picks = append(q.picks, o.value)
		}
		q.title = r.translator.Say("%s sorted by %s", q.title, value{col: o.col, times: o.times}.words(r.translator))
	}
	q.best = q.limit == 1 && len(q.order) > 0
	if q.distinct && len(q.order) == 0 && len(q.picks) > 0 {
		q.order = []order{{value: q.picks[0]}}
	}
}

package data

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/yaap-chat/yaap/experts/plain"
)

// cond is a condition on a column: that it has one of some values, or a test in
// SQL, where § is the column. Without a column it is on the number of rows.
type cond struct {
	col  *column
	fn   string   // the condition is on this of the column, in each group
	vals []string // as SQL writes them
	expr string
	said string // for people, behind the column's name
	not  bool
	or   bool
	some bool // of a date, for which no column was named
}

func test(c *column, expr, said string) cond { return cond{col: c, expr: expr, said: said} }

// none is the condition that there is nothing in a column, or no.
func (c *column) none() cond {
	switch c.kind {
	case isNumber:
		return test(c, "coalesce(§, 0) = 0", "is empty or 0")
	case isBool: // where nothing is said it is not
		is := truth(c, true)
		is.not = true
		return is
	}
	return test(c, "§ IS NULL", "is empty")
}

// same is the condition that a column has the value of a ref.
func same(v ref) cond {
	if v.level == 1 {
		return test(v.col, "§ LIKE "+literal("%"+v.value+"%"), "has "+v.value)
	}
	return cond{col: v.col, vals: []string{literal(v.value)}}
}

// sql is the condition on the column as SQL names it.
func (c cond) sql(col string) string {
	expr := c.expr
	if len(c.vals) > 0 {
		expr = "§ IN (" + strings.Join(c.vals, ", ") + ")"
		if len(c.vals) == 1 {
			expr = "§ IS " + c.vals[0]
		}
	}
	if expr = strings.ReplaceAll(expr, "§", col); c.not {
		return "NOT coalesce(" + expr + ", 0)"
	}
	return expr
}

// words says the condition.
func (c cond) words(translator plain.Translator) string {
	said := c.said
	if len(c.vals) > 0 {
		said = "= " + strings.NewReplacer("'", "", " COLLATE NOCASE", "").Replace(strings.Join(c.vals, translator.Say(" or ")))
	}
	if c.not {
		if said = "not " + said; strings.HasPrefix(said, "not is ") {
			said = "is not " + strings.TrimPrefix(said, "not is ")
		}
	}
	name := value{fn: c.fn, col: c.col}.words(translator)
	if whole, ok := translator.Words["%s "+said]; ok {
		return fmt.Sprintf(whole, name)
	}
	for _, format := range []string{"%s has %s", "%s contains %s", "%s in month %s", "%s in %s", "%s after %s", "%s before %s", "%s since %s", "%s until %s", "%s not %s"} {
		if rest, ok := strings.CutPrefix(said, format[len("%s "):len(format)-len("%s")]); ok {
			return translator.Say(format, name, rest)
		}
	}
	return name + " " + said
}

// add adds a condition. Two values of a column are one condition: a row has
// only one of them.
func (r *reader) add(c cond) {
	c.not, c.or = c.not || r.not, r.or
	linked := r.linked || c.not
	r.not, r.or, r.linked = false, false, false
	last := &cond{}
	if n := len(r.conds); n > 0 && r.conds[n-1].col == c.col {
		last = &r.conds[n-1]
	}
	values := len(c.vals) > 0 && len(last.vals) > 0
	dates := c.spans() && last.spans()
	if !linked && (dates || values && !slices.Contains(last.vals, c.vals[0])) {
		r.unread = append(r.unread, r.toks[max(r.i, 1)-1].text) // "paid cancelled" is not said of one row
	}
	switch {
	case values && (!c.not || last.not):
		last.vals = append(slices.Clone(last.vals), c.vals...)
	case dates && !c.not && !last.not:
		last.expr, last.said = "("+last.expr+" OR "+c.expr+")", last.said+" or "+c.said
	default:
		r.conds = append(r.conds, c)
	}
}

// spans reports whether it is that a date is within some time.
func (c cond) spans() bool {
	return strings.HasPrefix(c.said, "in ") || strings.HasPrefix(c.said, "from ")
}

// condition reads "amount over 20", "status is open", "region north" and
// "active", where the words of the column end at a token.
func (r *reader) condition(named ref, end int) bool {
	c := named.col
	i, not, denied := end, r.not, 0
	for i < len(r.toks) && r.value(r.spanAt(i), c).level < 4 {
		_, closing := r.means(i+1, "closing")
		if _, to := r.means(i, "op", "between"); to > 0 || closing == i+2 {
			break
		}
		_, to := r.means(i, "which", "what", "where", "skip")
		if to == 0 {
			break
		}
		i = to
	}
	is := i > end
	if _, to := r.means(i, "not"); to > 0 {
		if _, op := r.means(i, "op"); op < to {
			not, i, is = true, r.skip(to), true
			denied = to
		}
	}
	take := func(cd cond, to int) bool {
		r.take(named, end)
		r.i, r.not = to, not
		if len(r.scope.tables) == 2 && len(r.things) > 0 && r.things[0] == r.scope.tables[1] && c.kind == isNumber && r.has["~"+c.name] && !r.not {
			cd.fn = "sum" // customers who spent more than 1000
			r.having = append(r.having, cd)
			return true
		}
		r.add(cd)
		return true
	}
	if since, to := r.means(r.i, "date"); to == end && since.of == ">=" && end < len(r.toks) && aYear().MatchString(r.toks[end].text) { // since 2020, in a column of that name
		if cd, to := r.operand(c, since, end, true); to > 0 {
			return take(cd, to)
		}
	}
	if op, to := r.means(i, "op", "between", "date"); to > 0 && (named.level > 2 || r.toks[i].low != "like") && (op.of != "empty" || !r.isStatus(to)) {
		if cd, to := r.operand(c, op, to, is || r.has["where"]); to > 0 {
			if c.kind == isText && len(r.things)+len(r.cols)+len(r.conds) == 0 && !r.asks("rows", "where") && !r.scope.named {
				r.cols = append(r.cols, c) // endpoints that start with /log
			}
			r.has["tested"] = true
			return take(cd, to)
		}
	}
	if c.kind == isBool {
		b, to := r.means(i, "bool")
		return take(truth(c, b.of != "0"), max(end, to, denied)) // paid is no
	}
	if n := len(r.fns); n > 0 && r.fns[n-1].col == nil {
		return false
	}
	equals := meaning{"op", "="}
	if cd, to := r.operand(c, equals, i, is && r.has["where"]); to > 0 {
		return take(cd, to)
	}
	return false
}

// lacks reads the column behind "not" that is what something has none of: which
// products have no stock, customers who never ordered.
func (r *reader) lacks(col ref, end int) bool {
	next := r.skip(end)
	_, op := r.means(end, "op", "between", "date", "bool")
	of, _, to := r.next(end, r.column)
	ofIt := r.closes(end) || of.col != nil && of.col.kind == isText && r.closes(to) // has not returned a book
	switch {
	case r.has["without"] || col.col.kind == isNumber && op == 0 && (next >= len(r.toks) || r.toks[next].amount == ""):
		r.not = false
		r.take(col, end)
		r.add(col.col.none())
	case op == 0 && col.col.kind != isNumber && col.col.kind != isBool && len(r.scope.tables) == 1 && ofIt:
		r.not = false
		r.take(col, len(r.toks))
		r.add(col.col.none())
	case col.col.kind == isDate && len(r.things) == 1 && len(r.scope.tables) == 2 && r.things[0] != col.table:
		r.take(col, end)
		r.not, r.has["lacks"] = false, true
	default:
		return false
	}
	return true
}

// closes reports whether nothing is asked behind a token: "no phone number".
func (r *reader) closes(end int) bool {
	if end < len(r.toks) && slices.Contains([]string{"number", "numbers", "nummer", "numero", "yet"}, r.toks[end].low) {
		end++
	}
	return r.skip(end) >= len(r.toks)
}

// isStatus reports whether the last word before a token, behind which nothing is asked, is
// a value: props that are missing.
func (r *reader) isStatus(end int) bool {
	return end > 0 && r.closes(end) && r.value(r.spanAt(end-1), nil).level == 4
}

func truth(c *column, is bool) cond {
	values := map[bool]string{true: "('1', 'true', 'yes', 'y', 'ja', 'sí', 'si')", false: "('0', 'false', 'no', 'n', 'nein')"}
	return test(c, "lower(§) IN "+values[is], fmt.Sprintf("is %t", is))
}

// never reads "who has never ordered a lamp" as those of whom no row says so: of all that
// another table lists, where the people are its rows, and else of those who are here. The time
// that is said is that of the rows.
func (r *reader) never(q *query, who *column) {
	not := func(c cond) bool { return c.not && len(c.vals) > 0 && c.col != who }
	at := slices.IndexFunc(r.conds, not)
	rest := slices.DeleteFunc(slices.Clone(r.conds), func(c cond) bool { return not(c) || c.some && !c.not })
	if at < 0 || r.has["debt"] || !q.distinct || len(r.scope.tables) != 1 {
		return
	}
	did := slices.DeleteFunc(slices.Clone(r.conds), func(c cond) bool { return !not(c) && !c.some })
	for i := range did {
		did[i].not = false
	}
	if len(did)+len(rest) != len(r.conds) || slices.ContainsFunc(r.conds[at+1:], not) {
		return
	}
	q.conds = append(slices.Clone(rest), scope{tables: []*table{who.table}, on: [2]*column{who, who}}.within(who.table, did, true))
	for _, t := range r.tables {
		if sc, ok := joined(r.scope.main(), t); ok && t != r.scope.main() && sc.on[0] == who && t.label() != nil && len(rest) == 0 {
			q.scope, q.conds = scope{tables: []*table{t}}, []cond{sc.within(t, did, true)}
			q.picks, q.title, q.distinct = []value{{col: t.label()}}, t.label().name, false
		}
	}
}

// operand reads what a column is compared with from token i, and returns where
// it ends, 0 where there is none. Where free, an unknown word is text.
func (r *reader) operand(c *column, op meaning, i int, free bool) (cond, int) {
	switch op.of {
	case "empty":
		return test(c, "§ IS NULL", "is empty"), i
	case "filled":
		return test(c, "§ IS NOT NULL", "is not empty"), i
	}
	ends, last := r.means(i+1, "closing")
	switch {
	case last > 0 && c.kind == isText: // mit A beginnt
		cd, _ := r.text(c, ends.of, i, true)
		return cd, last
	case r.value(r.spanAt(i), c).level < 4 && !slices.Contains([]string{"starts", "ends", "contains"}, op.of):
		i = r.skip(i)
	}
	switch {
	case i >= len(r.toks):
		return cond{}, 0
	case c.kind == isDate:
		return r.dates(c, op, i)
	}
	t := r.toks[i]
	n := t.amount
	if _, month := r.means(i+1, "month"); month == i+2 && r.day(i) > 0 { // how many people on 2 December
		n = ""
	}
	switch year := aYear().MatchString(t.text) || c.years && oldYear().MatchString(t.text); {
	case c.kind == isNumber && c.years && op.kind == "date" && year:
		op.kind = "op" // members since 2021
	case year && !c.years && op.of == "=" && r.scope.date() != nil && (i+1 >= len(r.toks) || r.unitAt(i+1) == nil):
		return cond{}, 0 // sold in 2025
	}
	_, between := r.means(i+1, "to")
	switch {
	case c.kind == isText && op.kind == "op" && !strings.ContainsAny(op.of, "<>"):
		return r.text(c, op.of, i, free)
	case c.kind == isNumber && op.kind == "op" && n == "":
		return r.versus(c, op.of, i)
	case c.kind != isNumber || op.kind == "date" || n == "":
		return cond{}, 0
	case op.kind == "between" || between > 0 && between < len(r.toks) && r.toks[between].amount != "":
		to := between
		if op.kind == "between" {
			_, to = r.means(i+1, "and", "date", "to")
		}
		if to == 0 || to >= len(r.toks) || r.toks[to].amount == "" {
			return cond{}, 0
		}
		last := r.toks[to].amount
		return test(c, "§ BETWEEN "+n+" AND "+last, "between "+t.text+" and "+r.toks[to].text), to + 1
	case op.of == "=":
		vals := []string{n}
		for i++; ; i++ {
			_, to := r.means(i, "or", "and")
			if to = max(to, i); to >= len(r.toks) || r.toks[to].amount == "" {
				return cond{col: c, vals: vals}, i
			}
			vals, i = append(vals, r.toks[to].amount), to
		}
	}
	n, end := r.inUnit(c, i)
	if end == 0 {
		return cond{}, 0
	}
	if _, to := r.means(end, "currency"); to > 0 { // over 300 euros
		end = to
	}
	said := op.of + " " + t.text
	if end > i+1 && n != t.amount {
		said = op.of + " " + n
	}
	return test(c, "§ "+op.of+" "+n, said), end
}

// text reads the text that a column is compared with: a value that it has, what
// stands between quotes and, where free, any word.
func (r *reader) text(c *column, op string, i int, free bool) (cond, int) {
	t := r.toks[i]
	text, l := literal(t.text), strconv.Itoa(len([]rune(t.text)))
	if expr := map[string]string{
		"contains": "instr(lower(§), lower(" + text + ")) > 0",
		"starts":   "lower(substr(§, 1, " + l + ")) = lower(" + text + ")",
		"ends":     "lower(substr(§, -" + l + ")) = lower(" + text + ")",
	}[op]; expr != "" {
		r.free = true
		return test(c, expr, op+" "+t.text), i + 1
	}
	is := cond{col: c, not: op == "!="}
	if v, _, to := r.next(i, func(s span) ref { return r.value(s, c) }); v.level > 1 && !t.quoted {
		r.resolved++
		is.vals = []string{literal(v.value)}
		return is, to
	}
	_, known := r.means(i, "where", "by", "each", "and", "or", "not", "fn", "sup", "most", "op", "which", "what", "sort", "top", "rows")
	if t.file || !t.quoted && (!free || known > 0 || r.column(r.spanAt(i)).level > 2) {
		return cond{}, 0
	}
	r.free = true
	is.vals = []string{text + " COLLATE NOCASE"}
	return is, i + 1
}

// dates reads the date, or the two, that a column of dates is compared with.
func (r *reader) dates(c *column, op meaning, i int) (cond, int) {
	if _, to := r.means(i, "ending"); to > 0 { // before the end of the year
		p, end := r.dateAt(to, true)
		if end == 0 || op.kind != "date" || op.of != "<" && op.of != "<=" {
			return cond{}, 0
		}
		return p.cond(c, "<="), end
	}
	from, end := r.dateAt(i, true)
	kinds := []string{"to"}
	if op.kind == "between" {
		kinds = []string{"and", "date", "to"}
	}
	_, and := r.means(end, kinds...)
	to, last := r.dateAt(and, true)
	switch {
	case end == 0:
		return cond{}, 0
	case op.kind != "between" && (op.of != ">=" && op.of != "=" || and == 0 || last == 0):
		return from.cond(c, op.of), end
	case from.part != "§" && to.part == "§" && len(to.said) > 4: // between January and March 2024
		from = periodOf(to.said[:5] + from.from)
	case and == 0 || last == 0 || from.part != to.part:
		return cond{}, 0
	}
	return test(c, from.part+" BETWEEN "+literal(from.from)+" AND "+literal(to.to), "from "+from.said+" to "+to.said), last
}

// compare reads an operator before which no column stands: "over 100", "older
// than 40", "more than 10 employees", "since March".
func (r *reader) compare(op meaning, end int) bool {
	at := end
	of, concept, _ := strings.Cut(op.of, " ")
	op.of = of
	if at >= len(r.toks) {
		if op.of == "contains" || op.of == "<" {
			r.i = end // which columns does it contain; was kommt vor
		}
		return r.i == end
	}
	add := func(c *column, op meaning) bool {
		cd, to := r.operand(c, op, at, true)
		if cd.some = true; to > 0 {
			r.i = to
			r.add(cd)
		}
		return to > 0
	}
	if r.ago(op, at) {
		return true
	}
	_, day := r.means(at, "ending")
	if _, to := r.dateAt(max(at, day), true); to > 0 && r.scope.date() != nil && (op.kind == "date" || op.kind == "between" || op.of == "<=" || op.of == "=") {
		return add(r.scope.date(), op)
	}
	if val, _, _ := r.next(end, func(s span) ref { return r.value(s, nil) }); op.of == "contains" && val.level == 4 {
		r.i = end // orders that contain lamps
		return true
	}
	if year := cmp.Or(r.years(), r.like("year"), r.like("since")); year != nil && (aYear().MatchString(r.toks[at].text) || year.years && oldYear().MatchString(r.toks[at].text)) {
		if concept == "age" { // older is earlier
			op.of = map[string]string{"<": ">", ">": "<"}[op.of]
		}
		return add(year, op)
	}
	if cd, to := r.versus(nil, op.of, at); op.kind == "op" && r.toks[at].amount == "" && to > 0 {
		r.noted(cd.col)
		r.i, r.said, r.resolved = to, max(r.said, 3), r.resolved+2
		r.add(cd)
		return true
	}
	if op.kind == "date" || r.toks[at].amount == "" {
		return false
	}
	if op.kind == "op" && r.groups(op, at) {
		return true
	}
	c := r.unitAt(at + 1)
	if unit, to := r.means(at+1, "measure"); to == at+2 && c == nil && op.kind == "op" {
		if c = r.weighed(unit.of); c == nil {
			return false
		}
	}
	_, behind := r.means(at+1, "currency")
	if unit, _, _ := r.next(max(at+1, behind), r.column); c == nil && unit.col != nil && unit.col.kind == isNumber && !unit.col.isID() {
		c = unit.col // under 10 in stock
	}
	bigger := slices.Contains([]string{"bigger", "larger", "smaller", "grosser", "kleiner"}, r.toks[r.i].low)
	switch {
	case c != nil:
	case op.kind == "cmp":
		c = r.like(concept)
	case bigger && r.like("size") != nil:
		c = r.like("size")
	case (r.has["who"] || len(r.things) > 0 && r.things[0] == r.scope.main() && cmp.Or(r.measure(), r.like("price")) == nil) && r.like("age") != nil:
		c = r.like("age") // who is over 40
	default:
		if c = cmp.Or(r.measure(), r.like("price")); c != nil && c == r.like("quantity") && says(r.spans, "valued") {
			return false // over 3000 in value
		}
		if c != nil {
			r.notes = append(r.notes, r.translator.Say("“%s” is compared with the column %s", r.toks[at].text, plain.Code(c.name)))
		}
	}
	if c == nil || !add(c, op) {
		return false
	}
	if _, to := r.means(r.i, "currency"); to > 0 {
		r.i = to
	}
	if behind, _, to := r.next(r.i, r.column); behind.col == c {
		r.i, r.said, r.resolved = to, max(r.said, behind.level), r.resolved+1
	}
	return true
}

// unitAt is the column of numbers that the word behind a number names, such as
// the km of distance_km.
func (r *reader) unitAt(i int) *column {
	if c := r.column(r.spanAt(i)).col; c != nil && c.kind == isNumber {
		return c
	}
	return nil
}

// groups reads a condition on groups, such as the makers with more than 3
// vehicles, or with a total cost over 100.
func (r *reader) groups(op meaning, at int) bool {
	end, n := at+1, len(r.fns)
	tab, _, to := r.next(end, r.table)
	subject := len(r.by) > 0 || len(r.texts()) > 0 || len(r.things) > 0 && r.things[0] != tab.table && len(r.scope.tables) == 2
	cd := test(nil, "§ "+op.of+" "+r.toks[at].amount, op.of+" "+r.toks[at].text)
	times := map[string]string{"once": "1", "twice": "2", "einmal": "1", "zweimal": "2"}[r.toks[at].low] // once is eleven in Spanish
	switch {
	case !subject || r.not:
		return false
	case times != "": // which makers are there more than once
		r.has["where"], cd.expr = true, "§ "+op.of+" "+times
	case tab.table != nil && tab.level > r.column(r.spanAt(end)).level && to > end:
		end = to
		r.resolved++
	case r.column(r.spanAt(end)).level > 0 && r.unitAt(end) == nil:
		cd.fn, cd.col = "different", r.column(r.spanAt(end)).col
		end++
	case n > 0 && r.fns[n-1].col != nil && r.has["where"]:
		cd.fn, cd.col = r.fns[n-1].fn, r.fns[n-1].col
	default:
		return false
	}
	r.i, r.having = end, append(r.having, cd)
	return true
}

// pieces is the condition "with 2 or 3 points" from its number on, and where it ends.
func (r *reader) pieces() (cond, int) {
	var vals []string
	for i := r.i; r.has["where"] && i < len(r.toks) && r.toks[i].amount != ""; {
		vals, i = append(vals, r.toks[i].amount), i+1
		if c := r.column(r.spanAt(i)); c.level > 2 && c.col.kind == isNumber {
			r.i = i
			r.take(c, i+1)
			return cond{col: c.col, vals: vals}, i + 1
		}
		if _, to := r.means(i, "or"); to > 0 {
			i = to
		}
	}
	return cond{}, 0
}

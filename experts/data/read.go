package data

import (
	"cmp"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/experts/plain"
)

// draft is what the words of a question were read as, before it is known how
// they go together.
type draft struct {
	has    map[string]bool // words that stand for themselves, such as which and howmany
	things []*table        // tables that were named as what is asked about
	cols   []*column
	fns    []value
	by     []value
	order  []order
	shown  []order // of the rows that were chosen by another order
	conds  []cond
	asked  []cond  // whether they are so of one row: is loan 2 overdue
	having []cond  // of groups; col is nil where rows are counted
	counts *column // what "how many" is said of, where it is not rows
	dir    int     // 1 where the highest is asked for, -1 the lowest
	of     string  // what the highest is of: price for the cheapest
	end    string  // top, bottom, first, last
	limit  int
	in     string // the unit of what is given
	nth    int    // the second or third of a ranking
}

// span is what some words that follow each other may stand for.
type span struct {
	means []meaning
	refs  []ref
}

// reader reads the words of a question about one scope.
type reader struct {
	*catalog
	draft
	scope      scope
	toks       []token
	spans      [][maxSpan]span // by token, and by the number of words less one
	i          int
	not, or    bool
	linked     bool // "and" or the like was read last
	unread     []string
	resolved   int  // words that are columns, values, tables or files here
	lost       int  // how inexactly the names were matched
	called     int  // words that are the name of a table
	vague      int  // what was taken for want of better: by a word's later likeness, or cheapest without a price
	free       bool // an operand is free text
	said       int  // how well the words name what is here: the best level
	guessed    bool // a column that is needed was not named
	notes      []string
	translator plain.Translator
}

// read reads all words in a scope.
func (c *catalog) read(toks []token, spans [][maxSpan]span, sc scope) *reader {
	r := &reader{catalog: c, toks: toks, spans: spans, scope: sc, draft: draft{has: map[string]bool{}}}
	if len(toks) > 0 {
		r.translator = toks[0].translator
	}
	r.yearly()
	for r.i < len(toks) {
		read := r.date()
		for n := min(maxSpan, len(toks)-r.i); n > 0 && !read; n-- {
			read = r.try(n)
		}
		if !read {
			r.unread = append(r.unread, toks[r.i].text)
			r.i++
		}
	}
	r.deeds()
	r.priced()
	r.whether()
	r.came()
	if r.has["lacks"] {
		r.scope, r.conds = r.scope.lacking(r.things[0], r.conds)
	}
	if n := len(r.by) - 1; r.has["sorting"] && len(r.order) == 0 && n >= 0 && len(r.fns) == 0 {
		r.order, r.by = []order{{value: r.by[n]}}, r.by[:n] // nach Gehalt sortieren
	}
	for word, left := range map[string]bool{"each": r.has["each of them"] && len(r.by) == 0, "its": (r.direction() != 0 || r.end != "") && asksOfIt(toks), "not": r.not, "nth": r.nth > 0 && r.direction() == 0, "and": r.direction() != 0 && r.uses("max") && r.uses("min"), "most": r.has["of means"] && len(r.by) == 0 && len(r.things) == 0 && len(r.texts()) == 0 && !r.has["who"], "sorted": r.has["sorting"] && len(r.order) == 0, "fewest": r.has["most"] && len(r.cols) > 0 && r.direction() == 0 && len(r.fns)+len(r.by) == 0 && !r.has["howmany"] && !r.has["howmuch"], "who": r.has["who"] && sc.person() == nil && len(sc.tables) > 0} {
		if left {
			r.unread = append(r.unread, word)
		}
	}
	return r
}

// asksOfIt reports whether a second question is about what the first one finds: "which city
// is the largest and what is its country". Each is asked by itself.
func asksOfIt(toks []token) bool {
	for i := 1; i+1 < len(toks); i++ {
		if slices.Contains([]string{"how", "what", "which", "when", "where"}, toks[i].low) {
			return slices.ContainsFunc(toks[i+1:], func(t token) bool {
				return slices.Contains([]string{"it", "its", "he", "his", "him", "she", "her"}, t.low)
			})
		}
	}
	return false
}

// try reads the next n words together, and moves on if it can.
func (r *reader) try(n int) bool {
	t, s, end := r.toks[r.i], r.spans[r.i][n-1], r.i+n
	if t.file {
		_, asked := r.means(0, "who", "howmany")
		if _, be := r.means(r.i-1, "be"); asked > 0 && asked == r.i-1 && be == r.i {
			return false // who is people.csv
		}
		r.resolved++
		r.said = 4
		r.i++
		return true
	}
	if t.amount != "" && n == 1 && r.number() {
		return true
	}
	col, val, tab := r.column(s), r.value(s, nil), r.table(s)
	end = r.dateEnd(col, end)
	if tab.level == 4 {
		r.called++
	}
	if r.not && (col.level > max(val.level, tab.level) || r.has["without"] && col.level > 0 && col.level == tab.level && !col.col.isID()) && r.lacks(col, end) {
		return true
	}
	thing := tab.level > max(col.level, val.level) || tab.table != nil && tab.level == col.level && (col.col.isID() || !r.asks("which", "what", "distinct") && (tab.level > 2 && (col.col.kind != isNumber || col.table != tab.table) || col.col.kind != isNumber))
	if col.col != nil && (!thing || tab.level == col.level && !col.col.isID()) && r.condition(col, end) {
		return true
	}
	verb := val.level == 4 && slices.Contains(s.means, meaning{"show", ""}) && (end >= len(r.toks) || !r.toks[end].file)
	verb = verb || (slices.Contains(s.means, meaning{"op", "empty"}) || slices.Contains(s.means, meaning{"without", ""})) && r.isStatus(end)
	if !verb && slices.ContainsFunc(r.opening(s, end), func(m meaning) bool { return m.kind != "skip" && r.word(m, end, col) }) {
		return true
	}
	switch {
	case thing && r.i == 0 && end < len(r.toks) && slices.Contains([]string{"me", "us", "mir", "uns"}, r.toks[end].low):
		return false // order me a lamp
	case thing && r.has["howmany"] && r.closes(end) && len(r.conds) > 0 && says(r.spans[:r.i], "past") && r.toks[end-1].key == r.toks[end-1].low:
		r.take(tab, end) // how many lamps did Ann order
	case thing:
		if len(r.fns) == 1 && r.i > 0 && r.column(r.spans[r.i-1][0]).col == r.fns[0].col {
			r.has["whose"] = true // the highest scoring student
		}
		r.take(tab, end)
		if r.not && len(r.things) > 0 && len(r.scope.tables) == 2 {
			r.not, r.has["lacks"] = false, true // customers without orders
		} else {
			r.things = append(r.things, tab.table)
		}
	case val.col != nil && val.level >= col.level:
		r.take(val, end)
		r.add(same(val))
	case col.col != nil:
		r.take(col, end)
		r.has["whole"] = r.has["whole"] || slices.Contains(s.means, meaning{"whole", ""})
		if !slices.Contains(r.cols, col.col) {
			r.cols = append(r.cols, col.col)
		}
	case slices.ContainsFunc(s.means, func(m meaning) bool { return m.kind == "skip" }):
		r.i = end
	default:
		return false
	}
	return true
}

// asks reports whether one of some words was read.
func (r *reader) asks(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return r.has[w] })
}

// take moves over words that are a column, a value or a table.
func (r *reader) take(ref ref, end int) {
	r.resolved++
	r.lost += 4 - ref.level
	r.vague += ref.far
	r.said = max(r.said, ref.level)
	if ref.level < 4 && ref.col.isID() {
		r.lost++ // a table of these would be better
	}
	if ref.col != nil && !ref.valued && ref.level < 4 {
		var said []string
		for _, t := range r.toks[r.i:end] {
			said = append(said, t.text)
		}
		r.has["~"+ref.col.name] = true
		r.notes = append(r.notes, r.translator.Say("“%s” is the column %s", strings.Join(said, " "), r.amountOf(ref.col)))
	}
	r.i = r.dateEnd(ref, end)
}

// best is the first of the best refs of a span that are in the scope and fit.
func (r *reader) best(s span, fits func(ref) bool) (best ref) {
	for _, ref := range s.refs {
		if ref.level > best.level && r.scope.has(ref.table) && fits(ref) {
			best = ref
		}
	}
	return best
}

func (r *reader) column(s span) ref {
	found := r.best(s, func(ref ref) bool { return !ref.valued && ref.col != nil })
	if found.col != nil && slices.Contains(s.means, meaning{"whole", ""}) && r.best(s, func(ref) bool { return true }).level == found.level {
		r.has["whole of "+found.col.name] = true
	}
	return found
}

// value is a value, in the column of if that is given.
func (r *reader) value(s span, of *column) ref {
	return r.best(s, func(ref ref) bool { return ref.valued && (of == nil || ref.col == of) })
}

func (r *reader) table(s span) ref {
	return r.best(s, func(ref ref) bool { return ref.col == nil })
}

// means returns the next words from token i that are of a kind, fillers apart,
// and where they end; 0 where there are none.
func (r *reader) means(i int, kinds ...string) (meaning, int) {
	for i >= 0 && i < len(r.toks) {
		filler := 0
		for n := min(maxSpan, len(r.toks)-i); n > 0; n-- {
			for _, m := range r.spans[i][n-1].means {
				if slices.Contains(kinds, m.kind) {
					return m, i + n
				}
				if m.kind == "skip" {
					filler = max(filler, n)
				}
			}
		}
		if filler == 0 {
			break
		}
		i += filler
	}
	return meaning{}, 0
}

// skip returns the first token from i that is no filler.
func (r *reader) skip(i int) int {
	for to := i; to > 0; _, to = r.means(i, "skip") {
		i = to
	}
	return i
}

// next returns what the words from token i stand for, fillers apart, where they
// begin and where they end.
func (r *reader) next(i int, find func(span) ref) (best ref, from, end int) {
	from = r.skip(i)
	for n := min(maxSpan, len(r.toks)-from); n > 0; n-- {
		if best = find(r.spans[from][n-1]); best.level > 0 {
			return best, from, from + n
		}
	}
	return ref{}, from, from
}

// nextColumn is next for a column, before which the name of its table may stand:
// average sale price.
func (r *reader) nextColumn(i int) (ref, int, int) {
	col, from, to := r.next(i, r.column)
	if named := r.table(r.spanAt(from)).level; named > max(col.level, 2) || named > 2 && named == col.level && col.col.kind != isNumber {
		if behind, at, last := r.next(from+1, r.column); at == from+1 && behind.col != nil {
			return behind, at, last
		}
	}
	return col, from, to
}

// most reads "oldest" or "cheapest", which is "max age" or "min price".
func (r *reader) most(what string) bool {
	dir, of, _ := strings.Cut(what, " ")
	c, other := r.like(of), r.dir == -sign(dir)
	if of == "age" {
		if c = cmp.Or(c, r.like("born")); c == nil && r.has["who"] && len(r.catalog.like["born"]) > 0 {
			return false // who is how old stands in another table
		}
	}
	switch {
	case c == nil && (other || !strings.Contains("money price age date", of)), other && !r.linked:
		return false // that is another question
	case other: // the youngest and the oldest
		r.has["both"] = true
		r.fns, r.dir, r.of = append(r.fns, value{fn: "min", col: c}, value{fn: "max", col: c}), 0, ""
		return true
	case c == nil:
		r.vague++
	}
	if of == "hired" && c != nil { // with us the longest
		r.said, r.resolved, r.has["tested"] = max(r.said, 2), r.resolved+1, true
	}
	r.dir, r.of = sign(dir), of
	return true
}

// extreme reads "most" or "rarest", which asks for what there is most of, or least.
func (r *reader) extreme(m meaning, end int) bool {
	dir := map[string]int{"most": 1, "common": 1}[m.kind]*2 - 1
	if _, to := r.means(end-1, "sup", "common", "rare"); r.dir == -dir || to > end && m.kind != "common" && m.kind != "rare" {
		return false // that is another question, or "the most" of "the most expensive"
	}
	of, from, _ := r.next(end, func(s span) ref { return r.value(s, nil) })
	r.has["pieces"] = of.level == 4 && r.column(r.spanAt(from)).level < 4 && r.table(r.spanAt(from)).table == nil
	r.dir = dir
	_, done := r.means(r.i-2, "be") // was sold most
	r.has["most"], r.has["common"], r.has["units"] = true, m.kind == "common" || m.kind == "rare", m.of == "units" || done == r.i-1 && !r.has["who"]
	return true
}

// word reads words of the grammar; col is the column that they may be too.
func (r *reader) word(m meaning, end int, col ref) bool {
	switch m.kind {
	case "fn":
		return r.function(m.of, end)
	case "by", "each", "sort":
		return r.grouping(m.kind, end)
	case "top", "bottom", "first", "last":
		return r.value(r.spans[end-1][1], nil).level < 4 && r.ends(m.kind, end) // the value of the top hat
	case "op", "between", "cmp", "date":
		return r.compare(m, end)
	case "most", "least", "common", "rare":
		if !r.extreme(m, end) {
			return false
		}
	case "sup":
		if !r.most(m.of) {
			return false
		}
	case "ask":
		return r.fact(m.of, end)
	case "peak":
		return r.peak(m.of, end)
	case "owe", "unpaid", "overdue", "out", "open":
		if !r.debt(m.kind) {
			return false
		}
	case "without":
		r.not, r.has["without"] = true, true
	case "times":
		return r.product(end)
	case "zero":
		return r.zero(r.like(m.of), end)
	case "nth":
		r.nth = plain.Number(m.of)
	case "not":
		r.not = true
	case "or", "and":
		r.or, r.linked = m.kind == "or", true
		r.has["goes on"] = r.has["goes on"] || r.i == 0
	case "unit", "every":
		if m.of == "year" && r.i > 0 && r.names(end, func(c *column) bool { return c.years }) { // what year was it built
			break
		}
		date := r.scope.date()
		if date == nil || m.kind == "unit" && !r.asks("which", "what") && r.dir == 0 {
			return false
		}
		r.by = append(r.by, value{col: date, unit: m.of})
	case "have": // do we have ivory key tops
		if r.i > 0 {
			return false
		}
		r.has["show"], r.has["rows"] = true, true
	case "where":
		if _, be := r.means(end, "be"); r.i == 0 && be == end+1 && r.like("place") != nil { // where is the skull
			return r.fact("place", end)
		}
		r.has["again"] = r.has["again"] || r.i == 0
		r.has["where"] = true
	case "soon":
		return r.soon(end)
	case "measure":
		return r.unit(m.of, end)
	case "came", "span", "lasts":
		if m.kind == "lasts" && !r.has["lasts"] {
			return false
		}
		r.has[m.kind] = true
	case "desc", "asc":
		r.direct(m)
	case "follow":
		if r.i > 0 {
			return false
		}
		r.has["again"] = true
	case "which", "what", "who", "howmany", "howmuch", "show", "distinct", "describe", "share", "compare", "sorting", "rows", "tables":
		_, by := r.means(end, "by", "sort", "asc", "desc")
		if m.kind == "show" && r.i > 1 && r.toks[r.i].low == "open" { // "which repairs are open?"
			return false
		}
		if m.kind == "show" && r.i > 0 && col.col != nil || m.kind == "sorting" && col.col != nil && by == 0 {
			return false
		}
		named, _, _ := r.next(end, r.column)
		tab, _, _ := r.next(end, r.table)
		r.has["first"] = r.has["first"] || m.kind == "howmany" && len(r.texts()) > 0
		if m.kind == "howmany" && !stands(r.spans, end, "skipthem") && named.col != nil && named.col.kind <= isNumber && !named.col.isID() && (named.level > tab.level || !named.col.unique && tab.table.label() == nil) {
			r.counts = named.col
		}
		r.has[m.kind+m.of] = true
		r.has[m.kind] = true
		r.linked = r.linked || m.kind == "compare"
		if m.kind == "sorting" && len(r.order) > 0 && !r.has["directed"] {
			r.order[0].desc = false
		}
	default:
		return false
	}
	r.i = end
	return true
}

// like is the column of the scope that fits a concept best.
func (r *reader) like(concept string) *column {
	return r.best(span{refs: r.catalog.like[concept]}, func(ref ref) bool { return ref.col != nil }).col
}

// measure is the column that is meant where an amount is asked for and none is
// named; nil where there is none.
func (r *reader) measure() *column {
	for _, c := range r.scope.mainColumns() {
		if c.kind == isText && c.counts && isPrice(c.key) {
			return nil // prices in several currencies, for which no other column stands
		}
	}
	for i, t := range r.scope.tables {
		if numbers := t.numbers(); len(numbers) == 1 && !numbers[0].years {
			return numbers[0]
		}
		if i == 0 && len(r.scope.tables) > 1 { // which has a row for each of several in the other
			for _, ref := range append(slices.Clone(r.catalog.like["money"]), r.catalog.like["price"]...) {
				if ref.col != nil && ref.col.table == t && ref.col.kind == isNumber {
					return ref.col
				}
			}
		}
	}
	c := cmp.Or(r.like("money"), r.like("quantity"))
	if c == nil && r.asks("howmuch", "whole", "debt") {
		c = r.like("price")
	}
	return c
}

// direct reads "descending" and "oldest first".
func (r *reader) direct(m meaning) {
	r.has["directed"] = true
	if len(r.order) == 0 {
		by := order{}
		if m.of == "old" {
			by.col = cmp.Or(r.like("age"), r.scope.date())
		} else if m.of == "alpha" && len(r.texts()) > 0 {
			by.col = r.texts()[0]
		}
		r.order = append(r.order, by)
	}
	last := &r.order[len(r.order)-1]
	last.desc = (m.kind == "desc") != (m.of == "old" && last.col != nil && last.col.kind == isNumber)
}

// grouping reads "by region and product", "per month" and "sorted by amount".
func (r *reader) grouping(kind string, end int) bool {
	if kind == "each" && r.closes(end) { // how many jobs each
		r.has["each of them"], r.i = true, end
		return true
	}
	r.has["sorting"] = r.has["sorting"] || kind == "sort"
	start, i := r.i, end
	for i > 0 && i < len(r.toks) {
		col, from, to := r.nextColumn(i)
		unit, unitEnd := r.means(i, "unit")
		tab, tabFrom, tabTo := r.next(i, r.table)
		if r.i == start && r.toks[start].low == "per" && col.col != nil && col.col.kind == isNumber && !col.col.isID() && !col.col.groups {
			return false // ewes per hectare
		}
		var by value
		switch {
		case col.col != nil && (unitEnd == 0 || col.level > 2) && (tab.level <= col.level || from > tabFrom):
			r.i, by.col = from, col.col
			r.take(col, to)
		case unitEnd > 0 && r.scope.date() != nil:
			r.i, by = unitEnd, value{col: r.scope.date(), unit: unit.of}
		case r.i == start && tab.table != nil:
			if by.col = r.named(tab.table); by.col == nil {
				return false
			}
			r.i = tabFrom
			r.take(tab, tabTo)
		}
		switch {
		case by.col != nil && r.has["sorting"]:
			r.order = append(r.order, order{value: by})
		case by.col != nil && (by.col.groups || by.col.years) && len(r.fns) > 0 && r.fns[0].col != nil && r.fns[0].col != by.col && r.end == "":
			r.by = append(r.by, by) // the sum of the hours by plot
		case by.col != nil && by.unit == "" && (by.col.kind == isNumber && !by.col.isID() || r.end != "" && by.col.kind != isText):
			r.order = append(r.order, order{by, r.end != "bottom"})
		case by.col != nil:
			r.by = append(r.by, by)
		}
		_, and := r.means(r.i, "and")
		if _, fn := r.means(and, "fn"); r.i < i || and == 0 || fn > 0 {
			break
		}
		i = and
	}
	if val, from, _ := r.next(end, func(s span) ref { return r.value(s, nil) }); r.i == start && kind == "by" && val.col != nil {
		r.i = from // by Ann
	}
	r.has["each"] = r.has["each"] || kind == "each" && r.i > start
	return r.i > start
}

// named is the column that the name of a table stands for: by customers is by
// their names, by sales is by the amount.
func (r *reader) named(t *table) *column {
	c := r.measure()
	switch {
	case t.label() != nil:
		return t.label()
	case t.isMoney() && c != nil && (r.end != "" || r.has["sorting"]):
		return c
	}
	return t.id()
}

// ends reads "top 5", "the last 3", "first".
func (r *reader) ends(kind string, end int) bool {
	if at := r.skip(end); r.toks[end-1].low == "limit" && (at >= len(r.toks) || r.toks[at].amount == "") {
		return false // of what
	}
	if _, be := r.means(r.i-2, "be"); r.i > 1 && kind != "top" && kind != "bottom" && r.asks("which", "who") && r.closes(end) {
		if c := r.column(r.spanAt(r.i - 1)).col; c != nil && c.kind == isDate && be == r.i-1 { // which was tuned last
			r.dir, r.of, r.i = map[string]int{"last": 1, "first": -1}[kind], "date", end
			return true
		}
	}
	if r.end, r.i = kind, end; r.limit > 0 && r.i > 1 && r.toks[r.i-2].amount != "" {
		return true // the 3 first
	}
	r.limit = 5
	at := r.skip(end)
	if at >= len(r.toks) {
		if r.asks("what", "which") { // what did Ann order last
			r.limit = 1
		}
		return true
	}
	t := r.toks[at]
	if n := plain.Number(t.text); n > 0 {
		r.limit, r.i = min(n, maxCounted), at+1
	} else if !t.file && !strings.HasSuffix(t.low, "s") && !strings.HasSuffix(t.low, "en") {
		r.limit = 1
	}
	return true
}

// number reads a number that stands alone: of rows, or of the row of a table.
func (r *reader) number() bool {
	t := r.toks[r.i]
	if len(r.things) > 0 && r.i > 0 && r.table(r.spans[r.i-1][0]).table != nil {
		if id := r.things[len(r.things)-1].id(); id != nil {
			r.add(cond{col: id, vals: []string{t.amount}})
			r.i++
			return true
		}
	}
	if cd, to := r.pieces(); to > 0 {
		r.i = to
		r.add(cd)
		return true
	}
	_, known := r.means(r.i+1, "sup", "rows", "top", "first", "last", "most", "least", "fn", "common")
	tab, _, _ := r.next(r.i+1, r.table)
	n := plain.Number(t.text)
	article := stands(r.spans, r.i, "skip")
	if n == 0 || known == 0 && tab.table == nil && (!r.has["show"] || article) || r.i+1 >= len(r.toks) {
		return false // nor is "eine Tabelle" one row
	}
	r.limit = min(n, maxCounted)
	r.i++
	return true
}

func (r *reader) spanAt(i int) span {
	if i >= len(r.toks) {
		return span{}
	}
	return r.spans[i][0]
}

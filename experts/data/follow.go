package data

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

const maxBefore = 4 // earlier questions of the user that a question may continue

// read reads a text in the tables of the catalog, alone or as going on with the
// last question of the conversation that was read here, which may have gone on
// with one before it. It is what the expert bids by, and what it answers.
func (f *folder) read(ctx context.Context, cat *catalog, text string, said []core.Message) reading {
	own := f.alone(ctx, cat, text)
	if own.whole() && !own.ofIt() {
		return own
	}
	var asked []string
	for i, m := range said {
		if m.Role == core.RoleUser && (m.Text != text || i < len(said)-1) {
			asked = append(asked, m.Text)
		}
	}
	var base *reader
	for _, text := range asked[max(0, len(asked)-maxBefore):] {
		if g := f.alone(ctx, cat, text).goingOn(base); g.score >= readRest && g.r != nil && len(g.r.scope.tables) > 0 {
			base = g.r
		}
	}
	return own.goingOn(base)
}

// whole reports whether a reading does not go on with a question before it.
func (g reading) whole() bool {
	return len(g.toks) == 0 || g.score >= experts.Understood && g.err == nil && !g.r.has["again"] && !g.ofThem() && !g.measures()
}

// measures reports whether nothing is asked for but another amount, of what was asked before:
// "and how much in fees", "total fee".
func (g reading) measures() bool {
	r := g.r
	if r == nil || r.scope.named || len(r.things)+len(r.by)+len(r.order)+len(r.having)+r.limit > 0 || r.dir != 0 || slices.ContainsFunc(r.conds, func(c cond) bool { return !c.some }) {
		return false
	}
	asks := r.asks("which", "what", "who", "howmany", "howmuch", "show", "share", "compare", "distinct", "describe", "tables", "rows")
	return r.has["goes on"] && (len(r.fns) > 0 || r.asks("howmuch", "howmany")) || len(r.fns) == 1 && len(r.conds) == 0 && !asks && !r.has["whole"]
}

// amounts reads "how much fee" and "what fee was that", behind a question for rows, as the sum.
func (r *reader) amounts() {
	compared := func(c *column) bool { // how many of them weigh over 20 kg
		return slices.ContainsFunc(r.conds, func(cd cond) bool { return cd.col == c })
	}
	if n := slices.DeleteFunc(r.numbers(), compared); len(r.fns) == 0 && r.dir == 0 && (r.has["howmuch"] || r.has["howmany"] && len(n) > 0 || r.has["what"] && len(n) > 0 && says(r.spans, "skipthat")) {
		r.fns = []value{{fn: "sum"}}
		if len(n) > 0 {
			r.fns[0].col = n[0]
		}
		r.cols = slices.DeleteFunc(slices.Clone(r.cols), func(c *column) bool { return c.kind == isNumber })
	}
}

// ofThem reports whether it is asked of the rows that were found: "how many of them", "what is
// their average age", "how many are active".
func (g reading) ofThem() bool {
	r, sie := g.r, slices.ContainsFunc(g.toks, func(t token) bool { return slices.Contains([]string{"sie", "they", "ones"}, t.text) })
	if r == nil {
		return false
	}
	bare := r.has["howmany"] && len(r.things)+len(r.cols)+len(r.by)+len(r.fns) == 0 && len(r.conds) > 0
	_, how := r.means(0, "howmany")
	_, be := r.means(how, "be")
	return says(g.spans, "skipthem", "skipthat") && !r.has["their own"] || sie || bare && (be == how+1 || !says(g.spans, "be", "have") && len(r.conds) == 1)
}

// ofIt reports whether what is asked for is that of one thing that was found: "what
// instrument was it?".
func (g reading) ofIt() bool {
	return g.r != nil && len(g.r.conds)+len(g.r.fns)+len(g.r.by) == 0 && g.r.dir == 0 && g.r.asks("which", "what", "who", "when") && !g.r.has["howmany"] &&
		slices.ContainsFunc(g.toks, func(t token) bool { return t.low == "it" })
}

// goingOn is the reading as it goes on with a question, if it does.
func (g reading) goingOn(base *reader) reading {
	said := slices.ContainsFunc(g.spans, func(s [maxSpan]span) bool { return slices.Contains(s[0].means, idle) })
	all := len(g.toks) > 1 && stands(g.spans, 0, "be") && slices.Contains([]string{"all", "any", "every", "alle", "todos", "todas"}, g.toks[1].low) // are all grands in Durham?
	if base == nil || said || all || g.whole() && (!g.ofIt() || base.direction() == 0 || base.limit > 1) {
		return g
	}
	next := base.read(g.toks, g.spans, base.scope)
	if len(base.fns) > 0 || base.direction() == 0 {
		next.amounts()
	}
	if base.direction() != 0 && g.ofThem() && next.has["howmany"] && len(next.numbers()) > 0 {
		return reading{score: experts.Understood, r: next, err: asks("which rows?", "Of which rows? Say which ones you mean.")}
	}
	number := next.onlyNumber() != "" && slices.ContainsFunc(base.conds, cond.numbered) && len(next.toks) > 1
	for _, t := range base.tables {
		if sc, ok := joined(base.scope.main(), t); ok && !number && t != base.scope.main() && len(base.scope.tables) == 1 && len(next.unread) > 0 {
			next = base.read(g.toks, g.spans, sc) // the total of the orders, by the city of the customers
		}
	}
	if each := slices.Index(next.unread, "each"); each >= 0 && len(base.by) > 0 {
		next.unread = slices.Delete(next.unread, each, each+1)
	}
	if !number && (len(next.unread) > 0 || next.doubtful() || next.has["tables"] || !next.changes()) {
		return g
	}
	if next.asks("show", "rows") && len(next.fns)+len(next.cols)+len(next.conds)+len(next.order)+len(next.by)+next.limit == 0 && next.dir == 0 && base.direction() != 0 && base.limit < 2 {
		return g // the rows of the one that was found
	}
	if next.scope.main().single && len(next.conds) > 0 {
		return g // a row that is alone is not filtered: "is tls on?"
	}
	merged := base.with(next)
	q, err := merged.query()
	if err != nil {
		return reading{score: experts.Understood, r: merged, query: q, err: err}
	}
	if c := merged.conds; len(c) == 1 && len(q.picks) == 1 && q.picks[0].fn == "" && q.picks[0].col == c[0].col && len(c[0].vals) < 2 && g.r != nil && len(g.r.cols) == 0 {
		return g // whose name is Tom: Tom
	}
	return reading{score: experts.ReadOperand, r: merged, query: q}
}

// changes reports whether anything was read that changes a question.
func (r *reader) changes() bool {
	return len(r.fns)+len(r.cols)+len(r.by)+len(r.order)+len(r.conds)+len(r.having)+r.limit > 0 || r.in != "" || r.dir != 0 || r.asks("howmany", "distinct", "describe", "share", "which", "who", "show", "rows")
}

// with is the question r as next changes it: like by like.
func (r *reader) with(next *reader) *reader {
	m := *r
	m.translator, m.scope, m.notes, m.has = next.translatorAfter(r.translator), next.scope, next.notes, maps.Clone(r.has)
	m.conds, m.having = r.replaced(next), append(slices.Clone(r.having), next.having...)
	switch {
	case next.listsAnew() && (r.has["howmany"] || len(r.fns) > 0 || r.direction() != 0): // how many top hats are there; what is in the loft
		m.draft = draft{has: maps.Clone(next.has), conds: next.conds, things: r.things}
		if label := m.scope.main().label(); label != nil {
			m.cols = []*column{label}
		}
		return &m
	case r.peaks() && (next.asks("which", "what") && len(next.by) == 1 && next.by[0].unit != "" || next.has["when"] && len(next.fns)+len(next.conds) == 0):
		m.dir = sign(r.fns[0].fn) // how warm did it get; on which day
		m.has["rows"] = true
		return &m
	case len(next.fns) > 0:
		before := m.numbers()
		for _, f := range r.fns {
			if f.col != nil {
				before = append([]*column{f.col}, before...)
			}
		}
		m.fns = slices.Clone(next.fns)
		for i, f := range m.fns {
			if f.col == nil && len(before) > 0 {
				m.fns[i].col = before[0]
			}
		}
		if next.asks("which", "who") && sign(next.fns[0].fn) != 0 && len(r.things) > 0 && len(next.things) == 0 && r.direction() == 0 {
			m.has["whose"] = true // which one is the biggest
		}
		m.limit, m.end, m.order = 0, "", nil
		delete(m.has, "howmany")
		delete(m.has, "share")
		m.cols = slices.DeleteFunc(slices.Clone(m.cols), func(c *column) bool { return c.kind == isNumber || len(m.by) > 0 || m.dir == 0 && len(r.fns) == 0 })
	case next.asks("howmany", "share"):
		m.draft = draft{has: maps.Clone(next.has), conds: m.conds, things: r.things, by: r.by, cols: next.cols}
		if next.countsPieces() != nil {
			m.things, m.toks, m.spans = nil, next.toks, next.spans // which orders are open; how many lamps
		}
		if len(next.cols)+len(r.fns) == 0 && len(r.cols) == 1 && r.cols[0].kind == isText && r.dir == 0 {
			m.cols, m.has["distinct"] = r.cols, true // of what was listed
		}
	case r.has["howmany"] && len(r.fns) == 0 && len(next.cols) > 0 && next.asks("which", "what", "show"): // how many orders has Ann; which items
		m.draft = draft{has: maps.Clone(next.has), conds: m.conds, cols: next.cols}
	case len(next.cols) > 0:
		m.columns(next.cols)
	case next.asks("which", "who", "show", "rows") && len(next.by)+len(next.order)+next.limit == 0 && next.dir == 0 && len(next.conds) == 0:
		if len(r.fns) == 1 && (r.fns[0].fn == "max" || r.fns[0].fn == "min") {
			m.has["who"], m.has["whose"] = true, true // who has the highest
			break
		}
		m.draft = draft{has: maps.Clone(next.has), conds: m.conds, things: r.things} // which ones are they
	}
	switch {
	case len(next.by) == 0:
	case r.direction() != 0 && next.by[0].unit == "" && next.by[0].col.kind == isDate: // no, by joined
		m.order = []order{{value: next.by[0]}}
	default:
		m.by = next.by
		m.cols = slices.DeleteFunc(slices.Clone(m.cols), func(c *column) bool { return c.kind != isNumber })
	}
	switch {
	case len(next.order) == 0:
	case (r.direction() != 0 || r.end != "") && r.limit > 1: // the three dearest, by their dates
		m.shown = next.order
	default:
		m.order = next.order
	}
	if next.limit > 0 {
		m.limit, m.end, m.dir = next.limit, next.end, 0
		if len(r.order) > 0 && next.end == "top" { // of the list as it was shown
			m.end = "first"
		}
	}
	if next.dir != 0 {
		m.dir, m.of, m.limit, m.has["most"] = next.dir, next.of, max(next.limit, 1), next.has["most"]
		if next.like(next.of) != nil { // coldest, behind the average humidity
			of := func(f value) bool {
				return !slices.ContainsFunc(r.catalog.like[next.of], func(ref ref) bool { return ref.col == f.col })
			}
			m.fns = slices.DeleteFunc(slices.Clone(m.fns), of)
		}
	}
	if m.in = cmp.Or(next.in, m.in); len(next.fns)+len(next.numbers()) > 0 {
		m.in, m.has["span"] = next.in, next.has["span"]
		m.fns = slices.Clone(m.fns)
		for i := range m.fns {
			m.fns[i].in = ""
		}
	}
	m.has["distinct"] = r.has["distinct"] || next.has["distinct"]
	return &m
}

// translatorAfter is the translator of a question, or that of the one before it where its words are of
// no language: "Carmen", "absteigend".
func (r *reader) translatorAfter(before plain.Translator) plain.Translator {
	var words []string
	for _, t := range r.toks {
		words = append(words, t.text)
	}
	if r.translator.Language == "" && !plain.IsEnglish(strings.Join(words, " ")) {
		return before
	}
	return r.translator
}

// listsAnew reports whether a question asks what there is of a value, and does not say that it
// goes on: "what is in the loft".
func (r *reader) listsAnew() bool {
	opens := slices.Contains([]string{"what", "whats", "was"}, r.toks[0].low) && r.asks("what", "show") && !r.asks("again", "where")
	return opens && len(r.conds) > 0 && len(r.cols)+len(r.fns)+len(r.by) == 0 && r.dir == 0
}

// peaks reports whether only the highest or the lowest of a column is asked for.
func (r *reader) peaks() bool {
	return len(r.fns) == 1 && sign(r.fns[0].fn) != 0 && r.dir == 0 && len(r.by)+len(r.texts())+len(r.things) == 0
}

// columns puts other columns in the place of those of the same kind.
func (r *reader) columns(cols []*column) {
	numbers := slices.ContainsFunc(cols, func(c *column) bool { return c.kind == isNumber })
	switch {
	case len(r.fns) > 0 && numbers:
		r.fns = slices.Clone(r.fns)
		for i := range r.fns {
			r.fns[i].col = cols[0]
		}
	case len(r.fns) > 0 && len(r.by) > 0:
		r.by = []value{{col: cols[0]}}
	default:
		kept := slices.DeleteFunc(slices.Clone(r.cols), func(c *column) bool { return (c.kind == isNumber) == numbers || r.dir == 0 })
		r.cols = append(kept, cols...)
	}
}

// namesOne reports whether a condition names one row, or somebody.
func (s scope) namesOne(c cond) bool {
	who := c.col != nil && c.col == s.main().people()
	return len(c.vals) == 1 && !c.not && c.col != nil && (c.col.unique || who) || strings.HasPrefix(c.said, "has ") && who
}

// numbered reports whether a condition is that a column is one number.
func (c cond) numbered() bool { return c.col != nil && c.col.kind == isNumber && len(c.vals) == 1 }

// onlyNumber is the number that a question names and nothing else; empty where it says more.
func (r *reader) onlyNumber() (number string) {
	for i, t := range r.toks {
		switch {
		case t.amount != "" && number == "":
			number = t.amount
		case t.amount != "" || !stands(r.spans, i, "skip", "follow", "by", "date=", "skipme", "and"):
			return ""
		}
	}
	return number
}

// replaced are the conditions of r and next: "only" adds one, and "what about"
// takes the place of what was a value before.
func (r *reader) replaced(next *reader) []cond {
	if !next.asks("again") && next.asks("what", "who", "when", "howmuch") && slices.ContainsFunc(next.conds, r.scope.namesOne) {
		return next.conds // what is asked of somebody else
	}
	if to := next.onlyNumber(); to != "" {
		for i, c := range slices.Backward(r.conds) {
			if c.numbered() { // the rent of plot 8; and of 10?
				kept := slices.Clone(r.conds)
				kept[i].vals = []string{to}
				return kept
			}
		}
	}
	for i := range next.conds { // and today
		for _, c := range r.conds {
			if next.conds[i].some && c.col != nil && c.col.kind == isDate && strings.HasPrefix(c.said, "in ") {
				next.conds[i].col = c.col
			}
		}
	}
	kept := slices.DeleteFunc(slices.Clone(r.conds), func(c cond) bool {
		return slices.ContainsFunc(next.conds, func(n cond) bool {
			return n.col == c.col || !next.has["where"] && next.has["again"] && n.col.kind == c.col.kind && n.col.table == c.col.table
		})
	})
	return append(kept, next.conds...)
}

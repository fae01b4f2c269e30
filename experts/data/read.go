package data

import (
	"slices"
	"strings"
)

// draft is what the words of a question were read as, before it is known how
// they go together.
type draft struct {
	flags
	entity  []*table
	cols    []*column
	fns     []function
	implied bool // a function was named without its column
	sup     *superlative
	most    int  // 1 most, -1 least
	common  bool // the most or least of the rows
	limit   int
	end     string // top, bottom, first, last
	by      []group
	order   []order
	conds   []cond
}

// flags are words that stand for themselves, wherever they stand.
type flags struct {
	asksTables, describe    bool // for the tables there are, for the columns of one
	which, who              bool
	howMany, howMuch, share bool
	show, rows, distinct    bool
	sort                    bool // what "by" is said of is an order
	versus                  bool // values of a condition are compared
	again                   bool // it goes on with the question before
	only                    bool // and its conditions are added to those before
}

type function struct {
	name string // of SQL, or median
	col  *column
}

// superlative is "the highest", of a column or of a concept such as price.
type superlative struct {
	dir int // 1 the highest first
	of  string
	col *column
}

type group struct {
	col  *column
	unit string // of a date: year, month, quarter, day
}

type order struct {
	col  *column
	desc bool
}

// span is what some words that follow each other may stand for.
type span struct {
	means []meaning
	refs  []ref
}

// reader reads the words of a question about one scope.
type reader struct {
	*catalog
	toks  []token
	spans [][maxSpan]span // by token, and by the number of words less one
	scope scope
	i     int
	draft
	not, or, where bool
	unread         []string
	resolved       int  // words that are columns, values, tables or files here
	free           bool // an operand is free text
	tested         bool // a column that was named is compared
	level          int  // how exactly the names were matched: the sum of what was missing
	notes          []string
}

const maxSpan = 4

// maxLost is the number of words that nothing is known of after which a text is
// no question about a table.
const maxLost = 2

// scan finds what all words may stand for, whatever the scope, and how many
// stand for nothing.
func (c *catalog) scan(toks []token) (_ [][maxSpan]span, lost int) {
	spans := make([][maxSpan]span, len(toks))
	known := make([]bool, len(toks))
	for i := range toks {
		low, k := "", ""
		for n := 0; n < maxSpan && i+n < len(toks) && !toks[i+n].other && !toks[i+n].file; n++ {
			low, k = strings.TrimSpace(low+" "+toks[i+n].low), strings.TrimSpace(k+" "+toks[i+n].key)
			s := &spans[i][n]
			s.means = vocab().means[low]
			if toks[i].key != "" && toks[i+n].key != "" {
				s.refs = c.find(k)
			}
			for j := i; j <= i+n && len(s.means)+len(s.refs) > 0; j++ {
				known[j] = true
			}
		}
	}
	mended := 0
	for i, t := range toks {
		switch {
		case known[i] || t.number != "" || t.file || t.quoted || isoDate().MatchString(t.text):
			continue
		case !t.other && mended <= maxLost:
			spans[i][0] = c.mend(t)
			mended++
		}
		if len(spans[i][0].means)+len(spans[i][0].refs) == 0 {
			lost++
		}
	}
	return spans, lost
}

// mend finds what a word stands for that has an ending, or one wrong letter.
func (c *catalog) mend(t token) span {
	for _, ending := range []string{"n", "en", "es", "er", "e", "s"} {
		if k, ok := strings.CutSuffix(t.low, ending); ok && len(k) > 3 {
			if refs := c.find(key(k)); len(refs) > 0 {
				return span{refs: refs}
			}
		}
	}
	if refs := c.guess(t.key); refs != nil {
		return span{refs: refs}
	}
	if len(t.low) < 6 {
		return span{}
	}
	best := ""
	for word := range vocab().means {
		if slip(t.low, word) && (best == "" || word < best) {
			best = word
		}
	}
	return span{means: vocab().means[best]}
}

// read reads all words in a scope.
func (c *catalog) read(toks []token, spans [][maxSpan]span, sc scope) *reader {
	r := &reader{catalog: c, toks: toks, spans: spans, scope: sc}
	for r.i < len(toks) {
		before := r.i
		if r.date() {
			continue
		}
		for n := min(maxSpan, len(toks)-r.i); n > 0 && r.i == before; n-- {
			r.try(n)
		}
		if r.i == before {
			r.unread = append(r.unread, toks[r.i].text)
			r.i++
		}
	}
	return r
}

// try reads the next n words together, and moves on if it can.
func (r *reader) try(n int) {
	t := r.toks[r.i]
	s := r.spans[r.i][n-1]
	switch {
	case t.file:
		r.resolved++
		r.i++
		return
	case t.number != "" && n == 1 && r.number():
		return
	}
	col, value, tab := r.column(s), r.value(s, nil), r.table(s)
	entity := tab.level > max(col.level, value.level) || tab.table != nil && tab.level == col.level && (col.col.isID() || !r.which && !r.distinct)
	if col.col != nil && (!entity || tab.level == col.level) && r.condition(col, n) {
		return
	}
	verb := value.col != nil && value.level == 4 && slices.ContainsFunc(s.means, func(m meaning) bool { return m.kind == "show" }) && (r.i+1 >= len(r.toks) || !r.toks[r.i+1].file)
	if !verb && slices.ContainsFunc(s.means, func(m meaning) bool { return m.kind != "skip" && r.word(m, n, col) }) {
		return
	}
	switch {
	case entity:
		if n := len(r.fns); n == 1 && r.i > 0 && r.column(r.spans[r.i-1][0]).col == r.fns[0].col {
			r.implied = true // the highest scoring student
		}
		r.take(tab, n)
		r.entity = append(r.entity, tab.table)
	case value.col != nil && value.level >= col.level:
		r.take(value, n)
		r.match(value)
	case col.col != nil:
		r.take(col, n)
		if !slices.Contains(r.cols, col.col) {
			r.cols = append(r.cols, col.col)
		}
	case slices.Contains(s.means, meaning{"skip", ""}), slices.Contains(s.means, meaning{"date", "="}):
		r.i += n
	}
}

// take moves over n words that are a column, a value or a table.
func (r *reader) take(ref ref, n int) {
	r.resolved++
	r.level += 4 - ref.level
	if ref.col != nil && !ref.valued && ref.level < 4 {
		var said []string
		for _, t := range r.toks[r.i : r.i+n] {
			said = append(said, t.text)
		}
		r.notes = append(r.notes, "“"+strings.Join(said, " ")+"” is the column `"+strings.ReplaceAll(ref.col.name, "`", "'")+"`")
	}
	r.i += n
}

// column is the best column of the scope that a span stands for.
func (r *reader) column(s span) (best ref) {
	for _, ref := range s.refs {
		if !ref.valued && ref.col != nil && r.scope.has(ref.table) && (ref.level > best.level || ref.level == best.level && r.before(ref.col, best.col, s)) {
			best = ref
		}
	}
	return best
}

// before reports whether a is the better one of two columns that are like what
// was said: the table that comes first, then the order of the concept, and
// where something is counted or compared the one with numbers.
func (r *reader) before(a, b *column, s span) bool {
	rank := func(c *column) int {
		best := 1000
		for _, ref := range s.refs {
			if ref.col != c {
				continue
			}
			for _, w := range append(strings.Fields(c.key), c.key) {
				for _, concept := range vocab().like[w] {
					if at := slices.Index(vocab().order[concept], w); at >= 0 {
						best = min(best, at)
					}
				}
			}
		}
		if c.isID() {
			best += 100
		}
		return best
	}
	return a != b && a.table == b.table && rank(a) < rank(b)
}

// value is the best value of the scope, in the column of, if that is given.
func (r *reader) value(s span, of *column) (best ref) {
	for _, ref := range s.refs {
		if ref.valued && r.scope.has(ref.table) && (of == nil || ref.col == of) && ref.level > best.level {
			best = ref
		}
	}
	return best
}

func (r *reader) table(s span) (best ref) {
	for _, ref := range s.refs {
		if ref.col == nil && r.scope.has(ref.table) && ref.level > best.level {
			best = ref
		}
	}
	return best
}

// means returns the longest words from token i that are of a kind.
func (r *reader) means(i int, kinds ...string) (m meaning, n int) {
	for n := min(maxSpan, len(r.toks)-i); n > 0; n-- {
		for _, m := range r.spans[i][n-1].means {
			if slices.Contains(kinds, m.kind) {
				return m, n
			}
		}
	}
	return meaning{}, 0
}

// skip returns the first token from i that is no filler.
func (r *reader) skip(i int) int {
	for i < len(r.toks) {
		_, n := r.means(i, "skip")
		if n == 0 {
			return i
		}
		i += n
	}
	return i
}

// columnAt returns the column that the words from token i name, fillers apart.
func (r *reader) columnAt(i int) (ref, int, int) {
	i = r.skip(i)
	for n := min(maxSpan, len(r.toks)-i); n > 0; n-- {
		if ref := r.column(r.spans[i][n-1]); ref.col != nil {
			return ref, i, n
		}
	}
	return ref{}, i, 0
}

// word reads n words of the grammar; col is the column that they may be too.
func (r *reader) word(m meaning, n int, col ref) bool {
	flags := map[string]*bool{"which": &r.which, "who": &r.who, "howmany": &r.howMany, "howmuch": &r.howMuch, "show": &r.show, "distinct": &r.distinct, "describe": &r.describe, "columns": &r.describe, "break": &r.show, "share": &r.share, "compare": &r.versus, "sorting": &r.sort}
	if flag := flags[m.kind]; flag != nil {
		if m.kind == "show" && r.i > 0 && m.of == "" && col.col != nil {
			return false
		}
		*flag = true
		r.i += n
		return true
	}
	switch m.kind {
	case "fn":
		return r.function(m.of, n, col)
	case "by", "sort":
		return r.grouping(m.kind, n)
	case "top", "bottom", "first", "last":
		return r.ends(m.kind, n)
	case "most", "least", "common", "rare":
		r.most = map[string]int{"most": 1, "common": 1}[m.kind]*2 - 1
		r.common = m.kind == "common" || m.kind == "rare"
	case "sup":
		dir, of, _ := strings.Cut(m.of, " ")
		r.sup = &superlative{dir: map[string]int{"max": 1, "min": -1}[dir], of: of}
	case "op", "between", "cmp", "date":
		return r.compare(m, n)
	case "ask":
		return r.asked(m.of, n)
	case "without":
		if ref, i, k := r.columnAt(r.i + n); ref.col != nil {
			r.i = i
			r.take(ref, k)
			r.add(cond{col: ref.col, op: "IS NULL", said: "is empty"})
			return true
		}
		if m.kind == "without" && r.skip(r.i+n) >= len(r.toks) {
			return false
		}
		r.not = true
	case "not":
		r.not = true
	case "or", "and":
		r.or = m.kind == "or"
	case "where":
		r.where, r.only = true, true
		r.again = r.again || r.i == 0
	case "desc", "asc":
		if len(r.order) == 0 {
			return r.descending(m.kind == "desc", n)
		}
		last := &r.order[len(r.order)-1]
		last.desc = (m.kind == "desc") != (m.of == "old" && last.col != nil && last.col.kind == isNumber)
	case "rows":
		r.rows = true
	case "tables":
		r.asksTables = true
	case "unit":
		return r.unit(m.of, n)
	case "follow":
		if r.i > 0 {
			return false
		}
		r.again = true
	case "num":
		return r.amount(m.of, n)
	default:
		return false
	}
	r.i += n
	return true
}

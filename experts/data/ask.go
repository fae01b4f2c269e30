package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// reading is what a text was read as. The zero reading is none.
type reading struct {
	score     float64
	statement string // SQL as it was typed
	around    string // the SQLite file that is named before it
	query     query
	r         *reader // nil where no table was found
	err       error   // what to ask back, or why it is refused
	toks      []token // where it may go on with the question before
	spans     [][maxSpan]span
}

// alone reads a text without the conversation.
func (f *folder) alone(ctx context.Context, cat *catalog, text string) reading {
	if statement, file := findSQL(text); statement != "" {
		return cat.readSQL(statement, file)
	}
	toks := lex(text)
	if len(toks) == 0 {
		return reading{}
	}
	cat, named, got := f.named(ctx, cat, toks)
	spans, lost := cat.scan(toks)
	switch {
	case got.err != nil || got.query.statement != "":
		if r := cat.read(toks, spans, scope{}); len(r.unread) == 0 {
			got.score = experts.Understood
		}
		return got
	case lost <= maxLost || len(named) > 0:
		got = cat.choose(toks, spans, named)
	}
	if len(named) == 0 && lost == 0 {
		got.toks, got.spans = toks, spans // it may go on with what was said
	}
	return got
}

// named finds the files that the tokens name. Those that the catalog has not
// looked into are looked into now.
func (f *folder) named(ctx context.Context, cat *catalog, toks []token) (*catalog, []string, reading) {
	var named []string
	for _, t := range toks {
		if !t.file {
			continue
		}
		p, err := f.find(t.text)
		if err != nil {
			return cat, nil, reading{err: err}
		}
		named = append(named, p)
		if slices.ContainsFunc(cat.tables, func(t *table) bool { return t.file == p }) {
			continue
		}
		tables := f.sample(ctx, p)
		if len(tables) == 0 {
			return cat, nil, broken(p)
		}
		more := &catalog{files: cat.files, tables: append(slices.Clone(cat.tables), tables...)}
		more.build()
		cat = more
	}
	return cat, named, reading{}
}

// broken reads a file that has no table: whoever asks is told why.
func broken(p string) reading {
	t := &table{file: p, name: p}
	if kindOf(p) == "sqlite" {
		t.name = ""
	}
	return reading{query: query{scope: scope{tables: []*table{t}}, title: "rows", statement: "SELECT * FROM " + ident(p)}}
}

// choose reads the tokens in each scope, and takes the one that knows the most
// of them.
func (c *catalog) choose(toks []token, spans [][maxSpan]span, named []string) reading {
	var best *reader
	var near, pairs []*reader
	for _, sc := range c.scopes(toks, spans, named) {
		r := c.read(toks, spans, sc)
		if len(r.unread) == 0 && len(sc.tables) == 2 {
			pairs = append(pairs, r)
		}
		switch worse := compareReaders(r, best); {
		case worse < 0:
			best, near = r, []*reader{r}
		case worse == 0:
			near = append(near, r)
		}
	}
	if best == nil || best.resolved == 0 {
		if got := c.unnamed(toks, spans, named); got.score > 0 || best == nil {
			return got
		}
	}
	got := reading{r: best, score: best.score()}
	switch {
	case len(named) > 1 && len(best.unread) == 0 && slices.ContainsFunc(named, func(p string) bool { return !best.scope.holds(p) }):
		got.score = experts.Understood
		got.err = asks("one file", "I find no column that "+strings.Join(named, " and ")+" share, so I cannot read them as one table. Ask for one at a time.", "describe "+named[0], "describe "+named[1])
		return got
	case got.score >= experts.Understood && len(near) > 1 && !best.overview():
		if got.err = which(near, toks); got.err != nil {
			got.score = experts.Understood
			return got
		}
	}
	if len(best.unread) > 0 {
		return got
	}
	got.query, got.err = best.query()
	if best.guessed && !best.scope.named && len(best.things) == 0 && len(best.cols) > 0 {
		got.score = min(got.score, experts.Understood)
	}
	for _, r := range pairs { // what one table lacks is in another
		if got.err != nil && r.score() > 0 {
			if q, err := r.query(); err == nil {
				got.query, got.err, got.r = q, nil, r
			}
		}
	}
	if got.err != nil && got.score > 0 {
		if got.score = experts.Understood; !best.scope.named && (best.of != "" || best.said < 3) {
			got.score = 0 // it names nothing that is here
		}
	}
	return got
}

// unnamed reads a question that names nothing of any table: which tables there
// are, or the rows of the only one.
func (c *catalog) unnamed(toks []token, spans [][maxSpan]span, named []string) reading {
	r := c.read(toks, spans, scope{})
	switch {
	case len(r.unread) > 0:
	case r.has["tables"] && !r.has["where"] && !doneWith(spans) && r.asks("which", "what", "show", "howmany") && len(c.files) > 0:
		return reading{score: experts.ReadAll, r: r, query: query{files: true}}
	case !r.has["rows"] || !r.has["howmany"]:
	case len(c.tables) > 1:
		return reading{score: experts.Understood, r: r, err: whichFile(c.files, toks)}
	case len(c.tables) == 1 && len(named) == 0:
		return c.choose(toks, spans, c.files[:1])
	}
	return reading{}
}

// doneWith reports whether a question for tables tells what is done with them: "which database
// do we use" is none for those that are here.
func doneWith(spans [][maxSpan]span) bool {
	at := slices.IndexFunc(spans, func(s [maxSpan]span) bool { return says([][maxSpan]span{s}, "tables") })
	return at >= 0 && slices.ContainsFunc(spans[at:], func(s [maxSpan]span) bool { return slices.Contains(s[0].means, idle) })
}

// compareReaders is negative where a read more than b, which may be nil.
func compareReaders(a, b *reader) int {
	if b == nil {
		return -1
	}
	return cmp.Or(len(a.unread)-len(b.unread), a.lost-b.lost, b.resolved-a.resolved, len(a.scope.tables)-len(b.scope.tables), b.called-a.called, a.vague-b.vague)
}

// which asks back which one of several tables is meant; nil where all are one.
func which(same []*reader, toks []token) error {
	var names, files []string
	for _, r := range same {
		t := r.scope.main()
		names, files = append(names, t.name), append(files, t.file)
	}
	slices.Sort(files)
	switch files = slices.Compact(files); {
	case len(files) > 1:
		return whichFile(files, toks)
	case !slices.ContainsFunc(names, func(n string) bool { return n != names[0] }):
		return nil
	}
	return whichTable(files[0], names)
}

func whichFile(files []string, toks []token) error {
	var words, options []string
	for _, t := range toks {
		words = append(words, t.text)
	}
	for _, p := range files[:min(len(files), 10)] {
		options = append(options, strings.Join(words, " ")+" in "+p)
	}
	return asks("which file?", toks[0].translator.Say("Which file do you mean? There is %s.", some(files)), options...)
}

// readRest is the bid on a text whose opening says nothing that is known.
const readRest = 0.75

// score is the share of the words that were read, on the scale of bids. What
// does not say what is wanted of which table is no question for this expert.
func (r *reader) score() float64 {
	counts := len(r.fns) > 0 || r.dir != 0 || r.asks("howmany", "howmuch", "describe", "rows", "share", "compare")
	wants := counts || r.asks("which", "what", "who", "distinct", "show") || len(r.order) > 0 || r.end != ""
	cols, things, tests := len(r.cols), len(r.things), len(r.conds)+len(r.by)
	whole := wants && (things+cols+tests+len(r.fns) > 0) || things > 0 && tests > 0 || r.has["tested"] || cols > 0 && tests+things > 0 || len(r.having) > 0
	switch {
	case !r.scope.named && (!whole || r.said == 0 || r.lonely() || r.has["describe"] && (things == 0 || !r.plural(func(s span) bool { return r.table(s).table != nil }))) || r.resolved == 0:
		return 0
	case len(r.unread) == 0 && slices.ContainsFunc(r.spans, func(s [maxSpan]span) bool { return slices.Contains(s[0].means, idle) }):
		return readRest
	case len(r.unread) == 0 && (r.free || r.lost > 2 || !r.scope.named && things == 0 && r.resolved == 1):
		return experts.ReadOperand
	case len(r.unread) == 0:
		return experts.ReadAll
	case len(r.unread) == 1 && (counts || tests > 0) && r.scope.named:
		return experts.ReadShape
	}
	return 0
}

// lonely reports whether nothing is read but one column in the singular, as in
// "what is the date", or a value, as in "show Berlin".
func (r *reader) lonely() bool {
	if len(r.things)+len(r.by)+len(r.order)+len(r.fns)+len(r.having) > 0 || r.dir != 0 || r.end != "" || r.asks("tested", "debt", "howmany", "distinct", "describe", "rows", "share") {
		return false
	}
	if len(r.cols) == 0 {
		bakers := r.has["which"] && says(r.spans, "left") && slices.ContainsFunc(r.conds, func(c cond) bool { return len(c.vals) > 0 })                        // do we have
		several := r.asks("which", "what", "who", "howmuch") && len(r.conds) > 1 && slices.ContainsFunc(r.conds, func(c cond) bool { return len(c.vals) > 0 }) // which palms are not hardy
		return !r.has["who"] && !bakers && !several || len(r.conds) == 0
	}
	if price := r.like("price"); says(r.spans, "valued") && price != nil && r.cols[0] == r.like("stock") && price.table == r.cols[0].table {
		return false // what is the stock worth
	}
	exact := func(s [maxSpan]span) bool { return r.column(s[1]).col == r.cols[0] }
	if r.scope.main().single && (slices.ContainsFunc(r.spans, exact) || slices.ContainsFunc(r.toks, func(t token) bool { return strings.Contains(t.key, " ") })) {
		return false // what is the log level of the settings
	}
	return len(r.conds) == 0 && !r.plural(func(s span) bool { return r.column(s).col == r.cols[0] })
}

// plural reports whether a word in the plural names what is looked for.
func (r *reader) plural(named func(span) bool) bool {
	return slices.ContainsFunc(r.toks, func(t token) bool {
		return (t.key != t.low || strings.HasSuffix(t.low, "en")) && named(span{refs: r.find(t.key)})
	})
}

// bid says what of a text is about the tables that are here.
func (e *expert) bid(ctx context.Context, text string, said []core.Message) core.Bid {
	f, cat, err := e.open(ctx)
	if err != nil {
		return core.Bid{}
	}
	defer func() { _ = f.root.Close() }() // nothing was written
	got := f.read(ctx, cat, text, said)
	if got.score == 0 {
		return core.Bid{}
	}
	bid := core.Bid{Score: got.score, Reads: got.words()}
	var ask *plain.AmbiguousError
	if errors.As(got.err, &ask) && ask.Needs != "" {
		bid.Needs = []string{ask.Needs}
	}
	if r := []rune(bid.Reads); len(r) > 120 {
		bid.Reads = string(r[:119]) + "…"
	}
	return bid
}

// words says a reading in words.
func (g reading) words() string {
	switch {
	case g.statement != "":
		return "SQL: " + g.statement
	case g.query.statement != "" || g.query.describe != nil || g.query.files:
		return g.query.reads()
	case g.r != nil && len(g.r.scope.tables) > 0:
		return "a question about " + g.r.scope.main().named()
	}
	return "a question about a table"
}

// reply answers what was read.
func (f *folder) reply(ctx context.Context, cat *catalog, g reading) (core.Reply, error) {
	q := g.query
	switch {
	case g.statement != "":
		return f.runSQL(ctx, cat, g.statement, g.around)
	case g.err != nil:
		return core.Reply{}, g.err
	case q.files && len(q.scope.tables) == 0:
		res := result{columns: []string{"file", "kind"}, count: len(cat.files), truncated: len(cat.files) > maxData}
		for _, p := range cat.files[:min(len(cat.files), maxData)] {
			res.rows = append(res.rows, []any{p, kindOf(p)})
		}
		return res.reply(q), nil
	case q.statement == "" && q.describe == nil || g.r != nil && len(g.r.unread) > 0:
		return core.Reply{}, g.unread(cat)
	}
	s, err := f.session(ctx, q.scope.database())
	if err != nil {
		return core.Reply{}, err
	}
	defer s.close()
	if q.describe != nil {
		if q.statement, err = s.describe(ctx, q.describe); err != nil {
			return core.Reply{}, err
		}
	}
	res, err := s.query(ctx, q.statement)
	if err == nil {
		err = s.asBegun(ctx, q)
	}
	if q.describe != nil && err == nil {
		q.title = fmt.Sprintf("**%d** columns", res.count)
	}
	return res.reply(q), err
}

// describe is a statement with the name and type of every column, how many
// values are empty, and the smallest and largest one.
func (s *session) describe(ctx context.Context, t *table) (string, error) {
	if t.file == t.name {
		if err := s.load(ctx, t.name, t.name); err != nil {
			return "", err
		}
	}
	cols, err := s.texts(ctx, "SELECT name FROM pragma_table_info("+literal(t.name)+")")
	var parts []string
	for _, c := range cols[:min(len(cols), 100)] {
		parts = append(parts, fmt.Sprintf("SELECT %s AS column, coalesce(max(nullif(typeof(%s), 'null')), 'empty') AS type, count(*) - count(%[2]s) AS empty, count(DISTINCT %[2]s) AS different, min(%[2]s) AS smallest, max(%[2]s) AS largest FROM %[3]s", literal(c), ident(c), ident(t.name)))
	}
	return strings.Join(parts, " UNION ALL "), err
}

// unread asks back, with the words that are not known and SQL to type.
func (g reading) unread(cat *catalog) error {
	if g.r == nil || len(g.r.scope.tables) == 0 {
		if len(cat.files) == 0 {
			return &plain.AmbiguousError{Message: noFiles + " I answer questions about the tables in such files."}
		}
		return &plain.AmbiguousError{Message: "Which file do you mean? There is " + some(cat.files) + ". Ask “how many rows are in " + cat.files[0] + "?” or in SQL: “SELECT * FROM " + cat.files[0] + " LIMIT 5”.", Options: cat.files[:min(len(cat.files), 10)]}
	}
	t := g.r.scope.main()
	var columns []string
	for _, c := range t.cols {
		columns = append(columns, source(c.name))
	}
	name := source(t.file)
	if t.file != t.name {
		name += " " + source(t.name)
	}
	last := columns[len(columns)-1]
	rows := "SELECT " + strings.Join(columns[:min(len(columns), 4)], ", ") + " FROM " + name + " ORDER BY " + last + " DESC LIMIT 5"
	groups := "SELECT " + last + ", count(*) FROM " + name + " GROUP BY " + last
	unknown := "That is not clear to me."
	if len(g.r.unread) > 0 {
		words := strings.Join(g.r.unread, ", ")
		unknown = g.r.translator.Say("I do not know “%s” in that.", strings.ToValidUTF8(words[:min(len(words), 100)], ""))
	}
	return &plain.AmbiguousError{Message: unknown + " The columns of " + plain.Code(name) + " are " + some(columns) + ". Ask with these names, or in SQL, such as: " + plain.Code(rows), Needs: "a column or value of " + name, Options: []string{rows, groups, "describe " + t.named()}}
}

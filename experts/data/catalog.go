package data

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/experts/plain"
)

// What the catalog looks at, so that a bid costs little.
const (
	catalogAge   = 3 * time.Second // a file that changed is seen after so long
	maxSampled   = 64              // files whose columns are known
	maxTables    = 128
	sampleBytes  = 64 << 10 // of a file
	sampleRows   = 400
	sampleValues = 200    // different values of a column
	allValues    = 20_000 // of all columns
	maxValueLen  = 60     // bytes of a value that can be named
)

// catalog knows the tables below the directory: their columns, and a sample of
// the values.
type catalog struct {
	files  []string // all data files, also those that were not looked into
	tables []*table
	index  map[string][]ref // by key
	like   map[string][]ref // by concept
	names  []string         // the keys of columns and tables
}

// table is a CSV or JSON file, or a table in a SQLite file.
type table struct {
	file, name string // name is the file where it is not SQLite
	keys       []string
	cols       []*column
	begins     bool // only its first rows are known
	single     bool // it has one row
}

type column struct {
	table  *table
	name   string
	key    string
	kind   kind
	unique bool   // no value of the sample stands there twice
	serial bool   // they are whole numbers, each above the one before, in the first column
	years  bool   // each value of the sample is a year
	groups bool   // they are whole numbers, of which some stand there twice
	counts bool   // they are text, but most begin with a digit
	gaps   bool   // some cells are empty
	last   string // the last of its dates
	unit   unit   // around each of its numbers in the file
	values map[string]string
}

type kind int

const (
	isText kind = iota
	isNumber
	isDate
	isBool
)

// ref is what a key may stand for: a column, a value in it, or a table.
type ref struct {
	table  *table
	col    *column
	value  string
	valued bool
	level  int // 4 the whole name, 3 a part of it, 2 by likeness, 1 a part of a value
	far    int // how many likenesses of the word come before this one: costs are a price first, then money
}

// catalogCache keeps the catalog for some seconds, and of each file what was read
// until it changes.
type catalogCache struct {
	mu   sync.Mutex
	at   time.Time
	cat  *catalog
	seen map[string]sampled
}

type sampled struct {
	size   int64
	time   time.Time
	tables []*table
}

// catalog returns what is known of the tables of f.
func (s *catalogCache) catalog(ctx context.Context, f *folder) (*catalog, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cat != nil && time.Since(s.at) < catalogAge {
		return s.cat, nil
	}
	files, err := f.files(ctx)
	if err != nil {
		return nil, err
	}
	c := &catalog{files: files}
	seen := map[string]sampled{}
	changed := s.cat == nil || !slices.Equal(s.cat.files, files)
	for _, p := range files[:min(len(files), maxSampled)] {
		info, err := f.root.Stat(p)
		if err != nil {
			continue
		}
		was, ok := s.seen[p]
		if !ok || was.size != info.Size() || !was.time.Equal(info.ModTime()) {
			was, changed = sampled{info.Size(), info.ModTime(), f.sample(ctx, p)}, true
		}
		seen[p] = was
		c.tables = append(c.tables, was.tables...)
	}
	s.at, s.seen = time.Now(), seen
	if changed {
		c.tables = c.tables[:min(len(c.tables), maxTables)]
		c.build()
		s.cat = c
	}
	return s.cat, nil
}

// sample reads the tables of a file with their first rows. There are none where
// it cannot be read: whoever names it is told why.
func (f *folder) sample(ctx context.Context, p string) []*table {
	if kindOf(p) == "sqlite" {
		s, err := f.session(ctx, p)
		if err != nil {
			return nil
		}
		defer s.close()
		names, _ := s.tables(ctx) // none where it cannot be read
		var all []*table
		for _, name := range names[:min(len(names), 32)] {
			if res, err := s.run(ctx, fmt.Sprintf("SELECT * FROM main.%s LIMIT %d", ident(name), maxData)); err == nil {
				all = append(all, newTable(p, name, res.columns, nil, res.rows))
			}
		}
		return all
	}
	file, info, err := f.open(p)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }() // nothing was written
	head, err := io.ReadAll(io.LimitReader(file, sampleBytes))
	if last := bytes.LastIndexByte(head, '\n'); err == nil && info.Size() > sampleBytes && last > 0 {
		head = head[:last+1] // what follows is half a row
	}
	sh, err := sheetOf(p, bufio.NewReaderSize(bytes.NewReader(head), sampleBytes), info.Size() <= sampleBytes)
	if err != nil && (kindOf(p) != "json" || info.Size() <= sampleBytes) || len(sh.columns) == 0 || len(sh.columns) > maxColumns {
		return nil
	}
	var rows [][]any
	for row := range sh.rows {
		if rows = append(rows, row); len(rows) == sampleRows {
			break
		}
	}
	t := newTable(p, p, unique(sh.columns), sh.units, rows)
	t.begins = info.Size() > sampleBytes || len(rows) == sampleRows
	return []*table{t}
}

func newTable(file, name string, columns []string, units []unit, rows [][]any) *table {
	t := &table{file: file, name: name, keys: []string{key(name)}, single: len(rows) == 1}
	if file == name {
		t.keys = []string{key(baseName(name)), key(path.Base(name))}
		if bare := umlauts.Replace(t.keys[0]); bare != t.keys[0] {
			t.keys = append(t.keys, bare) // auftraege
		}
	}
	for i, c := range columns[:min(len(columns), 200)] {
		col := &column{table: t, name: c, key: key(c), values: map[string]string{}}
		if i < len(units) && units[i] != (unit{}) {
			col.unit = units[i]
		}
		col.look(rows, i)
		col.serial = col.serial && i == 0 && len(columns) > 1 && len(rows) > 1 && col.kind == isNumber && col.unit == (unit{}) && !slices.ContainsFunc(vocab().like[col.key], func(of string) bool { return vocab().kinds[of] == "number" })
		if name, after, _ := strings.Cut(strings.TrimSuffix(c, ")"), " ("); col.kind == isNumber && col.unit == (unit{}) && familyOf(after) != "" && after != "min" { // flying weight (g)
			col.key, col.unit.after = key(name), " "+after
		}
		t.cols = append(t.cols, col)
	}
	return t
}

//nolint:gochecknoglobals // never changes; see plain.LazyRegexp
var isoDate = plain.LazyRegexp(`^\d{4}-\d{2}(?:-\d{2})?(?:[T ]\d{2}:\d{2}.*)?$`)

// look learns the kind and the values of a column from the i-th cells.
func (c *column) look(rows [][]any, i int) {
	seen := map[string]bool{}
	counts := map[kind]int{}
	n, years, digits, whole, before := 0, 0, 0, true, math.Inf(-1)
	c.serial = true
	for _, row := range rows {
		if i >= len(row) || row[i] == nil {
			c.gaps = true
			continue
		}
		n++
		s := strings.TrimSpace(fmt.Sprint(row[i]))
		seen[s] = true
		switch {
		case aYear().MatchString(s):
			years++
		case oldYear().MatchString(s) && c.named("year", "built", "founded", "born", "jahr", "baujahr", "ano"):
			years++
		}
		if s != "" && (s[0] >= '0' && s[0] <= '9' || anAmount().MatchString(s)) {
			digits++
		}
		c.last = max(c.last, s)
		whole = whole && !strings.ContainsAny(s, ".eE")
		number, err := strconv.ParseFloat(s, 64)
		c.serial, before = c.serial && whole && err == nil && number > before, number
		switch _, isBoolean := row[i].(bool); {
		case isBoolean, slices.Contains([]string{"true", "false", "yes", "no", "y", "n", "ja", "nein", "sí", "si"}, strings.ToLower(s)):
			counts[isBool]++
		case realNumber().MatchString(s):
			counts[isNumber]++
		case isoDate().MatchString(s):
			counts[isDate]++
		}
		if k := key(s); len(c.values) < sampleValues && len(s) <= maxValueLen && k != "" {
			c.values[k] = s
		}
	}
	c.groups, c.counts = whole && n > len(seen), 2*digits > n
	c.unique, c.years = n > 1 && len(seen) == n, n > 0 && years == n
	if dates := counts[isDate]; dates > years && dates+years == n { // of some the year is all that is known
		counts[isDate] = n
	}
	for k, m := range counts {
		if m == n {
			c.kind, c.values = k, nil
		}
	}
}

// build fills the index.
func (c *catalog) build() {
	c.index, c.like, c.names = map[string][]ref{}, map[string][]ref{}, nil
	values := 0
	for _, t := range c.tables {
		for _, k := range t.keys {
			c.name(ref{table: t}, k)
		}
		for _, col := range t.cols {
			c.name(ref{table: t, col: col}, col.key)
			for k, v := range col.values {
				if values++; values > allValues {
					break
				}
				c.index[k] = append(c.index[k], ref{t, col, v, true, 4, 0})
				for _, other := range vocab().same[k] {
					if _, own := col.values[other]; !own {
						c.index[other] = append(c.index[other], ref{t, col, v, true, 4, 0})
					}
				}
				if words := parts().FindAllString(v, -1); len(words) > 1 && len(words) < 4 {
					for _, word := range words {
						if w := key(word); len(w) > 2 && vocab().means[w] == nil {
							c.index[w] = append(c.index[w], ref{t, col, word, true, 1, 0})
						}
					}
				}
			}
		}
	}
	slices.Sort(c.names)
	c.names = slices.Compact(c.names)
	for concept, refs := range c.like {
		slices.SortStableFunc(refs, func(a, b ref) int { return rank(a, concept) - rank(b, concept) })
	}
}

// rank is the place of a column's name among the words of a concept; what names
// a row comes last.
func rank(r ref, concept string) int {
	best := len(vocab().order[concept])
	if r.col == nil {
		return best
	}
	for _, w := range append(strings.Fields(r.col.key), r.col.key) {
		if at := slices.Index(vocab().order[concept], w); at >= 0 {
			best = min(best, at)
		}
	}
	if r.col.isID() {
		best += 1000
	}
	return best
}

// name makes a table or a column found by its key, by the words of it, and by
// what means the same.
func (c *catalog) name(r ref, k string) {
	if k == "" {
		return
	}
	r.level = 4
	c.index[k], c.names = append(c.index[k], r), append(c.names, k)
	for _, plural := range []string{"er", "en", "n", "e"} { // Mitglied of mitglieder
		if singular, ok := strings.CutSuffix(k, plural); ok && r.col == nil && len(singular) > 4 {
			r.level = 3
			c.index[singular] = append(c.index[singular], r)
		}
	}
	words := strings.Fields(k)
	concepts := slices.Clone(vocab().like[k])
	for from := range words { // flying weight of flying weight left
		for to := from + 2; to <= len(words) && len(words) < 5; to++ {
			if r.level = 3; to-from < len(words) {
				phrase := strings.Join(words[from:to], " ")
				c.index[phrase] = append(c.index[phrase], r)
			}
		}
	}
	for i, w := range words {
		unit := i == len(words)-1 && slices.Contains([]string{"kg", "mg", "km", "cm", "mm", "ml", "ms", "mb", "gb", "m2", "m3", "ha"}, w) // of weight_kg
		filler := slices.Contains(vocab().means[w], meaning{"skip", ""})                                                                  // for of purchased for
		if len(words) > 1 && len(words) < 5 && (len(w) > 2 && !filler || unit) {
			r.level = 3
			c.index[w], c.names = append(c.index[w], r), append(c.names, w)
		}
		if w != "unit" || i == len(words)-1 { // a unit price is no number of units
			concepts = append(concepts, append(vocab().like[w], compounded(w)...)...)
		}
		if r.level = 3; r.col != nil && r.col.kind == isDate && len(words) > 1 { // the due date of due back
			c.index[w+" date"] = append(c.index[w+" date"], r)
		}
		for _, verb := range verbs(w) {
			if r.level = 2; r.col != nil {
				c.index[verb] = append(c.index[verb], r)
			}
		}
	}
	if r.level = 2; r.col != nil && r.col.kind == isBool { // delivered of entregado
		for _, same := range vocab().same[k] {
			c.index[same] = append(c.index[same], r)
		}
	}
	if r.level = 4; r.col != nil && r.col.kind == isDate && !r.col.named("date", "datum", "fecha") {
		c.index[k+" date"] = append(c.index[k+" date"], r)
	}
	if r.level = 3; r.col != nil && r.col.kind == isDate {
		c.index["date"], c.index["datum"], c.index["fecha"] = append(c.index["date"], r), append(c.index["datum"], r), append(c.index["fecha"], r)
	}
	r.level = 2
	if r.col != nil && r.col.isMoney(concepts) {
		concepts = append(concepts, "money")
	}
	slices.Sort(concepts)
	for _, concept := range slices.Compact(concepts) {
		kind := vocab().kinds[concept]
		if r.col == nil && kind != "any" && kind != "table" && concept != "money" || r.col != nil && (kind == "table" || kind == "number" && r.col.kind != isNumber || kind == "date" && r.col.kind != isDate) {
			continue
		}
		c.like[concept] = append(c.like[concept], r)
	}
}

// isMoney reports whether a column of numbers is of a currency, and not by the piece or the
// hour: charge_eur.
func (c *column) isMoney(concepts []string) bool {
	is := func(kinds ...string) bool {
		return slices.ContainsFunc(strings.Fields(c.key), func(w string) bool {
			return slices.ContainsFunc(vocab().means[w], func(m meaning) bool { return slices.Contains(kinds, m.kind) })
		})
	}
	return c.kind == isNumber && is("currency") && !is("each", "by", "apiece") && !slices.Contains(concepts, "salary")
}

// compounded are the concepts of numbers that the last part of a German word is of: the wage of
// stundenlohn.
func compounded(w string) (concepts []string) {
	for at := 3; at+4 <= len(w); at++ {
		for _, concept := range vocab().like[w[at:]] {
			if vocab().kinds[concept] == "number" {
				concepts = append(concepts, concept)
			}
		}
	}
	return concepts
}

// verbs are those of which the name of a column may be made: direct of director, open of
// opening, drive of driver, borrow of borrowed.
func verbs(w string) []string {
	for _, ending := range []string{"ing", "er", "or", "ed"} {
		if root, ok := strings.CutSuffix(w, ending); ok && len(root) > 2 {
			return []string{root, root + "e"}
		}
	}
	return nil
}

// find returns what a key stands for, the best first.
func (c *catalog) find(k string) []ref {
	refs := slices.Clone(c.index[k])
	for far, concept := range vocab().like[k] {
		for _, r := range c.like[concept] {
			r.far = far
			refs = append(refs, r)
		}
	}
	if slices.Contains(vocab().means[k], meaning{"whole", ""}) {
		for _, r := range c.like["quantity"] {
			if r.col != nil && c.earns(r.col) {
				refs = append(refs, r)
			}
		}
	}
	return refs
}

// earns reports whether pieces have their price beside them, and no column has money: their
// revenue is the one by the other. Where each row has a name of its own they are a stock.
func (c *catalog) earns(pieces *column) bool {
	has := func(concept string) bool {
		return slices.ContainsFunc(c.like[concept], func(r ref) bool { return r.col != nil && r.table == pieces.table })
	}
	named := slices.ContainsFunc(pieces.table.cols, func(c *column) bool { return c.kind == isText && c.unique && !c.isID() })
	return !named && has("price") && !has("money")
}

// guess finds the column or table whose name a key with a slip stands for.
func (c *catalog) guess(k string) []ref {
	for _, name := range c.names {
		if plain.IsTypo(k, name) {
			return slices.DeleteFunc(slices.Clone(c.index[name]), func(r ref) bool { return r.valued || r.col != nil && strings.Contains(r.col.name, ".") })
		}
	}
	return nil
}

// isID reports whether a number names a row rather than being an amount.
func (c *column) isID() bool {
	if c == nil {
		return false
	}
	return c.serial || c.named("id", "no", "nr", "number", "zip", "plz", "code", "year", "month", "jahr", "monat", "rowid", "index")
}

// named reports whether one of some words stands in the name of a column.
func (c *column) named(words ...string) bool {
	return slices.ContainsFunc(strings.Fields(c.key), func(w string) bool { return slices.Contains(words, w) })
}

// files lists the data files, the nearest first and then in the order of names,
// but those in hidden and vendored folders. A large tree is cut.
func (f *folder) files(ctx context.Context) ([]string, error) {
	var all []string
	seen := 0
	for dirs := []string{"."}; len(dirs) > 0 && seen < maxEntries; dirs = dirs[1:] {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		entries, _ := fs.ReadDir(f.root.FS(), dirs[0]) // what cannot be read is not ours
		seen += len(entries)
		for _, e := range entries {
			p := path.Join(dirs[0], e.Name())
			switch {
			case !e.IsDir() && kindOf(p) != "":
				all = append(all, p)
			case e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "node_modules" && e.Name() != "vendor":
				dirs = append(dirs, p)
			}
		}
	}
	return all, nil
}

// maxEntries is the number of directory entries after which no further folder
// is opened.
const maxEntries = 5000

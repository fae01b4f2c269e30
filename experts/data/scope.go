package data

import (
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/experts/plain"
)

// scope is where a question is looked up: a table, or two that share a column.
type scope struct {
	tables []*table
	on     [2]*column // of two tables, the columns that are the same
	named  bool       // the question names its files
}

func (s scope) has(t *table) bool { return slices.Contains(s.tables, t) }

// holds reports whether a table of the file is in the scope.
func (s scope) holds(file string) bool {
	return slices.ContainsFunc(s.tables, func(t *table) bool { return t.file == file })
}

// main is the table whose rows are counted: of two the one with many rows for
// one of the other.
func (s scope) main() *table { return s.tables[0] }

// mainColumns are those of the main table, none where there is no table.
func (s scope) mainColumns() []*column {
	if len(s.tables) == 0 {
		return nil
	}
	return s.main().cols
}

// first is the first column that fits, nil where none does.
func (s scope) first(fits func(*column) bool) *column {
	for _, t := range s.tables {
		if i := slices.IndexFunc(t.cols, fits); i >= 0 {
			return t.cols[i]
		}
	}
	return nil
}

// date is the column of dates.
func (s scope) date() *column {
	return s.first(func(c *column) bool { return c.kind == isDate })
}

// numbers are the columns of amounts.
func (t *table) numbers() []*column {
	return slices.DeleteFunc(slices.Clone(t.cols), func(c *column) bool { return c.kind != isNumber || c.isID() })
}

// isMoney reports whether the name of a table is a word for an amount, such as
// sales.
func (t *table) isMoney() bool {
	return slices.ContainsFunc(t.keys, func(k string) bool { return slices.Contains(vocab().like[k], "money") })
}

// person is the column of names of people.
func (s scope) person() *column {
	return s.first(func(c *column) bool { return c.kind == isText && c == c.table.people() })
}

// people is the column that "who" asks for: of people, before what else names a row.
func (t *table) people() *column {
	var coded *column // by an id
	for _, concept := range []string{"employee", "student", "person", "customer"} {
		for _, c := range t.cols {
			named := func(word string) bool { return slices.Contains(vocab().like[word], concept) }
			switch {
			case c.kind != isText || !named(c.key) && !slices.ContainsFunc(strings.Fields(c.key), named):
			case !strings.HasSuffix(c.key, " id"):
				return c
			case coded == nil:
				coded = c
			}
		}
	}
	label := t.label()
	if label != nil && slices.Contains(vocab().like[label.key], "name") {
		return label
	}
	if coded != nil {
		return coded
	}
	for _, c := range t.cols {
		if c.kind == isText && c.doers() {
			return c
		}
	}
	return label
}

// doers reports whether a column is of people by its name, tuner or director, and by its
// values, which are names.
func (c *column) doers() bool {
	words := strings.Fields(c.key)
	last := words[max(len(words)-1, 0):]
	does := slices.ContainsFunc(last, func(w string) bool {
		return slices.ContainsFunc([]string{"er", "or", "ist"}, func(ending string) bool { return len(w) > 4 && strings.HasSuffix(w, ending) })
	})
	for _, v := range c.values {
		does = does && aName().MatchString(v)
	}
	return does && !c.named("color", "order", "sector", "number", "weather", "water", "paper", "quarter", "semester", "letter", "computer", "printer", "container", "maker", "supplier", "manufacturer")
}

//nolint:gochecknoglobals // never changes; see plain.LazyRegexp
var aName = plain.LazyRegexp(`(?-i)^\p{Lu}[\pL'’.-]*(?: \p{Lu}[\pL'’.-]*){0,3}$`)

// label is the column that names a row.
func (t *table) label() *column {
	var first *column
	for _, c := range t.cols {
		if c.kind != isText {
			continue
		}
		if concepts := vocab().like[c.key]; slices.Contains(concepts, "name") || slices.Contains(concepts, "employee") || strings.HasSuffix(c.key, " name") || slices.Contains(t.keys, c.key) {
			return c
		}
		if first == nil && c.unique {
			first = c
		}
	}
	return first
}

// repeats reports whether several rows are of one name.
func (t *table) repeats() bool { return t.label() != nil && !t.label().unique }

// id is the column of numbers that tells the rows apart.
func (t *table) id() *column {
	return scope{tables: []*table{t}}.first(func(c *column) bool { return c.isID() && (c.unique || c.key == "id") })
}

// joined finds the column that two tables share: of the same name, or one with
// the other's name and its id. One of them must be a key of its table.
func joined(a, b *table) (scope, bool) {
	for _, id := range []bool{true, false} {
		for _, x := range a.cols {
			for _, y := range b.cols {
				same := x.key == y.key && x.key != "id" && (x.isID() || !id)
				key := func(c *column, t *table) bool { return slices.Contains(t.keys, strings.TrimSuffix(c.key, " id")) }
				same = same || key(x, b) && y == b.label() || key(y, a) && x == a.label() // the customer of an order is the name of one
				if a.file != b.file && a.file != a.name && b.file != b.name {
					return scope{}, false // of two databases one is read at a time
				}
				if !same && (y.key != "id" || !key(x, b)) && (x.key != "id" || !key(y, a)) || x.kind != y.kind || x.kind == isText && !overlap(x, y) {
					continue
				}
				switch {
				case y.unique:
					return scope{tables: []*table{a, b}, on: [2]*column{x, y}}, true
				case x.unique:
					return scope{tables: []*table{b, a}, on: [2]*column{y, x}}, true
				}
			}
		}
	}
	return scope{}, false
}

// lacking is the scope of the one of two tables whose rows have none in the
// other that fits the conditions on it, and their own conditions.
func (s scope) lacking(t *table, conds []cond) (scope, []cond) {
	var own, others []cond
	for _, c := range conds {
		if c.col != nil && c.col.table != t {
			others = append(others, c)
		} else {
			own = append(own, c)
		}
	}
	return scope{tables: []*table{t}, named: s.named}, append(own, s.within(t, others, true))
}

// within is the condition that a row of one of two tables has one in the other that fits
// some conditions, or has none.
func (s scope) within(t *table, conds []cond, not bool) cond {
	own, other := s.on[0], s.on[1]
	if own.table != t {
		own, other = other, own
	}
	where, said := ident(other.name)+" IS NOT NULL", "is in "
	for _, c := range conds {
		where += " AND " + c.sql(ident(c.col.name))
	}
	if not {
		said = "is not in "
	}
	said += other.table.named()
	for _, c := range conds {
		said += ", " + c.words(plain.Translator{})
	}
	in := map[bool]string{true: "NOT IN", false: "IN"}[not]
	return test(own, "§ "+in+" (SELECT "+ident(other.name)+" FROM "+ident(other.table.name)+" WHERE "+where+")", said)
}

// overlap reports whether two columns of text have a value in common.
func overlap(x, y *column) bool {
	for v := range x.values {
		if _, ok := y.values[v]; ok {
			return true
		}
	}
	return false
}

const maxScopes = 12

// scopes are the tables, and the pairs of them, that a question may be about:
// those of the files that it names, else those that know most of its words.
func (c *catalog) scopes(toks []token, spans [][maxSpan]span, named []string) []scope {
	var among []*table
	for _, t := range c.tables {
		if len(named) == 0 || slices.Contains(named, t.file) {
			among = append(among, t)
		}
	}
	words := map[*table]map[int]int{} // how well a table knows the tokens
	whole := map[*table]bool{}        // its name is among them
	know := func(t *table, i, level int) {
		if words[t] == nil {
			words[t] = map[int]int{}
		}
		words[t][i] = max(words[t][i], level)
	}
	for i := range toks {
		for _, t := range c.tables {
			if slices.Contains(spans[i][0].means, meaning{"who", ""}) && t.people() != nil {
				know(t, i, 2)
			}
			of := scope{tables: []*table{t}}
			owed := func(m meaning) bool { return slices.Contains([]string{"owe", "unpaid", "overdue", "out"}, m.kind) }
			status := func(r ref) bool { return r.valued && r.table == t }
			if slices.Contains(spans[i][0].means, meaning{"open", ""}) && of.done("finishes") != nil {
				know(t, i, 2)
			}
			if slices.ContainsFunc(spans[i][0].means, owed) && (of.done("settles") != nil || of.done("returns") != nil || slices.ContainsFunc(c.find("paid"), status)) {
				know(t, i, 2)
			}
		}
		for n := range maxSpan {
			for _, ref := range spans[i][n].refs {
				for j := i; j <= i+n; j++ {
					know(ref.table, j, ref.level)
				}
				whole[ref.table] = whole[ref.table] || ref.col == nil
			}
		}
	}
	if len(among) > 1 && len(named) == 0 {
		among = slices.DeleteFunc(among, func(t *table) bool { return len(words[t]) == 0 })
	}
	slices.SortStableFunc(among, func(a, b *table) int { return len(words[b]) - len(words[a]) })
	among = among[:min(len(among), maxScopes)]
	var all []scope
	for _, t := range among {
		all = append(all, scope{tables: []*table{t}, named: len(named) > 0})
	}
	adds := func(a, b *table) bool { // to what b knows
		for j, level := range words[a] {
			if level > words[b][j] {
				return true
			}
		}
		return false
	}
	for i, a := range among {
		for _, b := range c.tables {
			both := adds(a, b) && (adds(b, a) || whole[b]) || adds(b, a) && whole[a]
			pair := slices.Contains(among[i+1:], b) && (both || len(named) == 2)
			names := len(named) == 1 && a != b && adds(b, a) // of the orders, by the names of the customers
			if !pair && !names {
				continue
			}
			if sc, ok := joined(a, b); ok {
				sc.named = len(named) > 0
				all = append(all, sc)
			}
		}
	}
	if len(named) == 2 && len(all) > len(among) {
		return all[len(among):]
	}
	return all[:min(len(all), 4*maxScopes)]
}

package data

import (
	"slices"
	"strings"
)

// sql is a column as a statement names it.
func (r *reader) sql(c *column) string {
	for _, t := range r.scope.tables {
		if t != c.table && slices.ContainsFunc(t.cols, func(other *column) bool { return strings.EqualFold(other.name, c.name) }) {
			return ident(c.table.name) + "." + ident(c.name)
		}
	}
	return ident(c.name)
}

func (r *reader) from() string {
	from := " FROM " + ident(r.scope.tables[0].name)
	if len(r.scope.tables) == 2 {
		a, b := r.scope.on[0], r.scope.on[1]
		from += " JOIN " + ident(b.table.name) + " ON " + ident(a.table.name) + "." + ident(a.name) + " = " + ident(b.table.name) + "." + ident(b.name)
	}
	return from
}

// conditions are the conditions as SQL, empty where there are none.
func (r *reader) conditions() string {
	var b strings.Builder
	for i, c := range r.conds {
		if i > 0 {
			b.WriteString(map[bool]string{true: " OR ", false: " AND "}[c.or])
		}
		b.WriteString(c.sql(r.sql(c.col)))
	}
	if slices.ContainsFunc(r.conds, func(c cond) bool { return c.or }) {
		return "(" + b.String() + ")"
	}
	return b.String()
}

func (r *reader) whereClause() string {
	if c := r.conditions(); c != "" {
		return " WHERE " + c
	}
	return ""
}

// filter says the conditions in words.
func (r *reader) filter() string {
	var b strings.Builder
	for i, c := range r.conds {
		switch {
		case i == 0:
			b.WriteString(" where ")
		case c.or:
			b.WriteString(" or ")
		default:
			b.WriteString(" and ")
		}
		b.WriteString(c.col.name + " " + c.said)
	}
	return b.String()
}

func (f function) sql(r *reader) string {
	return f.name + "(" + r.sql(f.col) + ") AS " + ident(f.words())
}

func (f function) words() string {
	switch f.name {
	case "avg":
		return "average " + f.col.name
	case "sum":
		return "sum of " + f.col.name
	}
	return f.name + " " + f.col.name
}

// expr is what rows are grouped by.
func (g group) expr(r *reader) string {
	c := r.sql(g.col)
	switch g.unit {
	case "year":
		return "substr(" + c + ", 1, 4)"
	case "month":
		return "substr(" + c + ", 1, 7)"
	case "day":
		return "substr(" + c + ", 1, 10)"
	case "quarter":
		return "substr(" + c + ", 1, 4) || '-Q' || ((substr(" + c + ", 6, 2) + 2) / 3)"
	}
	return c
}

func (g group) sql(r *reader) string {
	if g.unit != "" {
		return g.expr(r) + " AS " + ident(g.unit)
	}
	return g.expr(r)
}

func (g group) words() string {
	if g.unit != "" {
		return g.unit + " of " + g.col.name
	}
	return g.col.name
}

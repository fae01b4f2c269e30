package data

import (
	"cmp"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/experts/plain"
)

// debt reads "owes", "unpaid", "overdue" and "out": rows that were not paid, or not given
// back, and of those that are overdue what is due by now.
func (r *reader) debt(kind string) bool {
	if kind == "open" { // what has no day on which it was closed
		closed := r.scope.done("finishes")
		acts := slices.ContainsFunc(r.toks[:r.i], func(t token) bool { return slices.Contains([]string{"did", "does", "do", "to"}, t.low) }) // who did open it
		if closed == nil || acts || r.value(span{refs: r.find(kind)}, nil).level == 4 {
			return false
		}
		r.resolved, r.said = r.resolved+1, max(r.said, 3)
		r.add(closed.none())
		return true
	}
	if kind == "out" {
		back := r.scope.done("returns")
		if back == nil || r.i == 0 || !stands(r.spans, r.i-1, "present") && !stands(r.spans, 0, "present") {
			return false
		}
		r.resolved, r.has["debt"] = r.resolved+1, true
		r.add(back.none())
		return true
	}
	if said := r.value(span{refs: r.find(kind)}, nil); said.level == 4 { // a status says so
		r.resolved++
		r.said, r.has["debt"] = 4, true
		r.add(same(said))
		return true
	}
	if kind == "overdue" {
		due := r.like("due")
		if due == nil {
			return false
		}
		r.resolved++
		r.add(test(due, "§ < date('now')", "is before today"))
	}
	status := r.value(span{refs: r.find("paid")}, nil)
	paid := r.scope.done("settles")
	if kind == "overdue" {
		paid = cmp.Or(paid, r.scope.done("returns"), r.scope.done("finishes"))
	}
	switch {
	case paid == nil && status.level == 4 && kind != "overdue":
		r.not = true
		r.add(same(status))
	case paid == nil:
		return kind == "overdue"
	default:
		r.add(paid.none())
	}
	if money, price := r.like("money"), r.like("price"); kind == "owe" && money != nil && price != nil && money.table == price.table { // "how much does he owe" is no price
		r.cols = slices.DeleteFunc(slices.Clone(r.cols), func(c *column) bool { return c == price && r.has["~"+c.name] })
		r.has["howmuch"] = true
		r.notes = slices.DeleteFunc(r.notes, func(note string) bool { return strings.HasSuffix(note, plain.Code(price.name)) })
	}
	r.resolved++
	r.said = max(r.said, 3)
	r.has["debt"], r.has["owe"] = true, r.has["owe"] || kind == "owe"
	return true
}

// whom is the column that "who" asks for.
func (r *reader) whom() *column {
	if len(r.scope.tables) == 1 {
		return r.scope.main().people()
	}
	return r.scope.tables[len(r.scope.tables)-1].label()
}

// done is the column that says whether, or when, something was paid or given back.
func (s scope) done(kind string) *column {
	return s.first(func(c *column) bool {
		word, _, _ := strings.Cut(c.key, " ")
		is := func(m meaning) bool { return m.kind == kind }
		return (c.kind == isBool || c.kind == isDate) && (slices.ContainsFunc(vocab().means[word], is) || slices.ContainsFunc(vocab().means[c.key], is))
	})
}

// opening are the meanings of a span, at the beginning that of "open issues" before that of
// "open the issues".
func (r *reader) opening(s span, end int) []meaning {
	if r.i > 0 || r.toks[0].low != "open" || end == len(r.toks) || r.toks[end].file || stands(r.spans, end, "skip") {
		return s.means
	}
	return append([]meaning{{"open", ""}}, s.means...)
}

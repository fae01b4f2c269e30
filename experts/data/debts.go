package data

import "strings"

// debt reads "owes", "unpaid" and "overdue": rows that were not paid, and of the last
// those that are due by now.
func (r *reader) debt(kind string) bool {
	if kind == "overdue" {
		due := r.like("due")
		if due == nil {
			return false
		}
		r.resolved++
		r.add(test(due, "§ < date('now')", "is before today"))
	}
	switch paid := r.scope.paid(); {
	case paid == nil:
		return kind == "overdue"
	case paid.kind == isBool:
		r.add(truth(paid, false))
	default:
		r.add(paid.none())
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

// paid is the column that says whether, or when, something was paid.
func (s scope) paid() *column {
	return s.first(func(c *column) bool {
		return (c.kind == isBool || c.kind == isDate) && (c.key == "paid" || strings.HasPrefix(c.key, "paid ") || c.key == "settled")
	})
}

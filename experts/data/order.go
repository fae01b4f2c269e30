package data

import (
	"cmp"
	"slices"

	"github.com/yaap-chat/yaap/experts/plain"
)

// reorder puts the rows that were found in another order.
func (r *reader) reorder(q *query) error {
	for _, o := range r.shown {
		switch {
		case o.col == nil:
			return r.whichColumn("order", "max")
		case len(q.scope.tables) == 1 && len(q.picks) == 0, slices.Contains(q.groups, o.value), slices.Contains(q.picks, o.value):
		case len(q.groups) == 0 && len(q.scope.tables) == 1:
			q.picks = append(q.picks, o.value)
		default:
			return asks("an order", "I cannot sort these rows by "+plain.Code(o.col.name)+".")
		}
	}
	q.shown = r.shown
	return nil
}

// both lists what has the lowest and the highest of a column.
func (r *reader) both(q *query) {
	c, from := r.fns[0].col, " FROM "+ident(r.scope.main().name)+clause(" WHERE ", q.where())
	q.conds = append(slices.Clone(q.conds), test(c, "§ IN (SELECT min(§)"+from+" UNION SELECT max(§)"+from+")", "is the lowest or the highest"))
	r.order, r.fns, r.limit, r.conds = []order{{value: value{col: c}}}, nil, 0, q.conds
	if len(r.cols) == 0 {
		r.cols = []*column{cmp.Or(r.scope.main().label(), r.scope.main().cols[0])}
	}
}

package data

import (
	"context"
	"slices"

	"yaap/core"
	"yaap/experts"
	"yaap/experts/plain"
)

const maxBefore = 4 // earlier questions of the user that may be gone on with

//nolint:gochecknoglobals // never changes; see plain.Expr
var sentence = plain.Expr(`[;?\n]|\. |, then | then | and then `)

// before returns the last question of the conversation that was read here, nil
// where there is none. It may have gone on with one before it.
func (f *folder) before(ctx context.Context, cat *catalog, text string, said []core.Message) (base *reader) {
	var asked []string
	for i, m := range said {
		if m.Role == core.RoleUser && (m.Text != text || i < len(said)-1) {
			asked = append(asked, m.Text)
		}
	}
	for _, text := range asked[max(0, len(asked)-maxBefore):] {
		pieces := []string{text}
		if g := f.alone(ctx, cat, text); g.score < experts.ReadOperand {
			pieces = sentence().Split(text[:min(len(text), 600)], 6)
		}
		for _, piece := range pieces {
			g := f.alone(ctx, cat, piece)
			if base != nil && len(g.toks) > 0 && (g.score < experts.Understood || g.r.again) {
				if next := base.next(g); next.score > 0 {
					base = next.r
					continue
				}
			}
			if g.score >= experts.ReadOperand && g.r != nil && len(g.r.scope.tables) > 0 {
				base = g.r
			}
		}
	}
	return base
}

// next reads what goes on with the question r.
func (r *reader) next(own reading) reading {
	var best *reader
	scopes := []scope{r.scope}
	if len(r.scope.tables) == 1 {
		for _, t := range r.tables {
			if sc, ok := joined(r.scope.main(), t); ok && t != r.scope.main() {
				scopes = append(scopes, sc)
			}
		}
	}
	for _, sc := range scopes[:min(len(scopes), maxScopes)] {
		if next := r.read(own.toks, own.spans, sc); compareReaders(next, best) < 0 {
			best = next
		}
	}
	if len(best.unread) > 0 || best.asksTables || !best.says() {
		return reading{}
	}
	merged := r.with(best)
	q, err := merged.query()
	g := reading{score: experts.ReadOperand, r: merged, query: q, err: err}
	if err != nil {
		g.score = experts.Understood
	}
	return g
}

// says reports whether anything was read that changes a question.
func (r *reader) says() bool {
	return len(r.fns)+len(r.cols)+len(r.by)+len(r.order)+len(r.conds) > 0 || r.howMany || r.distinct || r.limit > 0 || r.most != 0 || r.sup != nil || r.describe || r.share
}

// with is the question r as next changes it: like by like.
func (r *reader) with(next *reader) *reader {
	merged := *r
	merged.scope, merged.notes = next.scope, next.notes
	merged.conds = merged.replaced(next)
	switch {
	case next.describe:
		merged.describe = true
	case len(next.fns) > 0:
		before := merged.amounts()
		merged.fns = slices.Clone(next.fns)
		for i, f := range merged.fns {
			if f.col == nil && len(before) > 0 {
				merged.fns[i].col = before[0]
			}
		}
		merged.howMany, merged.limit, merged.end, merged.order, merged.share = false, 0, "", nil, false
		merged.cols = slices.DeleteFunc(slices.Clone(merged.cols), func(c *column) bool { return c.kind == isNumber || len(merged.by) > 0 })
		if merged.most == 0 && merged.sup == nil && len(r.fns) == 0 {
			merged.cols = nil
		}
	case next.howMany || next.share:
		merged.draft = draft{flags: flags{howMany: next.howMany, share: next.share}, conds: merged.conds, entity: r.entity, by: r.by, cols: next.cols}
	case len(next.cols) > 0:
		merged.columns(next.cols)
	}
	if len(next.by) > 0 {
		merged.by = next.by
		merged.cols = slices.DeleteFunc(slices.Clone(merged.cols), func(c *column) bool { return c.kind != isNumber })
	}
	if len(next.order) > 0 {
		merged.order = next.order
	}
	if next.limit > 0 {
		merged.limit, merged.end, merged.most, merged.sup = next.limit, next.end, 0, nil
	}
	if next.most != 0 || next.sup != nil {
		merged.most, merged.sup, merged.limit = next.most, next.sup, max(next.limit, 1)
	}
	merged.distinct = merged.distinct || next.distinct
	return &merged
}

// amounts are the columns that the question was about.
func (r *reader) amounts() (all []*column) {
	for _, f := range r.fns {
		if f.col != nil {
			all = append(all, f.col)
		}
	}
	for _, c := range r.cols {
		if c.kind == isNumber && !c.isID() {
			all = append(all, c)
		}
	}
	return all
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
		r.by = []group{{col: cols[0]}}
	default:
		kept := slices.DeleteFunc(slices.Clone(r.cols), func(c *column) bool { return (c.kind == isNumber) == numbers || r.most == 0 && r.sup == nil })
		r.cols = append(kept, cols...)
	}
}

// replaced are the conditions of r and next: "only" adds one, and "what about"
// takes the place of what was a value before.
func (r *reader) replaced(next *reader) []cond {
	kept := slices.DeleteFunc(slices.Clone(r.conds), func(c cond) bool {
		return slices.ContainsFunc(next.conds, func(n cond) bool {
			return n.col == c.col || !next.only && next.again && n.col.kind == c.col.kind && n.col.table == c.col.table
		})
	})
	return append(kept, next.conds...)
}

package data

import "slices"

// year is the year that the name of a column ends with: 2026 of lambs_2026; empty where it
// ends with none.
func (c *column) year() string {
	if n := len(c.key) - 4; n > 1 && c.key[n-1] == ' ' && aYear().MatchString(c.key[n:]) {
		return c.key[n:]
	}
	return ""
}

// yearly reads "lambs in 2026" as the column lambs_2026, where a table has a column for each
// year.
func (r *reader) yearly() {
	for at, t := range r.toks {
		if !aYear().MatchString(t.text) {
			continue
		}
		is := func(ref ref) bool {
			return !ref.valued && ref.col != nil && ref.col.year() == t.text && r.scope.has(ref.table)
		}
		spans, found := slices.Clone(r.spans), false
		for i := range spans {
			for n := range maxSpan {
				if refs := spans[i][n].refs; (i+n < at || i > at) && slices.ContainsFunc(refs, is) {
					spans[i][n].refs, found = slices.DeleteFunc(slices.Clone(refs), func(ref ref) bool {
						return !ref.valued && ref.col != nil && ref.col.year() != "" && !is(ref)
					}), true
				}
			}
		}
		if !found {
			continue
		}
		filler := [maxSpan]span{{means: []meaning{{kind: "skip"}}}}
		r.toks, spans[at] = slices.Clone(r.toks), filler
		r.toks[at].amount = ""
		if in, to := r.means(at-1, "date"); to == at && in.of == "=" {
			spans[at-1] = filler
		}
		r.spans = spans
	}
}

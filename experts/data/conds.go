package data

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"yaap/experts/plain"
)

// cond is a condition on a column. op is one of SQL, with vals as SQL writes
// them; or a test, where § is the column.
type cond struct {
	col  *column
	op   string
	vals []string
	not  bool
	or   bool
	said string // for people, behind the column's name
}

// sql is the condition on the column as SQL names it.
func (c cond) sql(col string) string {
	no := ""
	if c.not {
		no = "NOT "
	}
	switch {
	case strings.Contains(c.op, "§"):
		return strings.TrimSpace(no + "(" + strings.ReplaceAll(c.op, "§", col) + ")")
	case c.op == "=" && len(c.vals) > 1:
		return col + " " + no + "IN (" + strings.Join(c.vals, ", ") + ")"
	case c.op == "=" && c.not:
		return col + " IS NOT " + c.vals[0]
	case len(c.vals) == 0:
		return strings.TrimSpace(no + col + " " + c.op)
	}
	return strings.TrimSpace(no + col + " " + c.op + " " + strings.Join(c.vals, " AND "))
}

// add adds a condition. Two values of a column are one condition: a row has
// only one of them.
func (r *reader) add(c cond) {
	c.not = c.not != r.not
	if r.not {
		c.said = "not " + c.said
	}
	c.or, r.or, r.not = r.or, false, false
	if n := len(r.conds); n > 0 && c.op == "=" && r.conds[n-1].op == "=" && r.conds[n-1].col == c.col && (!c.not || r.conds[n-1].not) {
		last := &r.conds[n-1]
		last.vals, last.said = append(slices.Clone(last.vals), c.vals...), last.said+" or "+strings.TrimLeft(c.said, "= ")
		return
	}
	r.conds = append(r.conds, c)
}

// match adds the condition that a column has the value of a ref.
func (r *reader) match(v ref) {
	if v.level == 1 {
		r.add(cond{col: v.col, op: "LIKE " + literal("%"+v.value+"%"), said: "has " + v.value})
		return
	}
	r.add(cond{col: v.col, op: "=", vals: []string{literal(v.value)}, said: "= " + v.value})
}

// condition reads "amount over 20", "status is open", "region north" and
// "active", where the column takes the next n words.
func (r *reader) condition(col ref, n int) bool {
	c := col.col
	start, i := r.i, r.i+n
	is := false
	for i < len(r.toks) && r.value(r.spans[i][0], c).level < 4 {
		_, k := r.means(i, "skip", "which", "where")
		if op, m := r.means(i, "op", "between"); m >= k && op.kind != "" || k == 0 {
			break
		}
		is, i = true, i+k
	}
	not := r.not
	if _, k := r.means(i, "not"); k > 0 {
		if _, m := r.means(i, "op"); m < k {
			not, i, is = true, r.skip(i+k), true
		}
	}
	take := func(end int, cs ...cond) bool {
		r.i = start
		r.take(col, n)
		r.i = end
		for _, cd := range cs {
			r.not = not
			cd.col = c
			r.add(cd)
		}
		r.not = false
		return true
	}
	if op, k := r.means(i, "op", "between", "date"); k > 0 {
		if cd, end := r.operand(c, op, i+k, is || r.where); end > 0 {
			r.tested = true
			if c.kind == isText && len(r.entity) == 0 && !r.rows && !r.where && len(r.cols)+len(r.conds) == 0 && !r.scope.named {
				r.cols = append(r.cols, c)
			}
			return take(end, cd)
		}
	}
	if c.kind == isBool {
		cd := cond{op: "lower(§) IN ('1', 'true', 'yes')", said: "is true"}
		if b, k := r.means(i, "bool"); k > 0 {
			cd.op, cd.said = map[string]string{"1": cd.op, "0": "lower(§) IN ('0', 'false', 'no')"}[b.of], "is "+map[string]string{"1": "true", "0": "false"}[b.of]
			return take(i+k, cd)
		}
		if r.show && r.which || len(r.by) > 0 {
			return false
		}
		return take(start+n, cd)
	}
	if len(r.fns) > 0 && r.fns[len(r.fns)-1].col == nil || i == start+n && col.level < 3 && c.kind == isNumber {
		return false
	}
	if cd, end := r.operand(c, meaning{"op", "="}, i, is && r.where); end > 0 {
		return take(end, cd)
	}
	return false
}

// operand reads what a column is compared with from token i, and returns where
// it ends, 0 where there is none. Where free, an unknown word is text.
func (r *reader) operand(c *column, op meaning, i int, free bool) (cond, int) {
	if op.of == "empty" || op.of == "filled" {
		return nothing(op.of), i
	}
	if i < len(r.toks) && r.value(r.spans[i][0], c).level < 4 {
		i = r.skip(i)
	}
	if i >= len(r.toks) {
		return cond{}, 0
	}
	if c.kind == isDate {
		if d, end := r.dateAt(i, true); end > 0 {
			if op.kind == "between" {
				_, k := r.means(end, "and", "date", "to")
				to, last := r.dateAt(end+k, true)
				switch {
				case k == 0 || last == 0 || (d.month == "") != (to.month == ""):
				case d.month != "":
					return cond{op: "substr(§, 6, 2) BETWEEN " + literal(d.month) + " AND " + literal(to.month), said: "from month " + d.month + " to " + to.month}, last
				default:
					return cond{op: "§ >= " + literal(bound(d.from)) + " AND § < " + literal(bound(to.to)), said: "from " + d.from + " to " + to.from}, last
				}
				return cond{}, 0
			}
			return d.cond(op.of), end
		}
		return cond{}, 0
	}
	t := r.toks[i]
	switch op.of {
	case "contains", "starts", "ends":
		if t.file || c.kind != isText {
			return cond{}, 0
		}
		r.free = true
		text := strings.NewReplacer("%", `\%`, "_", `\_`, `\`, `\\`).Replace(t.text)
		pattern := map[string]string{"contains": "%" + text + "%", "starts": text + "%", "ends": "%" + text}[op.of]
		return cond{op: "§ LIKE " + literal(pattern) + ` ESCAPE '\'`, said: op.of + map[string]string{"starts": " with", "ends": " with"}[op.of] + " " + t.text}, i + 1
	}
	if t.number != "" && c.kind == isNumber {
		if op.kind == "between" {
			_, k := r.means(i+1, "and", "date", "to")
			if k == 0 || i+1+k >= len(r.toks) || r.toks[i+1+k].number == "" {
				return cond{}, 0
			}
			to := r.toks[i+1+k]
			return cond{op: "BETWEEN", vals: []string{t.number, to.number}, said: "between " + t.text + " and " + to.text}, i + 2 + k
		}
		vals, end := []string{t.number}, i+1
		for op.of == "=" {
			_, k := r.means(end, "or", "and")
			if end+k >= len(r.toks) || r.toks[end+k].number == "" {
				break
			}
			vals, end = append(vals, r.toks[end+k].number), end+k+1
		}
		return cond{op: op.of, vals: vals, said: op.of + " " + strings.Join(vals, " or ")}, end
	}
	if c.kind == isNumber || op.kind == "date" {
		return cond{}, 0
	}
	return r.text(c, op, i, free)
}

// text reads the text that a column is compared with: a value that it has, what
// stands between quotes and, where free, any word.
func (r *reader) text(c *column, op meaning, i int, free bool) (cond, int) {
	for n := min(maxSpan, len(r.toks)-i); n > 0; n-- {
		if v := r.value(r.spans[i][n-1], c); v.col != nil && v.level > 1 && !r.toks[i].quoted {
			r.resolved++
			return cond{op: op.of, vals: []string{literal(v.value)}, said: op.of + " " + v.value}, i + n
		}
	}
	t := r.toks[i]
	_, known := r.means(i, "where", "by", "and", "or", "not", "fn", "sup", "most", "op", "which", "sort", "top", "rows")
	if !t.quoted && (!free || t.file || known > 0 || t.number != "" && c.kind != isText) {
		return cond{}, 0
	}
	r.free = true
	return cond{op: op.of, vals: []string{literal(t.text) + " COLLATE NOCASE"}, said: op.of + " " + t.text}, i + 1
}

func nothing(of string) cond {
	if of == "empty" {
		return cond{op: "IS NULL", said: "is empty"}
	}
	return cond{op: "IS NOT NULL", said: "is not empty"}
}

// compare reads an operator before which no column stands: "over 100", "older
// than 40", "more than 10 employees", "since March".
func (r *reader) compare(m meaning, n int) bool {
	i := r.skip(r.i + n)
	if i >= len(r.toks) {
		return false
	}
	if m.kind == "date" || m.kind == "between" || m.kind == "cmp" || m.of == "<=" || m.of == "=" {
		if d, end := r.dateAt(i, m.of != "=" || n > 0); end > 0 && r.scope.date() != nil {
			c := r.lastDate()
			op := m
			if m.kind == "cmp" {
				op.of, _, _ = strings.Cut(m.of, " ")
				op.of = map[string]string{">": "<", "<": ">"}[op.of]
			}
			if op.kind == "between" || op.of == ">=" {
				if _, k := r.means(end, "and", "date", "to"); k > 0 {
					if cd, last := r.operand(c, meaning{"between", ""}, i, false); last > 0 {
						end, op.kind = last, "done"
						cd.col = c
						r.i = end
						r.add(cd)
						return true
					}
				}
			}
			cd := d.cond(op.of)
			cd.col = c
			r.i = end
			r.add(cd)
			return true
		}
	}
	op := m
	var c *column
	if len(r.entity) > 0 && (m.of == "starts" || m.of == "ends" || m.of == "contains") {
		label := r.entity[0].label()
		if label == nil {
			return false
		}
		cd, end := r.operand(label, m, i, true)
		if end == 0 {
			return false
		}
		cd.col = label
		r.i = end
		r.add(cd)
		return true
	}
	if c = r.scope.year(); c != nil && aYear().MatchString(r.toks[i].text) && (len(r.cols) == 0 || r.cols[len(r.cols)-1].kind != isNumber) {
		if op.kind == "date" {
			op.kind = "op"
		}
		if cd, end := r.operand(c, op, i, false); end > 0 {
			cd.col = c
			r.i = end
			r.add(cd)
			return true
		}
	}
	c = nil
	if m.kind == "cmp" {
		of, concept, _ := strings.Cut(m.of, " ")
		op = meaning{"op", of}
		for _, ref := range r.like[concept] {
			if c == nil && ref.col != nil && r.scope.has(ref.table) && ref.col.kind == isNumber {
				c = ref.col
			}
		}
		if c == nil {
			return false
		}
	}
	if m.kind == "date" || r.toks[i].number == "" && c == nil {
		return false
	}
	if c == nil {
		c = r.compared(i)
	}
	if c == nil || c.kind != isNumber {
		return false
	}
	cd, end := r.operand(c, op, i, false)
	if end == 0 {
		return false
	}
	if r.column(r.spanAt(end)).col == c {
		end++
	} else if m.kind != "cmp" && !slices.Contains(r.cols, c) {
		r.notes = append(r.notes, fmt.Sprintf("“%s” is compared with the column %s", r.toks[i].text, plain.Code(c.name)))
	}
	cd.col = c
	r.i = end
	r.add(cd)
	return true
}

func (r *reader) spanAt(i int) span {
	if i >= len(r.toks) {
		return span{}
	}
	return r.spans[i][0]
}

// compared is the column that the number at token i is compared with: the one
// behind it, else the one that was named last, else the table's measure.
func (r *reader) compared(i int) *column {
	if ref := r.column(r.spanAt(i + 1)); ref.col != nil && ref.col.kind == isNumber {
		return ref.col
	}
	if n := len(r.cols); n > 0 && r.cols[n-1].kind == isNumber {
		return r.cols[n-1]
	}
	return r.scope.measure()
}

// lastDate is the column of dates that was named last, else the scope's.
func (r *reader) lastDate() *column {
	for i, c := range slices.Backward(r.cols) {
		if c.kind == isDate {
			r.cols = slices.Delete(slices.Clone(r.cols), i, i+1)
			return c
		}
	}
	return r.scope.date()
}

// period is a day, month or year: from its beginning to that of the next one.
// month is that of any year.
type period struct{ from, to, month string }

func (p period) cond(op string) cond {
	if p.month != "" {
		sign := map[string]string{">": ">", "<": "<", ">=": ">=", "<=": "<="}[op]
		if sign == "" {
			sign = "="
		}
		return cond{op: "substr(§, 6, 2) " + sign + " " + literal(p.month), said: sign + " month " + p.month}
	}
	from, to := literal(bound(p.from)), literal(bound(p.to))
	switch op {
	case ">":
		return cond{op: "§ >= " + to, said: "after " + p.from}
	case ">=":
		return cond{op: "§ >= " + from, said: "since " + p.from}
	case "<":
		return cond{op: "§ < " + from, said: "before " + p.from}
	case "<=":
		return cond{op: "§ < " + to, said: "until " + p.from}
	}
	return cond{op: "§ >= " + from + " AND § < " + to, said: "in " + p.from}
}

//nolint:gochecknoglobals // never change; see plain.Expr
var (
	aDate = plain.Expr(`^((?:19|20)\d\d)(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?$`)
	aYear = plain.Expr(`^(?:19|20)\d\d$`)
)

// dateAt reads a date, a month or, where it may be one, a year at token i, and
// returns where it ends; 0 where there is none.
func (r *reader) dateAt(i int, year bool) (period, int) {
	if i >= len(r.toks) {
		return period{}, 0
	}
	if m := aDate().FindStringSubmatch(r.toks[i].text); m != nil && (year || m[2] != "") {
		return periodOf(m), i + 1
	}
	month, k := r.means(i, "month")
	if k == 0 || i+k > len(r.toks) {
		return period{}, 0
	}
	if j := r.skip(i + k); j < len(r.toks) && aYear().MatchString(r.toks[j].text) {
		return periodOf([]string{"", r.toks[j].text, month.of, ""}), j + 1
	}
	return period{month: month.of}, i + k
}

// periodOf is the period of a year, a month and a day, of which the last ones
// may be empty.
func periodOf(m []string) period {
	from := strings.TrimRight(m[1]+"-"+m[2]+"-"+m[3], "-")
	head, last := "", from
	if at := strings.LastIndex(from, "-"); at >= 0 {
		head, last = from[:at+1], from[at+1:]
	}
	n, _ := strconv.Atoi(last) // it is digits
	switch {
	case m[3] != "":
		return period{from: from, to: from + "~"} // a time of the day is less
	case m[2] == "12":
		year, _ := strconv.Atoi(m[1]) // it is digits
		return period{from: from, to: strconv.Itoa(year + 1)}
	}
	return period{from: from, to: head + fmt.Sprintf("%0*d", len(last), n+1)}
}

// bound is the text that dates are compared with. A year alone would be a number
// to SQLite.
func bound(date string) string {
	if len(date) == 4 {
		return date + "-"
	}
	return date
}

// date reads a date before which nothing stands, such as "March sales".
func (r *reader) date() bool {
	p, end := r.dateAt(r.i, false)
	c := r.scope.date()
	if end == 0 || c == nil {
		return false
	}
	for n := range maxSpan { // "may" and "mar" may be values too
		if r.i+n < len(r.toks) && (r.value(r.spans[r.i][n], nil).col != nil) {
			return false
		}
	}
	cd := p.cond("=")
	cd.col = c
	r.add(cd)
	r.i = end
	return true
}

package data

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts/plain"
)

type result struct {
	columns   []string
	rows      [][]any
	count     int
	truncated bool
	sql       string
}

// run collects the rows of a statement, bounded.
func (s *session) run(ctx context.Context, statement string) (result, error) {
	res := result{sql: statement, rows: [][]any{}}
	if _, err := s.conn.ExecContext(ctx, "PRAGMA query_only=1"); err != nil {
		return res, err
	}
	rows, err := s.conn.QueryContext(ctx, statement)
	if err != nil {
		return res, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err
	if res.columns, err = rows.Columns(); err != nil {
		return res, err
	}
	size := 0
	cells, ptrs := make([]any, len(res.columns)), make([]any, len(res.columns))
	for i := range cells {
		ptrs[i] = &cells[i]
	}
	for rows.Next() {
		if res.count++; res.count > maxCounted {
			res.truncated = true
			return res, nil
		}
		if len(res.rows) == maxData || size > maxReply {
			res.truncated = true
			continue
		}
		if err := rows.Scan(ptrs...); err != nil {
			return res, err
		}
		row := make([]any, len(cells))
		for i, c := range cells {
			row[i] = storable(c)
			size += len(fmt.Sprint(row[i])) + 4
		}
		res.rows = append(res.rows, row)
	}
	return res, rows.Err()
}

// storable turns what SQLite returns into what JSON can hold.
func storable(v any) any {
	switch v := v.(type) {
	case int64:
		return json.Number(strconv.FormatInt(v, 10))
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return fmt.Sprint(v)
		}
	case time.Time:
		if v.Equal(v.Truncate(24 * time.Hour)) {
			return v.Format(time.DateOnly)
		}
		return v.Format(time.DateTime)
	case []byte:
		if len(v) > 16 {
			return fmt.Sprintf("blob of %d bytes", len(v))
		}
		return "x'" + hex.EncodeToString(v) + "'"
	case string:
		v = strings.ToValidUTF8(v, "\ufffd")
		if len(v) > 2000 {
			v = strings.ToValidUTF8(v[:2000], "") + "…"
		}
		return v
	}
	return v
}

// reply shows a result: the answer first and bold, then what it is. A query
// without a title is SQL as it was typed.
func (res result) reply(q query) core.Reply {
	what, thought := q.reads(), "I read this as: "+q.reads()+"."
	if q.title == "" && q.describe == nil && !q.files {
		what, thought = "", "I read this as SQL and ran: "+res.sql
	}
	var name any
	if q.best && res.count > 0 {
		name = res.best(&q)
	}
	data := map[string]any{"columns": res.columns, "rows": res.rows, "row_count": float64(res.count), "truncated": res.truncated, "sql": res.sql}
	reply := core.Reply{Status: core.StatusSuccess, Thought: thought, Data: data}
	wide := len(res.columns) > 1
	if res.count == 1 && (!wide || q.best) {
		data["value"] = cmp.Or(name, res.rows[0][0])
	}
	res.rows = q.measured(res.rows)
	var bold []string
	rows := q.translator.Say("rows")
	for _, row := range res.rows {
		bold = append(bold, "**"+cell(row[0])+"**")
	}
	switch count := fmt.Sprintf("**%d** ", res.count); {
	case res.count == 0:
		reply.Message = strings.TrimSuffix(q.translator.Say("**No rows**")+": "+what, ": ")
		if rest, ok := strings.CutPrefix(what, rows+" "); ok && len(q.picks) == 0 {
			reply.Message = q.translator.Say("**No rows**") + " " + rest
		}
	case res.count == 1 && !wide && (strings.HasPrefix(what, rows+" ") || len(q.picks) == 1 && q.picks[0].fn == "different"):
		if bold[0] == "**1**" && strings.HasPrefix(what, rows+" ") {
			what = q.translator.Say("row") + strings.TrimPrefix(what, rows)
		}
		reply.Message = bold[0] + " " + what
	case !wide && res.count < maxInline:
		reply.Message = strings.Join(bold, ", ") + ": " + cmp.Or(what, cell(res.columns[0]))
	case res.count == 1 && len(q.picks) == len(res.columns) && q.picks[0].fn != "":
		for i, v := range res.rows[0] {
			reply.Message += fmt.Sprintf("%s**%s** %s", map[bool]string{true: ", "}[i > 0], cell(v), q.picks[i].words(q.translator))
		}
		reply.Message += strings.TrimPrefix(what, q.title)
	case q.best && len(res.columns) == 2:
		reply.Message = q.translator.Say("%s with %s: %s", bold[0], cell(res.rows[0][1]), what)
	case q.best && q.order[0].times == nil:
		value := res.rows[0][max(0, slices.Index(res.columns, q.order[0].col.name))]
		reply.Message = q.translator.Say("%s with %s: %s", "**"+cell(data["value"])+"**", cell(value), what) + ":\n\n" + res.markdown()
	default:
		if res.truncated {
			format := map[bool]string{true: " (showing %d of more than %d rows)", false: " (showing %d of %d rows)"}[res.count > maxCounted]
			what += q.translator.Say(format, len(res.rows), min(res.count, maxCounted))
		}
		if q.files {
			what = count + "tables"
		}
		if strings.HasPrefix(what, rows+" in ") || strings.HasPrefix(what, rows+" en ") {
			what = count + strings.Replace(what, rows, q.translator.Say(map[bool]string{true: "row", false: "rows"}[res.count == 1]), 1)
		}
		reply.Message = strings.TrimLeft(what+":\n\n", ":\n ") + res.markdown()
	}
	if r, size := utf8.DecodeRuneInString(reply.Message); strings.HasPrefix(reply.Message, what) {
		reply.Message = string(unicode.ToUpper(r)) + reply.Message[size:]
	}
	if notes := noted(q.notes); len(notes) > 0 {
		reply.Message += map[bool]string{true: "\n\n", false: " "}[strings.Contains(reply.Message, "\n")] + "(" + strings.Join(notes[:min(len(notes), 4)], "; ") + ".)"
	}
	return reply
}

// asBegun refuses an answer of columns whose first rows alone are numbers or dates: what
// follows was read as text.
func (s *session) asBegun(ctx context.Context, q query) error {
	columns := map[*column]string{}
	for _, v := range q.values() {
		columns[v.col] = ""
	}
	for _, c := range slices.Concat(q.conds, q.having) {
		columns[c.col] = ""
	}
	for c := range columns {
		if c == nil || !c.table.begins || c.kind != isNumber && c.kind != isDate {
			continue
		}
		odd := "typeof(" + ident(c.name) + ") = 'text'"
		if c.kind == isDate {
			odd = ident(c.name) + " NOT GLOB '[12][0-9][0-9][0-9]*'"
		}
		if texts, err := s.texts(ctx, "SELECT 1 FROM "+ident(c.table.name)+" WHERE "+odd+" LIMIT 1"); err == nil && len(texts) > 0 {
			return core.Fail(core.CodeInvalid, fmt.Sprintf("%s begins with numbers or dates, but not all of its cells are.", plain.Code(c.name)), "Mend the others, or ask in SQL.")
		}
	}
	return nil
}

// noted are the notes of an answer, of each column the first that says which words it is.
func noted(all []string) (notes []string) {
	slices.Sort(all)
	slices.Reverse(all) // those that name words come first
	columns := map[string]bool{}
	for _, n := range slices.Compact(all) {
		if column := aColumn().FindString(n); column == "" || !columns[column] {
			notes, columns[column] = append(notes, n), true
		}
	}
	slices.Reverse(notes)
	return notes
}

var aColumn = plain.LazyRegexp("`[^`]+`$") //nolint:gochecknoglobals // never changes; see plain.LazyRegexp

// measured are rows with what stands around the numbers of their columns.
func (q query) measured(rows [][]any) [][]any {
	values := append(slices.Clone(q.groups), q.picks...)
	if len(values) == 0 && q.title != "" && q.describe == nil && !q.files {
		for _, t := range q.scope.tables {
			for _, c := range t.cols {
				values = append(values, value{col: c})
			}
		}
	}
	truth := func(v value) bool { return v.col != nil && v.col.kind == isBool && v.fn == "" }
	if !slices.ContainsFunc(values, func(v value) bool { return truth(v) || v.measure() != unit{} }) {
		return rows
	}
	shown := make([][]any, len(rows))
	for i, row := range rows {
		shown[i] = slices.Clone(row)
		for at := range row[:min(len(row), len(values))] {
			if u := values[at].measure(); row[at] != nil && u != (unit{}) {
				shown[i][at] = u.around(cell(row[at]))
			}
			if n, is := row[at].(json.Number); is && truth(values[at]) { // as SQLite has them
				shown[i][at] = n != "0"
			}
		}
	}
	return shown
}

// measure is what stands around the numbers of a value.
func (v value) measure() unit {
	if v.col == nil || v.times != nil || v.unit != "" || !slices.Contains([]string{"", "avg", "sum", "min", "max", "median", "stddev"}, v.fn) {
		return unit{}
	}
	if v.in != "" && v.col.unit != (unit{}) {
		return unit{after: " " + v.in}
	}
	return v.col.unit
}

// best keeps the first row of a rank and returns what names it. Rows that are as
// good are noted.
func (res *result) best(q *query) any {
	by, at := len(res.columns)-1, 0
	if label := q.scope.main().label(); len(q.groups) == 0 {
		by = max(0, slices.Index(res.columns, q.order[0].col.name))
		if label != nil {
			at = max(0, slices.Index(res.columns, label.name))
		}
	}
	var same []string
	for _, row := range res.rows[1:] {
		if fmt.Sprint(row[by]) == fmt.Sprint(res.rows[0][by]) {
			same = append(same, cell(row[at]))
		}
	}
	if res.rows, res.count = res.rows[:1], 1; len(same) > 0 {
		q.notes = append(q.notes, q.translator.Say("as much: %s", strings.Join(same, ", ")))
	}
	return res.rows[0][at]
}

func (res result) markdown() string {
	head := make([]any, len(res.columns))
	for i, c := range res.columns {
		head[i] = c
	}
	var b strings.Builder
	for _, row := range slices.Concat([][]any{head, slices.Repeat([]any{"---"}, len(head))}, res.rows) {
		for _, v := range row {
			b.WriteString("| " + cell(v) + " ")
		}
		b.WriteString("|\n")
	}
	return strings.TrimSpace(b.String())
}

// cell is a value as a table shows it: on one line, short.
func cell(v any) string {
	s := fmt.Sprint(v)
	switch v := v.(type) {
	case nil:
		s = "–"
	case float64:
		s = digits(v)
	}
	s = strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ").Replace(s)
	if r := []rune(s); len(r) > maxCell {
		s = string(r[:maxCell]) + "…"
	}
	return s
}

// A number of more digits was worked out, and is shown with few decimals; its value in
// Data is whole.
const (
	maxDigits     = 12
	shownDecimals = 4
)

// digits are the 15 that a float64 holds, without zeros at the end.
func digits(v float64) string {
	s := strconv.FormatFloat(v, 'g', 15, 64)
	if rounded, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(v) >= 1e-6 && math.Abs(v) < 1e15 {
		s = strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	if whole, part, _ := strings.Cut(s, "."); len(whole)+len(part) > maxDigits && len(part) > shownDecimals && math.Abs(v) >= 1 { // it was worked out
		s = strings.TrimRight(strconv.FormatFloat(v, 'f', shownDecimals, 64), "0")
	}
	return s
}

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

	"yaap/core"
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

// reply shows a result: a value, a row of two whose first is the answer, or a
// table. A query without a title is SQL as it was typed.
func (res result) reply(q query) core.Reply {
	data := map[string]any{"columns": res.columns, "rows": res.rows, "row_count": float64(res.count), "truncated": res.truncated, "sql": res.sql}
	reply := core.Reply{Status: core.StatusSuccess, Thought: "I read this as: " + q.reads() + ".", Data: data}
	what := q.reads()
	if q.title == "" && q.describe == nil && !q.files {
		reply.Thought, what = "I read this as SQL and ran: "+res.sql, ""
	}
	switch {
	case res.count == 0:
		reply.Message = strings.TrimPrefix(what+": **no rows**.", ": ")
	case res.count == 1 && len(res.columns) == 1 && strings.HasPrefix(what, "rows in "), res.count == 1 && len(res.columns) == 1 && strings.HasPrefix(what, "different "):
		data["value"] = res.rows[0][0]
		reply.Message = fmt.Sprintf("**%s** %s", cell(res.rows[0][0]), what)
	case res.count == 1 && len(res.columns) == 1:
		data["value"] = res.rows[0][0]
		reply.Message = fmt.Sprintf("**%s**: %s", cell(res.rows[0][0]), cmp.Or(what, cell(res.columns[0])))
	case res.count == 1 && len(q.picks) == len(res.columns) && q.picks[0].fn != "":
		for i, v := range res.rows[0] {
			reply.Message += fmt.Sprintf("%s**%s** %s", map[bool]string{true: ", "}[i > 0], cell(v), q.picks[i].words())
		}
		reply.Message += ": " + what
	case res.count == 1 && len(res.columns) == 2 && q.best:
		data["value"] = res.rows[0][0]
		reply.Message = fmt.Sprintf("**%s** with %s: %s", cell(res.rows[0][0]), cell(res.rows[0][1]), what)
	default:
		if res.count > maxShown {
			more := map[bool]string{true: "more than "}[res.count > maxCounted]
			what += fmt.Sprintf(" (showing %d of %s%d rows)", maxShown, more, min(res.count, maxCounted))
		}
		reply.Message = strings.TrimLeft(what+":\n\n", ":\n ") + res.markdown()
	}
	if q.best && res.count == 1 && len(q.groups) == 0 {
		at := 0
		if label := q.scope.main().label(); label != nil {
			at = max(0, slices.Index(res.columns, label.name))
		}
		data["value"] = res.rows[0][at]
		reply.Message = "**" + cell(res.rows[0][at]) + "**: " + reply.Message
	}
	if r, size := utf8.DecodeRuneInString(reply.Message); strings.HasPrefix(reply.Message, what) {
		reply.Message = string(unicode.ToUpper(r)) + reply.Message[size:]
	}
	if len(q.notes) > 0 {
		slices.Sort(q.notes)
		notes := slices.Compact(q.notes)
		reply.Message += map[bool]string{true: "\n\n", false: " "}[strings.Contains(reply.Message, "\n")] + "(" + strings.Join(notes[:min(len(notes), 4)], "; ") + ".)"
	}
	return reply
}

func (res result) markdown() string {
	var b strings.Builder
	line := func(values []any) {
		for _, v := range values {
			b.WriteString("| " + cell(v) + " ")
		}
		b.WriteString("|\n")
	}
	head := make([]any, len(res.columns))
	for i, c := range res.columns {
		head[i] = c
	}
	line(head)
	line(slices.Repeat([]any{"---"}, len(head)))
	for _, row := range res.rows[:min(len(res.rows), maxShown)] {
		line(row)
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

// digits are the 15 that a float64 holds, without zeros at the end.
func digits(v float64) string {
	s := strconv.FormatFloat(v, 'g', 15, 64)
	if rounded, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(v) >= 1e-6 && math.Abs(v) < 1e15 {
		s = strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	return s
}

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

// reply shows a result as a value or a table, whose title may be empty.
func (res result) reply(title, thought string) core.Reply {
	data := map[string]any{"columns": res.columns, "rows": res.rows, "row_count": float64(res.count), "truncated": res.truncated, "sql": res.sql}
	var message string
	switch {
	case res.count == 0:
		message = strings.TrimPrefix(title+": no rows.", ": ")
	case res.count == 1 && len(res.columns) == 1:
		data["value"] = res.rows[0][0]
		message = fmt.Sprintf("%s: **%s**", cmp.Or(title, cell(res.columns[0])), cell(res.rows[0][0]))
	default:
		if res.count > maxShown {
			more := map[bool]string{true: "more than "}[res.count > maxCounted]
			title += fmt.Sprintf(" (showing %d of %s%d rows)", maxShown, more, min(res.count, maxCounted))
		}
		message = strings.TrimLeft(title+":\n\n", ":\n ") + res.markdown()
	}
	return core.Reply{Status: core.StatusSuccess, Thought: thought, Message: message, Data: data}
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
		s = strconv.FormatFloat(v, 'g', 8, 64)
		if math.Abs(v) >= 1e-4 && math.Abs(v) < 1e15 {
			s = strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(v, 'f', 4, 64), "0"), ".")
		}
	}
	s = strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ").Replace(s)
	if r := []rune(s); len(r) > maxCell {
		s = string(r[:maxCell]) + "…"
	}
	return s
}

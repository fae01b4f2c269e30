// Package data is the built-in expert for the tables below one directory: CSV,
// TSV, JSON and SQLite files. It answers in SQL what is asked in SQL or in
// plain words. Nothing is ever written: CSV and JSON are loaded into a private
// database in memory, and a SQLite file is read through a file system that
// holds that one open file and cannot write.
package data

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

// What one answer may cost and hold.
const (
	loadLimit  = 30 * time.Second
	timeLimit  = 5 * time.Second // of one statement
	maxPrompt  = 8 << 10
	maxFile    = 64 << 20 // bytes of a CSV or JSON file
	maxRows    = 1_000_000
	maxColumns = 1000
	maxValue   = 1 << 20   // bytes of a value within a statement
	maxMemory  = 256 << 20 // bytes that a statement may grow the process by
	maxCounted = 100_000   // rows of a result that are counted
	maxData    = 200       // rows in data
	maxReply   = 128 << 10 // bytes of the rows in data
	maxShown   = 20        // rows in a message
	maxCell    = 60        // characters of a cell in a message
)

type expert struct{ dir string }

// New returns the expert on the tables below dir.
func New(dir string) experts.Expert {
	e := expert{dir: dir}
	return experts.Expert{
		Name: "data",
		Description: "Answers questions about the rows and columns of tables: CSV, TSV, JSON and JSONL files and SQLite databases in the working directory. " +
			"Counts rows, sums, averages, minimum and maximum of a column, grouped by another and filtered by conditions; " +
			"lists and describes columns, shows the first rows, distinct values, the top entries; runs SQL SELECT queries, joins included, on files as tables. " +
			"Read-only: it never inserts, updates or deletes. It does not search source code or text documents.",
		Examples: []string{
			"how many rows are in sales.csv?",
			"average amount by region in sales.csv",
			"describe the columns of people.json",
			"SELECT region, sum(amount) FROM sales.csv GROUP BY region",
			"which tables are in app.db?",
		},
		Answer: e.answer,
	}
}

func (e expert) answer(ctx context.Context, q experts.Question) (core.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, loadLimit)
	defer cancel()
	root, err := os.OpenRoot(e.dir)
	if err != nil {
		return failed(ctx, &core.Error{Message: "The working directory cannot be opened.", Hint: "Is it still there?", Err: err})
	}
	defer func() { _ = root.Close() }() // nothing was written
	f := &folder{root: root, dir: e.dir, progress: q.Progress}
	prompt := clean(q.Prompt)

	statement, about := findSQL(prompt)
	if statement != "" {
		reply, err := f.runSQL(ctx, statement, about)
		if err != nil {
			return failed(ctx, err)
		}
		return reply, nil
	}
	reply, err := f.plain(ctx, prompt)
	if err != nil {
		return failed(ctx, err)
	}
	return reply, nil
}

func help() core.Reply {
	reply := experts.Clarify("I answer questions about CSV, TSV, JSON and SQLite files, but I do not see what is asked of which table. "+
		"Try “average amount by region in sales.csv” or “SELECT * FROM sales.csv LIMIT 5”.", "which data files are here?", "how many rows are in sales.csv?", "SELECT * FROM sales.csv LIMIT 5")
	reply.Thought = "Nothing here reads like a question about a table."
	return reply
}

// unclear is a question to ask back.
type unclear struct {
	message string
	options []string
}

func (u *unclear) Error() string { return u.message }

func failed(ctx context.Context, err error) (core.Reply, error) {
	var ask *unclear
	var known *core.Error
	switch {
	case errors.As(err, &ask):
		reply := experts.Clarify(ask.message, ask.options...)
		reply.Thought = "It is not clear what is meant."
		return reply, nil
	case errors.As(err, &known):
		return core.Reply{Status: core.StatusFailure, Thought: "It could not be done.", Message: strings.TrimSpace(known.Message + " " + known.Hint), Data: map[string]any{"error": known.Message}}, nil
	case errors.Is(err, errNotMine):
		return help(), nil
	case errors.Is(ctx.Err(), context.Canceled):
		return core.Reply{}, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return experts.Failure("That took too long. Ask for less: a condition, a LIMIT, fewer joins.", nil), nil
	}
	return experts.Failure("That could not be read: "+err.Error()+".", nil), nil
}

// answered turns a result into a reply.
func answered(res result, title, thought string) core.Reply {
	rows := make([]any, len(res.rows))
	for i, row := range res.rows {
		rows[i] = row
	}
	data := map[string]any{"columns": res.columns, "rows": rows, "row_count": float64(res.count), "truncated": res.truncated, "sql": res.sql}
	var b strings.Builder
	switch {
	case res.count == 0:
		b.WriteString("No rows")
		if title != "" {
			b.WriteString(": " + title)
		}
		b.WriteString(".")
	case res.count == 1 && len(res.columns) == 1:
		data["value"] = res.rows[0][0]
		fmt.Fprintf(&b, "%s: **%s**", or(title, cell(res.columns[0])), cell(res.rows[0][0]))
	default:
		b.WriteString(title)
		if res.count > maxShown {
			more := ""
			if res.truncated && res.count >= maxCounted {
				more = "more than "
			}
			fmt.Fprintf(&b, " (showing %d of %s%d rows)", maxShown, more, res.count)
		}
		if b.Len() > 0 {
			b.WriteString(":\n\n")
		}
		b.WriteString(markdown(res))
	}
	for _, note := range res.notes {
		b.WriteString("\n\n" + note)
	}
	return core.Reply{Status: core.StatusSuccess, Thought: thought, Message: strings.TrimSpace(b.String()), Data: data}
}

func markdown(res result) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	head, rule := make([]string, len(res.columns)), make([]string, len(res.columns))
	for i, c := range res.columns {
		head[i], rule[i] = cell(c), "---"
	}
	line(head)
	line(rule)
	for _, row := range res.rows[:min(len(res.rows), maxShown)] {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = cell(v)
		}
		line(cells)
	}
	return b.String()
}

func cell(v any) string {
	s := fmt.Sprint(v)
	switch v := v.(type) {
	case nil:
		s = "–"
	case float64:
		if s = strconv.FormatFloat(v, 'f', -1, 64); math.Abs(v) >= 0.01 && math.Abs(v) < 1e15 && len(s) > 8 {
			s = strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', 4, 64), "0"), ".")
		} else if math.Abs(v) >= 1e15 || len(s) > 24 {
			s = strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	s = strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ").Replace(s)
	if r := []rune(s); len(r) > maxCell {
		s = string(r[:maxCell]) + "…"
	}
	return s
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

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
	"os"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// What one answer may cost and hold.
const (
	wholeLimit = 30 * time.Second
	timeLimit  = 10 * time.Second // of one statement and the files it reads
	maxPrompt  = 8 << 10
	maxFile    = 32 << 20 // bytes of a CSV or JSON file
	maxLoads   = 20       // files of one statement
	maxRows    = 1_000_000
	maxColumns = 1000
	maxValue   = 1 << 20   // bytes of a value within a statement
	maxMemory  = 512 << 20 // bytes that an answer may grow the process by
	maxCounted = 100_000   // rows of a result that are counted
	maxData    = 200       // rows in an answer
	maxReply   = 128 << 10 // bytes of the rows in data
	maxInline  = 8         // values that are no table
	maxTies    = 6         // rows that are looked at for the first one
	maxCell    = 60        // characters of a cell in a message

	lookLimit = 300 * time.Millisecond // for the tables that examples are about
)

// sayable is a name that can stand in a question as it is.
//
//nolint:gochecknoglobals // never changes; see plain.LazyRegexp
var sayable = plain.LazyRegexp(`(?-i)^[A-Za-z_][\w-]*(?:\.\w{2,6})?$`)

type expert struct {
	dir   string
	cache catalogCache
}

// New returns the expert on the tables below dir.
func New(dir string) experts.Expert {
	e := &expert{dir: dir}
	return experts.Expert{
		Name: "data",
		Description: "Answers questions about the rows and columns of tables: CSV, TSV, JSON and JSONL files and SQLite databases in the working directory. " +
			"Counts rows, sums, averages, minimum and maximum of a column, grouped by another; " +
			"lists and describes columns, shows the first rows, the top entries, which has the most or the least; runs SQL SELECT queries, with conditions and joins, on files as tables. " +
			"Read-only: it never inserts, updates or deletes. It does not search source code or text documents.",
		Examples: []string{
			"how many rows are in sales.csv?",
			"average amount by region in sales.csv",
			"which tables are here?", // it can be answered in any directory
			"which region sold most in March?",
			"SELECT region, sum(amount) FROM sales.csv GROUP BY region",
		},
		Here:    e.examples,
		Context: true,
		Answer:  e.answer,
		Bid:     e.bid,
	}
}

// answer works in a goroutine of its own, since SQLite notices only between two
// steps that it is to stop, and a step can be long. When the time is over the
// answer is given up; what it holds is closed as soon as SQLite notices.
func (e *expert) answer(ctx context.Context, q experts.Question) (core.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, wholeLimit)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	type outcome struct {
		core.Reply
		error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- outcome{error: fmt.Errorf("panic: %v", p)}
			}
		}()
		reply, err := e.work(ctx, q)
		done <- outcome{reply, err}
	}()
	before := resident()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case o := <-done:
			return explained(ctx, o.Reply, o.error)
		case <-ctx.Done():
			return explained(ctx, core.Reply{}, context.Cause(ctx))
		case <-tick.C:
			if resident()-before > maxMemory {
				stop(&core.Error{Message: fmt.Sprintf("That needed more than %d MiB of memory.", maxMemory>>20), Hint: "Ask for less: a condition or a LIMIT."})
			}
		}
	}
}

// resident is the memory of this process in bytes, 0 where it cannot be told.
func resident() (bytes int64) {
	var size, pages int64
	if b, err := os.ReadFile("/proc/self/statm"); err == nil {
		_, _ = fmt.Sscan(string(b), &size, &pages) // pages stays 0
	}
	return pages * int64(os.Getpagesize())
}

// examples are questions about a table that is here; none where there is none.
func (e *expert) examples(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	if f, cat, err := e.open(ctx); err == nil {
		_ = f.root.Close()       // nothing was written
		e.cache.at = time.Time{} // nobody asks yet, and until somebody does files may come
		for _, t := range cat.tables {
			if asked := t.examples(); asked != nil {
				return append(asked, "which tables are here?")
			}
		}
	}
	return nil
}

// examples are questions about a table, none where its name is no plain word.
func (t *table) examples() []string {
	if !sayable().MatchString(t.name) {
		return nil
	}
	asked := []string{"how many rows are in " + t.name + "?"}
	for _, c := range t.cols {
		if c.kind == isNumber && sayable().MatchString(c.name) && !strings.HasSuffix(strings.ToLower(c.name), "id") {
			return append(asked, "average "+c.name+" in "+t.name)
		}
	}
	return asked
}

// open opens the directory and looks at its tables; the caller closes its root.
func (e *expert) open(ctx context.Context) (*folder, *catalog, error) {
	root, err := os.OpenRoot(e.dir)
	if err != nil {
		return nil, nil, &core.Error{Message: "The working directory cannot be opened.", Hint: "Is it still there?", Err: err}
	}
	f := &folder{root: root, dir: e.dir}
	cat, err := e.cache.catalog(ctx, f)
	if err != nil {
		_ = root.Close() // nothing was written
		return nil, nil, err
	}
	f.all = cat.files
	return f, cat, nil
}

func (e *expert) work(ctx context.Context, q experts.Question) (core.Reply, error) {
	f, cat, err := e.open(ctx)
	if err != nil {
		return core.Reply{}, err
	}
	defer func() { _ = f.root.Close() }() // nothing was written
	f.progress = q.Progress
	prompt := strings.ToValidUTF8(q.Prompt[:min(len(q.Prompt), maxPrompt)], "")
	return f.reply(ctx, cat, f.read(ctx, cat, prompt, q.Context))
}

// explained turns an error into a reply in words.
func explained(ctx context.Context, reply core.Reply, err error) (core.Reply, error) {
	var known *core.Error
	switch {
	case err == nil:
		return reply, nil
	case errors.As(context.Cause(ctx), &known):
		err = known
	}
	return plain.Translator{}.ErrorReply(ctx, err, "That took too long. Ask for less: a condition, a LIMIT, fewer joins.", "That could not be read: %s.")
}

package store

import (
	"context"
	"database/sql"
	"math"
)

// aLine are the conversations that make up one, itself first, each with the message
// before which it counts.
const aLine = `WITH RECURSIVE line(thread, upto, depth) AS (
	SELECT ?1, 9223372036854775807, 0
	UNION ALL SELECT parent, branch.upto, depth + 1 FROM line JOIN branch ON branch.thread = line.thread WHERE depth < 1000) `

// part is one of a line.
type part struct {
	thread string
	upto   int64 // messages from this one on do not count
}

func line(ctx context.Context, tx *sql.Tx, thread string) ([]part, error) {
	return collect(func(rows *sql.Rows) (p part, err error) {
		return p, rows.Scan(&p.thread, &p.upto)
	})(tx.QueryContext(ctx, aLine+"SELECT thread, upto FROM line ORDER BY depth", thread))
}

// before returns the parts of a conversation that lie before a run, or all of them. The
// first has messages, unless no part has.
func before(ctx context.Context, tx *sql.Tx, thread, run string) ([]part, error) {
	parts, err := line(ctx, tx, thread)
	if err != nil {
		return nil, err
	}
	first := func(query string, args ...any) (n int64, ok bool) {
		var found sql.NullInt64
		if err == nil {
			err = tx.QueryRowContext(ctx, query, args...).Scan(&found)
		}
		return found.Int64, found.Valid
	}
	if run != "" {
		for {
			n, ok := first("SELECT min(n) FROM message WHERE thread = ? AND run = ?", parts[0].thread, run)
			if ok || len(parts) == 1 {
				parts[0].upto = min(n, parts[0].upto)
				break
			}
			parts = parts[1:]
		}
	}
	for len(parts) > 1 {
		if _, ok := first("SELECT min(n) FROM message WHERE thread = ? AND n < ?", parts[0].thread, parts[0].upto); ok {
			break
		}
		parts = parts[1:]
	}
	return parts, err
}

const unbounded = int64(math.MaxInt64)

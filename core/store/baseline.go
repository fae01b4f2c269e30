package store

import (
	"context"
	"database/sql"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

// Baseline searches as FTS5 does without anything around it: the stem of every word of
// the question in the words of the entries, by its tokenizer porter. It is what
// [Store.Search] is measured against.
type Baseline struct{ store *Store }

// Baseline indexes what is in the store by now. The index is gone when the store is
// closed.
func (s *Store) Baseline(ctx context.Context) (*Baseline, error) {
	if _, err := s.writer.ExecContext(ctx, `
		DROP TABLE IF EXISTS temp.plain;
		CREATE VIRTUAL TABLE temp.plain USING fts5(scope, raw, content = '', tokenize = 'porter unicode61');
		INSERT INTO temp.plain(plain, rank) VALUES('rank', 'bm25(0.0, 1.0)');
		INSERT INTO temp.plain(rowid, scope, raw) SELECT seq, scope, raw FROM main.entry WHERE redacted_us IS NULL`); err != nil {
		return nil, s.fail("index", err)
	}
	return &Baseline{s}, nil
}

// Search returns entries, the best first. Of what it finds it tells no match.
func (p *Baseline) Search(ctx context.Context, q core.SearchQuery) ([]core.Found, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	words := strings.FieldsFunc(q.Text, between)
	if len(words) == 0 {
		return nil, nil
	}
	var found []core.Found
	err := transact(ctx, p.store.writer, func(tx *sql.Tx) error {
		in, err := newSearchScope(ctx, tx, q, filter{})
		if err != nil {
			return err
		}
		expression := in.scope + `raw : ("` + strings.Join(words, `" OR "`) + `")`
		entries, err := collect(p.store.entryRow)(tx.QueryContext(ctx, selectEntry+`
			JOIN (SELECT rowid AS hit, row_number() OVER (ORDER BY rank) AS place FROM temp.plain WHERE plain MATCH ? ORDER BY rank LIMIT ?)
			ON hit = seq ORDER BY place`, expression, limitOf(q)))
		for _, e := range entries {
			found = append(found, core.Found{Entry: e})
		}
		return err
	})
	return found, p.store.fail("search", err)
}

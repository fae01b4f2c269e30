package store

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"sync"

	"github.com/yaap-chat/yaap/core"
)

const maxReread = 32 << 20 // bytes of a conversation that is kept

// MessageCache reads a conversation again and again, and each time only what is new: messages
// never change. It keeps what it has read of one conversation, and nothing of it as soon
// as anything of it is forgotten. Its methods may be called from any goroutine.
type MessageCache struct {
	store *Store
	clean func(core.Message) core.Message

	mu       sync.Mutex
	thread   string
	parts    []readPart // of the conversation that is kept; nil: none is
	gone     int        // messages of any conversation that were forgotten when it was read
	messages []core.Message
	size     int // bytes
}

// readPart is how far one of the conversations that make up a line has been read. Where
// its last message is the same one, and nothing was forgotten meanwhile, they all are.
type readPart struct {
	thread string
	upto   int64  // behind the last message that was read
	last   string // the id of it
}

// NewMessageCache returns one that has read nothing. Each message is what clean makes of it.
func NewMessageCache(s *Store, clean func(core.Message) core.Message) *MessageCache {
	return &MessageCache{store: s, clean: clean}
}

// Messages is [Store.Messages]. The messages and what they point to are shared, and not to be
// changed.
func (r *MessageCache) Messages(ctx context.Context, thread string) ([]core.Message, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	tx, err := r.store.reader.BeginTx(ctx, nil) // what is read belongs together
	if err != nil {
		return nil, r.store.fail("read thread "+thread, err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	if err := r.read(ctx, tx, thread); err != nil {
		r.parts = nil
		return nil, r.store.fail("read the messages of thread "+thread, err)
	}
	messages := slices.Clip(r.messages) // what is appended here later is behind it
	if r.size > maxReread {
		r.parts, r.messages = nil, nil
	}
	return messages, nil
}

// read brings what is kept up to date, and is of that conversation then.
func (r *MessageCache) read(ctx context.Context, tx *sql.Tx, thread string) error {
	from, gone := int64(0), 0
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM forgotten").Scan(&gone); err != nil {
		return err
	}
	if r.thread == thread && len(r.parts) > 0 && gone == r.gone {
		from = r.parts[0].upto
		known, err := readParts(ctx, tx, thread, from)
		if err != nil {
			return err
		}
		if !slices.Equal(known, r.parts) {
			from = 0
		}
	}
	query, args := `SELECT message.id, body FROM message LEFT JOIN run ON run.id = message.run
		WHERE message.thread = ?1 AND n >= ?2 AND run.parent IS NULL ORDER BY n`, []any{thread, from}
	if from == 0 {
		r.thread, r.gone, r.parts, r.messages, r.size = thread, gone, nil, nil, 0
		query, args = aLine+`SELECT message.id, body FROM line JOIN message ON message.thread = line.thread AND n < line.upto LEFT JOIN run ON run.id = message.run
			WHERE run.parent IS NULL ORDER BY line.depth DESC, n`, args[:1]
	}
	added, err := collect(func(rows *sql.Rows) (m core.Message, err error) {
		var id, body string
		if err := rows.Scan(&id, &body); err != nil {
			return m, err
		}
		r.size += len(body)
		return decoded[core.Message](r.store, "message "+id, body)
	})(tx.QueryContext(ctx, query, args...))
	if err != nil {
		return err
	}
	for _, m := range added {
		r.messages = append(r.messages, r.clean(m))
	}
	if from == 0 {
		r.parts, err = readParts(ctx, tx, thread, math.MaxInt64)
		return err
	}
	own := &r.parts[0]
	return tx.QueryRowContext(ctx, `SELECT coalesce(max(n) + 1, ?2), coalesce((SELECT id FROM message WHERE thread = ?1 ORDER BY n DESC LIMIT 1), '')
		FROM message WHERE thread = ?1 AND n >= ?2`, thread, from).Scan(&own.upto, &own.last)
}

// readParts is what there is of a conversation now, of its own messages those before
// upto.
func readParts(ctx context.Context, tx *sql.Tx, thread string, upto int64) ([]readPart, error) {
	return collect(func(rows *sql.Rows) (p readPart, err error) {
		return p, rows.Scan(&p.thread, &p.upto, &p.last)
	})(tx.QueryContext(ctx, aLine+`, part AS (SELECT thread, depth, CASE depth WHEN 0 THEN ?2 ELSE upto END AS upto FROM line),
		end AS (SELECT part.*, coalesce((SELECT max(n) FROM message WHERE message.thread = part.thread AND n < part.upto), -1) AS n FROM part)
		SELECT thread, CASE depth WHEN 0 THEN n + 1 ELSE upto END,
			coalesce((SELECT id FROM message WHERE message.thread = end.thread AND message.n = end.n), '') FROM end ORDER BY depth`, thread, upto))
}

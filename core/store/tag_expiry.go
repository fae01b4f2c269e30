package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// never is the end of an entry that has none.
const never = math.MaxInt64

// expires is when the time of an entry is over, in microseconds.
const expires = "coalesce((SELECT until_us FROM entry_life WHERE entry_life.seq = entry.seq), expires_us, 9223372036854775807)"

// unexpired is a condition on an entry at a time in microseconds. Searches ask
// it of many entries, most of which have no end.
const unexpired = "CASE WHEN expires_us IS NULL AND entry.seq NOT IN (SELECT seq FROM entry_life) THEN true ELSE " + expires + " > ? END"

// corrected is the id of the entry that corrects an entry.
const corrected = `coalesce((SELECT later.id FROM entry AS later
	WHERE later.corrects = entry.id AND later.redacted_us IS NULL ORDER BY later.seq DESC LIMIT 1), '')`

// tagsBeside is what was said later about the tags of an entry, as an object in
// JSON.
const tagsBeside = "(SELECT json_group_object(key, value) FROM entry_tag WHERE entry_tag.seq = entry.seq)"

func expiryRecord(x core.Expiry) (record, error) {
	until := int64(never)
	if !x.At.IsZero() {
		until = x.At.UnixMicro()
	}
	return record{kind: kindExpiry, args: []any{x.Entry, until, x.Time.UnixMicro()}}, x.Check()
}

// merged returns the tags of an entry with what was said later. Without any it
// is nil.
func merged(own, beside string) (map[string]string, error) {
	var tags, later map[string]string
	if own != "{}" {
		if err := json.Unmarshal([]byte(own), &tags); err != nil {
			return nil, err
		}
	}
	if beside == "{}" {
		return tags, nil
	}
	if err := json.Unmarshal([]byte(beside), &later); err != nil {
		return nil, err
	}
	if tags == nil {
		tags = map[string]string{}
	}
	for key, value := range later {
		if tags[key] = value; value == "" {
			delete(tags, key)
		}
	}
	if len(tags) == 0 {
		return nil, nil
	}
	return tags, nil
}

// storeBeside stores what is said about an entry, whose id is its first
// argument.
func (s *Store) storeBeside(ctx context.Context, tx *sql.Tx, r record) error {
	var own, beside string
	var redacted bool
	err := tx.QueryRowContext(ctx, "SELECT tags, "+tagsBeside+", redacted_us IS NOT NULL FROM entry WHERE id = ?", r.args[0]).Scan(&own, &beside, &redacted)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return noEntry(fmt.Sprint(r.args[0]))
	case err != nil:
		return err
	case redacted: // nothing more is kept about it
		return nil
	}
	if r.kind == kindTag && r.args[2] != "" {
		tags, err := merged(own, beside)
		if err != nil {
			return err
		}
		if _, known := tags[fmt.Sprint(r.args[1])]; !known && len(tags) >= core.MaxTags {
			return core.Fail(core.CodeInvalid, fmt.Sprintf("the entry has %d tags already, and no more are allowed", len(tags)),
				"remove one first, with KEY= and nothing behind it")
		}
	}
	if _, err = tx.StmtContext(ctx, s.insert[r.kind]).ExecContext(ctx, r.args...); err != nil || r.kind != kindTag {
		return err
	}
	return s.indexParts(ctx, tx, "entry.id = ?", r.args[0])
}

// purged is how many entries are removed in one transaction.
const purged = 500

// PurgeExpired removes the entries whose time is over, and returns how many
// these were. It does not forget them: the messages that they were made of stay
// in their conversations. The places of those that were forgotten stay.
func (s *Store) PurgeExpired(ctx context.Context) (total int, err error) {
	now := time.Now().UnixMicro()
	for {
		done, err := s.writer.ExecContext(ctx, `
			DELETE FROM entry WHERE seq IN (
				SELECT seq FROM entry WHERE redacted_us IS NULL AND expires_us <= ?1 AND NOT EXISTS (SELECT 1 FROM entry_life WHERE entry_life.seq = entry.seq)
				UNION ALL SELECT entry_life.seq FROM entry_life JOIN entry ON entry.seq = entry_life.seq WHERE redacted_us IS NULL AND until_us <= ?1
				LIMIT ?2)`, now, purged)
		if err != nil {
			return total, s.fail("purge expired entries", err)
		}
		n, err := done.RowsAffected()
		if total += int(n); err != nil || n < purged {
			return total, err
		}
	}
}

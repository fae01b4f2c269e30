package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

const (
	commonWord  = 200 // entries from which on a word is not counted any further
	rareWords   = 60  // entries that the rarest words of a question may have together
	mentionMost = 40  // entries that are read for the words together, and for the rarest
)

// Mentions returns the newest entries of the user that hold all of the words that
// anybody used at all, and those that hold one of the rarest. It reads a bounded
// number of them, whatever the memory holds.
func (s *Store) Mentions(ctx context.Context, q core.MentionQuery) (core.Mentions, error) {
	var m core.Mentions
	if len(q.Words) > searchTerms {
		q.Words = q.Words[:searchTerms]
	}
	err := transact(ctx, s.reader, func(tx *sql.Tx) error { // what is read belongs together
		memory, err := numberOf(ctx, tx, q.Memory)
		if err == nil {
			m, err = s.mentions(ctx, tx, q, memory)
		}
		return err
	})
	return m, s.fail("search", err)
}

func (s *Store) mentions(ctx context.Context, tx *sql.Tx, q core.MentionQuery, memory int64) (m core.Mentions, err error) {
	if err := tx.QueryRowContext(ctx,
		"SELECT coalesce((SELECT max(seq) FROM entry WHERE memory = ?1) - (SELECT min(seq) FROM entry WHERE memory = ?1) + 1, 0)", memory).Scan(&m.All); err != nil {
		return m, err
	}
	m.Counts = make([]int, len(q.Words))
	var used, rare []string // expressions
	var order []int
	either := make([]string, len(q.Words))
	for i, word := range q.Words {
		if either[i] = anySpelling(word); either[i] == "" {
			continue
		}
		if err := tx.QueryRowContext(ctx,
			"SELECT count(*) FROM (SELECT 1 FROM "+ofMemory+" LIMIT ?)", either[i], memory, commonWord).Scan(&m.Counts[i]); err != nil {
			return m, err
		}
		if m.Counts[i] > 0 {
			used, order = append(used, either[i]), append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m.Counts[a], m.Counts[b]) })
	sum := 0
	for _, i := range order {
		if sum += m.Counts[i]; sum <= rareWords {
			rare = append(rare, either[i])
		}
	}
	var found []core.Entry
	for _, expression := range []string{strings.Join(used, " AND "), strings.Join(rare, " OR ")} {
		if expression == "" {
			continue
		}
		entries, err := s.saidByUser(ctx, tx, expression, memory)
		if err != nil {
			return m, err
		}
		found = append(found, entries...)
	}
	m.Entries, err = s.asCorrected(ctx, tx, found)
	m.Entries = m.Entries[:min(len(m.Entries), limitOf(core.SearchQuery{Limit: q.Limit}))]
	return m, err
}

// anySpelling returns the expression of FTS5 for a word in any of its
// spellings, empty for none.
func anySpelling(spellings []string) string {
	var parts []string
	for _, spelling := range spellings {
		word, begun := strings.CutSuffix(spelling, "*")
		if word = strings.Join(strings.FieldsFunc(word, between), " "); word == "" {
			continue
		}
		word = `"` + word + `"`
		if begun {
			word += " *"
		}
		parts = append(parts, word)
	}
	if len(parts) == 0 {
		return ""
	}
	return "{summary raw} : (" + strings.Join(parts, " OR ") + ")"
}

// ofMemory are the entries that an expression of FTS5 matches in a memory. To
// look them up is quicker than to have FTS5 keep to the scope.
const ofMemory = "entry_fts CROSS JOIN entry AS e ON e.seq = entry_fts.rowid WHERE entry_fts MATCH ? AND e.memory = ?"

// saidByUser returns the newest entries of the user that an expression of FTS5
// matches.
func (s *Store) saidByUser(ctx context.Context, tx *sql.Tx, expression string, memory int64) ([]core.Entry, error) {
	return collect(s.entryRow)(tx.QueryContext(ctx, selectEntry+`
		WHERE seq IN (SELECT e.seq FROM `+ofMemory+` AND e.role = 'user' AND e.redacted_us IS NULL ORDER BY entry_fts.rowid DESC LIMIT ?)
		AND `+unexpired+` ORDER BY seq DESC`,
		expression, memory, mentionMost, time.Now().UnixMicro()))
}

// asCorrected returns entries, the newest first, each once and as it was last
// corrected.
func (s *Store) asCorrected(ctx context.Context, tx *sql.Tx, entries []core.Entry) ([]core.Entry, error) {
	seen := map[string]bool{}
	out := make([]core.Entry, 0, len(entries))
	for _, e := range entries {
		if e.Corrected != "" {
			last, err := s.lastCorrection(ctx, tx, e)
			if err != nil {
				return nil, err
			}
			e = last
		}
		if !seen[e.ID] && e.Role == core.RoleUser {
			seen[e.ID] = true
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b core.Entry) int { return cmp.Compare(b.Seq, a.Seq) })
	return out, nil
}

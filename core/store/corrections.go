package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// corrections is how far corrections of corrections are followed.
const corrections = 32

// preferred puts what corrects an entry before it, also where the words are
// only in the entry. What a correction takes over of the entry's score is its
// part corrects; where no word hits it, its match goes on with that of the entry.
func (s *Store) preferred(ctx context.Context, tx *sql.Tx, found []core.Found, limit int, a *asked) ([]core.Found, error) {
	out := make([]core.Found, 0, len(found)+1)
	placed := make(map[string]bool, len(found))
	place := func(f core.Found) {
		if !placed[f.Entry.ID] {
			placed[f.Entry.ID] = true
			out = append(out, f)
		}
	}
	for _, f := range found {
		if f.Entry.Corrected != "" {
			last, err := s.lastCorrection(ctx, tx, f.Entry)
			if err != nil {
				return nil, err
			}
			c := core.Found{Entry: last, Parts: map[string]float64{}, Match: a.match(last)}
			if i := slices.IndexFunc(found, func(f core.Found) bool { return f.Entry.ID == last.ID }); i >= 0 {
				c = found[i]
			}
			if !strings.Contains(c.Match, "\x02") {
				c.Match += " (in place of: " + f.Match + ")"
			}
			if c.Score < f.Score {
				c.Parts["corrects"] = f.Score - c.Score
				c.Score = f.Score
			}
			place(c)
		}
		place(f)
	}
	return out[:min(len(out), limit)], nil
}

// lastCorrection returns the correction of an entry that is not corrected
// itself; the entry where none can be read.
func (s *Store) lastCorrection(ctx context.Context, tx *sql.Tx, e core.Entry) (core.Entry, error) {
	for seen := []string{e.ID}; e.Corrected != "" && len(seen) < corrections && !slices.Contains(seen[1:], e.Corrected); seen = append(seen, e.ID) {
		later, err := collect(s.entryRow)(tx.QueryContext(ctx,
			selectEntry+"WHERE entry.id = ? AND redacted_us IS NULL AND "+unexpired, e.Corrected, time.Now().UnixMicro()))
		if err != nil || len(later) == 0 {
			return e, err
		}
		e = later[0]
	}
	return e, nil
}

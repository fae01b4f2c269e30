package store

import (
	"context"
	"database/sql"

	"github.com/yaap-chat/yaap/core"
)

// maxStandings are kept, the newest: anybody may join under any name.
const maxStandings = 1000

// BidHistories returns the outcomes of the bids of experts.
func (s *Store) BidHistories(ctx context.Context) ([]core.BidHistory, error) {
	return list(ctx, s, "list what bids have come to", func(rows *sql.Rows) (e core.BidHistory, err error) {
		err = rows.Scan(&e.Expert, &e.Origin, &e.Prior, &e.Claimed, &e.Delivered, &e.Bids, &e.Awards, stamp{&e.Time})
		return e, err
	}, "SELECT expert, origin, prior, claimed, delivered, bids, awards, at_us FROM standing ORDER BY at_us, expert, origin")
}

// PutBidHistories stores the outcomes of the bids of experts, all or none, in place
// of what was stored of them. Of many experts those are dropped that were put longest ago.
func (s *Store) PutBidHistories(ctx context.Context, list ...core.BidHistory) error {
	return s.fail("put standings", transact(ctx, s.writer, func(tx *sql.Tx) error {
		for _, e := range list {
			if _, err := tx.ExecContext(ctx, `INSERT INTO standing(expert, origin, prior, claimed, delivered, bids, awards, at_us) VALUES(?, ?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT(expert, origin) DO UPDATE SET prior = excluded.prior, claimed = excluded.claimed, delivered = excluded.delivered,
					bids = excluded.bids, awards = excluded.awards, at_us = excluded.at_us`,
				e.Expert, e.Origin, e.Prior, e.Claimed, e.Delivered, e.Bids, e.Awards, e.Time.UnixMicro()); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM standing WHERE (expert, origin) IN (SELECT expert, origin FROM standing ORDER BY at_us DESC, expert LIMIT -1 OFFSET ?)", maxStandings)
		return err
	}))
}

// ForgetBidHistory removes what is known of the bids of an expert and the questions
// that it has learned, however it is reached and whatever the case of its name. It
// reports whether there was something.
func (s *Store) ForgetBidHistory(ctx context.Context, expert string) (forgotten bool, err error) {
	for _, table := range [...]string{"standing", "learned"} {
		done, err := s.writer.ExecContext(ctx, "DELETE FROM "+table+" WHERE lower(expert) = lower(?)", expert)
		if err != nil {
			return false, s.fail("forget expert "+expert, err)
		}
		n, _ := done.RowsAffected() // SQLite always tells
		forgotten = forgotten || n > 0
	}
	return forgotten, nil
}

// Learned returns the questions that experts have answered, the oldest first.
func (s *Store) Learned(ctx context.Context) ([]core.Learned, error) {
	return list(ctx, s, "list what experts have learned", func(rows *sql.Rows) (l core.Learned, err error) {
		err = rows.Scan(&l.Expert, &l.Origin, &l.Question, &l.Thread, &l.Run, stamp{&l.Time})
		return l, err
	}, "SELECT expert, origin, question, thread, run, at_us FROM learned ORDER BY no")
}

// Learn stores a question that an expert has answered, once. It is forgotten with
// the words of its run or of its conversation.
func (s *Store) Learn(ctx context.Context, l core.Learned) error {
	_, err := s.writer.ExecContext(ctx, `INSERT INTO learned(expert, origin, question, thread, run, at_us) VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		l.Expert, l.Origin, l.Question, l.Thread, l.Run, l.Time.UnixMicro())
	return s.fail("learn a question", err)
}

// Unlearn removes a question that an expert has learned; none is no error.
func (s *Store) Unlearn(ctx context.Context, l core.Learned) error {
	_, err := s.writer.ExecContext(ctx, "DELETE FROM learned WHERE expert = ? AND origin = ? AND question = ?", l.Expert, l.Origin, l.Question)
	return s.fail("unlearn a question", err)
}

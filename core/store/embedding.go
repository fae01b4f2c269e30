package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/yaap-chat/yaap/core"
)

const (
	maxVectors = 100_000 // the newest, that a search compares with
	alike      = 60      // entries that it takes of them
	fusion     = 60      // K of the reciprocal rank fusion
)

// Unembedded returns entries of a memory that a model has made no vector of
// yet, the newest first, at most limit of them.
func (s *Store) Unembedded(ctx context.Context, memory, model string, limit int) ([]core.Entry, error) {
	return list(ctx, s, "list what memory "+memory+" has no vectors of", s.entryRow, selectEntry+`
		WHERE entry.memory = `+memoryNo("?")+` AND redacted_us IS NULL AND `+unexpired+`
			AND NOT EXISTS (SELECT 1 FROM embedding WHERE embedding.seq = entry.seq AND model = ?)
		ORDER BY seq DESC LIMIT ?`, memory, time.Now().UnixMicro(), model, bound(limit))
}

// PutEmbeddings stores vectors of entries, all or none. Those of entries that
// were forgotten or purged meanwhile are dropped.
func (s *Store) PutEmbeddings(ctx context.Context, all ...core.Embedding) error {
	for _, e := range all {
		if err := e.Check(); err != nil {
			return err
		}
	}
	return s.fail("put embeddings", transact(ctx, s.writer, func(tx *sql.Tx) error {
		for _, e := range all {
			blob, err := binary.Append(nil, binary.LittleEndian, e.Vector)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `INSERT INTO embedding(seq, model, dim, v)
				SELECT seq, ?2, ?3, ?4 FROM entry WHERE seq = ?1 AND redacted_us IS NULL ON CONFLICT DO NOTHING`,
				e.Seq, e.Model, len(e.Vector), blob); err != nil {
				return err
			}
		}
		return nil
	}))
}

// nearest returns the entries whose vectors point most where the question's
// does, the best first.
func nearest(ctx context.Context, tx *sql.Tx, q core.SearchQuery, in shelf) ([]hit, error) {
	args := append(slices.Clone(in.args), maxVectors, q.Meaning.Model, len(q.Meaning.Vector))
	rows, err := tx.QueryContext(ctx, `
		WITH newest AS MATERIALIZED ( -- vectors are not to be sorted with them
			SELECT seq FROM entry WHERE `+in.where+` ORDER BY seq DESC LIMIT ?)
		SELECT newest.seq, v FROM newest CROSS JOIN embedding ON embedding.seq = newest.seq AND model = ? AND dim = ?`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	var best []hit
	buffer := make([]float32, len(q.Meaning.Vector))
	for rows.Next() {
		var h hit
		var v sql.RawBytes
		if err := rows.Scan(&h.seq, &v); err != nil {
			return nil, err
		}
		for i := range buffer {
			buffer[i] = math.Float32frombits(binary.LittleEndian.Uint32(v[4*i:]))
		}
		h.vector = float64(dot(q.Meaning.Vector, buffer))
		if best = append(best, h); len(best) >= 16*alike {
			best = closest(best)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	best = closest(best)
	places := make([]int64, len(best))
	for i, h := range best {
		places[i] = h.seq
	}
	idle, err := collect(func(rows *sql.Rows) (seq int64, err error) { return seq, rows.Scan(&seq) })(
		tx.QueryContext(ctx, "SELECT seq FROM entry WHERE seq IN ("+listed(places)+") AND tags ->> ? IS NOT NULL", core.TagStatus))
	for i, h := range best {
		if best[i].factor = 1; slices.Contains(idle, h.seq) {
			best[i].factor = noAnswer
		}
	}
	return best, err
}

func closest(hits []hit) []hit {
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.vector, a.vector), cmp.Compare(b.seq, a.seq)) })
	return hits[:min(len(hits), alike)]
}

// dot is the product of two vectors of one length. Four sums that do not wait
// for each other are three times as fast as one.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

// fuse orders hits by their places in two lists, that of the words and that of
// the vectors: their scores cannot be compared.
func fuse(words, vectors []hit) []hit {
	bySeq := make(map[int64]hit, len(words)+len(vectors))
	for place, h := range words {
		h.score = 1 / float64(fusion+place+1)
		bySeq[h.seq] = h
	}
	for place, v := range vectors {
		h, worded := bySeq[v.seq]
		if h.seq, h.vector = v.seq, v.vector; !worded {
			h.factor = v.factor
		}
		h.score += 1 / float64(fusion+place+1)
		bySeq[v.seq] = h
	}
	for seq, h := range bySeq {
		h.score *= h.factor
		bySeq[seq] = h
	}
	return ordered(bySeq)
}

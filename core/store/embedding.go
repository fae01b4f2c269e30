package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"slices"
	"time"

	"github.com/yaap-chat/yaap/core"
)

const (
	alike    = 60  // entries that a search takes for what they mean
	compared = 480 // vectors that it reads for them, at least
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

// likeness returns how much entries mean what the question means: 1 for that which does
// most, 0 for what does no more than the others that were compared. The signs of vectors
// say which are read and compared.
func (s *Store) likeness(ctx context.Context, tx *sql.Tx, q core.SearchQuery, in searchScope) (map[int64]float64, error) {
	vector := q.Meaning.Vector
	if len(vector) == 0 {
		return nil, nil
	}
	rows, all, err := s.signs.read(ctx, tx, q.Meaning.Model, len(vector))
	if err != nil {
		return nil, err
	}
	var read []near
	places := byLikeness(vector, rows, all, in.numbers)
	for size := compared; len(places) > 0 && len(read) < alike; size *= 4 { // a filter may let few through
		size = min(size, len(places))
		more, err := compare(ctx, tx, q.Meaning, in, places[:size])
		if err != nil {
			return nil, err
		}
		read, places = append(read, more...), places[size:]
	}
	slices.SortFunc(read, func(a, b near) int { return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(b.seq, a.seq)) })
	mean := 0. // of these, and of one that means nothing of it
	for _, n := range read {
		mean += n.cosine / float64(len(read)+1)
	}
	likeness := map[int64]float64{}
	for _, n := range read[:min(len(read), alike)] {
		if n.cosine > mean {
			likeness[n.seq] = (n.cosine - mean) / (read[0].cosine - mean)
		}
	}
	return likeness, nil
}

// near is an entry whose vector was compared.
type near struct {
	seq    int64
	cosine float64
}

// compare reads the vectors of entries that may be found.
func compare(ctx context.Context, tx *sql.Tx, with core.Embedding, in searchScope, places []int64) ([]near, error) {
	args := append(slices.Clone(in.args), with.Model, len(with.Vector))
	buffer := make([]float32, len(with.Vector))
	return collect(func(rows *sql.Rows) (n near, err error) {
		var v sql.RawBytes
		if err = rows.Scan(&n.seq, &v); err == nil {
			n.cosine = nearness(with.Vector, v, buffer)
		}
		return n, err
	})(tx.QueryContext(ctx, "SELECT seq, v FROM entry JOIN embedding USING(seq) WHERE "+in.where+
		" AND model = ? AND dim = ? AND seq IN ("+listed(places)+")", args...))
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

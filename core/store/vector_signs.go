package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// maxSigns is how many bytes of memory the vectors of a model may take: 240 000 vectors
// of 1 024 numbers. Of more, the newest are compared.
const maxSigns = 32 << 20

// signs are the vectors of one model in memory, a bit for each number: whether it is
// above zero. Vectors that point alike differ in few bits, which are counted a hundred
// times as fast as the numbers are multiplied, and take a thirty-second of the room.
type signs struct {
	mu    sync.Mutex
	model string
	dim   int
	last  int64   // the newest row of the table that was read
	rows  []owner // the oldest first
	bits  []uint64
}

// owner is whose vector it is.
type owner struct{ seq, memory int64 }

// forget drops all vectors. The next search reads them anew.
func (g *signs) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.model, g.dim, g.last, g.rows, g.bits = "", 0, 0, nil, nil
}

// read brings the vectors of a model up to what tx sees, and returns them. Nobody may
// write to what is returned.
func (g *signs) read(ctx context.Context, tx *sql.Tx, model string, dim int) ([]owner, []uint64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.model != model || g.dim != dim {
		g.model, g.dim, g.last, g.rows, g.bits = model, dim, 0, nil, nil
	}
	rows, err := tx.QueryContext(ctx, `
		SELECT embedding.no, embedding.seq, memory, v FROM embedding JOIN entry ON entry.seq = embedding.seq
		WHERE embedding.no > ? AND model = ? AND dim = ? ORDER BY embedding.no`, g.last, model, dim)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	most := maxSigns / (8 * (words(dim) + 2))
	for rows.Next() {
		var of owner
		var v sql.RawBytes
		if err := rows.Scan(&g.last, &of.seq, &of.memory, &v); err != nil {
			return nil, nil, err
		}
		if len(g.rows) >= most {
			g.rows, g.bits = slices.Clone(g.rows[most/2:]), slices.Clone(g.bits[most/2*words(dim):])
		}
		g.rows = append(g.rows, of)
		g.bits = appendSigns(g.bits, dim, func(i int) bool { return v[4*i+3]&0x80 == 0 }) // the sign of a float32
	}
	return g.rows, g.bits, rows.Err()
}

// words are those that hold the signs of a vector.
func words(dim int) int { return (dim + 63) / 64 }

func appendSigns(to []uint64, dim int, positive func(int) bool) []uint64 {
	for from := 0; from < dim; from += 64 {
		var word uint64
		for i := from; i < min(from+64, dim); i++ {
			if positive(i) {
				word |= 1 << (i - from)
			}
		}
		to = append(to, word)
	}
	return to
}

// byLikeness returns the places of the entries of some memories, of none for all, those
// first whose signs differ least from the vector's.
func byLikeness(vector []float32, rows []owner, all []uint64, memories []int64) []int64 {
	asked := appendSigns(nil, len(vector), func(i int) bool { return !math.Signbit(float64(vector[i])) })
	differing := make([]int32, len(rows))
	first := make([]int, len(vector)+2) // where those that differ in n signs begin
	for i, of := range rows {
		if len(memories) > 0 && !slices.Contains(memories, of.memory) {
			differing[i] = -1
			continue
		}
		var n int
		for j, word := range all[i*len(asked) : (i+1)*len(asked)] {
			n += bits.OnesCount64(word ^ asked[j])
		}
		differing[i] = int32(n) //nolint:gosec // at most the numbers of a vector
		first[n+1]++
	}
	for n := 1; n < len(first); n++ {
		first[n] += first[n-1]
	}
	order := make([]int64, first[len(first)-1])
	for i := len(rows) - 1; i >= 0; i-- { // the newest first
		if n := differing[i]; n >= 0 {
			order[first[n]] = rows[i].seq
			first[n]++
		}
	}
	return order
}

// nearness is the product of a vector and one that is stored.
func nearness(vector []float32, stored []byte, buffer []float32) float64 {
	for i := range buffer {
		buffer[i] = math.Float32frombits(binary.LittleEndian.Uint32(stored[4*i:]))
	}
	return float64(dot(vector, buffer))
}

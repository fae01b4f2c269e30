package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// Search returns the entries that say most about the words of q.Text, the best
// first: by BM25 over the stems of their words, their dates and tags, with the
// counts of the memories that are searched and of no other, summaries counting
// double. The words of what was said right before and after in the same thread count
// for an entry, too, but less; an answer is found by its question alone.
//
// What was said by one whose name the question has comes before others, and what was
// said in the time that it names. Questions come after statements, and what was no
// answer last. Words that say nothing are left out, unless there are no others. A
// question of nothing but a time or a filter finds the newest entries of it; one
// without words finds nothing. What has expired or was forgotten is not found.
//
// The filters from:, role:, before:, after: and tag: are read in the text; a fault in
// one fails with [core.CodeInvalid] and says what to write.
//
// What corrects an entry comes before it, and is found in its place.
//
// A word that ends with a star, boil* say, stands for all that begin with it; it
// has at least three characters. What is written as one, getUserName or core/store,
// is found whole and by its parts; of scripts that do not keep words apart, Chinese
// say, pairs of characters are.
//
// Where the question comes with a vector, the entries whose vectors of the same
// model are most alike are found, too: what they mean counts beside their words, for
// them and for what was said beside them, and for less than the words do. Two lists
// put together by reciprocal rank fusion found less than the words alone, with models
// as weak as two that were measured.
//
// The score is the sum of its parts: bm25, what its own words come to; vector, what it
// means; near, what those beside it add; speaker, date and question, what is added and
// taken away for these; status, what is taken away from what was no answer; and
// corrects, what it takes over from the entry that it corrects.
func (s *Store) Search(ctx context.Context, q core.SearchQuery) ([]core.Found, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	a, err := understand(q.Text, time.Now())
	if err != nil {
		return nil, err
	}
	if len(a.terms) == 0 && len(a.period.Words) == 0 && a.filter.empty() && len(q.Meaning.Vector) == 0 {
		return nil, nil
	}
	var found []core.Found
	err = transact(ctx, s.reader, func(tx *sql.Tx) (err error) { // what is read belongs together
		found, err = s.search(ctx, tx, q, a)
		return err
	})
	return found, s.fail("search", err)
}

func (s *Store) search(ctx context.Context, tx *sql.Tx, q core.SearchQuery, a *asked) ([]core.Found, error) {
	in, err := newSearchScope(ctx, tx, q, a.filter)
	if err != nil {
		return nil, err
	}
	likeness, err := s.likeness(ctx, tx, q, in)
	if err != nil {
		return nil, err
	}
	hits, err := rank(ctx, tx, in, a, likeness)
	if err != nil {
		return nil, err
	}
	hits = hits[:min(len(hits), limitOf(q))]
	entries, err := s.entriesAt(ctx, tx, hits)
	if err != nil {
		return nil, err
	}
	found := make([]core.Found, 0, len(hits))
	for _, h := range hits {
		e, ok := entries[h.seq]
		if !ok {
			continue
		}
		f := core.Found{Entry: e, Score: h.score, Parts: h.parts, Match: a.match(e)}
		if f.Parts == nil {
			f.Parts = map[string]float64{}
		}
		found = append(found, f)
	}
	return s.preferred(ctx, tx, found, limitOf(q), a)
}

// entriesAt returns the entries that are hits, by their places.
func (s *Store) entriesAt(ctx context.Context, tx *sql.Tx, hits []hit) (map[int64]core.Entry, error) {
	places := make([]int64, len(hits))
	for i, h := range hits {
		places[i] = h.seq
	}
	entries, err := collect(s.entryRow)(tx.QueryContext(ctx, selectEntry+"WHERE seq IN ("+listed(places)+")"))
	bySeq := make(map[int64]core.Entry, len(entries))
	for _, e := range entries {
		bySeq[e.Seq] = e
	}
	return bySeq, err
}

// listed is a list of SQL.
func listed(places []int64) string {
	var b strings.Builder
	for i, p := range places {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(p, 10))
	}
	return b.String()
}

// searchScope is what is searched: some memories, and of these what a filter lets through.
type searchScope struct {
	numbers  []int64 // of the memories; none: all
	scope    string  // the expression of FTS5 that keeps to the memories; empty: all
	memories string  // so does this condition on entry
	where    string  // what an entry is to be, to be found; its first argument is the time
	args     []any
	narrow   bool // that is more than to be of the memories, and remembered
}

func newSearchScope(ctx context.Context, tx *sql.Tx, q core.SearchQuery, f filter) (in searchScope, err error) {
	in.numbers = make([]int64, len(q.Memories))
	tokens := make([]string, len(q.Memories))
	for i, id := range q.Memories {
		if in.numbers[i], err = numberOf(ctx, tx, id); err != nil {
			return in, err
		}
		tokens[i] = fmt.Sprintf("m%d", in.numbers[i])
	}
	in.memories = "true"
	if len(q.Memories) > 0 {
		in.scope = "scope : (" + strings.Join(tokens, " OR ") + ") AND "
		in.memories = "memory IN (" + listed(in.numbers) + ")"
	}
	in.where, in.args = in.memories+" AND redacted_us IS NULL AND "+unexpired, []any{time.Now().UnixMicro()}
	in.where += f.where
	in.args = append(in.args, f.args...)
	in.narrow = !f.empty()
	return in, nil
}

// hit is an entry and what speaks for it.
type hit struct {
	seq   int64
	parts map[string]float64
	score float64
}

// ordered returns hits, the best first.
func ordered(bySeq map[int64]hit) []hit {
	return slices.SortedFunc(maps.Values(bySeq), func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.seq, a.seq))
	})
}

func limitOf(q core.SearchQuery) int { return cmp.Or(q.Limit, defaultLimit) }

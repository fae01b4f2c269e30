package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"yaap/core"
)

const (
	searchHits  = 100 // entries that a search looks at for their own words
	searchWords = 32  // of the question
	wordLength  = 64  // characters
	nearby      = 0.5 // of its score is what an entry gives to those before and after it
	matchWords  = 24  // in Found.Match
	matchLength = 240 // characters of it, where no word is hit
)

// Search returns the entries that say most about the words of q.Text, the best
// first: by BM25 over the stems of their words and their dates, summaries
// counting double. An entry also gets a share of what the entries before and
// after it in its thread have, and is found by that alone where it answers
// what they ask. Words that say nothing are left out, unless there are no
// others. What has expired or was forgotten is not found; a question without
// words finds nothing.
//
// What corrects an entry comes before it, and is found in its place. The parts
// of the score are bm25 and near; and corrects, what it takes over from there.
func (s *Store) Search(ctx context.Context, q core.SearchQuery) ([]core.Found, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	words := terms(q.Text)
	if len(words) == 0 {
		return nil, nil
	}
	found, err := s.search(ctx, q, words)
	if err != nil {
		return nil, s.fail("search", err)
	}
	return found, nil
}

func (s *Store) search(ctx context.Context, q core.SearchQuery, words []string) ([]core.Found, error) {
	tx, err := s.reader.BeginTx(ctx, nil) // what is read belongs together
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	scope, err := scopeOf(ctx, tx, q.Memories)
	if err != nil {
		return nil, err
	}
	anyOf := strings.Join(words, " OR ")
	hits, err := rank(ctx, tx, q.Thread, scope+"{summary raw day} : ("+anyOf+")")
	if err != nil {
		return nil, err
	}
	found := make([]core.Found, 0, cmp.Or(q.Limit, defaultLimit))
	for _, h := range hits {
		if len(found) == cap(found) {
			break
		}
		e, err := collect(s.entryRow)(tx.QueryContext(ctx,
			selectEntry+"WHERE seq = ? AND redacted_us IS NULL AND "+unexpired, h.seq, time.Now().UnixMicro()))
		if err != nil {
			return nil, err
		}
		if len(e) == 0 { // a neighbour that has expired, say
			continue
		}
		f := core.Found{Entry: e[0], Score: h.own + h.near, Parts: map[string]float64{"bm25": h.own, "near": h.near}}
		if f.Match, err = match(ctx, tx, e[0], "{summary raw} : ("+anyOf+")"); err != nil {
			return nil, err
		}
		found = append(found, f)
	}
	return s.preferred(ctx, tx, found, cap(found), "{summary raw} : ("+anyOf+")")
}

// scopeOf returns the condition that keeps a search inside these memories.
func scopeOf(ctx context.Context, tx *sql.Tx, memories []string) (string, error) {
	if len(memories) == 0 {
		return "", nil
	}
	tokens := make([]string, len(memories))
	for i, id := range memories {
		var no sql.NullInt64
		if err := tx.QueryRowContext(ctx, "SELECT "+memoryNo("?"), id).Scan(&no); err != nil {
			return "", err
		}
		if !no.Valid {
			return "", noMemory(id)
		}
		tokens[i] = fmt.Sprintf("m%d", no.Int64)
	}
	return "scope : (" + strings.Join(tokens, " OR ") + ") AND ", nil
}

// hit is an entry and what speaks for it.
type hit struct {
	seq       int64
	own, near float64
}

// rank returns the entries that an expression of FTS5 matches and their
// neighbours, the best first.
func rank(ctx context.Context, tx *sql.Tx, thread, expression string) ([]hit, error) {
	type row struct {
		seq, before, after int64
		score              float64
	}
	rows, err := collect(func(rows *sql.Rows) (r row, err error) {
		return r, rows.Scan(&r.seq, &r.score, &r.before, &r.after)
	})(tx.QueryContext(ctx, `
		WITH hit AS MATERIALIZED (
			SELECT entry.seq, entry.memory, entry.thread, -entry_fts.rank AS score
			FROM entry_fts CROSS JOIN entry ON entry.seq = entry_fts.rowid
			WHERE entry_fts MATCH ? AND ? IN ('', entry.thread) AND `+unexpired+` ORDER BY entry_fts.rank LIMIT ?)
		SELECT seq, score,
			coalesce((SELECT max(seq) FROM entry WHERE thread = hit.thread AND thread <> '' AND memory = hit.memory AND seq < hit.seq), 0),
			coalesce((SELECT min(seq) FROM entry WHERE thread = hit.thread AND thread <> '' AND memory = hit.memory AND seq > hit.seq), 0)
		FROM hit`, expression, thread, time.Now().UnixMicro(), searchHits))
	if err != nil {
		return nil, err
	}
	bySeq := make(map[int64]hit, 3*len(rows))
	for _, r := range rows {
		bySeq[r.seq] = hit{seq: r.seq, own: r.score, near: bySeq[r.seq].near}
		for _, seq := range []int64{r.before, r.after} {
			if seq != 0 {
				h := bySeq[seq]
				h.seq, h.near = seq, h.near+nearby*r.score
				bySeq[seq] = h
			}
		}
	}
	hits := make([]hit, 0, len(bySeq))
	for _, h := range bySeq {
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.own+b.near, a.own+a.near), cmp.Compare(b.seq, a.seq))
	})
	return hits, nil
}

// match returns the words of an entry around what the expression hits, or its
// beginning where that is nothing.
func match(ctx context.Context, tx *sql.Tx, e core.Entry, expression string) (string, error) {
	// Text is valid UTF-8, so that these two bytes are in no entry; the marks
	// that the caller sees may be.
	marks := strings.NewReplacer("\x02", "", "\x03", "", "\xfe", "\x02", "\xff", "\x03")
	snippets, err := collect(func(rows *sql.Rows) (text string, err error) {
		return text, rows.Scan(&text)
	})(tx.QueryContext(ctx, "SELECT snippet(entry_fts, -1, ?, ?, '…', ?) FROM entry_fts WHERE entry_fts MATCH ? AND rowid = ?",
		"\xfe", "\xff", matchWords, expression, e.Seq))
	if err != nil {
		return "", err
	}
	if len(snippets) > 0 {
		return marks.Replace(snippets[0]), nil
	}
	text := []rune(e.Raw)
	if len(text) > matchLength {
		text = append(text[:matchLength], '…')
	}
	return marks.Replace(string(text)), nil
}

// terms returns the words of a question as FTS5 takes them, each once. Nothing
// that FTS5 would understand otherwise is left.
func terms(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Co) })
	var telling, all []string
	for _, word := range words {
		if r := []rune(word); len(r) > wordLength {
			word = string(r[:wordLength])
		}
		word = strings.ToLower(word)
		term := `"` + word + `"`
		if len(all) < searchWords && !slices.Contains(all, term) {
			all = append(all, term)
		}
		if len(telling) < searchWords && !idle(word) && !slices.Contains(telling, term) {
			telling = append(telling, term)
		}
	}
	if len(telling) == 0 {
		return all
	}
	return telling
}

// idle reports whether a word says nothing about what is looked for.
func idle(word string) bool {
	switch word {
	case "a", "about", "again", "all", "also", "am", "an", "and", "any", "are", "aren", "as", "at",
		"be", "because", "been", "before", "being", "both", "but", "by",
		"can", "cannot", "could", "couldn",
		"d", "did", "didn", "do", "does", "doesn", "doing", "don", "done", "during",
		"each", "either", "else", "ever",
		"few", "for", "from", "further",
		"get", "give", "gave", "got",
		"had", "hadn", "has", "hasn", "have", "haven", "having", "he", "her", "here", "hers", "him", "his", "how",
		"i", "if", "in", "into", "is", "isn", "it", "its",
		"just", "let", "ll",
		"m", "may", "me", "might", "mine", "more", "most", "much", "must", "my", "myself",
		"no", "nor", "not", "now",
		"of", "off", "on", "once", "one", "only", "or", "other", "our", "ours", "out", "over", "own",
		"please", "re",
		"s", "same", "say", "said", "shall", "she", "should", "shouldn", "so", "some", "such",
		"t", "tell", "told", "than", "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "this", "those", "through", "to", "too",
		"until", "up", "us", "use", "used",
		"ve", "very",
		"was", "wasn", "we", "were", "weren", "what", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "with", "won", "would", "wouldn",
		"yes", "yet", "you", "your", "yours", "yourself":
		return true
	}
	return false
}

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
	"unicode"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
)

const (
	searchHits  = 60   // entries that a search looks at for their own words
	searchWords = 32   // of the question
	wordLength  = 64   // characters
	wordBegin   = 3    // characters at least before a star
	searchBegun = 4    // words with a star
	commonest   = 1e-6 // is what FTS5 lets a word weigh that most entries have
	onward      = 0.7  // of its score is what an entry gives to the one after it: answers follow questions
	backward    = 0.2  // and to the one before it
	matchWords  = 24   // in Found.Match
	matchLength = 240  // characters of it, where no word is hit
)

// Search returns the entries that say most about the words of q.Text, the best
// first: by BM25 over the stems of their words and their dates, summaries
// counting double. An entry also gets a share of what the entries before and
// after it in its thread have, most of the one before it, and is found by that
// alone where it answers what they ask. Words that say nothing are left out, unless there are no
// others. What has expired or was forgotten is not found; a question without
// words finds nothing.
//
// What corrects an entry comes before it, and is found in its place.
//
// A word that ends with a star, boil* say, stands for all that begin with it; it
// has at least three characters.
//
// Of scripts that do not keep words apart, Chinese say, pairs of characters are
// looked for in the newest entries.
//
// Where the question comes with a vector, the entries whose vectors of the same
// model are most alike are found, too, and the order is that of both lists by
// reciprocal rank fusion.
//
// The parts of the score are bm25 and near; and corrects, what it takes over
// from the entry that it corrects. With a vector bm25 and near are what the
// place among the words came from, and vector is the likeness.
func (s *Store) Search(ctx context.Context, q core.SearchQuery) ([]core.Found, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	words := terms(q.Text)
	if len(words) == 0 && len(q.Meaning.Vector) == 0 {
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
	var hits []hit
	pairs, begun := pairs(q.Text), beginnings(q.Text)
	if len(words) > 0 {
		if hits, err = rank(ctx, tx, q, scope+anyOf(words, begun), pairs); err != nil {
			return nil, err
		}
	}
	if len(q.Meaning.Vector) > 0 {
		vectors, err := nearest(ctx, tx, q)
		if err != nil {
			return nil, err
		}
		hits = fuse(hits, vectors)
	}
	hits = hits[:min(len(hits), limitOf(q))]
	entries, err := s.entriesAt(ctx, tx, hits)
	if err != nil {
		return nil, err
	}
	stems := make(map[string]bool, len(words))
	for _, word := range words {
		stems[stem(word)] = true
	}
	for _, part := range slices.Concat(pairs, begun) {
		stems[part] = true
	}
	found := make([]core.Found, 0, len(hits))
	for _, h := range hits {
		e, ok := entries[h.seq]
		if !ok {
			continue
		}
		f := core.Found{Entry: e, Score: h.score, Parts: map[string]float64{"bm25": h.own, "near": h.near}, Match: match(e, stems)}
		if len(q.Meaning.Vector) > 0 {
			f.Parts["vector"] = h.vector
		}
		found = append(found, f)
	}
	return s.preferred(ctx, tx, found, limitOf(q), stems)
}

// entriesAt returns the entries that are hits, by their places.
func (s *Store) entriesAt(ctx context.Context, tx *sql.Tx, hits []hit) (map[int64]core.Entry, error) {
	places := make([]string, len(hits))
	for i, h := range hits {
		places[i] = strconv.FormatInt(h.seq, 10)
	}
	entries, err := collect(s.entryRow)(tx.QueryContext(ctx, selectEntry+"WHERE seq IN ("+strings.Join(places, ", ")+")"))
	bySeq := make(map[int64]core.Entry, len(entries))
	for _, e := range entries {
		bySeq[e.Seq] = e
	}
	return bySeq, err
}

// anyOf returns the expression of FTS5 for any of the words, or of those that
// begin in one of the other ways. The tokens of scopes are kept out: to look
// into some columns only costs a third more time, and is done where a word may
// be taken for one.
func anyOf(words, begun []string) string {
	columns := ""
	for _, word := range words {
		if len(word) > 1 && word[0] == 'm' && strings.Trim(word[1:], "0123456789") == "" {
			columns = "{summary raw day} : "
		}
	}
	either := `"` + strings.Join(words, `" OR "`) + `"`
	for _, b := range begun {
		either += ` OR "` + strings.TrimSuffix(b, "*") + `" *`
	}
	return columns + "(" + either + ")"
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
	seq               int64
	own, near, vector float64
	score             float64
}

// ordered returns hits, the best first.
func ordered(bySeq map[int64]hit) []hit {
	return slices.SortedFunc(maps.Values(bySeq), func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.seq, a.seq))
	})
}

// rank returns the entries that an expression of FTS5 matches, or that hold
// some of the pairs, and their neighbours, the best first.
func rank(ctx context.Context, tx *sql.Tx, q core.SearchQuery, expression string, pairs []string) ([]hit, error) {
	scanned, err := scan(ctx, tx, q, pairs)
	if err != nil {
		return nil, err
	}
	type row struct {
		seq, before, after int64
		score              float64
	}
	const beside = "thread = nullif(hit.thread, '') AND memory = hit.memory AND redacted_us IS NULL AND seq NOT IN over"
	now := time.Now().UnixMicro()
	rows, err := collect(func(rows *sql.Rows) (r row, err error) {
		return r, rows.Scan(&r.seq, &r.score, &r.before, &r.after)
	})(tx.QueryContext(ctx, `
		WITH over AS MATERIALIZED (
			SELECT seq FROM entry WHERE expires_us <= ?3 AND seq NOT IN (SELECT seq FROM entry_life)
			UNION ALL SELECT seq FROM entry_life WHERE until_us <= ?3),
		matched AS MATERIALIZED ( -- ORDER BY rank would make FTS5 count the words twice
			SELECT rowid AS seq, -rank AS score FROM entry_fts
			WHERE entry_fts MATCH ?1 AND (?2 = '' OR rowid IN (SELECT seq FROM entry WHERE thread = ?2))
				AND rowid NOT IN over
			ORDER BY score DESC LIMIT ?4),
		scored AS MATERIALIZED (
			SELECT seq, sum(score) AS score FROM (SELECT * FROM matched UNION ALL SELECT value ->> 0, value ->> 1 FROM json_each(?5))
			GROUP BY seq ORDER BY score DESC LIMIT ?4),
		hit AS (SELECT scored.seq, score, memory, thread FROM scored CROSS JOIN entry ON entry.seq = scored.seq)
		SELECT seq, score,
			coalesce((SELECT max(seq) FROM entry WHERE `+beside+` AND seq < hit.seq), 0),
			coalesce((SELECT min(seq) FROM entry WHERE `+beside+` AND seq > hit.seq), 0)
		FROM hit`, expression, q.Thread, now, searchHits, scanned))
	if err != nil {
		return nil, err
	}
	scale, best := 1.0, 0.0
	for _, r := range rows {
		best = max(best, r.score)
	}
	if best < 1000*commonest { // there are no other words, as in a memory of a few entries
		scale = 1 / commonest
	}
	bySeq := make(map[int64]hit, 3*len(rows))
	for _, r := range rows {
		r.score *= scale
		bySeq[r.seq] = hit{seq: r.seq, own: r.score, near: bySeq[r.seq].near}
		for seq, share := range map[int64]float64{r.before: backward, r.after: onward} {
			if seq != 0 {
				h := bySeq[seq]
				h.seq, h.near = seq, h.near+share*r.score
				bySeq[seq] = h
			}
		}
	}
	for seq, h := range bySeq {
		h.score = h.own + h.near
		bySeq[seq] = h
	}
	return ordered(bySeq), nil
}

// match returns the words of an entry around those that are hit, its own rather
// than those of the summary, or its beginning where none is.
func match(e core.Entry, stems map[string]bool) string {
	for _, text := range []string{e.Raw, e.Summary} {
		words := finer(text, tokens(text), stems)
		first, last := densest(words, stems)
		if first < 0 {
			continue
		}
		begin := max(0, first-(matchWords-(last-first+1))/2)
		end := min(len(words), begin+matchWords)
		var b strings.Builder
		at := words[begin].start
		if begin == 0 {
			at = 0
		} else {
			b.WriteString("…")
		}
		for _, w := range words[begin:end] {
			if stems[w.stem] {
				b.WriteString(unmarked(text[at:w.start]) + "\x02" + text[w.start:w.end] + "\x03")
				at = w.end
			}
		}
		if end == len(words) {
			b.WriteString(unmarked(text[at:]))
		} else {
			b.WriteString(unmarked(text[at:words[end-1].end]) + "…")
		}
		return strings.ReplaceAll(b.String(), "\x03\x02", "") // hits that touch are one
	}
	text := []rune(e.Raw)
	if len(text) > matchLength {
		text = append(text[:matchLength], '…')
	}
	return unmarked(string(text))
}

// unmarked is a text without the marks of hits.
func unmarked(text string) string { return strings.NewReplacer("\x02", "", "\x03", "").Replace(text) }

// densest returns the first and the last hit of the passage that has the most
// different ones, or -1.
func densest(words []token, stems map[string]bool) (first, last int) {
	first, best := -1, 0
	for i, w := range words {
		if !stems[w.stem] {
			continue
		}
		seen, end := map[string]bool{}, i
		for j, other := range words[i:min(i+matchWords, len(words))] {
			if stems[other.stem] {
				seen[other.stem], end = true, i+j
			}
		}
		if len(seen) > best {
			first, last, best = i, end, len(seen)
		}
	}
	return first, last
}

// terms returns the words of a question, each once. Nothing that FTS5 would
// understand otherwise between quotes is in them.
func terms(text string) []string {
	words := strings.FieldsFunc(text, between)
	var telling, all []string
	for _, word := range words {
		if r := []rune(word); len(r) > wordLength {
			word = string(r[:wordLength])
		}
		for _, word := range spellings(strings.ToLower(word)) {
			if len(all) < searchWords && !slices.Contains(all, word) {
				all = append(all, word)
			}
			if len(telling) < searchWords && !idle(word) && !slices.Contains(telling, word) {
				telling = append(telling, word)
			}
		}
	}
	if len(telling) == 0 {
		return all
	}
	return telling
}

// spellings returns a word, and how else it is written: the index does not know
// that ß is ss where there is no key for it.
func spellings(word string) []string {
	switch {
	case strings.Contains(word, "ß"):
		return []string{word, strings.ReplaceAll(word, "ß", "ss")}
	case strings.Contains(word, "ss"):
		return []string{word, strings.ReplaceAll(word, "ss", "ß")}
	}
	return []string{word}
}

// between reports whether a character is in no word.
func between(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Co) }

// beginnings returns the words of a question that end with a star, with it.
func beginnings(text string) []string {
	var all []string
	for part := range strings.SplitAfterSeq(text, "*") {
		words := strings.FieldsFunc(part, between)
		if len(words) == 0 || len(all) == searchBegun {
			continue
		}
		last := strings.ToLower(words[len(words)-1])
		if n := utf8.RuneCountInString(last); strings.HasSuffix(part, words[len(words)-1]+"*") && n >= wordBegin && n <= wordLength {
			all = append(all, last+"*")
		}
	}
	return all
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
		"please", "re", "recall", "remember", "remind",
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

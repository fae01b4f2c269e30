package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
)

// The index has words, and some scripts do not tell where these begin and end:
// a sentence in Chinese is one word of it. What a question has of such scripts
// is looked for in the newest entries themselves, by pairs of characters.

const (
	searchPairs = 24      // of the question
	searchNew   = 10_000  // entries of the memories
	searchBytes = 8 << 20 // of their texts
)

// running reports whether a character is of a script that is written without
// spaces between words, or, as in Korean, between a word and what is said of it.
func running(r rune) bool {
	return r > unicode.MaxLatin1 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// pairs returns the neighbours among the running characters of a text, each pair
// once, and those that stand alone.
func pairs(text string) []string {
	var all []string
	for _, run := range strings.FieldsFunc(text, func(r rune) bool { return !running(r) }) {
		chars := []rune(run)
		for i := range max(len(chars)-1, 1) {
			pair := string(chars[i:min(i+2, len(chars))])
			if len(all) < searchPairs && !slices.Contains(all, pair) {
				all = append(all, pair)
			}
		}
	}
	return all
}

// scan returns the entries that hold most of the pairs, as an array in JSON of
// their places and scores. A pair weighs the more the fewer entries have it.
func scan(ctx context.Context, tx *sql.Tx, q core.SearchQuery, pairs []string) (string, error) {
	if len(pairs) == 0 {
		return "[]", nil
	}
	where, args := "", []any{}
	if len(q.Memories) > 0 {
		where = "memory = " + memoryNo("?") + " AND " // with IN, all texts of a memory would be sorted
		if more := len(q.Memories) - 1; more > 0 {
			where = "memory IN (SELECT no FROM memory WHERE id IN (?" + strings.Repeat(", ?", more) + ")) AND "
		}
		for _, id := range q.Memories {
			args = append(args, id)
		}
	}
	if q.Thread != "" {
		where += "thread = ? AND "
		args = append(args, q.Thread)
	}
	args = append(args, time.Now().UnixMicro(), searchNew)
	type row struct {
		seq    int64
		text   string
		counts []float64 // of each pair
	}
	var holding []row
	having, left := make([]float64, len(pairs)), searchBytes
	for r, err := range stream(func(rows *sql.Rows) (r row, err error) {
		return r, rows.Scan(&r.seq, &r.text)
	})(tx.QueryContext(ctx, "SELECT seq, raw FROM entry WHERE "+where+"redacted_us IS NULL AND "+unexpired+" ORDER BY seq DESC LIMIT ?", args...)) {
		if err != nil {
			return "", err
		}
		for i, pair := range pairs {
			if n := strings.Count(r.text, pair); n > 0 {
				if r.counts == nil {
					r.counts = make([]float64, len(pairs))
				}
				r.counts[i] = float64(n)
				having[i]++
			}
		}
		left -= len(r.text)
		if r.text = ""; r.counts != nil {
			holding = append(holding, r)
		}
		if left < 0 {
			break
		}
	}
	scores := make([][2]float64, len(holding)) // a place is exact up to 2^53
	for i, r := range holding {
		scores[i][0] = float64(r.seq)
		for j, n := range r.counts {
			scores[i][1] += math.Log1p(float64(len(holding))/max(having[j], 1)) * 2.2 * n / (n + 1.2)
		}
	}
	slices.SortStableFunc(scores, func(a, b [2]float64) int { return cmp.Compare(b[1], a[1]) }) // the newest first
	text, err := json.Marshal(scores[:min(len(scores), searchHits)])
	return string(text), err
}

// finer splits words into their running characters and what is between these.
// A character that is hit with one of its neighbours has their pair as its stem;
// a word that is hit by its beginning has that.
func finer(text string, words []token, stems map[string]bool) []token {
	begun := map[string]string{} // by the beginning as the index has it
	for part := range stems {
		if begin, ok := strings.CutSuffix(part, "*"); ok {
			begun[stem(begin)] = part
		}
	}
	if len(begun) == 0 && !strings.ContainsFunc(text, running) {
		return words
	}
	var all []token
	for _, w := range words {
		before := ""
		for at := w.start; at < w.end; {
			r, size := utf8.DecodeRuneInString(text[at:w.end])
			if !running(r) {
				size = w.end - at
				if n := strings.IndexFunc(text[at:w.end], running); n >= 0 {
					size = n
				}
				t := token{at, at + size, stem(text[at : at+size])}
				for begin, part := range begun {
					if !stems[t.stem] && strings.HasPrefix(t.stem, begin) {
						t.stem = part
					}
				}
				all, before = append(all, t), ""
				at += size
				continue
			}
			t := token{at, at + size, string(r)}
			_, next := utf8.DecodeRuneInString(text[t.end:w.end])
			for _, pair := range []string{t.stem, text[t.start : t.end+next], before + t.stem} {
				if stems[pair] {
					t.stem = pair
					break
				}
			}
			all, before = append(all, t), string(r)
			at += size
		}
	}
	return all
}

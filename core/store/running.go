package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"yaap/core"
)

// The index has words, and some scripts do not tell where these begin and end:
// a sentence in Chinese is one word of it. What a question has of such scripts
// is looked for in the newest entries themselves, by pairs of characters.

const (
	searchPairs = 24     // of the question
	searchNew   = 10_000 // entries of the memories
	searchClose = 1000   // of these, which hold most pairs
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
	for _, pair := range pairs {
		args = append(args, pair)
	}
	if len(q.Memories) > 0 {
		where = "entry.memory IN (SELECT no FROM memory WHERE id IN (?" + strings.Repeat(", ?", len(q.Memories)-1) + ")) AND "
		for _, id := range q.Memories {
			args = append(args, id)
		}
	}
	args = append(args, q.Thread, time.Now().UnixMicro(), searchNew, searchClose)
	type row struct {
		seq  int64
		text string
	}
	rows, err := collect(func(rows *sql.Rows) (r row, err error) {
		return r, rows.Scan(&r.seq, &r.text)
	})(tx.QueryContext(ctx, `
		WITH held AS MATERIALIZED ( -- texts are not to be sorted with it
			SELECT seq, (instr(raw, ?) > 0)`+strings.Repeat(" + (instr(raw, ?) > 0)", len(pairs)-1)+` AS n FROM (
				SELECT seq, raw FROM entry WHERE `+where+`? IN ('', thread) AND redacted_us IS NULL AND `+unexpired+` ORDER BY seq DESC LIMIT ?)
			WHERE n > 0 ORDER BY n DESC, seq DESC LIMIT ?)
		SELECT held.seq, raw FROM held CROSS JOIN entry ON entry.seq = held.seq`, args...))
	if err != nil {
		return "", err
	}
	scores := make([][2]float64, len(rows)) // a place is exact up to 2^53
	for _, pair := range pairs {
		having := 0.0
		for _, r := range rows {
			if strings.Contains(r.text, pair) {
				having++
			}
		}
		for i, r := range rows {
			n := float64(strings.Count(r.text, pair))
			scores[i][0] = float64(r.seq)
			scores[i][1] += math.Log1p(float64(len(rows))/max(having, 1)) * 2.2 * n / (n + 1.2)
		}
	}
	slices.SortFunc(scores, func(a, b [2]float64) int {
		if a[1] != b[1] {
			return int(math.Copysign(1, b[1]-a[1]))
		}
		return int(math.Copysign(1, b[0]-a[0]))
	})
	text, err := json.Marshal(scores[:min(len(scores), searchHits)])
	return string(text), err
}

// finer splits words into their running characters and what is between these.
// A character that is hit with one of its neighbours has their pair as its stem;
// a word that is hit by its beginning has that.
func finer(text string, words []token, stems map[string]bool) []token {
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
				for part := range stems {
					if begun, ok := strings.CutSuffix(part, "*"); ok && !stems[t.stem] && strings.HasPrefix(t.stem, stem(begun)) {
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

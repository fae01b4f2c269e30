package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
)

// The index takes for one word what stands between two marks: a sentence in
// Chinese, getUserName. The parts of such words, and the values of tags, are in an
// index beside it.

const (
	searchPairs = 24     // of a question
	partsLength = 16_384 // bytes of the parts of an entry
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

// pairEnd is where the pair ends that a running character of a word begins: with the
// character, where no other follows.
func pairEnd(text string, u, word token) int {
	if next, size := utf8.DecodeRuneInString(text[u.end:word.end]); size > 0 && running(next) {
		return u.end + size
	}
	return u.end
}

// humps returns the words that are written as one: get User Name, HTTP Server.
func humps(word string) []string {
	var parts []string
	start := 0
	runes := []rune(word)
	for i := 1; i < len(runes); i++ {
		upper := unicode.IsUpper(runes[i])
		if upper && !unicode.IsUpper(runes[i-1]) || upper && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			parts = append(parts, string(runes[start:i]))
			start = i
		}
	}
	return append(parts, string(runes[start:]))
}

// partsOf returns the parts of the words of an entry and the values of its tags,
// each once.
func partsOf(e core.Entry) string {
	seen := map[string]bool{}
	var b strings.Builder
	add := func(part string) {
		if part = strings.ToLower(part); !seen[part] && b.Len()+len(part) < partsLength {
			seen[part] = true
			b.WriteString(part + " ")
		}
	}
	for _, text := range []string{e.Raw, e.Summary} {
		for _, t := range tokens(text) {
			for _, u := range units(text, t) {
				if u.running {
					add(text[u.start:pairEnd(text, u, t)])
				} else {
					add(text[u.start:u.end])
				}
			}
		}
	}
	for _, w := range strings.FieldsFunc(tagWords(e.Tags), between) {
		add(w)
	}
	return b.String()
}

// tagWords are the words of tags, but for those that the memory sets itself.
func tagWords(tags map[string]string) string {
	if len(tags) == 0 {
		return ""
	}
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		if key != "summary_by" && key != core.TagStatus {
			b.WriteString(key + " " + tags[key] + "\n")
		}
	}
	return b.String()
}

// indexParts brings the index of the parts of entries up to date.
func (s *Store) indexParts(ctx context.Context, tx *sql.Tx, where string, args ...any) error {
	entries, err := collect(s.entryRow)(tx.QueryContext(ctx, selectEntry+"WHERE redacted_us IS NULL AND "+where, args...))
	if err != nil {
		return err
	}
	for _, e := range entries {
		statement := `INSERT INTO entry_part(seq, scope, words) SELECT seq, scope, ?2 FROM entry WHERE seq = ?1
			ON CONFLICT(seq) DO UPDATE SET words = excluded.words WHERE words <> excluded.words`
		words := partsOf(e)
		if words == "" {
			statement = "DELETE FROM entry_part WHERE seq = ?1 AND ?2 = ''"
		}
		if _, err := tx.ExecContext(ctx, statement, e.Seq, words); err != nil {
			return err
		}
	}
	return nil
}

// partOld indexes the parts of the entries of a database of before there was an index of them.
func (s *Store) partOld(ctx context.Context, tx *sql.Tx) error {
	var last int64
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0) FROM entry").Scan(&last); err != nil {
		return err
	}
	for from := int64(0); from <= last; from += partedAtOnce {
		if err := s.indexParts(ctx, tx, "seq > ? AND seq <= ?", from, from+partedAtOnce); err != nil {
			return err
		}
	}
	return nil
}

const partedAtOnce = 1000 // entries

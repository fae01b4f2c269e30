package store

import (
	"os"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
)

// indexed returns the stems that SQLite makes of a text, in order.
func indexed(t *testing.T, s *Store, text string) []string {
	t.Helper()
	if _, err := s.writer.ExecContext(t.Context(), `
		CREATE VIRTUAL TABLE IF NOT EXISTS temp.word USING fts5(text, tokenize = 'porter unicode61 remove_diacritics 2');
		CREATE VIRTUAL TABLE IF NOT EXISTS temp.stem USING fts5vocab('temp', 'word', 'instance');
		DELETE FROM temp.word`); err != nil {
		t.Fatal(err)
	}
	must.Get(s.writer.ExecContext(t.Context(), "INSERT INTO temp.word(text) VALUES(?)", text))(t)
	var stems []string
	rows := must.Get(s.writer.QueryContext(t.Context(), "SELECT term FROM temp.stem ORDER BY offset"))(t)
	defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
	for rows.Next() {
		var stem string
		must.Do(t, rows.Scan(&stem))
		stems = append(stems, stem)
	}
	must.Do(t, rows.Err())
	return stems
}

func TestWordsHaveTheStemsThatTheIndexHas(t *testing.T) {
	s := must.Get(Open(t.Context(), t.TempDir()))(t)
	t.Cleanup(func() {
		must.Report(t, s.Close())
	})
	said := must.Get(os.ReadFile("../memory/eval/testdata/chat.jsonl"))(t)
	var made strings.Builder
	for _, base := range []string{"a", "y", "cat", "sky", "hop", "hopp", "trouble", "plast", "motor", "happ", "relat", "radic", "electr", "adjust", "enroll", "fall", "yes", "sy", "ab", "oat", "tree", "ss", "syzyg"} {
		for _, ending := range strings.Fields("s es ies sses ss ed eed ing ated izing bled y ly ational tional enci anci izer logi bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent sion tion ion ou ism ate iti ous ive ize e ee ll lled") {
			made.WriteString(base + ending + " ")
		}
	}
	for _, text := range []string{
		string(said), made.String(), "Ünïcödé CAFÉ e\u0301te\u0301 Straße ŁÓDŹ Øre ĐÀ ẫ naïve 東京 Москва ΑΘΗΝΑ मराठी x² Ⅷ ①", strings.Repeat("long", 20) + "ing",
		"don't snake_case camelCase 10.20.4.17:9200 v1.2.3-rc_1",
	} {
		var got []string
		for _, token := range tokens(text) {
			got = append(got, stem(text[token.start:token.end]))
		}
		want := indexed(t, s, text)
		if len(got) != len(want) {
			t.Errorf("%.60q has %d words, the index %d", text, len(got), len(want))
		}
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("%q is %q in the index, not %q", text, want[i], got[i])
				break
			}
		}
	}
}

package store

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

func TestEntriesAndContextsAreAppendOnly(t *testing.T) {
	s := remembering(t)
	mustPut(t, s, core.Memory{ID: "n", Vault: "v", Title: "n"}, storetest.Note("m", "e", "words"), core.ContextDoc{ID: "c", Memory: "m", Content: "words"})
	const redact = "UPDATE entry SET raw = '', summary = '', tags = '{}', reason = '', redacted_us = 1"
	for _, statement := range []string{
		"UPDATE entry SET raw = 'other'", "UPDATE entry SET summary = ''", `UPDATE entry SET tags = '{"k":"v"}'`, "UPDATE entry SET raw = ''",
		"UPDATE entry SET redacted_us = 1", redact + ", memory = 2", redact + ", id = 'x'", redact + ", seq = 9", redact + ", message = 'x'",
		redact + ", role = 'tool'", redact + ", created_us = 9", redact + ", expires_us = 9", redact + ", corrects = 'x'", redact + ", thread = 'x'",
		redact + ", part = 9", redact + ", day = 'x'", redact + ", reason = 'x'", redact + ", raw = 'x'",
		"DELETE FROM entry", "INSERT OR REPLACE INTO entry SELECT seq, id, memory, thread, message, part, role, 'other', summary, tags, corrects, reason, day, created_us, expires_us, redacted_us FROM entry",
		"UPDATE context SET content = 'other'",
	} {
		if _, err := s.writer.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v, want it refused", statement, err)
		}
	}
	must.Equal(t, "e", search(t, s, core.SearchQuery{Text: "words"}))
	if _, err := s.writer.ExecContext(t.Context(), redact); err != nil {
		t.Error(err)
	}
	if _, err := s.writer.ExecContext(t.Context(), redact); err == nil {
		t.Error("an entry is redacted twice")
	}
	must.Equal(t, "", search(t, s, core.SearchQuery{Text: "words"}))
}

func TestWhatHasExpiredIsPurged(t *testing.T) {
	s := remembering(t)
	var rows []core.Row
	for n := range 5 {
		gone := storetest.Note("m", fmt.Sprint("gone", n), "a secret word")
		gone.Expires = storetest.At(n)
		rows = append(rows, gone)
	}
	mustPut(t, s, append(rows, storetest.Note("m", "stays", "a secret word"))...)
	must.Equal(t, "stays", search(t, s, core.SearchQuery{Text: "secret", Memories: []string{"m"}}))
	for _, want := range []int{5, 0} {
		if n, err := s.PurgeExpired(t.Context()); err != nil || n != want {
			t.Errorf("%d are purged, %v; want %d", n, err, want)
		}
	}
	left, err := s.Entries(t.Context(), "m", core.EntryQuery{IncludeExpired: true})
	if err != nil || len(left) != 1 || left[0].ID != "stays" {
		t.Errorf("left are %v, %v", left, err)
	}
	if _, err := s.writer.ExecContext(t.Context(), "INSERT INTO entry_fts(entry_fts, rank) VALUES('integrity-check', 1); INSERT INTO part_fts(part_fts, rank) VALUES('integrity-check', 1)"); err != nil {
		t.Errorf("the index does not fit the entries: %v", err)
	}
	mustPut(t, s, storetest.Note("m", "new", "words"))
	if e, err := s.Entry(t.Context(), "new"); err != nil || e.Seq <= left[0].Seq {
		t.Errorf("%+v, %v: a place is given out twice", e, err)
	}
}

func TestTwoWindowsRememberInOneMemory(t *testing.T) {
	const putters, puts = 2, 15
	dir := t.TempDir()
	windows := []*Store{openIn(t, dir), openIn(t, dir)}
	mustPut(t, windows[0], append(storetest.Recall("m"), storetest.Begin("a")...)...)
	mustPut(t, windows[0], core.Recording{Thread: "a", Memory: "m"})
	var all sync.WaitGroup
	for w, s := range windows {
		for p := range putters {
			all.Go(func() {
				for n := range puts {
					id := fmt.Sprintf("%d-%d-%d", w, p, n)
					e := storetest.Note("m", id, "words of "+id)
					e.Message = fmt.Sprintf("%d-%d", p, n) // both windows record it
					if err := s.Put(t.Context(), storetest.Say("a", "a/run", e.Message), e); err != nil {
						t.Errorf("Put %s: %v", id, err)
					}
					if _, err := s.Search(t.Context(), core.SearchQuery{Text: id, Memories: []string{"m"}}); err != nil {
						t.Errorf("Search: %v", err)
					}
				}
			})
		}
	}
	all.Wait()
	for _, s := range windows {
		got := 0
		for before := int64(0); ; {
			page := must.Get(s.Entries(t.Context(), "m", core.EntryQuery{Limit: 50, Before: before}))(t)
			if len(page) == 0 {
				break
			}
			got, before = got+len(page), page[len(page)-1].Seq
		}
		if got != putters*puts {
			t.Errorf("%d entries, want %d", got, putters*puts)
		}
		if left, err := s.Unrecorded(t.Context(), "m", 0); err != nil || len(left) != 1 {
			t.Errorf("%d are unrecorded, %v; want the first question alone", len(left), err)
		}
	}
	if _, err := windows[0].writer.ExecContext(t.Context(), "INSERT INTO entry_fts(entry_fts, rank) VALUES('integrity-check', 1); INSERT INTO part_fts(part_fts, rank) VALUES('integrity-check', 1)"); err != nil {
		t.Errorf("the index does not fit the entries: %v", err)
	}
}

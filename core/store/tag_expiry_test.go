package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

func TestACorrectionIsFoundBeforeWhatItCorrects(t *testing.T) {
	s := remembering(t)
	note := func(id, raw, corrects string) core.Entry {
		e := storetest.Note("m", id, raw)
		e.Summary, e.Corrects = "", corrects
		return e
	}
	mustPut(t, s,
		note("wrong", "the boiler, the boiler in the cellar, is a Vaillant", ""),
		note("other", "the boiler of the neighbour", ""),
		note("better", "no, the boiler is a Viessmann that somebody sold us long ago", "wrong"),
		note("right", "it is a Buderus", "better"))
	for _, c := range []struct {
		q    core.SearchQuery
		want string
	}{
		{core.SearchQuery{Text: "boiler"}, "right wrong better other"},
		{core.SearchQuery{Text: "Vaillant"}, "right wrong"}, // although it is not about that word
		{core.SearchQuery{Text: "Vaillant", Limit: 1}, "right"},
		{core.SearchQuery{Text: "Buderus"}, "right"},
	} {
		if c.q.Text == "Vaillant" && c.q.Limit == 0 {
			c.q.Limit = 2
		}
		if got := search(t, s, c.q); got != c.want {
			t.Errorf("%+v: %q, want %q", c.q, got, c.want)
		}
	}
	found := must.Get(s.Search(t.Context(), core.SearchQuery{Text: "boiler"}))(t)
	last := found[0].Score
	for _, f := range found {
		sum := 0.0
		for _, part := range f.Parts {
			sum += part
		}
		if diff := f.Score - sum; diff > 1e-9 || diff < -1e-9 || f.Score > last {
			t.Errorf("%s: the parts %v do not come to %v, or it is better than the one before", f.Entry.ID, f.Parts, f.Score)
		}
		last = f.Score
	}
	if found[1].Entry.Corrected != "better" || found[0].Entry.Corrected != "" {
		t.Errorf("it is not told what is corrected: %+v", found)
	}
	must.Equal(t, "it is a Buderus (in place of: the \x02boiler\x03, the \x02boiler\x03 in the cellar, is a Vaillant)", found[0].Match)
	must.Do(t, forgotten(t, s, core.ForgetQuery{Entry: "right"})) // and with it what it corrects
	must.Equal(t, "other", search(t, s, core.SearchQuery{Text: "boiler"}))
}

func TestCorrectionsThatGoInACircleEnd(t *testing.T) {
	s := remembering(t)
	for i, id := range []string{"a", "b", "c"} {
		e := storetest.Note("m", id, "round and round")
		e.Corrects = []string{"c", "a", "b"}[i]
		mustPut(t, s, e)
	}
	if got := search(t, s, core.SearchQuery{Text: "round"}); len(strings.Fields(got)) != 3 {
		t.Errorf("found %q, want all three", got)
	}
	mustPut(t, s, core.Expiry{Entry: "a", At: storetest.At(1), Time: storetest.At(1)})
	if n, err := s.PurgeExpired(t.Context()); n != 3 || err != nil {
		t.Errorf("%d purged, %v", n, err)
	}
}

func TestATimeThatWasSetLaterIsPurgedToo(t *testing.T) {
	s := remembering(t)
	var rows []core.Row
	const n = purged + 20
	for i := range n {
		id := fmt.Sprint("gone", i)
		rows = append(rows, storetest.Note("m", id, "a secret word"), core.Expiry{Entry: id, At: storetest.At(2), Time: storetest.At(2)})
	}
	saved, fix := storetest.Note("m", "saved", "a secret word"), storetest.Note("m", "fix", "a better word")
	saved.Expires, fix.Corrects = storetest.At(2), "fixed"
	mustPut(t, s, append(rows, saved, core.Expiry{Entry: "saved", Time: storetest.At(2)},
		storetest.Note("m", "fixed", "a wrong word"), fix, core.Expiry{Entry: "fix", At: storetest.At(2), Time: storetest.At(2)})...)
	must.Equal(t, "saved", search(t, s, core.SearchQuery{Text: "secret"}))
	for _, want := range []int{n + 2, 0} {
		if got, err := s.PurgeExpired(t.Context()); err != nil || got != want {
			t.Errorf("%d are purged, %v; want %d", got, err, want)
		}
	}
	left, err := s.Entries(t.Context(), "m", core.EntryQuery{IncludeExpired: true})
	if err != nil || len(left) != 1 || left[0].ID != "saved" {
		t.Errorf("left are %v, %v; want the one that was saved", left, err)
	}
	if _, err := s.writer.ExecContext(t.Context(), "INSERT INTO entry_fts(entry_fts, rank) VALUES('integrity-check', 1); INSERT INTO part_fts(part_fts, rank) VALUES('integrity-check', 1)"); err != nil {
		t.Errorf("the index does not fit the entries: %v", err)
	}
}

func TestThePlaceOfAForgottenEntryIsNotPurged(t *testing.T) {
	s := remembering(t)
	e := storetest.Note("m", "e", "words")
	e.Expires = time.Now().Add(time.Hour)
	mustPut(t, s, e, core.Expiry{Entry: "e", At: storetest.At(1), Time: storetest.At(1)})
	must.Do(t, forgotten(t, s, core.ForgetQuery{Entry: "e"}))
	if n, err := s.PurgeExpired(t.Context()); n != 0 || err != nil {
		t.Errorf("%d purged, %v", n, err)
	}
	mustPut(t, s, e) // the words do not come back
	left, err := s.Entries(t.Context(), "m", core.EntryQuery{IncludeExpired: true})
	if err != nil || len(left) != 1 || left[0].Redacted.IsZero() || left[0].Raw != "" {
		t.Errorf("left are %v, %v; want the place alone", left, err)
	}
}

func TestNothingIsSaidAboutAForgottenEntry(t *testing.T) {
	s := remembering(t)
	mustPut(t, s, storetest.Note("m", "e", "words"))
	must.Do(t, forgotten(t, s, core.ForgetQuery{Entry: "e"}))
	mustPut(t, s, core.Tag{Entry: "e", Key: "k", Value: "words", Time: time.Now()}, core.Expiry{Entry: "e", At: storetest.At(1), Time: time.Now()})
	if e, err := s.Entry(t.Context(), "e"); err != nil || e.Tags != nil || !e.Expires.IsZero() {
		t.Errorf("%+v, %v", e, err)
	}
}

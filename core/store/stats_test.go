package store

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

func TestTheStatsOfAMemoryCountWhatIsInIt(t *testing.T) {
	s := full(t)
	mustPut(t, s, append(storetest.Begin("a"), core.Recording{Thread: "a", Memory: "n"})...)
	mustPut(t, s, core.Memory{ID: "empty", Vault: "v", Title: "zzz"})
	first, last := storetest.At(1), storetest.At(1)
	want := []core.MemoryStats{
		{Vault: "default", Memory: "about-m", ID: "m", Entries: 4, Corrections: 1, Redacted: 1, Expired: 1, Contexts: 2, Tags: 2, First: first, Last: last},
		{Vault: "default", Memory: "n", ID: "n", Entries: 1, Waiting: 1, First: first, Last: last},
		{Vault: "default", Memory: "zzz", ID: "empty"},
	}
	got, err := s.MemoryStats(t.Context(), "")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	got, err = s.MemoryStats(t.Context(), "n")
	if diff := cmp.Diff(want[1:2], got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if _, err := s.MemoryStats(t.Context(), "nowhere"); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("an unknown memory: %v, want %s", err, core.CodeNotFound)
	}
	if n, err := s.Size(); err != nil || n < 50_000 {
		t.Errorf("the database has %d bytes, %v", n, err)
	}
}

func TestAnEntryIsFoundByItsPlace(t *testing.T) {
	s := full(t)
	want := must.Get(s.Entry(t.Context(), "rich"))(t)
	place := strconv.FormatInt(want.Seq, 10)
	for _, name := range []string{"rich", place, "#" + place} {
		got, err := s.FindEntry(t.Context(), name)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", name, err, diff)
		}
	}
	if e, err := s.FindEntry(t.Context(), "expired"); err != nil || e.Raw == "" || !e.Expired(time.Now()) {
		t.Errorf("the entry that has expired is %+v, %v", e, err)
	}
	for _, name := range []string{"#999", "0", "", "-1", "#", "nowhere"} {
		if _, err := s.FindEntry(t.Context(), name); core.CodeOf(err) != core.CodeNotFound || core.HintOf(err) == "" {
			t.Errorf("%q: %v, want %s with a hint", name, err, core.CodeNotFound)
		}
	}
}

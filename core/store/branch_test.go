package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// saysIn puts questions into a conversation, each a run of its own with an answer.
func saysIn(t *testing.T, s *store.Store, thread string, questions ...string) {
	t.Helper()
	for _, q := range questions {
		scope := core.Scope{Thread: thread, Run: q, Trace: q}
		now := time.Now()
		err := s.Put(t.Context(),
			core.RunRow{ID: q, Thread: thread, State: core.RunCompleted, Runner: "agent/yaap", Time: time.Now()},
			core.MessageRow{Thread: thread, Message: core.Message{ID: q + "?", Run: q, Role: core.RoleUser, Text: q, Time: now}},
			core.MessageRow{Thread: thread, Message: core.Message{ID: q + "!", Run: q, Role: core.RoleAssistant, Text: q, Time: now.Add(2 * time.Microsecond)}},
			core.EventRow{Event: &core.Event{Seq: uint64(now.UnixNano()), Time: now.Add(time.Microsecond), Scope: scope, Body: core.RunStart{Prompt: q}}})
		must.Do(t, err)
	}
}

// told is what a conversation holds: its questions, those of its pages, and their events.
func told(t *testing.T, s *store.Store, thread string) (whole, paged, reported []string) {
	t.Helper()
	messages := must.Get(s.Messages(t.Context(), thread))(t)
	for _, m := range messages {
		if m.Role == core.RoleUser {
			whole = append(whole, m.Text)
		}
	}
	for before, more := "", true; more; {
		page, err := s.Page(t.Context(), thread, before, 2)
		if err != nil || len(page.Messages) == 0 {
			t.Fatal(err, page)
		}
		var texts, events []string
		for _, m := range page.Messages {
			if m.Role == core.RoleUser {
				texts = append(texts, m.Text)
			}
		}
		for _, e := range page.Events {
			events = append(events, e.Run)
		}
		paged, reported = slices.Concat(texts, paged), slices.Concat(events, reported)
		before, more = page.Messages[0].Run, page.Earlier
	}
	return whole, paged, reported
}

func TestAConversationGoesOnFromAnother(t *testing.T) {
	s := storetest.Open(t, t.TempDir(), store.Open)
	now := time.Now()
	thread := func(id string) core.Thread { return core.Thread{ID: id, Session: "s", Created: now, Updated: now} }
	must.Do(t, s.Put(t.Context(), core.Session{ID: "s", Started: now}, thread("first")))
	saysIn(t, s, "first", "a", "b", "c")
	for _, b := range []core.Branch{
		{Thread: "second", From: "first", Before: "c"}, {Thread: "third", From: "second"}, {Thread: "fourth", From: "third", Before: ""}, {Thread: "none", From: "first", Before: "a"},
	} {
		must.Do(t, s.Put(t.Context(), thread(b.Thread), b))
		if b.Thread == "second" {
			saysIn(t, s, "second", "d")
			saysIn(t, s, "first", "e")
		}
	}
	saysIn(t, s, "fourth", "f", "g")
	for name, want := range map[string][]string{
		"first": {"a", "b", "c", "e"}, "second": {"a", "b", "d"}, "third": {"a", "b", "d"}, "fourth": {"a", "b", "d", "f", "g"},
	} {
		whole, paged, reported := told(t, s, name)
		for part, got := range map[string][]string{"messages": whole, "pages": paged, "events": reported} {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s of %s (-want +got)\n%s", part, name, diff)
			}
		}
	}
	if messages, err := s.Messages(t.Context(), "none"); err != nil || len(messages) > 0 {
		t.Errorf("before the first question there are %v, %v", messages, err)
	}
	if page, err := s.Page(t.Context(), "none", "", 10); err != nil || len(page.Messages) > 0 || page.Earlier {
		t.Errorf("its page is %+v, %v", page, err)
	}
}

func TestABranchBeforeWhatWasNeverSaidIsRefused(t *testing.T) {
	s := storetest.Open(t, t.TempDir(), store.Open)
	now := time.Now()
	must.Do(t, s.Put(t.Context(), core.Session{ID: "s", Started: now}, core.Thread{ID: "first", Session: "s", Created: now, Updated: now}))
	for i, b := range []core.Branch{{From: "first", Before: "nothing"}, {From: "nowhere"}, {From: ""}} {
		b.Thread = fmt.Sprint("branch", i)
		if err := s.Put(t.Context(), core.Thread{ID: b.Thread, Session: "s", Created: now, Updated: now}, b); err == nil {
			t.Errorf("%+v is stored", b)
		}
	}
}

func TestABranchIsListedOnceSomethingWasSaidInItWithWhereItBegan(t *testing.T) {
	s := storetest.Open(t, t.TempDir(), store.Open)
	at := time.Now()
	thread := func(id string) core.Thread {
		at = at.Add(time.Second)
		return core.Thread{ID: id, Session: "s", Title: id, Created: at, Updated: at}
	}
	must.Do(t, s.Put(t.Context(), core.Session{ID: "s", Started: at}, thread("first"), thread("other")))
	saysIn(t, s, "first", "a", "b")
	must.Do(t, s.Put(t.Context(), thread("second"), core.Branch{Thread: "second", From: "first", Before: "b"}))
	must.Do(t, s.Put(t.Context(), thread("third"), core.Branch{Thread: "third", From: "second"}))
	saysIn(t, s, "third", "c")
	var got [][2]string
	for _, listed := range must.Get(s.Threads(t.Context(), core.ThreadQuery{}))(t) {
		got = append(got, [2]string{listed.ID, listed.Root})
	}
	must.Equal(t, [][2]string{{"third", "first"}, {"other", ""}, {"first", ""}}, got)
}

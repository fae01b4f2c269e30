package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// askAgain puts questions into a conversation, each a run of its own with an answer.
func askAgain(t *testing.T, s *Store, thread string, questions ...string) {
	t.Helper()
	for _, q := range questions {
		err := s.Put(t.Context(),
			core.RunRow{ID: q, Thread: thread, State: core.RunCompleted, Runner: "agent/yaap", Time: time.Now()},
			core.MessageRow{Thread: thread, Message: core.Message{ID: q + "?", Run: q, Role: core.RoleUser, Text: q}},
			core.MessageRow{Thread: thread, Message: core.Message{ID: q + "!", Run: q, Role: core.RoleAssistant, Text: q}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestAConversationThatIsReadAgainIsAsItIsStored(t *testing.T) {
	dir := t.TempDir()
	s := storetest.Open(t, dir, Open)
	read := 0
	r := NewMessageCache(s, func(m core.Message) core.Message {
		read++
		return m
	})
	same := func(after string, thread string, wantRead int) {
		t.Helper()
		want, err := s.Messages(t.Context(), thread)
		if err != nil {
			t.Fatal(err)
		}
		read = 0
		got, err := r.Messages(t.Context(), thread)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("after %s (-stored +read), %v:\n%s", after, err, diff)
		}
		if read != wantRead {
			t.Errorf("after %s %d messages were read, want %d", after, read, wantRead)
		}
	}
	forget := func(where string) {
		t.Helper()
		if _, err := s.writer.ExecContext(t.Context(), "INSERT INTO forgotten(message) SELECT id FROM message WHERE "+where+"; DELETE FROM message WHERE "+where); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Put(t.Context(), core.Session{ID: "s"}, core.Thread{ID: "a", Session: "s"}, core.Thread{ID: "b", Session: "s"}); err != nil {
		t.Fatal(err)
	}
	same("nothing", "a", 0)
	askAgain(t, s, "a", "a1", "a2", "a3")
	same("three questions", "a", 6)
	same("nothing new", "a", 0)
	below := core.RunRow{ID: "a3/x", Parent: "a3", Thread: "a", State: core.RunCompleted, Runner: "agent/below", Time: time.Now()}
	if err := s.Put(t.Context(), below, core.MessageRow{Thread: "a", Message: core.Message{ID: "below", Run: "a3/x", Role: core.RoleUser}}); err != nil {
		t.Fatal(err)
	}
	same("a message of a run below", "a", 0)
	askAgain(t, storetest.Open(t, dir, Open), "a", "a4")
	same("a question in another window", "a", 2)
	askAgain(t, s, "b", "b1")
	same("another conversation", "b", 2)
	same("the first one again", "a", 8)

	if err := s.Put(t.Context(), core.Thread{ID: "c", Session: "s"}, core.Branch{Thread: "c", From: "a", Before: "a3"}); err != nil {
		t.Fatal(err)
	}
	same("it was gone on from", "c", 4)
	askAgain(t, s, "c", "c1")
	same("the first question in the branch", "c", 6)
	askAgain(t, s, "c", "c2")
	same("another one", "c", 2)
	same("nothing new in the branch", "c", 0)

	forget("id = 'a2?'")
	same("one before the branch was forgotten", "c", 7)
	same("the first conversation once more", "a", 7)
	forget("id = 'a1?'")
	same("one in the middle was forgotten", "a", 6)
	forget("id = 'a4!'")
	askAgain(t, s, "a", "a5")
	same("the last one was forgotten and others came", "a", 7)
	forget("thread = 'a'")
	same("all was forgotten", "a", 0)
	askAgain(t, s, "a", "a6")
	same("another beginning", "a", 2)
}

func TestAConversationThatIsVeryLongIsNotKept(t *testing.T) {
	s := storetest.Open(t, t.TempDir(), Open)
	if err := s.Put(t.Context(), core.Session{ID: "s"}, core.Thread{ID: "a", Session: "s"}); err != nil {
		t.Fatal(err)
	}
	long := make([]byte, 12<<20)
	for i := range long {
		long[i] = 'x'
	}
	for i := range 3 {
		if err := s.Put(t.Context(), core.MessageRow{Thread: "a", Message: core.Message{ID: fmt.Sprint(i), Role: core.RoleUser, Text: string(long)}}); err != nil {
			t.Fatal(err)
		}
	}
	read := 0
	r := NewMessageCache(s, func(m core.Message) core.Message {
		read++
		return m
	})
	for range 2 {
		if messages, err := r.Messages(t.Context(), "a"); err != nil || len(messages) != 3 {
			t.Fatalf("%d messages, %v", len(messages), err)
		}
	}
	if read != 6 {
		t.Errorf("%d messages were read", read)
	}
}

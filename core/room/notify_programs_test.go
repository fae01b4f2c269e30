package room

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
)

func TestProgramsAreToldWhatBecomesOfExpertsAndRuns(t *testing.T) {
	type told struct {
		Level, Text string
		Changed     []string
	}
	experts := []string{"yaap://experts"}
	for _, c := range []struct {
		body core.Body
		want told
	}{
		{core.ExpertJoined{Name: "newt", Description: "knows ponds"}, told{"info", "newt joined: knows ponds", experts}},
		{core.ExpertLeft{Name: "newt", Reason: core.LeftGoodbye, Detail: "dry"}, told{"info", "newt left: goodbye (dry)", experts}},
		{core.ExpertLeft{Name: "newt", Reason: core.LeftExited}, told{"warning", "newt left: exited", experts}},
		{core.ExpertLeft{Name: "newt", Reason: core.LeftQuarantined}, told{"error", "newt left: quarantined", experts}},
		{core.Notice{Level: "warn", Text: "it rains"}, told{"warning", "it rains", nil}},
		{core.RunEnd{}, told{"", "", []string{"yaap://runs", "yaap://runs/7"}}},
		{core.ToolCallEnd{}, told{"", "", []string{"yaap://runs/7"}}},
		{core.Delta{}, told{}},
	} {
		e := core.Event{Body: c.body}
		e.Run = "7"
		var got told
		got.Level, got.Text = lineOf(c.body)
		got.Changed = changedBy(e)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("of %T (-want +got)\n%s", c.body, diff)
		}
	}
}

func TestProgramsAreToldWhenWhatIsRememberedChanges(t *testing.T) {
	s := shelfOf(t).store
	s.news = new(memoryNews)
	var told []string
	s.news.updated.Store(new(func(uri string) { told = append(told, uri) }))
	tells := func(what string, err error, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, told); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", what, err, diff)
		}
		told = nil
	}
	now := time.Now()
	tells("an entry", s.Put(t.Context(), core.Entry{ID: "f", Memory: "m", Role: core.RoleUser, Raw: "it is red"}), entriesURI, graphURI)
	tells("a tag", s.Put(t.Context(), core.Tag{Entry: "f", Key: "k", Value: "v", Time: now}), entriesURI, graphURI)
	tells("an expiry", s.Put(t.Context(), core.Expiry{Entry: "f", At: now.Add(time.Hour), Time: now}), entriesURI, graphURI)
	tells("a context", s.Put(t.Context(), core.ContextDoc{ID: "c", Memory: "m", Content: "It is red.", Created: now}), memoryURI)
	tells("a memory", s.Put(t.Context(), core.Memory{ID: "o", Vault: "v", Title: "o"}))
	_, err := s.Forget(t.Context(), core.ForgetQuery{Entry: "f"})
	tells("what is forgotten", err, memoryURI, entriesURI, graphURI)
}

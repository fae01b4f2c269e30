package room

import (
	"testing"

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

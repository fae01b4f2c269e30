package core_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestAReplyIsAuditedWithItsSeverity(t *testing.T) {
	for _, c := range []struct {
		status  core.Status
		outcome string
		want    string
	}{
		{core.StatusSuccess, "read", "info"},
		{core.StatusSuccess, "composed", "info"},
		{core.StatusClarification, "read", "info"},
		{core.StatusSuccess, "repaired", "warn"},
		{core.StatusSuccess, "prose", "warn"},
		{core.StatusFailure, "read", "error"},
		{core.StatusFailure, "fallback", "error"},
	} {
		a := core.Audited(core.Reply{Status: c.status, Message: "m"}, core.StatusSuccess, "raw", c.outcome)
		if a.Severity != c.want || a.Said != core.StatusSuccess || a.Data != "{}" || len(a.RawHash) != 64 {
			t.Errorf("%s that was %s: %+v", c.status, c.outcome, a)
		}
	}
}

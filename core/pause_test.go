package core_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestACallIsAllowedOnceByYesAndDeniedByNo(t *testing.T) {
	p := core.Pause{Kind: core.PauseApproval, Options: []core.Option{
		{ID: core.AllowOnce, Label: "Allow once"}, {ID: core.AllowSession, Label: "Allow in this conversation"}, {ID: core.Deny, Label: "Deny"},
	}}
	for text, want := range map[string]string{
		"yes": core.AllowOnce, "Allow": core.AllowOnce, "no": core.Deny, "STOP": core.Deny, "2": core.AllowSession, "deny": core.Deny,
		"what is 2+2?": "", "no, not that one": "", "": "", "allow nothing": "",
	} {
		got := ""
		if o := p.Chosen(text); o != nil {
			got = o.ID
		}
		if got != want {
			t.Errorf("%q chooses %q, not %q", text, got, want)
		}
	}
	p.Kind = core.PauseClarification
	if o := p.Chosen("yes"); o != nil {
		t.Errorf("yes chooses %+v of a question that does not offer it", o)
	}
}

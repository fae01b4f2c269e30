package link_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

func TestAChildBidsOnEachText(t *testing.T) {
	r := open(t)
	r.add("heron", "bidder")
	r.add("plain", "heron")
	must.Do(t, r.WaitSettled(t.Context()))
	said := []core.Message{{Role: core.RoleUser, Text: "hello"}}
	got := r.Bids(t.Context(), []string{"what do herons eat?", "2 + 2", "and newts?"}, said, "", time.Minute)
	want := []core.Bids{{Expert: "heron", Tool: "heron", Bids: []core.Bid{
		{Score: 1, Reads: "herons, after 1 messages", Needs: []string{"which heron?"}}, {}, {},
	}}}
	must.Equal(t, want, got, cmpopts.IgnoreFields(core.Bids{}, "Took", "Origin"))
	for _, spec := range r.Tools().Specs() {
		if spec.Name != "heron" && spec.Name != "plain" {
			t.Errorf("models see %s", spec.Name)
		}
	}
}

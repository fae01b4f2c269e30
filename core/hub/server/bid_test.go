package server_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/yaap"
)

func TestAPeerIsAskedForBidsByItsPoll(t *testing.T) {
	r := open(t)
	hello := yaap.Hello{YAAP: 1, Introduction: yaap.Introduction{Name: "heron", Description: "Knows herons.", Bids: true, Context: true}}
	g := r.guest(hello)
	for name, c := range map[string]struct {
		reply yaap.Reply
		want  []core.Bid
		fails bool
	}{
		"bids": {
			yaap.Reply{OK: true, Data: map[string]any{"bids": []any{map[string]any{"score": 0.9, "reads": "herons"}, nil}}},
			[]core.Bid{{Score: 0.9, Reads: "herons"}, {}},
			false,
		},
		"declines":  {yaap.Reply{OK: false}, []core.Bid{{}, {}}, false},
		"is broken": {yaap.Reply{OK: true, Data: map[string]any{"bids": "all"}}, nil, true},
	} {
		made := make(chan []core.Bids, 1)
		go func() {
			made <- r.Bids(t.Context(), []string{"herons?", "newts?"}, []core.Message{{Role: core.RoleUser, Text: "hello"}}, "", time.Minute)
		}()
		e := g.next()
		if e.Type != yaap.EventBid || !cmp.Equal(e.Texts, []string{"herons?", "newts?"}) || len(e.Context) != 1 || e.DeadlineMS <= 0 || len(e.Arguments) > 0 {
			t.Errorf("%s: it was told %+v", name, e)
		}
		c.reply.Lease, c.reply.CallID = g.lease, e.CallID
		var accepted yaap.Accepted
		if g.must(yaap.ToolReply, c.reply, &accepted); !accepted.Accepted {
			t.Errorf("%s: its bids are not accepted", name)
		}
		got := <-made
		if len(got) != 1 || !cmp.Equal(got[0].Bids, c.want) || (got[0].Failed != "") != c.fails {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

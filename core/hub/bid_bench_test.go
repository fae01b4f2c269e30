package hub_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/yaap"
)

func BenchmarkAHundredExpertsBid(b *testing.B) {
	h := hub.New(new(event.Bus), nil, nil)
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error)
	go func() { ended <- h.Run(ctx) }()
	for i := range 100 {
		e := bidder(fmt.Sprintf("expert-%d", i), `{"bids":[{"score":0.5,"reads":"some of it"},null,{"score":1,"reads":"all of it"}]}`)
		entry := hub.Entry{Introduction: yaap.Introduction{Name: fmt.Sprintf("expert-%d", i), Description: "Bids.", Bids: true}, Transport: hub.Peer, Link: e}
		must.Get(h.Join(ctx, entry))(b)
	}
	texts := []string{"what do herons eat and what is 12% of 840", "what do herons eat", "what is 12% of 840"}
	b.ReportAllocs()
	for b.Loop() {
		made := h.Bids(ctx, texts, []core.Message{{Role: core.RoleUser, Text: "hello"}}, "", time.Second)
		if len(made) != 100 || made[99].Failed != "" {
			b.Fatalf("%d bid: %+v", len(made), made[99])
		}
	}
	cancel()
	must.Report(b, <-ended)
}

package server_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// A call through the hub to a peer that polls again as soon as it has answered.
func BenchmarkACallToAPeer(b *testing.B) {
	r := open(b)
	g := r.guest(limited("newt", 7000))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for more := true; more; {
			e := g.next()
			more = !strings.Contains(string(e.Arguments), "last")
			g.reply(e.CallID, "fish")
		}
	}()
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		if got := <-r.ask(b.Context(), "newt"); !got.OK() {
			b.Fatal(got)
		}
		took = append(took, time.Since(start))
	}
	<-r.ask(b.Context(), "newt", func(c *core.Call) { c.Args = []byte(`{"prompt":"last"}`) })
	<-ended
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/bidding"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/offline"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/room"
)

// tenParts has a question for each of the built-in experts, twice.
const tenParts = "what is 12% of 840; what time is it in Tokyo; how many commits are there; which files mention TODO; how many rows are in orders.csv; " +
	"17 * 23; how many days until Christmas; who committed last; how many lines are in README.md; the average amount in orders.csv"

// inBench does something in a room with the built-in experts, in a shop.
func inBench(b *testing.B, do func(ctx context.Context, a *room.Room, room *bidding.Collector) error) {
	b.Helper()
	a := roomWith(b, newShop(b).dir, nil)
	err := a.Run(b.Context(), func(ctx context.Context) error {
		if err := a.Settle(ctx); err != nil {
			return err
		}
		return do(ctx, a, a.Bidders(10*time.Second))
	})
	must.Do(b, err)
}

// report tells how long half of the times are at most, and 95 % of them.
func report(b *testing.B, times []time.Duration) {
	b.Helper()
	slices.Sort(times)
	ms := func(share float64) float64 { return times[int(share*float64(len(times)-1))].Seconds() * 1000 }
	b.ReportMetric(ms(0.5), "p50-ms")
	b.ReportMetric(ms(0.95), "p95-ms")
	b.ReportMetric(0, "ns/op")
}

func BenchmarkTheBuiltInExpertsBidTogether(b *testing.B) {
	inBench(b, func(ctx context.Context, _ *room.Room, room *bidding.Collector) error {
		prompts := []string{
			"what is 12% of 840", "what time is it in Tokyo", "how many commits are there", "which files mention TODO", "total amount by status in orders.csv",
			"who wrote line 3 of main.go", "is it a leap year", "the capital of France", "open the window, please", "largest files here", "3 ft in cm",
		}
		var times []time.Duration
		for i := 0; b.Loop(); i++ {
			start := time.Now()
			room.Bids(ctx, core.Scope{}, prompts[i%len(prompts):][:1], nil)
			times = append(times, time.Since(start))
		}
		report(b, times)
		return nil
	})
}

func BenchmarkAPromptOfTenPartsIsDecided(b *testing.B) {
	inBench(b, func(ctx context.Context, a *room.Room, room *bidding.Collector) error {
		var times []time.Duration
		request := llm.Request{Tools: a.Tools().Specs(), Messages: []core.Message{{Role: core.RoleUser, Text: tenParts}}}
		for b.Loop() {
			calls, start := 0, time.Now()
			for chunk, err := range (&offline.Model{Bidders: room}).Stream(ctx, request) {
				if err != nil {
					return err
				}
				calls += len(chunk.Calls)
			}
			times = append(times, time.Since(start))
			if calls != 10 {
				b.Fatalf("%d calls", calls)
			}
		}
		report(b, times)
		return nil
	})
}

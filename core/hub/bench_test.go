package hub_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/must"
)

// crowd is a room of n experts.
func crowd(b testing.TB, n int) *hub.Hub {
	b.Helper()
	h := hub.New(new(event.Bus), nil, nil)
	h.SetMaxExperts(n + 1)
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		must.Report(b, <-done)
	})
	for i := range n {
		must.Get(h.Join(b.Context(), entry(newExpert(fmt.Sprintf("expert-%d", i)))))(b)
	}
	return h
}

// What a model call costs that takes the list of tools.
func BenchmarkTheListOfTools(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h := crowd(b, n)
			for b.Loop() {
				if len(h.Tools().Tools) != n {
					b.Fatal("somebody is missing")
				}
			}
		})
	}
}

// A call through the hub to an expert that answers at once.
func BenchmarkACall(b *testing.B) {
	h := crowd(b, 100)
	tool, _ := h.Tools().Find("expert-7")
	for b.Loop() {
		if got, err := tool.Call(b.Context(), core.Call{ID: "1"}); err != nil || !got.OK() {
			b.Fatal(got, err)
		}
	}
}

func TestAThousandExpertsTakeLittleMemory(t *testing.T) {
	used := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := used()
	h := crowd(t, 1000)
	taken := int64(used()) - int64(before)
	t.Logf("a thousand experts take %d KB", taken>>10)
	if len(h.Experts()) != 1000 || taken > 20<<20 {
		t.Errorf("%d experts take %d bytes", len(h.Experts()), taken)
	}
}

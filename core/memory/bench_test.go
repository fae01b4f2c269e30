package memory_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
)

// lane is a memory that is recorded in a benchmark.
type lane struct {
	*memory.Recorder
	store *store.Store
	id    string
	said  int
	begun chan time.Time // when it began to record
}

// openLane lets a memory be recorded with a model, until the benchmark ends.
func openLane(b *testing.B, s *store.Store, id string, model llm.Model) *lane {
	b.Helper()
	l := &lane{store: s, id: id, begun: make(chan time.Time, 1)}
	cfg := onDisk(b, s, id)
	cfg.Model = func() llm.Model { // is asked for when there is something to record
		select {
		case l.begun <- time.Now():
		default:
		}
		return model
	}
	l.Recorder = memory.NewRecorder(cfg)
	l.hear(b)
	ctx, stop := context.WithCancel(context.WithoutCancel(b.Context()))
	var running sync.WaitGroup
	running.Go(func() {
		must.Report(b, l.Run(ctx))
	})
	b.Cleanup(func() { stop(); running.Wait() })
	return l
}

// hear stores a message.
func (l *lane) hear(b *testing.B) {
	n := l.said
	l.said++
	rows := []core.Row{core.MessageRow{Thread: l.id, Message: core.Message{
		ID: fmt.Sprint(l.id, "-", n), Role: core.RoleUser, Text: fmt.Sprintf("We decided to use the port %d.", n), Time: time.Now(),
	}}}
	if n == 0 {
		rows = append(rows, core.Thread{ID: l.id}, core.Recording{Thread: l.id, Memory: l.id})
	}
	must.Report(b, l.store.Put(b.Context(), rows...))
}

// round says something in one lane after the other and measures how long each
// takes to begin to record it.
func round(b *testing.B, lanes []*lane) []time.Duration {
	waits := make([]time.Duration, len(lanes))
	for i, l := range lanes {
		select {
		case <-l.begun: // of something else
		default:
		}
		l.hear(b)
		woken := time.Now()
		l.Wake()
		l.await(b)
		select {
		case begun := <-l.begun:
			waits[i] = max(0, begun.Sub(woken))
		default: // it was there at the start
		}
	}
	return waits
}

// await waits until everything that was said is recorded.
func (l *lane) await(b *testing.B) {
	if c, err := l.Await(b.Context()); err != nil || len(c.Failed) > 0 {
		b.Errorf("%+v, %v", c, err)
	}
}

func percentile(all []time.Duration, p int) float64 {
	slices.Sort(all)
	return float64(all[(len(all)-1)*p/100].Microseconds()) / 1000
}

// BenchmarkSlowMemory measures how long a message waits for its lane to begin,
// in 8 memories: alone, and beside one whose model takes 20 ms for an answer.
func BenchmarkSlowMemory(b *testing.B) {
	s := openStore(b, b.TempDir())
	var quick []*lane
	for n := range 8 {
		quick = append(quick, openLane(b, s, fmt.Sprint("quick", n), nil))
	}
	slow := openLane(b, s, "slow", stream(func(context.Context, func(llm.Chunk, error) bool) { time.Sleep(20 * time.Millisecond) }))
	var alone, beside []time.Duration
	for b.Loop() {
		alone = append(alone, round(b, quick)...)
		for range 6 { // fewer would wait
			slow.hear(b)
		}
		slow.Wake()
		beside = append(beside, round(b, quick)...)
		slow.await(b)
	}
	before, after := percentile(alone, 99), percentile(beside, 99)
	b.ReportMetric(before, "alone-p99-ms")
	b.ReportMetric(after, "beside-p99-ms")
	b.ReportMetric(after/before, "ratio")
}

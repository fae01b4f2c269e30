package room

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
)

// BenchmarkSaid measures what it costs the chat that a message is remembered:
// what Put takes with the lane behind it more than without, message by message.
func BenchmarkSaid(b *testing.B) {
	db := must.Get(store.Open(b.Context(), b.TempDir()))(b)
	vault, mem := memoryNames("/here")
	lane := &recording{vault: vault, memory: mem}
	lane.Recorder = memory.NewRecorder(memory.Config{Store: db, Checkpoints: db, Vault: vault, Memory: mem})
	ctx, stop := context.WithCancel(context.WithoutCancel(b.Context()))
	var running sync.WaitGroup
	running.Go(func() {
		must.Report(b, db.Run(context.WithoutCancel(ctx)))
	})
	took := map[bool][]time.Duration{}
	say := func(remembered bool, n int) {
		j := journal{maskedStore: maskedStore{Store: db}}
		if remembered {
			j.memory = lane
		}
		thread := fmt.Sprint("talk", remembered)
		rows := []core.Row{core.MessageRow{Thread: thread, Message: core.Message{
			ID: fmt.Sprint(remembered, n), Role: core.RoleUser, Text: fmt.Sprintf("We decided to use the port %d.", n), Time: time.Now(),
		}}}
		if n == 0 {
			rows = append(rows, core.Thread{ID: thread, Created: time.Now()})
		}
		begun := time.Now()
		must.Do(b, j.Put(ctx, rows...))
		took[remembered] = append(took[remembered], time.Since(begun))
	}
	must.Do(b, db.Put(ctx, lane.rows()...))
	var recorded sync.WaitGroup
	recorded.Go(func() {
		must.Report(b, lane.Run(ctx))
	})
	n := 0
	for b.Loop() {
		say(false, n)
		say(true, n)
		n++
		must.Get(lane.Await(ctx))(b) // an answer takes longer than that
	}
	stop()
	recorded.Wait()
	must.Report(b, db.Close())
	running.Wait()
	half := func(all []time.Duration) time.Duration {
		slices.Sort(all)
		return all[len(all)/2]
	}
	without, with := half(took[false]), half(took[true])
	b.ReportMetric(float64((with-without).Microseconds())/1000, "added-ms")
	b.ReportMetric(float64(with)/float64(without), "ratio")
}

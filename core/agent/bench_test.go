package agent_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// BenchmarkTenTurns is a run of ten turns with a scripted model and one tool:
// ns/turn is the cost of the loop. In memory nothing is kept; durable is the
// same on disk, where a turn is two commits.
func BenchmarkTenTurns(b *testing.B) {
	b.Run("memory", func(b *testing.B) {
		benchmarkTurns(b, core.DiscardJournal{}, func(string) error { return nil })
	})
	b.Run("durable", func(b *testing.B) {
		kept := storetest.Open(b, b.TempDir(), store.Open)
		if err := kept.Put(b.Context(), core.Session{ID: "session"}, core.Thread{ID: thread, Session: "session"}); err != nil {
			b.Fatal(err)
		}
		benchmarkTurns(b, kept, func(run string) error {
			return kept.Put(b.Context(), core.RunRow{ID: run, Thread: thread, State: core.RunRunning, Runner: "agent/yaap", Time: time.Now()})
		})
	})
}

func benchmarkTurns(b *testing.B, journal core.Journal, begin func(run string) error) {
	asks := llm.Chunk{Calls: []core.Call{call("", "calc", "1+1")}}
	s := newStage(b, forever{asks}, says("calc", "2"))
	s.feed.Close()
	s.cfg.Journal = journal
	a := agent.New(s.cfg)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		in := core.Input{
			Scope:    core.Scope{Thread: thread, Run: fmt.Sprint("run", n)},
			Messages: []core.Message{{ID: "q", Role: core.RoleUser, Text: "go"}},
		}
		if err := begin(in.Run); err != nil {
			b.Fatal(err)
		}
		if _, err := a.Run(b.Context(), in); core.CodeOf(err) != core.CodeMaxTurns {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n)/10, "ns/turn")
}

// forever always answers alike: each call asks for something else.
type forever struct{ chunk llm.Chunk }

func (forever) Name() string { return "forever" }

func (f forever) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		c := f.chunk
		c.Calls = append([]core.Call(nil), c.Calls...)
		for i := range c.Calls {
			c.Calls[i].Args = fmt.Appendf(nil, `{"prompt":"1+%d"}`, len(req.Messages))
		}
		for f.chunk.Thinking != "" { // it only thinks
			if !yield(c, nil) {
				return
			}
		}
		if yield(c, nil) {
			yield(llm.Chunk{Done: &llm.Done{Reason: llm.ReasonCalls}}, nil)
		}
	}
}

package event_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/must"
)

func TestAReaderGetsEverythingPendingInOneBatchInOrder(t *testing.T) {
	var bus event.Bus
	feed := bus.Feed()
	bus.Emit(core.Scope{Run: "r"}, core.TurnStart{})
	bus.Emit(core.Scope{Run: "r"}, core.TurnEnd{})

	events := must.Get(feed.Next(t.Context()))(t)
	var got []string
	for _, e := range events {
		got = append(got, fmt.Sprint(e.Seq, " ", e.Type(), " ", e.Run))
	}
	if want := "1 turn_start r, 2 turn_end r"; strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNextWaitsForTheFirstEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bus event.Bus
		feed := bus.Feed()
		got := make(chan int)
		go func() {
			events, _ := feed.Next(t.Context())
			got <- len(events)
		}()
		synctest.Wait()
		bus.Emit(core.Scope{}, core.TurnStart{})
		if n := <-got; n != 1 {
			t.Errorf("got %d events, want 1", n)
		}
	})
}

func TestNextReturnsWhenTheContextEnds(t *testing.T) {
	var bus event.Bus
	feed := bus.Feed()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := feed.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestAdjacentDeltasOfOneStreamBecomeOneThatAccountsForAllNumbers(t *testing.T) {
	var bus event.Bus
	feed := bus.Feed()
	for _, piece := range []string{"a", "b", "c"} {
		bus.Emit(core.Scope{Run: "r"}, core.Delta{Stream: "s", Field: core.FieldMessage, Text: piece})
	}
	bus.Emit(core.Scope{Run: "r"}, core.Delta{Stream: "s", Field: core.FieldThought, Text: "t"})
	bus.Emit(core.Scope{Run: "other"}, core.Delta{Stream: "s", Field: core.FieldThought, Text: "u"})

	events := must.Get(feed.Next(t.Context()))(t)
	if len(events) != 3 {
		t.Fatalf("got %d events, want 3: %v", len(events), events)
	}
	d := events[0].Body.(core.Delta)
	if d.Text != "abc" || d.FirstSeq != 1 || d.LastSeq != 3 {
		t.Errorf("got %+v, want abc for the numbers 1 to 3", d)
	}
}

func TestADeltaThatResetsItsFieldVoidsTheOnesThatWait(t *testing.T) {
	var bus event.Bus
	feed := bus.Feed()
	for _, d := range []core.Delta{{Text: "a"}, {Text: "b", Reset: true}, {Text: "c"}} {
		d.Stream, d.Field = "s", core.FieldMessage
		bus.Emit(core.Scope{Run: "r"}, d)
	}
	events := must.Get(feed.Next(t.Context()))(t)
	if d := events[0].Body.(core.Delta); len(events) != 1 || d.Text != "bc" || !d.Reset || d.FirstSeq != 1 || d.LastSeq != 3 {
		t.Errorf("got %+v", events)
	}
}

func TestTheRestCanBeTakenWithoutWaiting(t *testing.T) {
	var bus event.Bus
	feed := bus.Feed()
	if rest := feed.Pending(); len(rest) != 0 {
		t.Errorf("got %v from an empty feed", rest)
	}
	bus.Emit(core.Scope{}, core.TurnStart{})
	if rest := feed.Pending(); len(rest) != 1 {
		t.Errorf("got %v, want one event", rest)
	}
}

func TestAClosedFeedCostsNothing(t *testing.T) {
	var bus event.Bus
	gone, stays := bus.Feed(), bus.Feed()
	gone.Close()
	gone.Close()
	bus.Emit(core.Scope{}, core.TurnStart{})
	if events, err := stays.Next(t.Context()); err != nil || len(events) != 1 {
		t.Errorf("the other feed got %v, %v", events, err)
	}
}

// Three writers stream 20 000 deltas each beside 600 facts while the reader is
// slow: nothing is lost, nothing is out of order, and few batches are needed.
func TestASlowReaderLosesNothing(t *testing.T) {
	const writers, deltas, facts = 3, 20_000, 200
	var bus event.Bus
	feed := bus.Feed()

	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			stream := fmt.Sprint("stream", w)
			for i := range deltas {
				bus.Emit(core.Scope{Run: stream}, core.Delta{Stream: stream, Field: core.FieldText, Text: "x"})
				if i%(deltas/facts) == 0 {
					bus.Emit(core.Scope{Run: stream}, core.Notice{Text: fmt.Sprint(i)})
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()

	length := map[string]int{}
	notices := map[string]int{}
	var last uint64
	read := func(events []core.Event) {
		for _, e := range events {
			first, upto := e.Seq, e.Seq
			switch b := e.Body.(type) {
			case core.Delta:
				length[b.Stream] += len(b.Text)
				if b.LastSeq != 0 {
					first, upto = b.FirstSeq, b.LastSeq
				}
			case core.Notice:
				notices[e.Run]++
			}
			if first != last+1 {
				t.Fatalf("event %d follows %d", first, last)
			}
			last = upto
		}
	}
	for last < writers*(deltas+facts) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		events, err := feed.Next(ctx)
		cancel()
		must.Do(t, err)
		read(events)
		select { // slow: everything else is written while this batch is looked at
		case <-done:
		default:
			<-time.After(time.Millisecond)
		}
	}
	for w := range writers {
		stream := fmt.Sprint("stream", w)
		if length[stream] != deltas || notices[stream] != facts {
			t.Errorf("%s: got %d characters and %d facts, want %d and %d", stream, length[stream], notices[stream], deltas, facts)
		}
	}
}

func BenchmarkEmitWithASlowReader(b *testing.B) {
	var bus event.Bus
	bus.Feed() // nobody reads
	b.ReportAllocs()
	for b.Loop() {
		bus.Emit(core.Scope{Run: "r"}, core.Delta{Stream: "s", Field: core.FieldText, Text: "word "})
	}
}

package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/store"
)

const (
	onePage = 40      // messages, as the room has it
	many    = 100_000 // of what may be much
	f6      = "\x1b[17~"
)

// opening measures the terminal in stored conversations of so many messages: from its start
// until it has drawn the end, until it takes a key, and the memory of it.
func opening(ctx context.Context, sizes ...int) (figures []Figure, err error) {
	for _, n := range sizes {
		dir, err := os.MkdirTemp("", "yaap-bench-")
		if err != nil {
			return nil, err
		}
		err = store.With(ctx, dir, func(ctx context.Context, s *store.Store) error {
			if err := keep(ctx, s, conversation(2*n)); err != nil {
				return err
			}
			opened, err := openedFrom(ctx, s, n)
			figures = append(figures, opened...)
			return err
		})
		if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
			return nil, err
		}
	}
	return figures, nil
}

// keep stores a conversation.
func keep(ctx context.Context, s *store.Store, p core.Page) error {
	const together = 2000
	rows := []core.Row{core.Session{ID: "s"}, core.Thread{ID: "t", Session: "s", Created: time.Now()}}
	put := func(row ...core.Row) (err error) {
		if rows = append(rows, row...); len(rows) >= together {
			err = s.Put(ctx, rows...)
			rows = rows[:0]
		}
		return err
	}
	for i, m := range p.Messages {
		run := core.RunRow{ID: m.Run, Thread: "t", Runner: "agent/yaap", State: core.RunCompleted, Time: m.Time}
		rows := []core.Row{run, core.MessageRow{Thread: "t", Message: m}}
		for _, e := range p.Events[3*i : 3*i+3] {
			rows = append(rows, core.EventRow{Event: &e})
		}
		if err := put(rows...); err != nil {
			return err
		}
	}
	return s.Put(ctx, rows...)
}

func openedFrom(ctx context.Context, s *store.Store, n int) ([]Figure, error) {
	room := stage{page: func(ctx context.Context, before string) (core.Page, error) { return s.Page(ctx, "t", before, onePage) }}
	frames, keys := new(watch), new(watch)
	var memory float64
	for frames.more() {
		before := heap()
		err := onPaper(ctx, room, func(x played) error {
			frames.took()
			if err := x.press("ø", "ø"); err != nil {
				return err
			}
			keys.times = append(keys.times, time.Since(frames.last))
			memory = max(memory, heap()-before)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	of := fmt.Sprintf(" of %d messages", n)
	key := keys.figure("opening: first key" + of)
	key.Allocs = 0 // they are those of the frame, and of the collector
	return []Figure{
		frames.figure("opening: first frame" + of), key,
		{What: "opening: memory" + of, P50: memory, P99: memory, Times: len(frames.times), Unit: Bytes},
	}, nil
}

// heap is how many bytes are in use.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// watching measures a frame of the inspector of events that has many.
func watching(ctx context.Context, each time.Duration) (figures []Figure, err error) {
	err = onPaper(ctx, inMemory(onePage), func(x played) error {
		for n := 0; n < many; n += 1000 {
			events := make([]core.Event, 1000)
			for i := range events {
				run := fmt.Sprint("seen", n+i)
				events[i] = core.Event{Time: time.Now(), Scope: core.Scope{Thread: "u", Run: run, Trace: run}, Body: core.RunEnd{Outcome: "completed", Status: core.StatusSuccess}}
			}
			x.room.events <- events
		}
		if err := x.press(f6, "EVENTS"); err != nil {
			return err
		}
		f, err := scrolling(x, each)
		f.What = fmt.Sprintf("processor: a frame of %d events", many)
		figures = append(figures, f)
		return err
	})
	return figures, err
}

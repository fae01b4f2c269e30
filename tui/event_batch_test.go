package tui

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
)

// sent is what the mailbox handed over, and when.
type sent struct {
	after  time.Duration
	events int
}

func TestTheMailboxGathersEventsAndHurriesWhatTheUserWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		f := newFake()
		var got []sent
		begun := time.Now()
		go pump(ctx, f, func(msg tea.Msg) {
			if b, ok := msg.(batch); ok && len(b.events) > 0 {
				got = append(got, sent{time.Since(begun), len(b.events)})
			}
		})
		synctest.Wait()
		delta := core.Delta{Stream: "s", Field: core.FieldMessage, Text: "x"}
		for range 5 { // every 5 ms: four within one interval
			f.emit(core.Scope{}, delta)
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(batchEvery)
		synctest.Wait()
		f.emit(core.Scope{}, delta)
		f.emit(core.Scope{}, core.RunEnd{Outcome: "completed"})
		synctest.Wait()
		want := []sent{{batchEvery, 4}, {20*time.Millisecond + batchEvery, 1}, {25*time.Millisecond + batchEvery, 2}}
		if len(got) != len(want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("batch %d: got %v, want %v", i, got[i], want[i])
			}
		}
		cancel()
		synctest.Wait()
	})
}

// broken is a room whose events end.
type broken struct{ *fake }

func (broken) Next(context.Context) ([]core.Event, error) {
	return nil, errors.New("the feed is closed")
}

func TestTheMailboxSaysWhenNothingMoreWillCome(t *testing.T) {
	var err error
	pump(t.Context(), broken{newFake()}, func(msg tea.Msg) {
		if l, ok := msg.(lost); ok {
			err = l.err
		}
	})
	if err == nil {
		t.Error("the end was not told")
	}
}

func TestTheClockRunsOnlyWhileARunDoesAndSomebodyLooks(t *testing.T) {
	m := newModel(t.Context(), Options{Thread: "t1"}, newFake(), &jobs{})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	if m.tick() != nil {
		t.Error("an idle room ticks")
	}
	m.chat.ask("q", "r1", time.Now())
	if m.tick() == nil {
		t.Fatal("a run does not tick")
	}
	if m.tick() != nil {
		t.Error("two clocks run")
	}
	m.Update(tea.BlurMsg{})
	if _, cmd := m.Update(then(m.ticked)); cmd != nil {
		t.Error("it ticks though nobody looks")
	}
	if _, cmd := m.Update(tea.FocusMsg{}); cmd == nil {
		t.Error("it does not go on when somebody looks again")
	}
	m.chat.refused(m.chat.active(), errors.New("nobody is there"))
	if _, cmd := m.Update(then(m.ticked)); cmd != nil {
		t.Error("it ticks after the run")
	}
}

func TestAFrameIsDrawnOnceForOneState(t *testing.T) {
	m := newModel(t.Context(), Options{Thread: "t1"}, newFake(), &jobs{})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	m.View()
	if m.frame.stale {
		t.Error("View leaves the frame stale")
	}
	m.Update(then(nil))
	type unknown struct{}
	m.View()
	m.Update(unknown{})
	if m.frame.stale {
		t.Error("a message that means nothing draws a frame")
	}
}

package tui

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
)

// heap is what is reachable, in bytes.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestTheSecondHourOfAChatTakesNoMoreMemoryThanTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		m := newModel(t.Context(), Options{Thread: "t1"}, f, &jobs{})
		m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
		turns := 0
		hour := func() uint64 {
			for end := time.Now().Add(time.Hour); time.Now().Before(end); turns++ {
				run := fmt.Sprint("r", turns)
				_, _ = arithmetic(t.Context(), f, core.Scope{Thread: "t1", Run: run, Trace: run, Agent: "yaap"}, fmt.Sprint("question ", turns))
				events, _ := f.Next(t.Context())
				m.Update(batch{events: events})
				m.View()
				for range 2 {
					time.Sleep(4 * time.Second)
					m.Update(then(m.ticked))
					m.View()
				}
			}
			return heap()
		}
		first := hour()
		second := hour()
		if second > first+first/10 {
			t.Errorf("%d bytes after an hour, %d after two", first, second)
		}
		t.Logf("%d turns: %d bytes after an hour, %d after two", turns, first, second)
		runtime.KeepAlive(m)
	})
}

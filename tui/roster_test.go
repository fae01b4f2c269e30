package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
)

func TestHowLongAnExpertHasBeenJoiningIsToldWhileItDoes(t *testing.T) {
	for _, c := range []struct {
		w, h int
		says string
	}{{80, 24, "sleep joining 90 min"}, {120, 40, "joining   90 min"}, {200, 60, "90 min"}} {
		d := answering(t, c.w, c.h, "fine")
		d.once = false
		d.experts.set([]core.Expert{{Name: "sleep", State: core.ExpertJoining, Since: time.Now().Add(-90 * time.Minute)}}, time.Now())
		if d.happened(batch{}); !d.run.ticking {
			t.Errorf("%dx%d: the clock stands still", c.w, c.h)
		}
		d.press("esc")
		d.sees(c.says)
		d.happened(batch{experts: []core.Expert{{Name: "sleep", State: core.ExpertStopped, Message: "stopped by you"}}})
		d.press("esc")
		d.seesNo("joining")
		if d.ticked(); d.run.ticking {
			t.Errorf("%dx%d: the clock goes on", c.w, c.h)
		}
	}
}

func TestWhatAnExpertSaysOfItselfIsReadToItsEnd(t *testing.T) {
	does := strings.Repeat("Does one more thing. ", 20) + "That is all."
	d := answering(t, 120, 40, "fine")
	d.experts.set([]core.Expert{{Name: "heron", Description: does, State: core.ExpertReady}}, time.Now())
	d.press("esc", "f2")
	d.sees("That is all.", "since        calls  errors  latency")
}

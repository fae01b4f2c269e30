package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core/config"
)

// The chat goes on after it: its user may bring the expert in, and answer again.
func TestTheDialogTakesNoAnswerForAnExpertThatIsAway(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, "XDG_CONFIG_HOME", "yaap", "config.yaml"), "approve: [clock]\n")
	s := openScreenIn(t, home, 120, 60, options{})
	s.see(`clock.* in the room`)
	s.enter("what time is it in Tokyo?")
	s.see(`clock wants to act`)
	s.press("\x03")
	s.see(`again to leave`)
	s.press("\x03")
	select {
	case <-s.ended:
	case <-time.After(patience):
		t.Fatal("it does not quit")
	}

	s = openScreenIn(t, home, 120, 60, options{goOn: true, Flags: config.Flags{Builtin: "calc"}})
	s.decide("a")
	s.see(`still open: clock is not in the room`)
	ref := s.see(`then type /chain answer[\s│]+([0-9a-f-]{36}:[0-9a-f]{8}) ANSWER`)
	s.ready()
	s.enter("/chain answer " + ref + " deny")
	s.see(`clock denied`)
	s.ready()
	s.quit()
}

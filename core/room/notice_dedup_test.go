package room

import (
	"log/slog"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestANoticeIsSaidAgainOnlyWhenItSaysSomethingElse(t *testing.T) {
	dir := t.TempDir()
	here := &Room{log: slog.New(slog.DiscardHandler)}
	here.Config.StateDir, here.Config.Dir = dir, "/here"
	elsewhere := &Room{log: here.log}
	elsewhere.Config.StateDir, elsewhere.Config.Dir = dir, "/elsewhere"
	unkept := &Room{log: here.log}
	unkept.Config.StateDir, unkept.Config.Dir, unkept.Config.Ephemeral.V = dir, "/here", true
	for i, c := range []struct {
		room        *Room
		about, text string
		said        bool
	}{
		{here, "tools of heron", "one is left out", true},
		{here, "tools of heron", "one is left out", false},
		{here, "tools of crane", "one is left out", true},
		{elsewhere, "tools of heron", "one is left out", true},
		{here, "tools of heron", "two are left out", true},
		{here, "tools of heron", "two are left out", false},
		{unkept, "tools of heron", "two are left out", true},
		{here, "", "the disk is full", true},
		{here, "", "the disk is full", true},
	} {
		heard := new(sink)
		noticeDedup{heard, c.room}.Emit(core.Scope{}, core.Notice{About: c.about, Text: c.text})
		if got := len(*heard) == 1; got != c.said {
			t.Errorf("%d: %q of %q is said: %v", i, c.text, c.about, got)
		}
	}
}

// sink keeps what it is told.
type sink []core.Body

func (s *sink) Emit(_ core.Scope, b core.Body) core.Event {
	*s = append(*s, b)
	return core.Event{Body: b}
}

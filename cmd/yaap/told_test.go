package main

import (
	"log/slog"
	"testing"

	"yaap/core"
)

func TestANoticeIsSaidAgainOnlyWhenItSaysSomethingElse(t *testing.T) {
	dir := t.TempDir()
	here := &app{log: slog.New(slog.DiscardHandler)}
	here.cfg.StateDir, here.cfg.Dir = dir, "/here"
	elsewhere := &app{log: here.log}
	elsewhere.cfg.StateDir, elsewhere.cfg.Dir = dir, "/elsewhere"
	unkept := &app{log: here.log}
	unkept.cfg.StateDir, unkept.cfg.Dir, unkept.cfg.Ephemeral.V = dir, "/here", true
	for i, c := range []struct {
		room        *app
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
		news{heard, c.room}.Emit(core.Scope{}, core.Notice{About: c.about, Text: c.text})
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

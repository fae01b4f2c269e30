package server

import (
	"context"
	"errors"
	"testing"
	"time"

	"yaap/core"
	"yaap/core/hub"
	"yaap/core/yaap"
)

func TestACancelIsKnownHoweverItIsWritten(t *testing.T) {
	for body, want := range map[string]bool{
		`{"method":"notifications/cancelled"}`:                  true,
		`{"method":"notifications\/cancelled"}`:                 true,
		`{"method":"\u006eotifications/c\u0061ncelled"}`:        true,
		`{"METHOD":"notifications/cancelled"}`:                  true,
		`{"method":"x","method":"notifications/cancelled"}`:     true,
		`{"method":"tools/call","x":"notifications/cancelled"}`: false,
		`{"method":1}`: false,
		`nonsense`:     false,
	} {
		if got := isCancel([]byte(body)); got != want {
			t.Errorf("%s: got %v", body, got)
		}
	}
}

func TestAnEventIsNotLostToAPollWhoseConnectionEnded(t *testing.T) {
	for range 50 { // which end of the poll comes first is a matter of chance
		p := newPeer(yaap.Introduction{Name: "newt"})
		call, cancel := context.WithCancel(t.Context())
		answered := make(chan error, 1)
		go func() {
			_, err := p.Call(call, core.Call{ID: "1"})
			answered <- err
		}()
		<-p.wake // it is queued
		p.wake <- struct{}{}
		ended, end := context.WithCancel(t.Context())
		end()
		if events, err := p.poll(ended, time.Minute); err == nil {
			t.Fatalf("a dead connection got %+v", events)
		}
		events, err := p.poll(t.Context(), time.Minute)
		if err != nil || len(events) != 1 || events[0].Type != yaap.EventCall {
			t.Fatalf("got %+v, %v", events, err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if err := <-answered; !errors.Is(err, hub.ErrGone) {
			t.Errorf("got %v", err)
		}
		cancel()
	}
}

package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/yaap"
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
		if events, err := p.poll(ended, time.Minute, nil); err == nil {
			t.Fatalf("a dead connection got %+v", events)
		}
		got, err := p.poll(t.Context(), time.Minute, nil)
		if err != nil || len(got.Events) != 1 || got.Events[0].Type != yaap.EventCall {
			t.Fatalf("got %+v, %v", got, err)
		}
		must.Report(t, p.Close())
		if err := <-answered; !errors.Is(err, hub.ErrGone) {
			t.Errorf("got %v", err)
		}
		cancel()
	}
}

func TestADeadlineThatPassesReachesThePeerAndAnAnswerAfterItIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(yaap.Introduction{Name: "newt"})
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		failed := make(chan error, 1)
		go func() {
			_, err := p.Call(ctx, core.Call{ID: "1"})
			failed <- err
		}()
		call := must.Get(p.poll(t.Context(), time.Minute, nil))(t).Events[0]
		must.Equal(t, int64(1000), call.DeadlineMS)
		got := must.Get(p.poll(t.Context(), time.Minute, nil))(t).Events
		must.Equal(t, []yaap.Event{{Type: yaap.EventCancel, CallID: call.CallID}}, got)
		if err := <-failed; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if p.reply(yaap.Reply{CallID: call.CallID, OK: true, Text: "fish"}) {
			t.Error("it was accepted")
		}
		must.Report(t, p.Close())
	})
}

func TestAPeerThatDoesNotPollIsSuspectAfterHalfOfTheTimeAndThenLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(yaap.Introduction{Name: "newt"})
		for range 3 { // it comes back each time
			time.Sleep(lostAfter/2 - time.Nanosecond)
			if p.Suspect() {
				t.Error("it is suspect too soon")
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			if signal := <-p.Signals(); !p.Suspect() || signal != hub.SuspectChanged {
				t.Errorf("it is not suspect: %v", signal)
			}
			must.Get(p.poll(t.Context(), 1, nil))(t)
			if signal := <-p.Signals(); p.Suspect() || signal != hub.SuspectChanged {
				t.Errorf("it polled and is suspect: %v", signal)
			}
		}
		time.Sleep(lostAfter - time.Nanosecond)
		select {
		case <-p.Done():
			t.Error("it is lost too soon")
		default:
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if !errors.Is(p.Err(), errLost) {
			t.Errorf("got %v", p.Err())
		}
	})
}

func TestTheOldestStrangerGoesWhenThereAreTooMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c connections
		var theirs []net.Conn
		for range maxStrangers + 1 {
			ours, other := net.Pipe()
			c.arrive(t.Context(), ours)
			theirs = append(theirs, other)
		}
		if _, err := theirs[0].Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("the oldest reads %v", err)
		}
		must.Do(t, theirs[1].SetReadDeadline(time.Now().Add(time.Hour)))
		if _, err := theirs[1].Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the next one reads %v", err)
		}
	})
}

func TestARefusalHasTheCodeOfWhatFailed(t *testing.T) {
	for _, c := range []struct {
		err  error
		want yaap.Refusal
	}{
		{yaap.Refuse(yaap.Gone, "the room is closed"), yaap.Refusal{Code: "gone", Message: "the room is closed"}},
		{
			fmt.Errorf("chat: %w", &core.Error{Code: core.CodeNoModel, Message: "there is no model", Hint: "pull one"}),
			yaap.Refusal{Code: "no_model", Message: "chat: there is no model", Hint: "pull one"},
		},
		{context.Canceled, yaap.Refusal{Code: "cancelled", Message: "context canceled"}},
		{errors.New("x"), yaap.Refusal{Code: "internal", Message: "x"}},
	} {
		raw, err := json.Marshal(refused(c.err).StructuredContent)
		var got yaap.Refusal
		if err != nil || json.Unmarshal(raw, &got) != nil || got != c.want || !refused(c.err).IsError {
			t.Errorf("%v: got %s, %v, want %+v", c.err, raw, err, c.want)
		}
	}
}

func TestALeaseWhoseConnectionDiedUnseenEndsInTheTimeThatHelloPromised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(yaap.Introduction{Name: "newt"})
		start := time.Now()
		go func() { // its connection never seems to end
			_, _ = p.poll(t.Context(), yaap.PollMS*time.Millisecond, nil)
		}()
		<-p.Done()
		if took, promised := time.Since(start), yaap.LeaseMS*time.Millisecond; took > promised || !errors.Is(p.Err(), errLost) {
			t.Errorf("it ended after %s, %v, want at most %s", took, p.Err(), promised)
		}
	})
}

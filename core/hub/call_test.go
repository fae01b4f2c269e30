package hub_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/must"
)

// limited gives an expert a second for every call.
func limited(e *hub.Entry) { e.CallTimeoutMS = 1000 }

func one(e *hub.Entry) { e.Concurrency = 1 }

func TestThreeMissedDeadlinesInARowAreQuarantine(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		var answers atomic.Bool
		e := newExpert("heron")
		e.answer = func(ctx context.Context, c core.Call) (core.ToolResult, error) {
			if answers.Load() {
				return core.ToolResult{Status: core.ToolSuccess}, nil
			}
			return waits(ctx, c)
		}
		r.join(e, limited)
		tool := r.find("heron")
		miss := func() {
			t.Helper()
			start := time.Now()
			result := r.call(tool)
			if result.Code != core.ToolCodeTimeout || !strings.Contains(result.Text, "heron did not answer within 1s") || time.Since(start) != time.Second {
				t.Errorf("got %+v after %s", result, time.Since(start))
			}
		}
		miss()
		miss()
		answers.Store(true)
		r.call(tool)
		answers.Store(false)
		miss()
		miss()
		synctest.Wait()
		if !r.has("heron") {
			t.Fatal("it is gone after two in a row")
		}
		miss()
		synctest.Wait()
		bodies := r.events()
		left, ok := bodies[len(bodies)-1].(core.ExpertLeft)
		if !ok || left.Reason != core.LeftQuarantined || left.Detail != "it missed three deadlines in a row" {
			t.Errorf("got %+v", bodies)
		}
		if got := r.call(tool); got.Code != core.ToolCodeExpertLeft {
			t.Errorf("got %+v", got)
		}
		if got := r.expert("heron"); got.Calls != 6 || got.Errors != 5 || got.State != core.ExpertGone {
			t.Errorf("got %+v", got)
		}
	})
}

func TestProgressMovesADeadlineOnAtMostToTwiceItsLength(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		e := newExpert("heron")
		e.answer = func(ctx context.Context, c core.Call) (core.ToolResult, error) {
			tick := time.NewTicker(300 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					c.Progress(core.ToolProgress{Message: "fish\x1b[2J" + strings.Repeat("x", 1000)})
				case <-ctx.Done():
					return core.ToolResult{}, ctx.Err()
				}
			}
		}
		r.join(e, limited)
		var heard []core.ToolProgress
		start := time.Now()
		result, err := r.find("heron").Call(t.Context(), core.Call{ID: "1", Progress: func(p core.ToolProgress) { heard = append(heard, p) }})
		if took := time.Since(start); took != 2*time.Second || err != nil || result.Code != core.ToolCodeTimeout {
			t.Errorf("got %+v, %v after %s", result, err, took)
		}
		if len(heard) != 6 || strings.Contains(heard[0].Message, "\x1b") || len(heard[0].Message) > 210 {
			t.Errorf("heard %+v", heard)
		}
	})
}

func TestTheSeventeenthWaitingCallIsRefused(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		release := make(chan struct{})
		e := newExpert("heron")
		e.answer = func(context.Context, core.Call) (core.ToolResult, error) {
			<-release
			return core.ToolResult{Status: core.ToolSuccess}, nil
		}
		r.join(e, one)
		tool := r.find("heron")
		results := make(chan core.ToolResult, 17)
		for range 17 { // one runs, sixteen wait
			go func() { results <- r.call(tool) }()
		}
		synctest.Wait()
		if got := r.call(tool); got.Code != core.ToolCodeUnavailable || got.Text != "heron has 16 calls waiting already: ask again later" {
			t.Errorf("got %+v", got)
		}
		if got := r.expert("heron").State; got != core.ExpertBusy {
			t.Errorf("it is %s", got)
		}
		close(release)
		for range 17 {
			if got := <-results; !got.OK() {
				t.Errorf("got %+v", got)
			}
		}
		synctest.Wait()
		if got := r.expert("heron"); got.State != core.ExpertReady || got.Calls != 17 || got.Errors != 0 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestCallsRunInParallelAndEndWithTheirCaller(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		for _, name := range []string{"heron", "newt"} {
			e := newExpert(name)
			e.answer = func(ctx context.Context, c core.Call) (core.ToolResult, error) {
				if string(c.Args) != "{}" {
					t.Errorf("got the arguments %s", c.Args)
				}
				return waits(ctx, c)
			}
			r.join(e)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		var calls sync.WaitGroup
		for _, name := range []string{"heron", "newt"} {
			for range 5 {
				calls.Go(func() {
					if got, err := r.find(name).Call(ctx, core.Call{ID: "1", Args: []byte("null")}); !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("got %+v, %v", got, err)
					}
				})
			}
		}
		calls.Wait()
		if took := time.Since(start); took != time.Second {
			t.Errorf("they took %s", took)
		}
		if got := r.expert("heron"); !r.has("heron") || got.Calls != 5 || got.Errors != 0 {
			t.Errorf("a caller's own end counts as the expert's: %+v", got)
		}
	})
}

func TestACallToADeafExpertIsNotWaitedFor(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		release := make(chan struct{})
		defer close(release)
		e := newExpert("heron")
		e.answer = func(context.Context, core.Call) (core.ToolResult, error) {
			<-release
			return core.ToolResult{}, nil
		}
		r.join(e, limited)
		if got := r.call(r.find("heron")); got.Code != core.ToolCodeTimeout {
			t.Errorf("got %+v", got)
		}
		running := make(chan core.ToolResult)
		go func() { running <- r.call(r.find("heron")) }()
		synctest.Wait()
		e.die(errors.New("killed by signal 9"))
		if got := <-running; got.Code != core.ToolCodeExpertLeft || !strings.Contains(got.Text, "heron left the room (killed by signal 9)") {
			t.Errorf("got %+v", got)
		}
	})
}

func TestAfterGoodbyeARunningCallHasFiveSeconds(t *testing.T) {
	for _, c := range []struct {
		name   string
		needs  time.Duration
		want   core.ToolResult
		gone   time.Duration
		signal bool // as a child says it, not by its seat
	}{
		{"it answers in time", 4 * time.Second, core.ToolResult{Status: core.ToolSuccess, Text: "fish"}, 4 * time.Second, false},
		{"a child answers in time", 4 * time.Second, core.ToolResult{Status: core.ToolSuccess, Text: "fish"}, 4 * time.Second, true},
		{"it does not", 6 * time.Second, core.ToolFailure(core.ToolError, core.ToolCodeExpertLeft, "heron left the room (goodbye)"), 5 * time.Second, false},
		{"nothing runs", 0, core.ToolResult{}, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			inRoom(t, nil, func(t *testing.T, r *room) {
				e := newExpert("heron")
				cancelled := make(chan time.Duration, 1)
				start := time.Now()
				e.answer = func(ctx context.Context, _ core.Call) (core.ToolResult, error) {
					select {
					case <-time.After(c.needs):
						return core.ToolResult{Status: core.ToolSuccess, Text: "fish"}, nil
					case <-ctx.Done():
						cancelled <- time.Since(start)
						return core.ToolResult{}, ctx.Err()
					}
				}
				seat := r.join(e)
				held := r.find("heron")
				running := make(chan core.ToolResult, 1)
				if c.needs > 0 {
					go func() { running <- r.call(held) }()
				}
				synctest.Wait()
				if c.signal {
					e.signals <- hub.SaysGoodbye
					synctest.Wait()
				} else {
					seat.Goodbye("")
				}
				if r.has("heron") || time.Since(start) != 0 {
					t.Errorf("it is hidden after %s", time.Since(start))
				}
				if got := r.call(held); got.Code != core.ToolCodeExpertLeft {
					t.Errorf("a new call: got %+v", got)
				}
				want, story := core.ExpertGone, "joined left"
				if c.needs > 0 {
					want, story = core.ExpertDraining, "joined left draining left"
				}
				if got := r.expert("heron"); got.State != want || got.Present() {
					t.Errorf("while it leaves: got %+v, want %s", got, want)
				}
				if c.needs > 0 {
					if got := <-running; got.Text != c.want.Text || got.Code != c.want.Code || got.Status != c.want.Status {
						t.Errorf("got %+v", got)
					}
				}
				<-e.Done()
				if took := time.Since(start); took != c.gone {
					t.Errorf("it was gone after %s", took)
				}
				synctest.Wait() // until the hub knows it, too
				if c.needs > c.gone && <-cancelled != c.gone {
					t.Error("the call was not cancelled in the end")
				}
				if got := e.byes(); len(got) != 1 || got[0] != "goodbye" {
					t.Errorf("it was told %q", got)
				}
				if got := r.expert("heron"); got.State != core.ExpertGone || got.Message != "goodbye" {
					t.Errorf("in the end: got %+v", got)
				}
				if got := r.story(); got != story {
					t.Errorf("got %q, want %q", got, story)
				}
			})
		})
	}
}

func TestWhenTheRoomClosesEverybodyLeavesAndCallsEnd(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		e := newExpert("heron")
		e.answer = waits
		r.join(e)
		held := r.find("heron")
		running := make(chan core.ToolResult)
		go func() { running <- r.call(held) }()
		synctest.Wait()
		r.stop()
		if got := <-running; got.Code != core.ToolCodeExpertLeft {
			t.Errorf("got %+v", got)
		}
		<-e.Done()
		if got := r.names(); len(got) != 0 {
			t.Errorf("got %v", got)
		}
		if _, err := r.try(newExpert("newt")); code(err) != "gone" {
			t.Errorf("got %v", err)
		}
		wantPairs(t, r.events())
	})
}

func TestAnswersBetweenManyMissedDeadlinesDoNoHarm(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		e := newExpert("heron")
		e.answer = func(ctx context.Context, c core.Call) (core.ToolResult, error) {
			if c.ID == "answered" {
				return core.ToolResult{Status: core.ToolSuccess}, nil
			}
			return waits(ctx, c)
		}
		r.join(e, limited)
		tool := r.find("heron")
		var calls sync.WaitGroup
		for range 16 { // all deadlines pass at the same moment
			calls.Go(func() { r.call(tool) })
		}
		for range 16 {
			calls.Go(func() {
				time.Sleep(time.Second)
				_, _ = tool.Call(t.Context(), core.Call{ID: "answered"})
			})
		}
		calls.Wait()
	})
}

func TestTheTimeOfACallStandsStillWhileItIsHeld(t *testing.T) {
	for after, want := range map[time.Duration]core.ToolCode{time.Second / 2: "", 2 * time.Second: core.ToolCodeTimeout} {
		inRoom(t, nil, func(t *testing.T, r *room) {
			e := newExpert("heron")
			e.answer = func(ctx context.Context, c core.Call) (core.ToolResult, error) {
				resume := c.Hold()
				time.Sleep(time.Hour) // of the bubble
				resume()
				select {
				case <-time.After(after):
					return core.ToolResult{Status: core.ToolSuccess, Text: "fish"}, nil
				case <-ctx.Done():
					return core.ToolResult{}, ctx.Err()
				}
			}
			r.join(e, limited)
			if got := r.call(r.find("heron")); got.Code != want {
				t.Errorf("%s after the hold: got %+v", after, got)
			}
		})
	}
}

func TestProgressIsHeardWhileTheCallLastsAndInModeration(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		late := make(chan func(core.ToolProgress), 1)
		e := newExpert("heron")
		e.answer = func(_ context.Context, c core.Call) (core.ToolResult, error) {
			for range 5000 {
				c.Progress(core.ToolProgress{Message: "x"})
			}
			late <- c.Progress
			return core.ToolResult{Status: core.ToolSuccess}, nil
		}
		r.join(e)
		heard := 0
		must.Get(r.find("heron").Call(t.Context(), core.Call{ID: "1", Progress: func(core.ToolProgress) { heard++ }}))(t)
		if heard == 0 || heard > 100 {
			t.Errorf("heard %d of 5000", heard)
		}
		before := heard
		(<-late)(core.ToolProgress{Message: "late"})
		if heard != before {
			t.Error("progress was heard after the call")
		}
	})
}

func TestTheLinkIsToldHowLongACallMayTake(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		left := make(chan time.Duration, 1)
		e := newExpert("heron")
		e.answer = func(ctx context.Context, _ core.Call) (core.ToolResult, error) {
			until, _ := ctx.Deadline()
			left <- time.Until(until)
			return core.ToolResult{Status: core.ToolSuccess}, nil
		}
		r.join(e, limited)
		r.call(r.find("heron"))
		if got := <-left; got != time.Second {
			t.Errorf("got %s", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute/120)
		defer cancel()
		if _, err := r.find("heron").Call(ctx, core.Call{ID: "1"}); err != nil {
			t.Error(err)
		}
		if got := <-left; got != time.Second/2 {
			t.Errorf("got %s", got)
		}
	})
}

func TestAnAnswerThatIsOnItsWayWhenItsExpertLeavesArrives(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		e := newExpert("heron")
		e.answer = func(ctx context.Context, _ core.Call) (core.ToolResult, error) {
			e.die(nil) // it has answered, and is gone before anybody has read that
			<-ctx.Done()
			return core.ToolResult{Status: core.ToolSuccess, Text: "fish"}, nil
		}
		r.join(e)
		if got := r.call(r.find("heron")); got.Text != "fish" {
			t.Errorf("got %+v", got)
		}
	})
}

package hub_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/yaap"
)

// nursery is an opener whose children live in the test. start says what the
// n-th start gives, from 1 on.
type nursery struct {
	start func(n int) (*expert, error)

	mu     sync.Mutex
	began  []time.Time
	latest *expert
}

func (o *nursery) Open(ctx, _ context.Context, spec hub.Spec) (hub.Link, yaap.Introduction, error) {
	o.mu.Lock()
	o.began = append(o.began, time.Now())
	n := len(o.began)
	o.mu.Unlock()
	e, err := newExpert("heron"), error(nil)
	if o.start != nil {
		e, err = o.start(n)
	}
	if e == nil && err == nil { // it never says hello
		<-ctx.Done()
		err = ctx.Err()
	}
	if err != nil {
		return nil, yaap.Introduction{}, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.latest = e
	in := entry(e).Introduction
	if spec.Name != "" {
		in.Name = spec.Name
	}
	return e, in, nil
}

func (o *nursery) child() *expert {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.latest
}

// pauses lists the time between the starts.
func (o *nursery) pauses() []time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	var pauses []time.Duration
	for i := 1; i < len(o.began); i++ {
		pauses = append(pauses, o.began[i].Sub(o.began[i-1]))
	}
	return pauses
}

func (r *room) add(name string) {
	r.t.Helper()
	must.Do(r.t, r.Add(r.t.Context(), hub.Spec{Name: name, Command: []string{"heron"}}))
}

// story is what the events say, in short.
func (r *room) story() string {
	r.t.Helper()
	var words []string
	for _, body := range r.events() {
		if b, ok := body.(core.ExpertStatus); ok {
			words = append(words, string(b.State))
			continue
		}
		words = append(words, strings.TrimPrefix(core.Event{Body: body}.Type(), "expert_"))
	}
	return strings.Join(words, " ")
}

func TestWhoAsksForAChildThatHasEndedIsToldHow(t *testing.T) {
	o := &nursery{start: func(n int) (*expert, error) {
		time.Sleep(time.Second)
		if n == 1 {
			return nil, errors.New("out of fish")
		}
		return newExpert("heron"), nil
	}}
	inRoom(t, o, func(t *testing.T, r *room) {
		r.add("heron")
		says := func(when, want, hint string) {
			t.Helper()
			_, err := r.Expert("heron")
			if got := fmt.Sprint(err); got != want || core.HintOf(err) != hint {
				t.Errorf("%s it says %q (%s), want %q (%s)", when, got, core.HintOf(err), want, hint)
			}
		}
		ended := "yaap expert check -- heron says what is wrong; /experts restart heron starts it again"
		says("before it has come", "heron is not in the room yet: it has not said hello", "it is on its way: ask again in a moment")
		time.Sleep(1100 * time.Millisecond)
		says("after it has ended", "heron is not in the room now: out of fish", ended)
		time.Sleep(time.Second)
		says("while it is started again", "heron is not in the room now: out of fish", ended)
		time.Sleep(time.Second)
		says("when it is here", "<nil>", "")
		o.child().die(errors.New("lost its fish"))
		synctest.Wait()
		says("after it has ended in the room", "heron is not in the room now: lost its fish", ended)
		must.Do(t, r.Stop(t.Context(), "heron"))
		says("when the user stopped it", "heron is not in the room now", "/experts restart heron starts it again")
	})
}

func TestAChildThatKeepsFailingIsStartedEverMoreSlowlyAndThenNoMore(t *testing.T) {
	o := &nursery{start: func(n int) (*expert, error) {
		if n <= 5 {
			return nil, errors.New("out of fish")
		}
		return newExpert("heron"), nil
	}}
	inRoom(t, o, func(t *testing.T, r *room) {
		r.add("heron")
		time.Sleep(time.Hour)
		want := []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}
		if got := o.pauses(); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got := r.expert("heron"); got.State != core.ExpertQuarantined || got.Message != "out of fish" {
			t.Errorf("got %+v", got)
		}
		want2 := "joining" + strings.Repeat(" restarting joining", 4) + " quarantined"
		if got := r.story(); got != want2 {
			t.Errorf("got %s, want %s", got, want2)
		}
		if _, err := r.Expert("heron"); err == nil || err.Error() != "heron is not in the room now: out of fish" || !strings.Contains(core.HintOf(err), "/experts restart heron") {
			t.Errorf("got %v, %s", err, core.HintOf(err))
		}
		must.Do(t, r.Restart("heron"))
		synctest.Wait()
		if got := r.expert("heron"); got.State != core.ExpertReady || got.Message != "" {
			t.Errorf("the user brought it back: %+v", got)
		}
	})
}

func TestFailuresThatAreFarApartDoNotAddUp(t *testing.T) {
	o := &nursery{}
	inRoom(t, o, func(t *testing.T, r *room) {
		r.add("heron")
		for range 20 {
			time.Sleep(3 * time.Minute)
			if !r.has("heron") {
				t.Fatalf("it is not there: %+v", r.Experts())
			}
			o.child().die(errors.New("out of fish"))
			synctest.Wait()
			if got := r.expert("heron"); got.State != core.ExpertRestarting || r.has("heron") {
				t.Fatalf("got %+v", got)
			}
		}
		if slowest := slices.Max(o.pauses()); slowest > 3*time.Minute+time.Second {
			t.Errorf("it waited %s", slowest)
		}
		r.stop()
		wantPairs(t, r.events())
	})
}

func TestAChildThatMayNotComeInIsNotTriedAgain(t *testing.T) {
	for name, o := range map[string]*nursery{
		"no such command": {start: func(int) (*expert, error) {
			return nil, &core.Error{Code: core.CodeInvalid, Message: "there is no command"}
		}},
		"a bad name":   {start: func(int) (*expert, error) { return newExpert("Heron"), nil }},
		"a taken name": {start: func(int) (*expert, error) { return newExpert("newt"), nil }},
	} {
		t.Run(name, func(t *testing.T) {
			inRoom(t, o, func(t *testing.T, r *room) {
				r.join(newExpert("newt"))
				r.add("")
				time.Sleep(time.Hour)
				if got := r.expert("heron"); got.State != core.ExpertQuarantined || got.Message == "" || len(o.pauses()) != 0 {
					t.Errorf("got %+v after %v", got, o.pauses())
				}
				must.Report(t, r.WaitSettled(t.Context()))
			})
		})
	}
}

func TestAChildThatSaidGoodbyeStaysAwayUntilItIsWanted(t *testing.T) {
	for name, leave := range map[string]func(*expert){
		"it says so":             func(e *expert) { e.signals <- hub.SaysGoodbye },
		"it says so and is gone": func(e *expert) { e.signals <- hub.SaysGoodbye; e.die(nil) },
		"it says so and crashes": func(e *expert) { e.signals <- hub.SaysGoodbye; e.die(errors.New("exited with status 1")) },
		"it ends in order":       func(e *expert) { e.die(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			o := &nursery{}
			inRoom(t, o, func(t *testing.T, r *room) {
				r.add("heron")
				synctest.Wait()
				leave(o.child())
				time.Sleep(time.Hour)
				if len(o.pauses()) != 0 || r.has("heron") {
					t.Fatalf("it was started again: %v", o.pauses())
				}
				if got := r.story(); got != "joining joined left left" {
					t.Errorf("got %s", got)
				}
				must.Do(t, r.Restart("heron"))
				synctest.Wait()
				if !r.has("heron") {
					t.Errorf("it did not come back: %+v", r.Experts())
				}
			})
		})
	}
}

func TestAHungChildIsQuarantinedUntilTheUserBringsItBack(t *testing.T) {
	o := &nursery{start: func(n int) (*expert, error) {
		e := newExpert("heron")
		if n == 1 {
			e.answer = waits
		}
		return e, nil
	}}
	inRoom(t, o, func(t *testing.T, r *room) {
		r.add("heron")
		synctest.Wait()
		for range 3 {
			r.call(r.find("heron"))
		}
		time.Sleep(time.Hour)
		if got := r.expert("heron"); got.State != core.ExpertQuarantined || got.Message != "it missed three deadlines in a row" {
			t.Errorf("got %+v", got)
		}
		select {
		case <-o.child().Done():
		default:
			t.Error("it still runs")
		}
		must.Do(t, r.Restart("heron"))
		synctest.Wait()
		if got := r.call(r.find("heron")); !got.OK() {
			t.Errorf("got %+v", got)
		}
	})
}

func TestRestartEndsTheRunningChildFirst(t *testing.T) {
	o := &nursery{}
	inRoom(t, o, func(t *testing.T, r *room) {
		r.add("heron")
		synctest.Wait()
		first := o.child()
		must.Do(t, r.Restart("heron"))
		synctest.Wait()
		<-first.Done()
		if o.child() == first || !r.has("heron") {
			t.Errorf("got %+v", r.Experts())
		}
		if got := r.story(); got != "joining joined left joining joined" {
			t.Errorf("got %s", got)
		}
	})
}

func TestTheRoomIsSettledWhenTheLastChildHasJoinedOrFailed(t *testing.T) {
	o := &nursery{start: func(n int) (*expert, error) {
		if n == 1 {
			time.Sleep(3 * time.Second)
			return newExpert("heron"), nil
		}
		time.Sleep(2 * time.Second)
		return nil, errors.New("x")
	}}
	inRoom(t, o, func(t *testing.T, r *room) {
		for i := range 2 {
			r.add(fmt.Sprint("heron-", i))
		}
		start := time.Now()
		must.Do(t, r.WaitSettled(t.Context()))
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("it took %s", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r.add("heron-2")
		if err := r.WaitSettled(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestAChildCanBeStoppedInEveryState(t *testing.T) {
	for name, c := range map[string]struct {
		start   func(int) (*expert, error)
		prepare func(*expert)
	}{
		"ready":                      {nil, func(*expert) {}},
		"without an answer to hello": {func(int) (*expert, error) { return nil, nil }, func(*expert) {}},
		"without a list of tools": {func(int) (*expert, error) {
			e := newExpert("heron")
			e.list = func(ctx context.Context) ([]core.ToolSpec, error) { <-ctx.Done(); return nil, ctx.Err() }
			return e, nil
		}, func(*expert) {}},
		"restarting":  {func(int) (*expert, error) { return nil, errors.New("x") }, func(*expert) {}},
		"quarantined": {func(int) (*expert, error) { return newExpert("Heron"), nil }, func(*expert) {}},
		"gone":        {nil, func(e *expert) { e.signals <- hub.SaysGoodbye }},
	} {
		t.Run(name, func(t *testing.T) {
			o := &nursery{start: c.start}
			inRoom(t, o, func(t *testing.T, r *room) {
				r.add("")
				synctest.Wait()
				c.prepare(o.child())
				synctest.Wait()
				start := time.Now()
				must.Do(t, r.Stop(t.Context(), "heron"))
				if took := time.Since(start); took != 0 {
					t.Errorf("it took %s", took)
				}
				if e := o.child(); e != nil {
					<-e.Done()
				}
				synctest.Wait()
				if got := r.Experts(); len(got) != 1 || got[0].State != core.ExpertStopped || got[0].Present() {
					t.Errorf("got %+v", got)
				}
				began := len(o.pauses())
				time.Sleep(time.Hour)
				if len(o.pauses()) != began {
					t.Error("it was started again")
				}
				must.Report(t, r.Stop(t.Context(), "heron")) // once more is no mistake
				r.add("heron")                               // the name is free
				synctest.Wait()
			})
		})
	}
}

func TestAClosedRoomTakesNoChildAndWaitsForNone(t *testing.T) {
	inRoom(t, new(nursery), func(t *testing.T, r *room) {
		r.stop()
		if err := r.Add(t.Context(), hub.Spec{Command: []string{"heron"}}); core.CodeOf(err) != core.CodeUnreachable {
			t.Errorf("got %v", err)
		}
		must.Report(t, r.WaitSettled(t.Context()))
		if got := r.Experts(); len(got) != 0 {
			t.Errorf("got %+v", got)
		}
	})
}

func TestAChildIsAddedOnceAndAgainAfterItsGoodbye(t *testing.T) {
	o := &nursery{}
	inRoom(t, o, func(t *testing.T, r *room) {
		r.add("heron")
		if err := r.Add(t.Context(), hub.Spec{Name: "heron", Command: []string{"x"}}); core.CodeOf(err) != core.CodeConflict {
			t.Errorf("got %v", err)
		}
		for _, spec := range []hub.Spec{{}, {Command: []string{""}}, {Name: "Heron", Command: []string{"x"}}} {
			if err := r.Add(t.Context(), spec); core.CodeOf(err) != core.CodeInvalid {
				t.Errorf("%+v: got %v", spec, err)
			}
		}
		synctest.Wait()
		o.child().signals <- hub.SaysGoodbye
		synctest.Wait()
		r.events()
		r.add("heron")
		synctest.Wait()
		if got := r.story(); got != "joining joined" {
			t.Errorf("got %s", got)
		}
		must.Do(t, r.Stop(t.Context(), "heron"))
		if got := r.names(); len(got) != 0 {
			t.Errorf("it was not the running one that was stopped: %v", got)
		}
	})
}

func TestTheLastWishForAChildCounts(t *testing.T) {
	for name, c := range map[string]struct {
		wishes []string
		want   core.ExpertState
	}{
		"stop":    {[]string{"restart", "stop"}, core.ExpertStopped},
		"restart": {[]string{"stop", "restart"}, core.ExpertReady},
		"both":    {[]string{"restart", "stop", "restart", "stop"}, core.ExpertStopped},
	} {
		t.Run(name, func(t *testing.T) {
			inRoom(t, new(nursery), func(t *testing.T, r *room) {
				r.add("heron")
				synctest.Wait()
				for _, wish := range c.wishes {
					err := error(nil)
					if wish == "stop" {
						err = r.Stop(t.Context(), "heron")
					} else {
						err = r.Restart("heron")
					}
					must.Do(t, err)
				}
				synctest.Wait()
				if got := r.expert("heron"); got.State != c.want {
					t.Errorf("got %+v", got)
				}
			})
		})
	}
}

func TestANameThatAStoppedChildLeftIsAnothersWhileItHasIt(t *testing.T) {
	for range 20 { // the children have no order
		inRoom(t, new(nursery), func(t *testing.T, r *room) {
			r.add("")
			synctest.Wait()
			must.Do(t, r.Stop(t.Context(), "heron"))
			must.Do(t, r.Add(t.Context(), hub.Spec{Command: []string{"bird.py"}})) // it calls itself heron
			synctest.Wait()
			if got := r.expert("heron"); got.State != core.ExpertReady || got.Command[0] != "bird.py" {
				t.Errorf("got %+v", got)
			}
			must.Do(t, r.Stop(t.Context(), "heron"))
			if r.has("heron") {
				t.Error("the wrong one was stopped")
			}
		})
	}
}

func TestOfAnExpertThoseToolsAreOfferedThatTheUserWants(t *testing.T) {
	for want, spec := range map[string]hub.Spec{
		"heron__fish heron__fly heron__nest": {},
		"heron__fish heron__nest":            {Only: []string{"nest", "fish"}},
		"heron__fly heron__nest":             {Without: []string{"fish"}},
		"heron__nest":                        {Only: []string{"nest", "fish"}, Without: []string{"fish"}},
	} {
		o := &nursery{start: func(int) (*expert, error) {
			e := newExpert("heron")
			e.lists(func(context.Context) ([]core.ToolSpec, error) {
				return []core.ToolSpec{{Name: "fish"}, {Name: "fly"}, {Name: "nest"}}, nil
			})
			return e, nil
		}}
		inRoom(t, o, func(t *testing.T, r *room) {
			spec.Name, spec.Command, spec.Timeout = "heron", []string{"heron"}, 7*time.Second
			must.Do(t, r.Add(t.Context(), spec))
			synctest.Wait()
			var names []string
			for _, tool := range r.Tools().Specs() {
				names = append(names, tool.Name)
				if tool.Timeout != 7*time.Second {
					t.Errorf("%s has %v", tool.Name, tool.Timeout)
				}
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestAnExpertThatIsRemovedIsForgotten(t *testing.T) {
	inRoom(t, &nursery{}, func(t *testing.T, r *room) {
		r.add("heron")
		synctest.Wait()
		must.Do(t, r.Remove(t.Context(), "heron"))
		if left := r.DepartedExperts(); len(left) != 0 {
			t.Errorf("it may be brought back: %+v", left)
		}
		for _, err := range []error{r.Remove(t.Context(), "heron"), r.Restart("heron")} {
			if core.CodeOf(err) != core.CodeNotFound {
				t.Errorf("got %v", err)
			}
		}
		r.add("heron")
		synctest.Wait()
		if got := r.expert("heron"); got.State == core.ExpertGone {
			t.Errorf("got %+v", got)
		}
	})
}

func TestAnExpertThatJoinsIsListedOnceFromTheMomentThatItIsReported(t *testing.T) {
	for range 50 {
		inRoom(t, &nursery{}, func(t *testing.T, r *room) {
			var listed []core.Expert
			var told sync.WaitGroup
			feed := r.bus.Feed()
			told.Go(func() {
				for listed == nil {
					events, err := feed.Next(t.Context())
					if err != nil {
						return
					}
					for _, e := range events {
						if _, ok := e.Body.(core.ExpertJoined); ok {
							listed = r.Experts()
						}
					}
				}
			})
			must.Do(t, r.Add(t.Context(), hub.Spec{Command: []string{"mcp-server-heron"}}))
			told.Wait()
			if len(listed) != 1 || listed[0].Name != "heron" {
				t.Fatalf("there are %+v", listed)
			}
			if _, err := r.Expert("mcp-server-heron"); err == nil || err.Error() != "mcp-server-heron calls itself heron" || core.HintOf(err) != "ask @heron" {
				t.Errorf("by its command it is told of as %v (%s)", err, core.HintOf(err))
			}
		})
	}
}

func TestAWishToRestartIsNotLostWhileTheExpertLeaves(t *testing.T) {
	o := &nursery{start: func(int) (*expert, error) {
		e := newExpert("heron")
		e.answer = waits
		return e, nil
	}}
	inRoom(t, o, func(t *testing.T, r *room) {
		r.add("heron")
		synctest.Wait()
		go r.call(r.find("heron"))
		synctest.Wait()
		o.child().signals <- hub.SaysGoodbye
		synctest.Wait() // it drains
		must.Do(t, r.Restart("heron"))
		time.Sleep(2 * time.Minute)
		if !r.has("heron") {
			t.Errorf("it is not back: %v", r.story())
		}
	})
}

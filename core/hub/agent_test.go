package hub_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/must"
)

// ask has the first tool of an expert answer as a run of its own.
func ask(t *testing.T, r *room, name, run string) core.Result {
	t.Helper()
	tool := must.Get(r.Expert(name))(t)
	in := core.Input{Scope: core.Scope{Thread: "t", Run: run}, Messages: []core.Message{{ID: "q", Run: run, Role: core.RoleUser, Text: "q"}}}
	result := must.Get(agent.AsRunner(tool, agent.Config{Journal: core.DiscardJournal{}, Sink: r.bus, Limits: agent.Limits{ReAsks: -1}}).Run(t.Context(), in))(t)
	return result
}

func TestAnExpertThatHangsIsPutOutOfTheRoomByRunsToo(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		e := newExpert("heron")
		e.answer = waits
		r.join(e)
		for i := range 3 {
			ask(t, r, "heron", fmt.Sprint("run", i))
		}
		synctest.Wait()
		if r.has("heron") {
			t.Errorf("it missed three deadlines and is still there: %+v", r.Experts())
		}
	})
}

func TestProgressMovesOnTheDeadlineOfARunToo(t *testing.T) {
	inRoom(t, nil, func(t *testing.T, r *room) {
		e := newExpert("heron")
		e.answer = func(ctx context.Context, c core.Call) (core.ToolResult, error) {
			for range 9 {
				select {
				case <-time.After(10 * time.Second):
					c.Progress(core.ToolProgress{Message: "fishing"})
				case <-ctx.Done():
					return core.ToolResult{}, ctx.Err()
				}
			}
			return core.ToolResult{Status: core.ToolSuccess, Text: "done"}, nil
		}
		r.join(e)
		if result := ask(t, r, "heron", "run"); result.Reply.Message != "done" {
			t.Errorf("got %+v", result.Reply)
		}
	})
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

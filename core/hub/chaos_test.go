package hub_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
)

// chaos is a room into which experts of all kinds come, and from which they go in all
// ways, while they are called.
type chaos struct {
	*room
	random *rand.Rand // of the goroutine that changes

	mu      sync.Mutex
	here    map[string]*expert // peers by name
	changed int
	answers int
	failed  map[core.ToolCode]int
}

const kinds = 50

// guest is an expert of a kind that its number tells: one that answers at once, late,
// never, with another's name in its text, or that fails.
func (c *chaos) guest(n int) *expert {
	name := fmt.Sprintf("expert-%d", n)
	e := newExpert(name)
	e.answer = func(ctx context.Context, call core.Call) (core.ToolResult, error) {
		switch n % 5 {
		case 1:
			return core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, "no fish"), nil
		case 2:
			timer := time.NewTimer(time.Duration(n) * time.Millisecond)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-ctx.Done():
				return core.ToolResult{}, ctx.Err()
			}
		case 3:
			if call.ID[len(call.ID)-1] == '7' { // it hangs now and then
				<-ctx.Done()
				return core.ToolResult{}, ctx.Err()
			}
		}
		return core.ToolResult{Status: core.ToolSuccess, Text: name}, nil
	}
	return e
}

// change makes one change of the room.
func (c *chaos) change() {
	n := c.random.IntN(kinds)
	name := fmt.Sprintf("expert-%d", n)
	c.mu.Lock()
	e := c.here[name]
	c.changed++
	c.mu.Unlock()
	switch {
	case n%10 == 9: // a child: it is started, stopped, taken out
		switch c.random.IntN(3) {
		case 0:
			_ = c.Add(c.t.Context(), hub.Spec{Name: name, Command: []string{"heron"}}) // it may be there
		case 1:
			_ = c.Restart(name)
		default:
			_ = c.Remove(c.t.Context(), name)
		}
	case e == nil:
		e = c.guest(n)
		if _, err := c.try(e); err != nil {
			return // one of its name is leaving still
		}
		c.mu.Lock()
		c.here[name] = e
		c.mu.Unlock()
	case c.random.IntN(3) == 0: // it says something else of itself
		e.lists(says(name, "more"))
		e.signals <- hub.ToolsChanged
	default:
		c.mu.Lock()
		delete(c.here, name)
		c.mu.Unlock()
		if c.random.IntN(2) == 0 {
			e.signals <- hub.SaysGoodbye
		} else {
			e.die(errors.New("killed"))
		}
	}
}

// call calls somebody of a list as it was a moment ago, and checks who answers.
func (c *chaos) call(random *rand.Rand, n int) {
	tools := c.Tools().Tools
	if len(tools) == 0 {
		return
	}
	tool := tools[random.IntN(len(tools))]
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Second)
	defer cancel()
	got, err := tool.Call(ctx, core.Call{ID: fmt.Sprint(n), Tool: tool.Spec().Name, Scope: core.Scope{Run: "run"}})
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil && ctx.Err() == nil:
		c.t.Errorf("a call ended with %v", err)
	case err != nil:
		c.failed["given up"]++
	case got.OK() && got.Text != tool.Spec().Owner && got.Text != "heron":
		c.t.Errorf("%s was called and %q answered", tool.Spec().Owner, got.Text)
	case got.OK():
		c.answers++
	case got.Code == "":
		c.t.Errorf("a call failed without a code: %+v", got)
	default:
		c.failed[got.Code]++
	}
}

// A minute of it, by the clock of the test: a hundred changes a second while eight
// callers call. The test does not end before every goroutine of the room has.
func TestNoCallIsLostOrGoesAstrayWhileEverybodyComesAndGoes(t *testing.T) {
	inRoom(t, &nursery{}, func(t *testing.T, r *room) {
		c := &chaos{room: r, random: rand.New(rand.NewPCG(1, 2)), here: map[string]*expert{}, failed: map[core.ToolCode]int{}}
		over := make(chan struct{})
		var callers sync.WaitGroup
		for i := range 8 {
			random := rand.New(rand.NewPCG(3, uint64(i)))
			callers.Go(func() {
				pace := time.NewTicker(7 * time.Millisecond)
				defer pace.Stop()
				for n := 0; ; n++ {
					select {
					case <-over:
						return
					case <-pace.C:
						c.call(random, n)
					}
				}
			})
		}
		callers.Go(func() {
			pace := time.NewTicker(50 * time.Millisecond)
			defer pace.Stop()
			for {
				select {
				case <-over:
					return
				case <-pace.C:
					r.Bids(t.Context(), []string{"who?"}, nil, "", 10*time.Millisecond)
				}
			}
		})
		pace := time.NewTicker(10 * time.Millisecond)
		for range 6000 {
			<-pace.C
			c.change()
		}
		pace.Stop()
		close(over)
		callers.Wait()
		t.Logf("%d changes, %d answers, failures %v", c.changed, c.answers, c.failed)
		if c.answers < 1000 || c.failed[core.ToolCodeExpertLeft] == 0 {
			t.Error("too little was called")
		}
		r.stop()
	})
}

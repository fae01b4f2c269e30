package room

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/bidding"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/orchestrator"
	"github.com/yaap-chat/yaap/core/store"
)

const settleTime = 15 * time.Second // for the experts to come

// Conversation says which one the user goes on with: that of a run, the one of an id,
// the last one, or else a new one.
type Conversation struct {
	Run, Thread string
	Last        bool
}

// Conversation finds it.
func (r *Room) Conversation(ctx context.Context, which Conversation) (core.Thread, error) {
	switch {
	case which.Run != "":
		run, err := (&Call{store: r.store, Out: io.Discard}).namedRun(ctx, which.Run)
		return core.Thread{ID: run.Thread}, err
	case which.Thread != "":
		thread, err := r.store.Thread(ctx, which.Thread)
		if core.CodeOf(err) == core.CodeNotFound {
			err = misnamed(err, "yaap threads list shows them; yaap run --continue PROMPT asks in the last one")
		}
		return thread, err
	case which.Last:
		threads, err := r.store.Threads(ctx, core.ThreadQuery{Dir: r.Config.Dir, Limit: 1})
		if err != nil {
			return core.Thread{}, err
		}
		if len(threads) > 0 {
			return threads[0], nil
		}
	}
	return core.Thread{ID: orchestrator.NewThread()}, nil
}

// namedRun is the run of an id, or of a part of one, that the user gave.
func (c *Call) namedRun(ctx context.Context, id string) (core.RunRow, error) {
	run, err := c.store.FindRun(ctx, id)
	if core.CodeOf(err) == core.CodeNotFound {
		err = misnamed(err, c.typed("chain runs")+" lists them; "+core.HintOf(err))
	}
	return run, err
}

// misnamed says that there is nothing of the name that the user gave.
func misnamed(err error, hint string) error {
	return core.Fail(core.CodeInvalid, err.Error(), hint)
}

// Settle waits for the experts that come at the start, for 15 seconds at most.
func (r *Room) Settle(ctx context.Context) error {
	settling, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	err := r.hub.WaitSettled(settling)
	if r.unmet(); err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return core.Fail(core.CodeCancelled, "cancelled", "")
	}
	for _, e := range r.hub.Experts() {
		if e.State == core.ExpertJoining {
			r.notice("warn", fmt.Sprintf("%s has not joined within %s: going on without it", e.Name, settleTime), "it has to answer MCP on its standard output, one message a line, at once; a command that first builds or downloads something (go run, npx) is to be run once before")
		}
	}
	return nil
}

// Continue goes on with the last question of a conversation where it was cut off. It
// blocks until it is answered.
func (r *Room) Continue(ctx context.Context, thread string) (core.Result, error) {
	return r.chat.Continue(ctx, thread)
}

// Feed returns a new reader of all events from now on.
func (r *Room) Feed() *event.Feed { return r.bus.Feed() }

// Model is the name of the model in use.
func (r *Room) Model() string { return r.models.current().Name() }

// Sink takes events of the room.
func (r *Room) Sink() core.Sink { return r.bus }

// Hub is who is in the room.
func (r *Room) Hub() *hub.Hub { return r.hub }

// Store is what is stored. What is written to it directly is not masked.
func (r *Room) Store() *store.Store { return r.store.Store }

// Tools are what the agent of the room may call now.
func (r *Room) Tools() core.Toolset { return r.team.room.Tools.Tools() }

// Bidders are all that bid on what the user says. They have so long for it.
func (r *Room) Bidders(wait time.Duration) *bidding.Collector {
	return &bidding.Collector{Experts: r.hub, RoomTools: r.ownBidders(), Ledger: r.ledger, Sink: r.bus, Wait: wait}
}

package room

import (
	"context"

	"github.com/yaap-chat/yaap/core"
)

const maxEarly = 100 // facts that wait for their conversation

// roomEventRecorder stores the facts that belong to no run, who joined and who left, what was
// checked before a run, and of a run what its experts bid: the room asks them, not
// the run.
type roomEventRecorder struct {
	*Room
	early []core.Event // of conversations that are not stored yet
}

func (r *Room) newRoomEventRecorder() *roomEventRecorder { return &roomEventRecorder{Room: r} }

// run stores facts until ctx ends, and then those that are left.
func (r *roomEventRecorder) run(ctx context.Context) {
	defer r.facts.Close()
	for {
		events, err := r.facts.Next(ctx)
		if err != nil {
			events = r.facts.Pending()
		}
		r.keep(context.WithoutCancel(ctx), events...)
		if err != nil {
			break
		}
	}
	for _, e := range r.early {
		r.log.Error("a fact of a conversation that is not there was not stored", "type", e.Type())
	}
}

// keep stores facts. What is said of a conversation comes before that is stored,
// when it is new, and is stored later.
func (r *roomEventRecorder) keep(ctx context.Context, events ...core.Event) {
	var room []core.Row
	early := r.early
	for _, e := range events {
		switch {
		case e.Run != "" && !bidsOf(e):
		case e.Thread != "":
			early = append(early, e)
		default:
			room = append(room, core.EventRow{Event: &e})
		}
	}
	if err := r.store.Put(ctx, room...); err != nil {
		r.log.Error("room facts were not stored", "err", err)
	}
	r.early = nil
	for _, e := range early {
		switch err := r.store.Put(ctx, core.EventRow{Event: &e}); {
		case err == nil:
		case len(r.early) < maxEarly:
			r.early = append(r.early, e)
		default:
			r.log.Error("room facts were not stored", "err", err)
		}
	}
}

// bidsOf reports whether an event is what was bid on the user's prompt.
func bidsOf(e core.Event) bool {
	_, ok := e.Body.(core.BidsMade)
	return ok && e.Depth == 0
}

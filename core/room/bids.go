package room

import (
	"context"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/replay"
)

// Ask answers what the user typed, with the files that it names. The ledger hears it first, in the user's own
// words; what experts ask the room does not pass here.
func (r *Room) Ask(ctx context.Context, thread, text string) (core.Result, error) {
	text, pictures, err := r.attached(ctx, text)
	if err != nil {
		return core.Result{}, err
	}
	if err := r.beginRecording(ctx, replay.Head{Thread: thread, Prompt: text, Runner: r.Config.Runner.V}); err != nil {
		return core.Result{}, err
	}
	return r.ask(ctx, core.Scope{Thread: thread}, text, pictures)
}

func (r *Room) ask(ctx context.Context, in core.Scope, text string, pictures []core.File) (core.Result, error) {
	r.ledger.UserSaid(ctx, in.Thread, core.WithoutAttached(text))
	return r.chat.Prompt(ctx, in, text, pictures...)
}

// AskFromOutside answers who asks the room over its door. While a run waits for an
// expert, it may be that expert who asks: two that ask each other through the room
// for ever come to the end of their depth, though they do not tell it.
func (r *Room) AskFromOutside(ctx context.Context, thread, text string, depth int) (core.Result, error) {
	return r.chat.Chat(ctx, thread, text, max(depth, r.hub.Depth()+1))
}

// experts are those in the room, with the outcomes of their bids.
func (r *Room) experts() []core.Expert {
	all := r.hub.Experts()
	for i, e := range all {
		if len(e.Tools) > 0 {
			all[i].Bidding = r.ledger.Record(e.Name, e.Tools[0].Origin)
		}
	}
	return all
}

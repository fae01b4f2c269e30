package main

import (
	"context"

	"yaap/core"
	"yaap/core/safe"
	"yaap/tui"
)

// ask answers what the user typed. The ledger hears it first, in the user's own
// words; what experts ask the room does not pass here.
func (a *app) ask(ctx context.Context, thread, text string) (core.Result, error) {
	a.ledger.UserSaid(ctx, thread, text)
	return a.chat.Prompt(ctx, thread, text)
}

// askedFromOutside answers who asks the room over its door. While a run waits for an
// expert, it may be that expert who asks: two that ask each other through the room
// for ever come to the end of their depth, though they do not tell it.
func (a *app) askedFromOutside(ctx context.Context, thread, text string, depth int) (core.Result, error) {
	return a.chat.Chat(ctx, thread, text, max(depth, a.hub.Depth()+1))
}

// experts are those in the room, with what their bids have come to.
func (a *app) experts() []core.Expert {
	all := a.hub.Experts()
	for i, e := range all {
		if len(e.Tools) > 0 {
			all[i].Bidding = a.ledger.Record(e.Name, e.Tools[0].Origin)
		}
	}
	return all
}

// forgetBids removes what the room has learned about an expert.
func (b *backend) forgetBids(ctx context.Context, name string) (tui.Output, error) {
	forgotten, err := b.ledger.Forget(ctx, name)
	if err != nil {
		return tui.Output{}, err
	}
	if !forgotten {
		return tui.Output{}, &core.Error{
			Code: core.CodeNotFound, Op: "experts", Message: "nothing was learned about " + safe.Line(name),
			Hint: "f2 shows who is here, and what each has answered",
		}
	}
	return tui.Output{Text: "What was learned about **" + safe.Line(name) + "** is forgotten: its credit, and the questions that it has answered. What was said is still in the conversations."}, nil
}

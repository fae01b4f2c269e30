package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
)

// batchEvery is how long events may wait for more, so that a stream of tokens
// costs one frame and not one each.
const batchEvery = frameEvery

// batch is what happened since the last one, in order. Experts is set when
// something about them may have changed.
type batch struct {
	events  []core.Event
	experts []core.Expert
}

// lost says that no more events will come.
type lost struct{ err error }

// pump hands the events of b to send until ctx ends. A batch is sent at once
// when it holds something that the user waits for. Send may block: what comes
// meanwhile is in the next batch.
func pump(ctx context.Context, b Backend, send func(tea.Msg)) {
	send(batch{experts: b.Experts()})
	for {
		events, err := b.Next(ctx)
		if err == nil {
			err = more(ctx, b, &events)
		}
		if len(events) > 0 || err == nil {
			msg := batch{events: events}
			if len(events) == 0 || slices.ContainsFunc(events, concernsExperts) {
				msg.experts = b.Experts()
			}
			send(msg)
		}
		if err != nil {
			if ctx.Err() == nil {
				send(lost{err})
			}
			return
		}
	}
}

// more adds the events of one interval, or those up to an urgent one.
func more(ctx context.Context, b Backend, events *[]core.Event) error {
	interval, cancel := context.WithTimeout(ctx, batchEvery)
	defer cancel()
	for !slices.ContainsFunc(*events, urgent) {
		next, err := b.Next(interval)
		*events = append(*events, next...)
		switch {
		case err == nil:
		case interval.Err() != nil:
			return ctx.Err()
		default:
			return err
		}
	}
	return nil
}

func urgent(e core.Event) bool {
	switch e.Body.(type) {
	case core.RunEnd, core.TurnEnd, core.ToolCallEnd, core.ExpertJoined, core.ExpertLeft, core.ApprovalRequested, core.ApprovalGiven,
		core.ElicitationRequested, core.ElicitationAnswered:
		return true
	default:
	}
	return false
}

func concernsExperts(e core.Event) bool {
	switch e.Body.(type) {
	case core.ExpertJoined, core.ExpertLeft, core.ExpertChanged, core.ExpertStatus, core.ToolCallStart, core.ToolCallEnd:
		return true
	default:
	}
	return false
}

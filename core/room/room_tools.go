package room

import (
	"context"
	"slices"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/bidding"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/roomhelp"
)

// roomTools are the tools of the room itself that bid: recall, correct and forget, where
// something is remembered, and help. Other programs are not offered them: recall tells
// in words what search_memories gives them, and help is about this terminal.
type roomTools struct {
	said *memory.Amender // nil: nothing is remembered
	help *roomhelp.Help
}

// openRoomTools makes the tools of the room itself.
func (r *Room) openRoomTools() (err error) {
	if r.memory != nil {
		r.own.said = &memory.Amender{
			Recaller: memory.NewRecaller(r.store, r.memory.memory.ID, nil), Store: r.store, Ask: r.askInCall,
			Await: func(ctx context.Context) error {
				_, err := r.memory.Await(ctx)
				return err
			},
		}
	}
	r.own.help, err = roomhelp.New(r.guide())
	return err
}

// ownBidders are the tools of the room itself that bid.
func (r *Room) ownBidders() []bidding.RoomTool {
	list := []bidding.RoomTool{{Tool: roomhelp.Name, Bid: r.own.help.Bid}}
	if said := r.own.said; said != nil {
		list = append(list, bidding.RoomTool{Tool: memory.RecallName, Bid: said.Bid},
			bidding.RoomTool{Tool: memory.CorrectName, Bid: said.BidCorrect}, bidding.RoomTool{Tool: memory.ForgetName, Bid: said.BidForget})
	}
	return list
}

// tools are called by the name that bids.
func (o roomTools) tools() []core.Tool {
	list := []core.Tool{o.help.Tool()}
	if o.said != nil {
		list = append(append(list, o.said.Tool()), o.said.Tools()...)
	}
	return list
}

// askInCall has the user asked in a call of one of the room's own tools. The call is made
// again when there is an answer.
func (r *Room) askInCall(ctx context.Context, c core.Call, question string, options []core.Option) (core.Answer, *core.ToolResult, error) {
	p := core.Pause{
		ID: c.Scope.Run + "#" + c.ID, Run: c.Scope.Run, Root: c.Scope.Trace, Thread: c.Scope.Thread, Kind: core.PauseClarification, From: c.Tool,
		Question: question, Options: options, Lapses: true, Time: time.Now(),
	}
	saved, err := r.store.Load(ctx, c.Scope.Run)
	if err != nil {
		return core.Answer{}, nil, err
	}
	if at := slices.IndexFunc(saved.Answers, func(a core.Answer) bool { return a.Pause == p.ID }); at >= 0 {
		answer := saved.Answers[at]
		r.bus.Emit(c.Scope, core.ClarificationProvided{ID: p.ID, Selected: answer.Text, Option: answer.ID})
		return answer, nil, nil
	}
	r.bus.Emit(c.Scope, core.ClarificationRequested{ID: p.ID, Question: p.Question, Options: p.Options})
	return core.Answer{}, &core.ToolResult{Status: core.ToolWaiting, Text: "waits for the user's answer", Pauses: []core.Pause{p}}, nil
}

// guide is what the room can be asked about itself, each from where it is
// defined.
func (r *Room) guide() roomhelp.Guide {
	g := r.Guide
	g.State, g.Config, g.Experts = r.Config.StateDir, r.Config.File, r.hub.Experts
	for _, s := range config.Settings() {
		g.Settings = append(g.Settings, roomhelp.Setting{Name: s.Name, Does: s.Does})
	}
	return g
}

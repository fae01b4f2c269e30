package room

import (
	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/bidding"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/roomhelp"
)

// own are the tools of the room itself that bid: recall, where something is
// remembered, and help. Other programs are not offered them: recall tells in
// words what search_memories gives them, and help is about this terminal.
type own struct {
	recall *memory.Recaller // nil: nothing is remembered
	help   *roomhelp.Help
}

// openOwn makes the room's own bidders.
func (r *Room) openOwn() (err error) {
	if r.memory != nil {
		r.own.recall = memory.NewRecaller(r.store, r.memory.memory.ID, nil)
	}
	r.own.help, err = roomhelp.New(r.guide())
	return err
}

// ownBidders are the tools of the room itself that bid.
func (r *Room) ownBidders() []bidding.Own {
	list := []bidding.Own{{Tool: roomhelp.Name, Bid: r.own.help.Bid}}
	if r.own.recall != nil {
		list = append(list, bidding.Own{Tool: memory.RecallName, Bid: r.own.recall.Bid})
	}
	return list
}

// tools are called by the name that bids.
func (o own) tools() []core.Tool {
	list := []core.Tool{o.help.Tool()}
	if o.recall != nil {
		list = append(list, o.recall.Tool())
	}
	return list
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

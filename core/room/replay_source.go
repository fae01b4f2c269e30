package room

import (
	"context"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/bidding"
	"github.com/yaap-chat/yaap/core/chain"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/replay"
)

// here are the experts that a question can be put to.
type here interface {
	core.Toolbox
	Expert(name string) (core.Tool, error)
	Experts() []core.Expert
	WaitSettled(ctx context.Context) error
}

// replaySource is where the inputs of a run come from: the experts of the hub, whose
// answers may be recorded, or a recording.
type replaySource struct {
	here   here
	tape   *replay.Recorder // nil: nothing is recorded
	player *replay.Player   // nil: the room is no rerun
	played *replay.Recording
}

// recorded are the experts of the hub whose answers are recorded.
type recorded struct {
	*hub.Hub
	recorder *replay.Recorder
}

// Tools implements [core.Toolbox].
func (h recorded) Tools() core.Toolset { return h.recorder.Toolset(h.Hub.Tools()) }

// Expert is that of the hub.
func (h recorded) Expert(name string) (core.Tool, error) {
	tool, err := h.Hub.Expert(name)
	if err != nil {
		return nil, err
	}
	return h.recorder.Expert(name, tool), nil
}

// listen puts questions to the experts of the hub, and begins the recording that the user
// wants.
func (r *Room) listen() (err error) {
	r.here = r.hub
	if r.Record == "" {
		return nil
	}
	if r.tape, err = replay.Create(r.Record); err != nil {
		return err
	}
	r.closers = append(r.closers, r.tape.Close)
	r.here = recorded{r.hub, r.tape}
	return nil
}

// record writes what happens, until the room closes.
func (r *Room) record() {
	if r.tape == nil {
		return
	}
	feed := r.bus.Feed()
	r.services = append(r.services, func(ctx context.Context) error {
		defer feed.Close()
		for e := range feed.All(ctx) {
			r.tape.Event(e)
		}
		for _, e := range feed.Pending() {
			r.tape.Event(e)
		}
		return nil
	})
}

// beginRecording writes the head of a recording, where one is made: which question it is, and what shapes its answer.
func (r *Room) beginRecording(ctx context.Context, h replay.Head) error {
	if r.tape == nil {
		return nil
	}
	pauses, err := r.chat.Waiting(ctx, h.Thread)
	if err != nil {
		return err
	}
	if len(pauses) > 0 {
		return core.Fail(core.CodeInvalid, "this conversation waits for an answer, and a recording begins with a question", "answer it first, or leave --record out")
	}
	if h.Said, err = r.store.Messages(ctx, h.Thread); err != nil {
		return err
	}
	h.Version, h.Model, h.MaxTurns, h.ReAsks = r.Version, r.models.current().Name(), r.Config.MaxTurns.V, r.Config.ReAsks.V
	h.Guards, h.Chains = r.Config.Guard.V, r.Config.Chains.V
	for _, m := range r.models.fallbacks {
		h.Fallbacks = append(h.Fallbacks, m.Name())
	}
	h.Agents = recordedAgents(r.team.all)
	for _, tool := range r.team.own() {
		h.Own = append(h.Own, tool.Spec())
	}
	r.tape.Begin(h)
	for _, name := range r.Config.Chains.V { // they were read when the room was made
		if _, _, err := r.chain(name); err != nil {
			return err
		}
	}
	return nil
}

// recordedAgents are agents as a recording has them.
func recordedAgents(all []agent.Peer) (list []replay.Agent) {
	for _, p := range all {
		a := replay.Agent{Name: p.Name, Description: p.Description, Tools: p.Tools, Handoffs: p.Handoffs}
		if p.Model != nil {
			a.Model = p.Model.Name()
		}
		list = append(list, a)
	}
	return list
}

// ranking is how bidders order tools, or did when they were recorded.
func (r *Room) ranking(bidders *bidding.Collector) agent.Rank {
	if r.player != nil {
		return r.player.Rank
	}
	return r.tape.Rank(bidders.Rank)
}

// chain reads a chain that is to be run.
func (r *Room) chain(name string) (*chain.Chain, source, error) {
	if r.player != nil {
		return r.playedChain(name)
	}
	c, src, _, err := readChain(r.Config, name)
	if err == nil {
		r.tape.Chain(replay.Chain{Name: name, Called: src.name, Path: src.path, Dir: src.dir, Text: string(src.text)})
	}
	return c, src, err
}

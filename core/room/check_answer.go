package room

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/chain"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/yaap"
)

// absent is an expert that the room knows nothing of.
type absent struct {
	name    string
	command string // what it was started with when it asked; empty: that is not known
	peer    bool   // it joined by itself then
}

func (e absent) Error() string { return e.name + " is not in the room" }

// checkAnswerable says what is missing for an answer to be carried out, and what to type
// next. The answer is not stored before.
func (r *Room) checkAnswerable(ctx context.Context, p core.Pause, answer core.Answer) error {
	r.arrived(ctx)
	err := r.canGoOn(ctx, p)
	if err == nil && p.Kind == core.PauseApproval && answer.ID != core.Deny {
		err = r.canCall(p)
	}
	if err == nil {
		return nil
	}
	hint := strings.TrimPrefix(core.HintOf(err)+"\nthen type "+p.Line(), "\n")
	var who absent
	switch {
	case !errors.As(err, &who):
	case who.peer:
		hint = "it joins by itself: open the conversation with yaap --thread " + p.Thread + ", and answer there when it has come"
	case r.Attended:
		hint = "bring it in with /experts add CMD, then type " + p.Line()
	default:
		hint = "type " + p.Line() + r.flagOf(who)
	}
	return core.Fail(core.CodeNotFound, err.Error(), hint+"\nor give the run up: /chain cancel")
}

// flagOf is the flag that lets an expert come to a room, after a space.
func (r *Room) flagOf(who absent) string {
	if slices.Contains(r.Builtins, who.name) {
		return " --builtin " + strings.Join(append(slices.Clone(r.Config.Builtin.V), who.name), ",")
	}
	command := cmp.Or(who.command, "COMMAND ARGS")
	return " --expert " + core.QuoteWord(who.name+"="+command)
}

// canGoOn fails where one of the runs that wait for an answer could not go on:
// the one that asked, and those above it.
func (r *Room) canGoOn(ctx context.Context, p core.Pause) error {
	for id := p.Run; id != ""; {
		saved, err := r.store.Load(ctx, id)
		if err == nil {
			err = r.canRun(saved, p)
		}
		if err != nil {
			return err
		}
		id = saved.Run.Parent
	}
	return nil
}

// canRun fails where who answers in a run is not here. Of a chain that asked it
// is the node that waits.
func (r *Room) canRun(saved core.Saved, p core.Pause) error {
	run := saved.Run
	if name, ok := strings.CutPrefix(run.Runner, "chain/"); ok {
		c, _, _, err := readChain(r.Config, name)
		if err != nil || run.ID != p.Run {
			return err
		}
		for _, n := range c.Spec.Nodes {
			if n.ID == p.From && n.Kind == chain.KindExpert && n.Absent != chain.AbsentWait {
				return r.isHere(n.Name, p)
			}
		}
		return nil
	}
	in := core.Input{Scope: core.Scope{Run: run.ID, Parent: run.Parent}, Messages: saved.Messages}
	_, err := lookup{Room: r, name: run.Runner}.runner(in)
	if name, ok := strings.CutPrefix(run.Runner, "expert/"); ok && err != nil {
		name, _, _ = strings.Cut(name, "__")
		if away := r.isHere(name, p); away != nil {
			return away
		}
	}
	return err
}

// isHere fails where an expert cannot be asked. The error is absent where the
// room does not know it.
func (r *Room) isHere(name string, p core.Pause) error {
	_, err := r.hub.Expert(name)
	known := slices.ContainsFunc(r.hub.Experts(), func(e core.Expert) bool { return yaap.Canonical(e.Name) == yaap.Canonical(name) })
	if err == nil || known {
		return err
	}
	who := absent{name: name}
	if yaap.Canonical(p.Tool.Owner) == yaap.Canonical(name) {
		who.command, who.peer = p.Tool.Command, p.Tool.Origin == hub.Peer
	}
	return who
}

// canCall fails where what the user was asked about is not here as it was.
func (r *Room) canCall(p core.Pause) error {
	if p.Call == nil || p.Tool.Owner == "" { // it is no expert's
		return nil
	}
	if err := r.isHere(p.Tool.Owner, p); err != nil {
		return err
	}
	tool, found := r.hub.Tools().Find(p.Call.Tool)
	if found && p.About(tool.Spec()) {
		return nil
	}
	err := core.Fail(core.CodeConflict, p.Tool.Owner+" has no tool "+p.Call.Tool+" now", fmt.Sprintf("/trust %s shows what it changed; what is denied is not called", p.Tool.Owner))
	if found {
		err.Message = p.Call.Tool + " is not as it was when you were asked"
		if now := tool.Spec(); now.Origin != p.Tool.Origin {
			err.Message += ": it was run as " + p.Tool.Command + ", and is now as " + now.Command
			err.Hint = "start it as it was, or deny the call"
		}
	}
	return err
}

// away says of each expert that should be here and cannot be asked why.
func (r *Room) away() (why []string) {
	for _, e := range r.hub.Experts() {
		switch {
		case len(e.Changes) > 0:
			var names []string
			for _, c := range e.Changes {
				names = append(names, c.Now.Name)
			}
			why = append(why, e.Name+" has changed "+strings.Join(names, ", ")+", which is hidden: /trust "+e.Name+" shows how")
		case e.State == core.ExpertSignedOut:
			why = append(why, e.Name+": "+e.Message)
		case e.State == core.ExpertJoining, e.State == core.ExpertRestarting, e.State == core.ExpertQuarantined:
			if _, err := r.hub.Expert(e.Name); err != nil {
				why = append(why, err.Error())
			}
		}
	}
	return why
}

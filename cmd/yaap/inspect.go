package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/room"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/wire"
	"github.com/yaap-chat/yaap/tui"
)

const lineWidth = 120 // cells of a line that an inspector prints

// lookInside has the command inspect show an inspector: in the terminal, or as lines
// where there is none.
func (p *program) lookInside(inspect *cobra.Command) {
	inspect.ValidArgs = room.Inspectors()
	inspect.RunE = func(cmd *cobra.Command, args []string) (err error) {
		call, err := p.call(cmd, args)
		if err != nil {
			return err
		}
		name := cmp.Or(strings.Join(args, ""), "events")
		form, _ := call.Values["output"].(string)
		switch {
		case !slices.Contains(room.Inspectors(), name):
			return usageHint(fmt.Errorf("there is no inspector %q", safe.Line(name)), "there are "+strings.Join(room.Inspectors(), ", "))
		case form != "text" && form != "json":
			return usageHint(fmt.Errorf("%q is no form of it", safe.Line(form)), "say --output text or --output json")
		}
		in, err := room.Inspect(cmd.Context(), call)
		if err != nil {
			return err
		}
		defer func() { err = cmp.Or(err, in.Close()) }()
		o := p.terminal
		o.Version, o.Env, o.Dir, o.Clip = version(), p.env, in.Dir(), p.clip
		o.Keys, o.Theme, o.NoMouse = call.Config.Keys.V, call.Config.Theme.V, !call.Config.Mouse.V
		if _, terminal := p.widthOfTerminal(); terminal && form == "text" {
			return tui.RunInspect(cmd.Context(), o, name, in)
		}
		l := listing{program: p, Inspection: in, o: o, name: name, json: form == "json"}
		follow, _ := call.Values["follow"].(bool)
		return l.print(cmd.Context(), follow)
	}
}

// listing prints what an inspector lists.
type listing struct {
	*program
	*room.Inspection
	o    tui.Options
	name string
	json bool
	seen uint64 // frames
}

// print prints what there is, and with follow what comes until ctx ends.
func (l *listing) print(ctx context.Context, follow bool) error {
	if follow && l.name != "events" && l.name != "wire" {
		return usageHint(fmt.Errorf("%s is no list that goes on", l.name), "follow events or wire, or leave --follow away")
	}
	for first := true; ; first = false {
		events, err := l.Next(ctx)
		if err != nil {
			return nil //nolint:nilerr // the user ends it
		}
		lines, err := l.lines(ctx, events)
		if err != nil {
			return err
		}
		if len(lines) == 0 && first && !follow {
			return core.Fail(core.CodeNotFound, l.Missing(l.name), "")
		}
		if len(lines) > 0 {
			if err := l.write(strings.Join(lines, "\n")); err != nil {
				return err
			}
		}
		if !follow {
			return nil
		}
	}
}

// lines are those of the events that are new, or of all else that is seen.
func (l *listing) lines(ctx context.Context, events []core.Event) (lines []string, err error) {
	list, err := l.list(ctx, events)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if !l.json && l.name != "wire" {
		return tui.ListRows(ctx, l.o, l.name, l, events, lineWidth), nil
	}
	for _, one := range list {
		if frame, ok := one.(wire.Frame); ok && !l.json {
			lines = append(lines, frame.String())
			continue
		}
		raw, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		lines = append(lines, safe.JSON(string(raw)))
	}
	return lines, nil
}

// list is what there is to print.
func (l *listing) list(ctx context.Context, events []core.Event) ([]any, error) {
	switch l.name {
	case "experts":
		return anys(l.Experts()), nil
	case "chain":
		return anys(slices.DeleteFunc(slices.Clone(events), func(e core.Event) bool { return !ofChain(e) })), nil
	case "memory":
		view, err := l.Memory(ctx, core.MemoryQuery{})
		return anys(view.Entries), err
	case "wire":
		frames := l.Wire().Since(l.seen)
		if n := len(frames); n > 0 {
			l.seen = frames[n-1].Seq
		}
		return anys(frames), nil
	case "audit":
		rows, err := l.Audit(ctx, core.AuditQuery{})
		return anys(rows), err
	}
	return anys(events), nil
}

func anys[T any](list []T) []any {
	out := make([]any, len(list))
	for i, one := range list {
		out[i] = one
	}
	return out
}

// ofChain reports whether an event tells of a chain.
func ofChain(e core.Event) bool {
	switch b := e.Body.(type) {
	case core.RunStart:
		return strings.HasPrefix(b.Runner, "chain/")
	case core.NodeStart, core.NodeEnd, core.EdgeTaken, core.ChainPaused, core.ChainResumed:
		return true
	default:
		return false
	}
}

package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"yaap/core"
	"yaap/core/event"
	"yaap/core/hub"
	"yaap/core/orchestrator"
	"yaap/core/safe"
	"yaap/core/yaap"
	"yaap/tui"
)

const (
	listedThreads = 200
	toldEvents    = 50_000 // of a part of a conversation that is opened
)

// backend is the room as the terminal sees it.
type backend struct {
	*app
	feed *event.Feed
	seen sync.Map // what the user was shown of an expert's changes: name → []core.ToolChange
}

var _ tui.Backend = (*backend)(nil)

// Prompt implements [tui.Backend].
func (b *backend) Prompt(ctx context.Context, thread, text string) (core.Result, error) {
	if name, words, ok := chainWords(text); ok {
		return b.startChain(ctx, thread, text, name, words)
	}
	return b.ask(ctx, thread, text)
}

// Continue implements [tui.Backend].
func (b *backend) Continue(ctx context.Context, thread string) (core.Result, error) {
	return b.chat.Continue(ctx, thread)
}

// Answer implements [tui.Backend].
func (b *backend) Answer(ctx context.Context, a core.Answer) (core.Result, error) {
	return b.chat.Answer(ctx, a)
}

// Steer implements [tui.Backend].
func (b *backend) Steer(thread string, s core.Steer) { b.chat.Steer(thread, s) }

// Next implements [tui.Backend].
func (b *backend) Next(ctx context.Context) ([]core.Event, error) { return b.feed.Next(ctx) }

// Threads implements [tui.Look].
func (b *backend) Threads(ctx context.Context) ([]core.Thread, error) {
	return b.store.Threads(ctx, listedThreads)
}

// Messages implements [tui.Look].
func (b *backend) Messages(ctx context.Context, thread string) ([]core.Message, error) {
	return b.store.Messages(ctx, thread)
}

// Told implements [tui.Look].
func (b *backend) Told(ctx context.Context, thread string, from, to time.Time) ([]core.Event, error) {
	return b.store.Events(ctx, thread, from, to, toldEvents)
}

// Waiting implements [tui.Look].
func (b *backend) Waiting(ctx context.Context, thread string) ([]core.Pause, error) {
	return b.chat.Waiting(ctx, thread)
}

// Experts implements [tui.Look].
func (b *backend) Experts() []core.Expert { return b.experts() }

// Do implements [tui.Backend].
func (b *backend) Do(ctx context.Context, thread string, args []string) (tui.Output, error) {
	switch args[0] {
	case "new":
		return tui.Output{Thread: orchestrator.NewThread()}, nil
	case "model":
		return b.useModel(ctx, args[1:])
	case "experts":
		return b.changeExperts(ctx, args[1:])
	case "chain":
		return b.changeChain(ctx, thread, args[1:])
	case "memory":
		return b.changeMemory(ctx, args[1:])
	case "trust":
		return b.changeTrust(thread, args[1:])
	case "status":
		return tui.Output{Text: b.status(ctx, thread)}, nil
	}
	return tui.Output{}, &core.Error{
		Code: core.CodeNotFound, Op: "backend", Message: "there is no command /" + safe.Line(args[0]), Hint: "type /help",
	}
}

func (b *backend) useModel(ctx context.Context, args []string) (tui.Output, error) {
	if len(args) == 0 {
		text := "The model in use is **" + b.models.current().Name() + "**. These are here:\n"
		for _, name := range b.models.available(ctx) {
			text += "\n- " + name
		}
		return tui.Output{Text: text + "\n\nChoose one with `/model NAME`."}, nil
	}
	if err := b.models.use(args[0]); err != nil {
		return tui.Output{}, err
	}
	name := b.models.current().Name()
	return tui.Output{Text: "From the next prompt on, **" + name + "** answers.", Model: name}, nil
}

func (b *backend) changeExperts(ctx context.Context, args []string) (tui.Output, error) {
	usage := &core.Error{
		Code: core.CodeInvalid, Op: "experts", Message: safe.Line(strings.Join(args, " ")) + " is not a way to change who is in the room",
		Hint: "type /experts NAME, /experts add CMD ARGS, /experts stop NAME, /experts restart NAME or /experts forget NAME",
	}
	if len(args) == 1 {
		if text, ok := describeExpert(b.experts(), strings.TrimPrefix(args[0], "@")); ok {
			return tui.Output{Text: text}, nil
		}
	}
	if len(args) < 2 {
		switch strings.Join(args, "") {
		case "add":
			usage.Message, usage.Hint = "/experts add takes a command", "type /experts add python3 heron.py, say"
		case "stop", "restart", "forget":
			usage.Message, usage.Hint = "/experts "+args[0]+" takes the name of an expert", "f2 shows who is here"
		}
		return tui.Output{}, usage
	}
	switch args[0] {
	case "add":
		if _, err := exec.LookPath(args[1]); err != nil && !strings.Contains(args[1], "/") {
			return tui.Output{}, &core.Error{
				Code: core.CodeInvalid, Op: "experts", Message: "there is no command " + safe.Line(args[1]), Hint: "check how it is written",
			}
		}
		return tui.Output{}, b.hub.Add(ctx, hub.Spec{Command: args[1:], Dir: b.cfg.Dir})
	case "stop":
		name := strings.TrimPrefix(args[1], "@")
		guest := slices.ContainsFunc(b.hub.Experts(), func(e core.Expert) bool {
			return e.Present() && e.Transport == hub.Peer && yaap.Canonical(e.Name) == yaap.Canonical(name)
		})
		if err := b.hub.Stop(ctx, name); err != nil {
			return tui.Output{}, err
		}
		if guest {
			return tui.Output{Text: "**" + safe.Line(name) + "** is out of the room. It had joined by itself, and may do so again."}, nil
		}
		return tui.Output{Text: "**" + safe.Line(name) + "** is stopped. `/experts restart " + safe.Line(name) + "` starts it again."}, nil
	case "restart":
		return tui.Output{}, b.hub.Restart(strings.TrimPrefix(args[1], "@"))
	case "forget":
		return b.forgetBids(ctx, strings.TrimPrefix(args[1], "@"))
	}
	return tui.Output{}, usage
}

// auditHead is the head of the audit log that is kept beside the database; where
// none is, that of the database, and that nothing shows whether it is all.
func (b *backend) auditHead(ctx context.Context) string {
	head, err := b.store.KeptHead()
	note := ""
	if err == nil && head.Rows == 0 {
		note = noHead
		head, err = b.store.AuditHead(ctx)
	}
	switch {
	case err != nil:
		return safe.Line(err.Error())
	case head.Rows == 0:
		return plural(0, "row", "rows") + note
	}
	return plural(int(head.Rows), "row", "rows") + ", head `" + head.String() + "`" + note
}

func (b *backend) status(ctx context.Context, thread string) string {
	here, known := 0, []string{}
	for _, e := range b.hub.Experts() {
		if e.Present() {
			here++
		}
		known = append(known, e.Name)
	}
	for _, t := range b.team.room.Tools.Tools().Tools {
		known = append(known, t.Spec().Name)
	}
	var s strings.Builder
	row := func(name, value string) { fmt.Fprintf(&s, "- **%s**: %s\n", name, value) }
	literal := func(value string) string { return "`" + strings.ReplaceAll(value, "`", "'") + "`" }
	row("model", b.models.current().Name()+" (at start: "+b.cfg.Model.V+", from "+b.cfg.Model.From+")")
	row("experts", fmt.Sprintf("%d in the room", here))
	row("turns", fmt.Sprintf("at most %d (%s)", b.cfg.MaxTurns.V, b.cfg.MaxTurns.From))
	asked, allowed := b.trustWords(known)
	if asked != "" {
		row("asked first", asked)
	}
	if allowed != "" {
		row("not asked about", allowed)
	}
	row("directory", literal(b.cfg.Dir))
	row("conversation", literal(thread))
	if b.cfg.Ephemeral.V {
		row("kept in", "nowhere ("+b.cfg.Ephemeral.From+"): "+literal(b.cfg.StateDir)+" is removed at the end")
	} else {
		row("kept in", literal(b.cfg.StateDir))
	}
	if !b.cfg.Ephemeral.V {
		row("audit log", b.auditHead(ctx))
	}
	row("configuration", literal(b.cfg.File))
	return s.String()
}

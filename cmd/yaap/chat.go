package main

import (
	"context"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/clipboard"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/room"
	"github.com/yaap-chat/yaap/tui"
)

// leaveTime is how long leaving takes before the user is told why.
const leaveTime = 700 * time.Millisecond

// chat opens the terminal.
func (p *program) chat(ctx context.Context) error {
	p.options.attended = true
	cfg, err := p.config()
	if err != nil {
		return err
	}
	if err := looks(cfg); err != nil {
		return err
	}
	r, err := p.openWith(ctx, cfg)
	if err != nil {
		return err
	}
	return p.attend(ctx, r, func(ctx context.Context, window *room.Window, thread core.Thread) error {
		o := p.terminal
		o.Keys, o.Theme, o.Colors, o.NoMouse = r.Config.Keys.V, r.Config.Theme.V, r.Config.Colors.V, !r.Config.Mouse.V
		o.Files, o.Pictures, o.Vi, o.Inline = room.FilesDir(r.Config), r.Config.Pictures.V, r.Config.Vi.V, r.Config.Inline.V
		o.Thread, o.Title, o.Model, o.Commands = thread.ID, thread.Title, r.Model(), room.InChat()
		o.Version, o.Dir, o.Env, o.ReducedMotion = version(), r.Config.Dir, p.env, p.options.calm
		o.Ephemeral, o.Detail = r.Config.Ephemeral.V, r.Config.Detail.V
		if !o.Ephemeral && r.Config.File != "" {
			o.Keep = func(key, value string) error { return config.Set(r.Config.File, key, value) }
		}
		o.Exists, o.Clip = r.Exists, p.clip
		began := time.Now()
		if err := tui.Run(ctx, o, window); err != nil {
			return core.Fail(core.CodeInternal, "the terminal cannot be used", `ask without one: yaap run "what is 12% of 840?"`).Because(err)
		}
		last, err := window.Threads(context.WithoutCancel(ctx), "")
		if err == nil && !o.Ephemeral && len(last) > 0 && last[0].Updated.After(began) {
			say(p.stdout, "Go on with it: yaap --continue")
		}
		return err
	})
}

// attend runs a room with a window on a conversation, for as long as show takes.
func (p *program) attend(ctx context.Context, r *room.Room, show func(context.Context, *room.Window, core.Thread) error) error {
	window := r.Window()
	defer window.Close()
	slow := func() { say(p.stderr, "the memory writes down what was said: a few seconds at most") }
	notice := time.AfterFunc(time.Hour, slow)
	notice.Stop() // it begins when the user leaves
	defer notice.Stop()
	return r.Run(ctx, func(ctx context.Context) error {
		defer notice.Reset(leaveTime)
		thread, err := p.conversation(ctx, r)
		if err == nil {
			err = r.TellWaiting(ctx, thread.ID)
		}
		if err != nil {
			return err
		}
		return show(ctx, window, thread)
	})
}

// clip puts text into the clipboard of the system.
func (p *program) clip(ctx context.Context, text string) (with string, err error) {
	return clipboard.Copy(ctx, p.env, text)
}

// looks refuses keys and colours that the chat could not be used with.
func looks(cfg config.Config) error {
	refused := func(err error, from string) error {
		return core.Fail(core.CodeInvalid, err.Error()+" ("+from+")", core.HintOf(err))
	}
	if err := tui.Rebound(cfg.Keys.V).Check(); err != nil {
		return refused(err, cfg.Keys.From)
	}
	if err := tui.Colors(cfg.Colors.V).Check(); err != nil {
		return refused(err, cfg.Colors.From)
	}
	return nil
}

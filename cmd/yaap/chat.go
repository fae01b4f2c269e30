package main

import (
	"context"

	"yaap/core"
	"yaap/core/orchestrator"
	"yaap/tui"
)

// chat opens the terminal.
func (p *program) chat(ctx context.Context) error {
	p.options.attended = true
	a, err := p.open(ctx)
	if err != nil {
		return err
	}
	feed := a.bus.Feed()
	defer feed.Close()
	if a.memory != nil {
		a.memory.models.Store(true)
	}
	return a.run(ctx, func(ctx context.Context) error {
		thread, err := p.conversation(ctx, a)
		if err != nil {
			return err
		}
		o := p.terminal
		o.Thread, o.Title, o.Model = thread.ID, thread.Title, a.models.current().Name()
		o.Version, o.Dir, o.Env, o.ReducedMotion = version(), a.cfg.Dir, p.env, p.options.calm
		o.Ephemeral = a.cfg.Ephemeral.V
		if err := tui.Run(ctx, o, &backend{app: a, feed: feed}); err != nil {
			return &core.Error{
				Code: core.CodeInternal, Op: "chat", Message: "the terminal cannot be used",
				Hint: `ask without one: yaap run "what is 12% of 840?"`, Err: err,
			}
		}
		return nil
	})
}

// conversation is the one that the user goes on with, or a new one.
func (p *program) conversation(ctx context.Context, a *app) (core.Thread, error) {
	switch {
	case p.options.run != "":
		run, err := a.store.FindRun(ctx, p.options.run)
		if core.CodeOf(err) == core.CodeNotFound {
			err = usageHint(err, "yaap chain runs lists them")
		}
		return core.Thread{ID: run.Thread}, err
	case p.options.thread != "":
		thread, err := a.store.Thread(ctx, p.options.thread)
		if core.CodeOf(err) == core.CodeNotFound {
			err = usageHint(err, "yaap threads list shows them; yaap run --continue PROMPT asks in the last one")
		}
		return thread, err
	case p.options.goOn:
		threads, err := a.store.Threads(ctx, 1)
		if err != nil {
			return core.Thread{}, err
		}
		if len(threads) > 0 {
			return threads[0], nil
		}
	}
	return core.Thread{ID: orchestrator.NewThread()}, nil
}

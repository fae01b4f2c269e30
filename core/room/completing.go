package room

import (
	"context"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/wire"
)

const (
	completed     = 50                     // conversations that a shell is offered
	completedSoon = 700 * time.Millisecond // for the providers to say which models they have
)

// ChainNames are the chains that have a name.
func ChainNames(c *Call) []string { return chainNames(c.Config) }

// ThreadNames are the last conversations with their titles, as a shell completes them:
// the words after the tab explain. What cannot be read is left out.
func ThreadNames(ctx context.Context, c *Call) (list []string) {
	_ = c.stored(ctx, func(ctx context.Context) error {
		threads, err := c.store.Threads(ctx, core.ThreadQuery{Dir: c.Config.Dir, Limit: completed})
		for _, t := range threads {
			list = append(list, t.ID+"\t"+safe.Cut(safe.Line(t.Title), 60))
		}
		return err
	})
	return list
}

// ModelNames are the models that can be used now, with what each can do. Providers that
// are slow are left out.
func ModelNames(ctx context.Context, c *Call) (list []string) {
	m, err := newModels(c.Config, c.Getenv, new(wire.Tap), c.keeper())
	if err != nil {
		return []string{offlineName}
	}
	ctx, stop := context.WithTimeout(ctx, completedSoon)
	defer stop()
	all, _ := m.available(ctx)
	for _, one := range all {
		list = append(list, safe.Line(one.name)+"\t"+one.about())
	}
	return list
}

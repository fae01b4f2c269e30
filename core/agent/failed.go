package agent

import (
	"context"

	"github.com/yaap-chat/yaap/core"
)

// Failed makes a Runner that ends every run with err: the question is in the
// conversation already, so that it could not be handed to anybody belongs
// there, too. cfg.Journal and cfg.Sink are required.
func Failed(err error, cfg Config) core.Runner { return failed{cfg: New(cfg).cfg, err: err} }

type failed struct {
	cfg Config
	err error
}

// Run implements [core.Runner].
func (f failed) Run(ctx context.Context, in core.Input) (core.Result, error) {
	in.Agent = f.cfg.Name
	return newSteps(f.cfg, in.Scope, "agent/"+f.cfg.Name).conduct(ctx, in, func(context.Context) (answer, error) {
		return answer{}, f.err
	})
}

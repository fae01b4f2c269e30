package room

import (
	"context"
	"slices"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/store"
)

// storedExchange puts a request of a run together from what is stored, without secrets
// whatever the configuration says. A run below another one has messages of its own.
func storedExchange(ctx context.Context, s *store.Store, run, call string) (core.Exchange, error) {
	row, err := s.FindRun(ctx, run)
	if err != nil {
		return core.Exchange{}, err
	}
	events, err := s.RunEvents(ctx, run)
	if err != nil {
		return core.Exchange{}, err
	}
	var said []core.Message
	if row.Parent == "" {
		said, err = s.Messages(ctx, row.Thread)
	} else {
		var saved core.Saved
		saved, err = s.Load(ctx, run)
		said = saved.Messages
	}
	if err != nil {
		return core.Exchange{}, err
	}
	x, ok := core.ExchangeOf(run, call, events, said)
	if !ok {
		return x, noExchange()
	}
	x, _ = guard.Clean(x)
	return x, nil
}

func noExchange() error {
	return core.Fail(core.CodeNotFound, "nothing is known any more of what the model was asked here", "the requests of a running room are kept in its window")
}

// shownExchange is a request that is kept in memory, as people may see it: what the
// guards of answers hold back, and what has to be judged, is not in it.
func shownExchange(cfg config.Config, x core.Exchange) core.Exchange {
	if x.Answer != nil {
		answer, policy := *x.Answer, cfg.Guard.V[core.GuardOutput]
		for _, text := range []*string{&answer.Text, &answer.Thinking} {
			clean, hits := policy.Text(*text)
			if *text = clean; slices.ContainsFunc(hits, func(h guard.Hit) bool { return h.Verdict == guard.Block }) {
				*text = ""
			}
		}
		if cfg.Judge.V.Model != "" {
			answer.Text = ""
		}
		x.Answer = &answer
	}
	x.Options = modelOptions(cfg.Models.V[x.Model])
	x, _ = guard.Clean(x)
	return x
}

// modelOptions are those that the user has set for a model.
func modelOptions(m config.Model) map[string]any {
	set := map[string]any{}
	for name, n := range map[string]int{"context": m.Context, "max_tokens": m.MaxTokens, "budget": m.Budget} {
		if n > 0 {
			set[name] = n
		}
	}
	if m.Effort != "" {
		set["effort"] = m.Effort
	}
	if m.Temperature != nil {
		set["temperature"] = *m.Temperature
	}
	return set
}

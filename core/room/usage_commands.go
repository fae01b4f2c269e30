package room

import (
	"cmp"
	"context"
	"fmt"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/llm"
)

func usageCommands() []Command {
	return []Command{answerCommand("answer"), {
		Command: core.Command{Name: "usage", Aliases: []string{"cost", "context"}, Does: "the tokens that this conversation took, what they cost, and what is left of the context"},
		Where:   inChat, Run: showUsage,
	}}
}

func showUsage(ctx context.Context, c *Call) (core.Doc, error) {
	all, err := c.Room.store.Usage(ctx, c.Thread)
	if err != nil || len(all) == 0 {
		return core.Say(core.Markdown, "No model has been asked in this conversation yet."), err
	}
	table := core.Part{Kind: core.Table, Head: []string{"model", "requests", "read", "of it cached", "written", "cost"}}
	sum, priced := 0.0, false
	for _, u := range all {
		price, cost := c.Config.Models.V[u.Model].Price, ""
		if price != nil {
			spent := spent(*price, u.Usage)
			sum, priced, cost = sum+spent, true, dollars(spent)
		}
		about := map[bool]string{true: "about "}[u.Usage.Estimated]
		table.Rows = append(table.Rows, []string{
			u.Model, fmt.Sprint(u.Requests), about + fmt.Sprint(u.Usage.Prompt), fmt.Sprint(u.Usage.Cached), about + fmt.Sprint(u.Usage.Completion), cost,
		})
	}
	doc := core.Doc{Parts: []core.Part{table}}
	if priced && len(all) > 1 {
		doc.Remark("in all " + dollars(sum))
	}
	model := c.Room.models.current()
	if sized, ok := model.(llm.Sized); ok {
		if reads := sized.ContextWindow(ctx); reads > 0 {
			for _, u := range all {
				if u.Model == model.Name() {
					doc.Remark(fmt.Sprintf("the last request took %d of the %d tokens that %s reads", u.Last, reads, u.Model))
				}
			}
		}
	}
	return doc, nil
}

// spent is what tokens cost in dollars.
func spent(p config.Price, u core.Usage) float64 {
	cached := cmp.Or(p.Cached, p.Input)
	return (float64(u.Prompt-u.Cached)*p.Input + float64(u.Cached)*cached + float64(u.Completion)*p.Output) / 1e6
}

func dollars(n float64) string {
	if n < 0.01 {
		return fmt.Sprintf("$%.4f", n)
	}
	return fmt.Sprintf("$%.2f", n)
}

package main

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/roomhelp"
	"github.com/yaap-chat/yaap/core/yaap"
)

// A room opens only if each key, command, setting and flag is there that a topic of its
// help speaks of.
func TestTheHelpSpeaksOfWhatThereIs(t *testing.T) {
	r := roomWith(t, t.TempDir(), nil)
	bids := map[string]float64{}
	err := r.Run(t.Context(), func(ctx context.Context) error {
		for _, made := range r.Bidders(10*time.Second).Bids(ctx, core.Scope{}, []string{"how do I quit?"}, nil) {
			bids[made.Tool] = made.Bids[0].Score
		}
		return nil
	})
	if err != nil || bids[roomhelp.Name] < 0.9 {
		t.Errorf("the bids are %v, %v", bids, err)
	}
	for _, want := range []string{"yaap memory forget", "yaap audit verify"} {
		if !slices.ContainsFunc((&program{}).guide(nil).Shell, func(c roomhelp.Command) bool { return c.Name == want }) {
			t.Errorf("the guide does not have %s", want)
		}
	}
}

func TestTheNamesOfTheRoomsOwnToolsAreReserved(t *testing.T) {
	for _, name := range []string{roomhelp.Name, memory.RecallName, memory.CorrectName, memory.ForgetName} {
		if err := yaap.CheckName(name); err == nil || !strings.Contains(err.Error(), "reserved") {
			t.Errorf("an expert may be called %s: %v", name, err)
		}
	}
}

func TestARoomRecallsWhatWasStatedInIt(t *testing.T) {
	t.Setenv("YAAP_BUILTIN", "none")
	a := roomWith(t, t.TempDir(), nil)
	err := a.Run(t.Context(), func(ctx context.Context) error {
		if _, err := a.Ask(ctx, "told", "the staging host is kestrel-3"); err != nil {
			return err
		}
		const question = "what is the staging host?"
		bidders := a.Bidders(10 * time.Second)
		best := core.Bids{Bids: []core.Bid{{}}}
		for _, made := range bidders.Bids(ctx, core.Scope{}, []string{question}, nil) {
			if made.Bids[0].Score > best.Bids[0].Score {
				best = made
			}
		}
		tool, ok := a.Tools().Find(best.Tool)
		if !ok || best.Tool != memory.RecallName {
			t.Errorf("%+v wins", best)
			return nil
		}
		got, err := tool.Call(ctx, core.Call{Tool: best.Tool, Args: []byte(`{"prompt": "` + question + `"}`)})
		if got.Text != "The staging host is kestrel-3, as you said today." {
			t.Errorf("answers %q", got.Text)
		}
		return err
	})
	must.Report(t, err)
}

package main

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"yaap/core"
	"yaap/core/bidding"
	"yaap/core/event"
	"yaap/core/hub"
	"yaap/core/memory"
	"yaap/core/roomhelp"
	"yaap/core/yaap"
)

// Each key, command, setting and flag that a topic speaks of is there.
func TestTheHelpSpeaksOfWhatThereIs(t *testing.T) {
	p := &program{env: func(name string) string { return map[string]string{"HOME": t.TempDir()}[name] }}
	cfg, err := p.config()
	if err != nil {
		t.Fatal(err)
	}
	a := &app{cfg: cfg}
	a.hub = hub.New(new(event.Bus), nil, nil)
	if err := a.openOwn(); err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, own := range a.ownBidders() {
		names = append(names, own.Tool)
		if bid := own.Bid(t.Context(), "how do I quit?", nil); bid.Score < 0.9 {
			t.Errorf("%s bids %v", own.Tool, bid)
		}
	}
	if !slices.Equal(names, []string{roomhelp.Name}) {
		t.Errorf("where nothing is remembered %q bid", names)
	}
	for _, want := range []string{"yaap memory forget", "yaap audit verify"} {
		if !slices.ContainsFunc(a.guide().Shell, func(c roomhelp.Command) bool { return c.Name == want }) {
			t.Errorf("the guide does not have %s", want)
		}
	}
}

func TestOnlyAModelThatCannotSearchIsGivenRecall(t *testing.T) {
	offline := true
	set := tools{Toolbox: hub.New(new(event.Bus), nil, nil), own: []core.Tool{(&memory.Recaller{}).Tool()}, offline: func() bool { return offline }}
	has := func() bool { _, ok := set.Tools().Find(memory.RecallName); return ok }
	if !has() {
		t.Error("the offline model is not given recall")
	}
	offline = false
	if has() {
		t.Error("a model that searches is given recall")
	}
}

func TestTheNamesOfTheRoomsOwnToolsAreReserved(t *testing.T) {
	for _, name := range []string{roomhelp.Name, memory.RecallName} {
		if err := yaap.CheckName(name); err == nil || !strings.Contains(err.Error(), "reserved") {
			t.Errorf("an expert may be called %s: %v", name, err)
		}
	}
}

func TestARoomRecallsWhatWasStatedInIt(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, home)
	}
	p := &program{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, env: os.Getenv}
	p.options.Builtin = "none"
	a, err := p.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = a.run(t.Context(), func(ctx context.Context) error {
		if _, err := a.chat.Prompt(ctx, "told", "the staging host is kestrel-3"); err != nil {
			return err
		}
		const question = "what is the staging host?"
		room := bidding.Room{Experts: a.hub, Own: a.ownBidders(), Sink: a.bus, Wait: 10 * time.Second}
		best := core.Bids{Bids: []core.Bid{{}}}
		for _, made := range room.Bids(ctx, core.Scope{}, []string{question}, nil) {
			if made.Bids[0].Score > best.Bids[0].Score {
				best = made
			}
		}
		tool, ok := a.team.room.Tools.Tools().Find(best.Tool)
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
	if err != nil {
		t.Error(err)
	}
}

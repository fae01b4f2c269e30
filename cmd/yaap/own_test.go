package main

import (
	"slices"
	"strings"
	"testing"

	"yaap/core"
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

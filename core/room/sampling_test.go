package room

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub/link"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/llm/offline"
	"github.com/yaap-chat/yaap/core/must"
)

// lends is a room that lends a model to heron, for so many tokens.
func lends(model llm.Model, tokens int) *sampler {
	a := &Room{bus: new(maskedBus), models: &models{model: model}, listed: &listedExperts{wanted: map[string]*listedExpert{"heron": {tokens: tokens}}}}
	return &sampler{room: a, used: map[string]int{}}
}

func asksModel(text string) link.Sampling {
	return link.Sampling{Expert: "heron", System: "Be brief.", Messages: []core.Message{{Role: core.RoleUser, Text: text}}}
}

func TestAnExpertUsesTheModelUntilItsTokensAreUsed(t *testing.T) {
	script := llmtest.New(t,
		llmtest.Turn{Text: "Grey herons.", Usage: core.Usage{Prompt: 60, Completion: 30}},
		llmtest.Turn{Text: "Purple ones.", Usage: core.Usage{Prompt: 60, Completion: 30}},
	)
	l := lends(script, 100)
	feed := l.room.bus.Feed()
	got, err := l.sample(t.Context(), asksModel("Which birds?"))
	if err != nil || got.Text != "Grey herons." || got.Model != script.Name() {
		t.Fatalf("got %+v, %v", got, err)
	}
	must.Get(l.sample(t.Context(), asksModel("And then?")))(t)
	_, err = l.sample(t.Context(), asksModel("And then?"))
	if core.CodeOf(err) != core.CodeRefused || !strings.Contains(err.Error(), "has used the 100 tokens") {
		t.Errorf("got %v", err)
	}
	var told []core.Sampled
	for _, e := range feed.Pending() {
		told = append(told, e.Body.(core.Sampled))
	}
	if len(told) != 3 || told[0].Left != 10 || told[0].Prompt != "Which birds?" || told[1].Left != 0 || told[2].Error == "" {
		t.Errorf("people are told %+v", told)
	}
}

func TestAnExpertThatMayNotUseTheModelIsRefused(t *testing.T) {
	for name, l := range map[string]func() *sampler{
		"no tokens":     func() *sampler { return lends(llmtest.New(t), 0) },
		"offline model": func() *sampler { return lends(&offline.Model{}, 100) },
	} {
		if _, err := l().sample(t.Context(), asksModel("hi")); core.CodeOf(err) != core.CodeRefused {
			t.Errorf("%s: got %v", name, err)
		}
	}
	l := lends(llmtest.New(t), 100)
	for _, text := range []string{strings.Repeat("x", maxSampled)} {
		if _, err := l.sample(t.Context(), asksModel(text)); core.CodeOf(err) != core.CodeRefused {
			t.Errorf("%d bytes: got %v", len(text), err)
		}
	}
}

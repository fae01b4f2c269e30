package room

import (
	"os"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/trust"
)

func TestAModelThatNoProviderHasIsRefusedWithWhereItWasNamed(t *testing.T) {
	said := func(name, from string) config.Value[string] { return config.Value[string]{V: name, From: from} }
	for _, cfg := range []config.Config{
		{Model: said("gpt", "config.yaml")},
		{Model: said("ollama/", "config.yaml")},
		{Model: said("offline/x", "config.yaml")},
		{Model: said("offline", "default"), Fallback: config.Value[[]string]{V: []string{"offline", "gpt"}, From: "config.yaml"}},
	} {
		_, err := newModels(cfg, os.Getenv, nil, trust.New(t.TempDir(), "", trust.Rules{}))
		if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), "config.yaml") || !strings.Contains(core.HintOf(err), "the providers are ollama, openai, anthropic") {
			t.Errorf("%v: got %v (%s)", cfg.Model, err, core.HintOf(err))
		}
	}
}

func TestAJudgeHasRulesAndIsAModelThatReadsThem(t *testing.T) {
	for j, ok := range map[config.Judge]bool{
		{Model: "ollama/tiny:1b", Rules: "No prices."}: true,
		{Model: "ollama/tiny:1b"}:                      false,
		{Rules: "No prices."}:                          false,
		{Model: "offline", Rules: "No prices."}:        false,
		{Model: "nobody/x", Rules: "No prices."}:       false,
	} {
		m, err := newModels(config.Config{Model: config.Value[string]{V: "offline"}, Judge: config.Value[config.Judge]{V: j}}, os.Getenv, nil, trust.New(t.TempDir(), "", trust.Rules{}))
		if (err == nil) != ok || ok && (m.judge == nil || m.judge.Rules != j.Rules) {
			t.Errorf("%+v: %v", j, err)
		}
	}
}

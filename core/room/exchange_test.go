package room

import (
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/guard"
)

func TestWhatIsHeldBackOfAnAnswerIsNotShownWithItsRequest(t *testing.T) {
	const address = "write to ada.lovelace@example.org"
	kept := core.Exchange{Messages: []core.Message{{Text: "who?"}}, Answer: &core.Message{Text: address, Thinking: "it is simple"}}
	var cfg config.Config
	for policy, want := range map[guard.Verdict]string{guard.Allow: address, guard.Block: ""} {
		cfg.Guard.V = config.Guards{core.GuardOutput: guard.Policy{Personal: policy}}
		if got := shownExchange(cfg, kept); got.Answer.Text != want || got.Answer.Thinking != "it is simple" {
			t.Errorf("%s: %+v", policy, got.Answer)
		}
	}
	cfg.Guard.V, cfg.Judge.V.Model = nil, "ollama/judge"
	if got := shownExchange(cfg, kept); got.Answer.Text != "" {
		t.Errorf("before it is judged: %+v", got.Answer)
	}
	if kept.Answer.Text != address {
		t.Error("what is kept has changed")
	}
}

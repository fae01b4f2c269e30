package agent_test

import (
	"context"
	"iter"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/llm"
)

// cutShort is a model whose answer is cancelled in the middle.
type cutShort struct{ cancel context.CancelFunc }

func (cutShort) Name() string { return "big" }

func (m cutShort) Stream(ctx context.Context, _ llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for _, c := range []llm.Chunk{{Thinking: "A tale, then."}, {Text: `{"status": `}, {Text: `"success", "message": "Once upon ` + token}} {
			if !yield(c, nil) {
				return
			}
		}
		m.cancel()
		yield(llm.Chunk{}, ctx.Err())
	}
}

func TestWhatWasStreamedBeforeACancelIsStoredAsItMayBe(t *testing.T) {
	for verdict, want := range map[guard.Verdict]string{"": "Once upon " + token, guard.Redact: "Once upon " + masked, guard.Block: ""} {
		ctx, cancel := context.WithCancel(t.Context())
		s := newStage(t, cutShort{cancel})
		s.cfg.Guards.Output = guard.Policy{Secrets: verdict}
		if _, err := agent.New(s.cfg).Run(ctx, s.input("tell")); core.CodeOf(err) != core.CodeCancelled {
			t.Fatalf("got %v", err)
		}
		for _, e := range s.events() {
			if b, ok := e.Body.(core.LLMCallEnd); ok && (b.Text != want || b.Thought != "A tale, then.") {
				t.Errorf("%q: told %+v, want %q", verdict, b, want)
			}
		}
	}
}

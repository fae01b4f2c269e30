package orchestrator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/orchestrator"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// reads is a model that reads so many tokens.
type reads struct {
	llm.Model
	tokens int
}

func (r reads) ContextWindow(context.Context) int { return r.tokens }

// reread is a store whose conversations are read as those of a room are.
type reread struct {
	*store.Store
	said *store.MessageCache
}

func (r reread) Messages(ctx context.Context, thread string) ([]core.Message, error) {
	return r.said.Messages(ctx, thread)
}

// longTalk is a conversation of n questions on disk, each with a call and its result,
// and an orchestrator that asks model.
func longTalk(t testing.TB, n int, model llm.Model) *orchestrator.Orchestrator {
	t.Helper()
	journal := storetest.Open(t, t.TempDir(), store.Open)
	rows := []core.Row{core.Session{ID: "session"}, core.Thread{ID: "t", Session: "session"}}
	for i := range n {
		run, at := fmt.Sprintf("run%05d", i), time.Unix(int64(i), 0)
		say := func(part string, m core.Message) {
			m.ID, m.Run, m.Time = run+part, run, at
			rows = append(rows, core.MessageRow{Thread: "t", Message: m})
		}
		rows = append(rows, core.RunRow{ID: run, Thread: "t", Runner: "agent/yaap", State: core.RunCompleted, Time: at})
		say("q", core.Message{Role: core.RoleUser, Text: fmt.Sprintf("question %d of herons, as long as most are", i)})
		say("c", core.Message{Role: core.RoleAssistant, Calls: []core.Call{{ID: "c", Tool: "calc", Args: json.RawMessage(`{"prompt":"1"}`)}}})
		say("r", core.Message{Role: core.RoleTool, Name: "calc", CallID: "c", Text: strings.Repeat("result ", 200), Result: &core.ToolResult{Status: core.ToolSuccess, Text: strings.Repeat("result ", 200)}})
		say("a", core.Message{Role: core.RoleAssistant, Text: "answer", Reply: &core.Reply{Status: core.StatusSuccess, Message: fmt.Sprintf("answer %d", i)}})
	}
	for len(rows) > 0 {
		some := rows[:min(len(rows), 500)]
		if err := journal.Put(t.Context(), some...); err != nil {
			t.Fatal(err)
		}
		rows = rows[len(some):]
	}
	bus := new(event.Bus)
	answers := agent.New(agent.Config{Model: model, Journal: journal, Sink: bus})
	return orchestrator.New(orchestrator.Config{
		Journal: journal, Conversations: reread{journal, store.NewMessageCache(journal, func(m core.Message) core.Message { return m })}, Session: "session",
		Lookup: func(string) (core.Runner, error) { return answers, nil },
	})
}

func ask(t testing.TB, o *orchestrator.Orchestrator) {
	t.Helper()
	if _, err := o.Prompt(t.Context(), core.Scope{Thread: "t"}, "and now?"); err != nil {
		t.Fatal(err)
	}
}

func fine(t testing.TB) *llmtest.Script {
	return llmtest.New(t, llmtest.Forever(llmtest.Turn{Text: `{"thought":"","status":"success","data":{},"message":"fine"}`}))
}

func TestThePromptAfterHundredsIsWithinItsBudgetAndCostsWhatTheFiftiethDid(t *testing.T) {
	const tokens = 4096 // fewer than ten questions have
	cost := func(n int) float64 {
		model := fine(t)
		o := longTalk(t, n, reads{model, tokens})
		ask(t, o) // which reads the conversation once
		allocs := testing.AllocsPerRun(5, func() { ask(t, o) })
		for _, req := range model.Requests() {
			size := len(req.System) + len(req.Now)
			for _, m := range req.Messages {
				size += len(m.Text)
			}
			if size/3 > tokens*3/4 {
				t.Errorf("after %d questions a request has %d bytes", n, size)
			}
			if first, last := req.Messages[0].Text, req.Messages[len(req.Messages)-1].Text; last != "and now?" || n > 100 && !strings.Contains(first, "questions at the beginning of this conversation") {
				t.Errorf("after %d questions a request begins with %.100q and ends with %q", n, first, last)
			}
		}
		return allocs
	}
	few, some, many := cost(10), cost(50), cost(400)
	if many > 1.3*some || many > 1.3*few {
		t.Errorf("%.0f allocations after 10 questions, %.0f after 50, %.0f after 400", few, some, many)
	}
}

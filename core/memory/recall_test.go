package memory_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/must"
)

// about says that herons are birds, and nothing else.
type about struct{}

func (about) Model() string { return "about" }

func (about) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = []float32{1, 0}
		if !strings.Contains(text, "heron") && !strings.Contains(text, "bird") {
			vectors[i] = []float32{0, 1}
		}
	}
	return vectors, nil
}

func TestTheToolTellsAnAnswerWithItsQuestionAndWhatMeansTheSame(t *testing.T) {
	s := open(t)
	said := func(id, thread, text string) core.Entry {
		return core.Entry{ID: id, Memory: "m", Thread: thread, Role: core.RoleUser, Raw: text, Summary: text, Created: time.Now()}
	}
	put := telling{Store: s, put: make(chan int, 8)}
	meaning := memory.NewSemanticSearch(s, put, "m", func(context.Context) (memory.Embedder, error) { return about{}, nil })
	if err := s.Put(t.Context(), said("before", "a", "good morning"), said("question", "a", "which port does the proxy listen on?"),
		said("answer", "a", "8443"), said("after", "a", "thanks"), said("heron", "b", "I could watch herons for hours")); err != nil {
		t.Fatal(err)
	}
	ask := func(in memory.Store, query string) string {
		t.Helper()
		tool := memory.NewRecorder(memory.Config{Store: in, Memory: core.Memory{ID: "m"}}).SearchTool()
		got, err := tool.Call(t.Context(), core.Call{Args: []byte(`{"query": "` + query + `"}`)})
		if err != nil || got.Status != core.ToolSuccess {
			t.Fatalf("%+v, %v", got, err)
		}
		return got.Text
	}
	if got := ask(s, "port of the proxy"); !strings.Contains(got, "8443") || strings.Contains(got, "thanks") || strings.Contains(got, "morning") {
		t.Errorf("by words: %s", got)
	}
	if got := ask(s, "feathered birds"); strings.Contains(got, "herons") {
		t.Errorf("by words alone: %s", got)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- meaning.Run(ctx) }()
	<-put.put
	if first, _, _ := strings.Cut(ask(meaning, "feathered birds"), "\n"); !strings.Contains(first, "herons") {
		t.Errorf("by meaning: %s", first)
	}
	stop()
	must.Report(t, <-ended)
}

func TestTheToolDoesNotTakeARuleForAQuestion(t *testing.T) {
	for _, rule := range []string{
		"Do not feed the gnome on Fridays", "When the gnome rings, call Heron", "What the gnome wants is a longer lunch.", "ok, do not wake the gnome",
	} {
		r := newRoom(t, nil)
		must.Do(t, memory.NewAgent(r.cfg).Invoke(t.Context(), memory.ProcessMessage, "t", r.say("t", rule, "Noted.")...))
		result, err := memory.NewRecorder(r.cfg).SearchTool().Call(t.Context(), core.Call{Args: json.RawMessage(`{"query":"gnome"}`)})
		if err != nil || strings.Contains(result.Text, "Only questions") || !strings.Contains(result.Text, rule) {
			t.Errorf("%q: %s, %v", rule, result.Text, err)
		}
	}
}

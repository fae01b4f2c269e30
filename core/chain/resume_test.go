package chain_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/chain"
	"github.com/yaap-chat/yaap/core/must"
)

func TestAQuestionPausesTheChainUntilItIsAnswered(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: which}", "b: {agent: x, prompt: '{{a.message}}'}")+way("a", "b"))
	asks := core.Reply{Status: core.StatusClarification, Message: "Which one?", Data: map[string]any{"options": []any{"red", "blue"}}}
	s.play = says(map[string][]core.Reply{"a": {asks, good("blue it is", nil)}, "b": {good("done", nil)}})
	result, err := s.run("go", nil)
	if err != nil || len(result.Pauses) != 1 || result.Reply.Status != core.StatusClarification {
		t.Fatalf("got %+v, %v", result, err)
	}
	p := result.Pauses[0]
	if p.Question != "Which one?" || len(p.Options) != 2 || p.Options[1].Label != "blue" || p.Root != runID {
		t.Errorf("got %+v", p)
	}
	if result, err := s.again(); err != nil || len(result.Pauses) != 1 { // nobody has answered
		t.Errorf("got %+v, %v", result, err)
	}
	must.Do(t, s.journal.Put(t.Context(), core.Answer{Pause: p.ID, Text: "blue", Time: time.Now()}))
	s.path()
	if result, err := s.again(); err != nil || result.Reply.Message != "done" {
		t.Fatalf("got %+v, %v", result, err)
	}
	want := []string{"resumed", "start a#1", "end a completed", "a -> b default", "start b#1", "end b completed", "b -> end default"}
	must.Equal(t, want, s.path())
	must.Equal(t, []string{"a: which", "a: blue", "b: blue it is"}, s.calls)
}

func TestAnExpertThatAskedBackIsAskedInWords(t *testing.T) {
	for answer, want := range map[string]string{"leeks": "a: water something: leeks", "water all the roses": "a: water all the roses"} {
		s := newStage(t, nodes("a: {expert: x, prompt: water something?}")+way("a"))
		asks := core.Reply{Status: core.StatusClarification, Message: "Which plant?", Data: map[string]any{"options": []any{"roses", "leeks", "water all the roses"}}}
		s.play = says(map[string][]core.Reply{"a": {asks, good("done", nil)}})
		result, err := s.run("go", nil)
		if err != nil || len(result.Pauses) != 1 {
			t.Fatalf("got %+v, %v", result, err)
		}
		must.Do(t, s.journal.Put(t.Context(), core.Answer{Pause: result.Pauses[0].ID, Text: answer, Time: time.Now()}))
		if result, err := s.again(); err != nil || result.Reply.Message != "done" {
			t.Fatalf("got %+v, %v", result, err)
		}
		must.Equal(t, want, s.calls[len(s.calls)-1])
	}
}

func TestAQuestionMaySayWhatItsAnswerMustBeLike(t *testing.T) {
	s := newStage(t, nodes(
		`much: {function: ask, input: {question: "How much?", schema: {type: integer, minimum: 1}}}`,
		`told: {function: set, input: {much: "{{much.data.answer}}"}}`)+`
  - {from: start, to: much}
  - {from: much, to: told, when: response.data.answer > 10}
  - {from: told, to: end}
`)
	result, err := s.run("go", nil)
	if err != nil || len(result.Pauses) != 1 || string(result.Pauses[0].Schema) != `{"minimum":1,"type":"integer"}` {
		t.Fatalf("got %+v, %v", result.Pauses, err)
	}
	answer := core.Answer{Pause: result.Pauses[0].ID, Text: "12", Data: []byte("12"), Time: time.Now()}
	must.Do(t, s.journal.Put(t.Context(), answer))
	if result, err := s.again(); err != nil || asJSON(result.Reply.Data) != `{"much":12}` {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
}

func TestAChangedFileIsNoticed(t *testing.T) {
	edges := `
  - {from: start, to: a}
  - {from: a, to: end}
`
	s := newStage(t, nodes("a: {agent: x, prompt: a}")+edges)
	s.play = says(map[string][]core.Reply{"a": {{Status: core.StatusClarification, Message: "?"}}})
	must.Get(s.run("go", nil))(t)
	other := compile(t, nodes("a: {agent: x, prompt: other}")+edges)
	other.Hash = "another"
	s.chain = other
	for range 2 {
		if _, err := s.again(); core.CodeOf(err) != core.CodeConflict || !strings.Contains(core.HintOf(err), "--migrate") {
			t.Errorf("got %v", err)
		}
		if row := s.state(); row.State != core.RunInterrupted {
			t.Errorf("a run that waits and is refused is %s", row.State)
		}
	}
	s.cfg.Migrate = true
	result, err := s.again()
	if err != nil || len(result.Pauses) != 1 {
		t.Fatalf("got %+v, %v", result, err)
	}
	s.cfg.Migrate = false
	s.answer(result.Pauses[0].ID, "this")
	s.play = says(map[string][]core.Reply{"a": {good("done", nil)}})
	if result, err := s.again(); err != nil || result.Reply.Message != "done" {
		t.Errorf("with the file that it went on with: %+v, %v", result, err)
	}
	steps := must.Get(chain.Steps(must.Get(s.journal.Load(t.Context(), runID))(t)))(t)
	if !slices.Contains(steps, "goes on with a changed file") {
		t.Errorf("the steps are %q", steps)
	}
}

func (s *stage) answer(pause, text string) {
	s.t.Helper()
	must.Do(s.t, s.journal.Put(s.t.Context(), core.Answer{Pause: pause, Text: text, Time: time.Now()}))
}

func TestANodeThatIsStoppedIsGoneOnWith(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a, retries: 2}", "sorry: {agent: x, prompt: sorry}")+`
  - {from: start, to: a}
  - {from: a, to: end}
  - {from: a, to: sorry, on_error: true}
  - {from: sorry, to: end}
`)
	stop := false
	s.play = func(context.Context, core.Input) (core.Result, error) {
		stop = true
		return core.Result{}, &core.Error{Code: core.CodeStopped, Message: "stopped after the running calls"}
	}
	in := s.begin("go", nil)
	in.Steer = func() core.RunControl { return core.RunControl{Stop: stop} }
	if _, err := s.chain.Runner(s.cfg).Run(t.Context(), in); core.CodeOf(err) != core.CodeStopped {
		t.Fatalf("got %v", err)
	}
	s.path()
	s.play = says(map[string][]core.Reply{"a": {good("done", nil)}})
	if result, err := s.again(); err != nil || result.Reply.Message != "done" {
		t.Errorf("gone on with: %+v, %v", result.Reply, err)
	}
}

func TestWhatTheUserSaysWhileAChainRunsIsGivenToTheAgentOfItsNode(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}", "b: {agent: x, prompt: b}")+way("a", "b"))
	var said []core.Message
	taken := map[string]string{}
	s.play = func(_ context.Context, in core.Input) (core.Result, error) {
		for _, m := range in.Said() {
			taken[in.Node] += m.Text
		}
		said = []core.Message{{ID: "more", Text: "in euros"}} // after a, and after b
		return core.Result{Reply: good("done", nil)}, nil
	}
	in := s.begin("go", nil)
	in.Said = func() (now []core.Message) {
		now, said = said, nil
		return now
	}
	must.Get(s.chain.Runner(s.cfg).Run(t.Context(), in))(t)
	if taken["a"] != "" || taken["b"] != "in euros" {
		t.Errorf("got %q", taken)
	}
}

func TestRecordsThatDoNotFitAreRefused(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: '{{item}}', for_each: {over: '{{vars.list}}'}}")+`
  - {from: start, to: a}
  - {from: a, to: end}
vars: {list: [1, 2]}
`)
	for _, rec := range []string{
		`{"node":"a","visit":1,"item":7,"attempt":1,"reply":{"status":"success"}}`,
		`{"node":"a","visit":1,"item":-3,"attempt":1,"reply":{"status":"success"}}`,
		`{"node":"a","visit":1,"attempt":1,"reply":{"status":"success"}}`,
		`{"node":"a","visit":2,"item":0,"attempt":1,"reply":{"status":"success"}}`,
		`{"node":"a","visit":1,"item":0,"attempt":1,"pause":"x"}`,
		`{"node":"b","visit":1,"attempt":1,"reply":{"status":"success"}}`,
		`[]`,
	} {
		f := stageOf(t, s.chain)
		f.begin("go", nil)
		for i, raw := range []string{`{"begin":{"chain":"test","hash":"hash","given":{}}}`, rec} {
			must.Do(t, f.journal.Put(t.Context(), core.Checkpoint{Run: runID, Step: i + 1, State: []byte(raw)}))
		}
		if _, err := f.again(); core.CodeOf(err) != core.CodeConflict && core.CodeOf(err) != core.CodeCorrupt {
			t.Errorf("%s: got %v", rec, err)
		}
	}
}

// counted is a journal that counts the bytes of what is put.
type counted struct {
	core.Journal
	bytes int
}

func (c *counted) Put(ctx context.Context, rows ...core.Row) error {
	for _, row := range rows {
		c.bytes += len(asJSON(row))
	}
	return c.Journal.Put(ctx, rows...)
}

func TestWhatARunStoresGrowsWithItsSteps(t *testing.T) {
	loop := func(n int) chain.Spec {
		return chain.Spec{
			Name: "loop", Limits: chain.Limits{Steps: 2*n + 2},
			Nodes: []chain.Node{
				{ID: "a", Kind: chain.KindFunction, Name: "set", MaxVisits: n + 1},
				{ID: "b", Kind: chain.KindFunction, Name: "set", MaxVisits: n + 1},
			},
			Edges: []chain.Edge{
				{From: chain.Start, To: "a"},
				{From: "a", To: "b"},
				{From: "b", To: "a", When: fmt.Sprintf("visits < %d", n/2)},
				{From: "b", To: chain.End, Default: true},
			},
		}
	}
	each := func(n int) chain.Spec {
		items := make([]any, n)
		for i := range items {
			items[i] = i
		}
		return chain.Spec{
			Name: "each", Vars: map[string]any{"items": items},
			Nodes: []chain.Node{{ID: "each", Kind: chain.KindFunction, Name: "set", Each: &chain.Each{Over: "{{vars.items}}"}}},
			Edges: []chain.Edge{{From: chain.Start, To: "each"}, {From: "each", To: chain.End}},
		}
	}
	for name, spec := range map[string]func(int) chain.Spec{"line": line, "loop": loop, "for_each": each} {
		per := map[int]int{}
		for _, n := range []int{10, 100, 1000} {
			c := must.Get(chain.Compile(spec(n), ""))(t)
			s := stageOf(t, c)
			j := &counted{Journal: core.DiscardJournal{}}
			s.cfg.Journal = j
			if result, err := s.run("go", nil); err != nil || result.Reply.Status != core.StatusSuccess {
				t.Fatalf("%s of %d: %+v, %v", name, n, result.Reply, err)
			}
			per[n] = j.bytes / n
		}
		if per[1000] > per[100]*11/10 || per[100] > per[10]*11/10 {
			t.Errorf("%s: the bytes of a node grow with their number: %v", name, per)
		}
	}
}

package chain_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/chain"
	"github.com/yaap-chat/yaap/core/must"
)

func (s *stage) state() core.RunRow {
	s.t.Helper()
	saved := must.Get(s.journal.Load(s.t.Context(), runID))(s.t)
	return saved.Run
}

// ended returns how the root run ended last, as its events tell it.
func (s *stage) ended() (end core.RunEnd) {
	for _, e := range s.feed.Pending() {
		if b, ok := e.Body.(core.RunEnd); ok && e.Run == runID {
			end = b
		}
	}
	return end
}

func TestAChainThatFailedIsAnErrorAndGoesOnAtTheNodeThatFailed(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}", "b: {agent: x, prompt: '{{a.message}}'}", "c: {agent: x, prompt: '{{b.message}}'}")+way("a", "b", "c"))
	s.play = says(map[string][]core.Reply{"a": {good("one", nil)}, "b": {bad("no luck"), bad("again no luck"), good("two", nil)}, "c": {good("three", nil)}})
	for _, problem := range []string{"no luck", "again no luck"} {
		do := s.again
		if problem == "no luck" {
			do = func() (core.Result, error) { return s.run("go", nil) }
		}
		result, err := do()
		if err != nil || result.Reply.Status != core.StatusFailure || result.Reply.Message != problem {
			t.Fatalf("got %+v, %v", result.Reply, err)
		}
		if row := s.state(); row.State != core.RunFailed || row.Code != core.CodeFailed {
			t.Errorf("the run is %s, %s", row.State, row.Code)
		}
		if end := s.ended(); end.Outcome != "error" || end.Code != core.CodeFailed || end.Error != problem || end.Hint == "" {
			t.Errorf("told is %+v", end)
		}
	}
	result, err := s.again()
	if err != nil || result.Reply.Message != "three" || s.state().State != core.RunCompleted {
		t.Fatalf("got %+v, %v", result.Reply, err)
	}
	want := []string{"resumed", "start b#1", "end b completed", "b -> c default", "start c#1", "end c completed", "c -> end default"}
	must.Equal(t, want, s.path())
	must.Equal(t, []string{"a: a", "b: one", "b: one", "b: one", "c: two"}, s.calls)
}

func TestAFailedRunThatIsReadAgainIsNotRunAgain(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}")+way("a"))
	s.play = says(map[string][]core.Reply{"a": {bad("no luck"), good("luck", nil)}})
	in := s.begin("go", nil)
	for range 2 {
		if result, err := s.chain.Runner(s.cfg).Run(t.Context(), in); err != nil || result.Reply.Message != "no luck" {
			t.Errorf("got %+v, %v", result.Reply, err)
		}
	}
	if len(s.calls) != 1 {
		t.Errorf("got the calls %q", s.calls)
	}
}

func TestTheItemsThatFailedAreDoneAgainAndNoOthers(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: '{{item}}', for_each: {over: '{{vars.list}}', parallel: 1, on_failure: fail}}")+`
  - {from: start, to: a}
  - {from: a, to: end}
vars: {list: [one, two, three]}
`)
	broken := true
	s.play = func(_ context.Context, in core.Input) (core.Result, error) {
		if question := in.Messages[0].Text; question == "two" && broken {
			return core.Result{Reply: bad("two is broken")}, nil
		}
		return core.Result{Reply: good(in.Messages[0].Text+"!", nil)}, nil
	}
	if result, err := s.run("go", nil); err != nil || result.Reply.Status != core.StatusFailure {
		t.Fatalf("got %+v, %v", result.Reply, err)
	}
	broken = false
	if result, err := s.again(); err != nil || result.Reply.Message != "one!\ntwo!\nthree!" {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
	must.Equal(t, []string{"a: one", "a: two", "a: two", "a: three"}, s.calls)
}

func TestARunInWhichNoWorkFailedCannotGoOnWithTheSameFile(t *testing.T) {
	edges := `
  - {from: start, to: a}
  - {from: a, to: b}
  - {from: b, to: end}
`
	s := newStage(t, nodes("a: {agent: x, prompt: a}", "b: {agent: x, prompt: '{{a.data.there}}'}")+edges)
	s.play = says(map[string][]core.Reply{"a": {good("one", nil)}, "b": {good("two", nil)}})
	result, err := s.run("go", nil)
	if err != nil || result.Reply.Message != "b: prompt: {{a.data.there}} is missing" {
		t.Fatalf("got %+v, %v", result.Reply, err)
	}
	if end := s.ended(); !strings.Contains(end.Hint, "yaap chain resume --migrate "+runID) {
		t.Errorf("told is %+v", end)
	}
	if _, err := s.again(); core.CodeOf(err) != core.CodeConflict || !strings.Contains(core.HintOf(err), "--migrate") || !strings.Contains(err.Error(), "b: prompt") {
		t.Errorf("got %v (%s)", err, core.HintOf(err))
	}
	s.chain = compile(t, nodes("a: {agent: x, prompt: a}", "b: {agent: x, prompt: '{{a.message}}'}")+edges)
	s.chain.Hash, s.cfg.Migrate = "mended", true
	if result, err := s.again(); err != nil || result.Reply.Message != "two" {
		t.Errorf("with the mended file: %+v, %v", result.Reply, err)
	}
	must.Equal(t, []string{"a: a", "b: one"}, s.calls)
}

// A chain within a chain goes on at its own node.
func TestAFailedChainWithinAChainGoesOnAtItsOwnNode(t *testing.T) {
	s := newStage(t, nodes("outer: {chain: inner, input: {}}")+way("outer"))
	inner := compile(t, nodes("a: {agent: x, prompt: a}", "b: {agent: x, prompt: b}")+way("a", "b"))
	s.cfg.Lookup = func(name string) (core.Runner, error) {
		if name == "chain/inner" {
			return inner.Runner(s.cfg), nil
		}
		return actor{s}, nil
	}
	s.play = says(map[string][]core.Reply{"a": {good("one", nil)}, "b": {bad("no luck"), bad("no luck"), good("two", nil)}})
	s.ends("no luck")
	if result, err := s.again(); err != nil || result.Reply.Message != "no luck" {
		t.Fatalf("got %+v, %v", result.Reply, err)
	}
	if result, err := s.again(); err != nil || result.Reply.Message != "two" {
		t.Fatalf("got %+v, %v", result.Reply, err)
	}
	must.Equal(t, []string{"a: a", "b: b", "b: b", "b: b"}, s.calls)
}

// TestAnyFailedRunGoesOnWithoutAskingTwice lets chains fail, mends the world,
// and goes on with them, also after a kill at every Put of that.
func TestAnyFailedRunGoesOnWithoutAskingTwice(t *testing.T) {
	tried := 0
	for seed := range uint64(150) {
		c := must.Get(chain.Compile(randomSpec(rand.New(rand.NewPCG(seed, 5)), 2), ""))(t)
		for puts := 0; ; puts++ {
			s := stageOf(t, c)
			var mu sync.Mutex
			var succeeded, twice []string
			mended := false
			play := random(seed)
			s.play = func(ctx context.Context, in core.Input) (core.Result, error) {
				result, err := play(ctx, in)
				mu.Lock()
				defer mu.Unlock()
				if mended && result.Reply.Status == core.StatusFailure && !result.Reply.Retry() {
					result.Reply = good("mended", map[string]any{"n": 1})
				}
				if slices.Contains(succeeded, in.Run) {
					twice = append(twice, in.Run)
				}
				if err == nil && result.Reply.Status == core.StatusSuccess {
					succeeded = append(succeeded, in.Run)
				}
				return result, err
			}
			result, err := s.run("go", nil)
			if err != nil || result.Reply.Status != core.StatusFailure {
				break
			}
			mu.Lock()
			mended = true
			mu.Unlock()
			k := &killed{Journal: s.journal, left: puts}
			s.cfg.Journal = k
			_, err = s.again()
			if core.CodeOf(err) == core.CodeConflict {
				break // no work failed
			}
			tried++
			if err == nil {
				if row := s.state(); row.State == core.RunRunning {
					t.Errorf("seed %d: the run is %s", seed, row.State)
				}
				newHistory().check(t, fmt.Sprint("seed ", seed), s.feed.Pending())
				if len(twice) > 0 {
					t.Errorf("seed %d: asked again though they had succeeded: %q", seed, twice)
				}
				break
			}
			s.cfg.Journal = s.journal
			if _, err := s.again(); err != nil {
				t.Errorf("seed %d, killed after %d puts: %v", seed, puts, err)
			}
			if len(twice) > 2 { // those whose results the kill kept from the disk
				t.Errorf("seed %d, killed after %d puts: asked again though they had succeeded: %q", seed, puts, twice)
			}
		}
	}
	if tried < 50 {
		t.Errorf("only %d failed runs were gone on with", tried)
	}
}

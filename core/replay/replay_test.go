package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/replay"
)

var run = core.Scope{Thread: "t", Run: "r", Trace: "r", Agent: "yaap", Turn: 1}

// events are some with a time each.
func events(bodies ...core.Body) (list []core.Event) {
	for i, b := range bodies {
		list = append(list, core.Event{Seq: uint64(i + 1), Time: time.Unix(int64(i), 0), Scope: run, Body: b})
	}
	return list
}

// recorded is what a file of these events reads as.
func recorded(t *testing.T, list []core.Event, more ...func(*replay.Recorder)) *replay.Recording {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.jsonl")
	r := must.Get(replay.Create(path))(t)
	r.Begin(replay.Head{Thread: "t", Prompt: "what is 2 + 2?", MaxTurns: 10})
	for _, do := range more {
		do(r)
	}
	for _, e := range list {
		r.Event(e)
	}
	must.Do(t, r.Close())
	rec := must.Get(replay.Read(path))(t)
	return rec
}

func call(id string) []core.Body {
	return []core.Body{
		core.BeforeToolExecution{Call: id, Tool: id}, core.ToolCallStart{Call: id, Tool: id}, core.ToolCallEnd{Call: id, Tool: id, Status: core.ToolSuccess, Text: "4", MS: 3},
	}
}

func TestWhatDiffersFromRunToRunIsNoDifference(t *testing.T) {
	a, b := call("a"), call("b")
	before := events(core.RunStart{Runner: "agent/yaap"}, core.LLMCallStart{Call: "m"}, core.Delta{Stream: "m", Field: "message", Text: "It "}, core.Delta{Stream: "m", Field: "message", Text: "is 4."},
		core.LLMCallEnd{Call: "m", MS: 5, Usage: core.Usage{Prompt: 9}}, core.AssistantMessage{ID: "x"}, core.BidsMade{}, a[0], a[1], a[2], b[0], b[1], b[2], core.RunEnd{MS: 9})
	after := events(core.RunStart{Runner: "agent/yaap"}, core.LLMCallStart{Call: "m"}, core.Delta{Stream: "m", Field: "message", Text: "It is 4."},
		core.LLMCallEnd{Call: "m", MS: 7}, core.AssistantMessage{ID: "y"}, b[0], a[0], a[1], b[1], b[2], core.ToolCallProgress{Call: "a"}, a[2], core.RunEnd{MS: 1})
	first, same, err := recorded(t, before).Compare(after)
	if first != nil || err != nil || same != 12 {
		t.Errorf("got %+v, %d, %v; want 12 events that are the same", first, same, err)
	}
}

func TestTheFirstDifferenceIsNamed(t *testing.T) {
	a := call("a")
	other := a[2].(core.ToolCallEnd)
	other.Text = "5"
	for name, c := range map[string]struct {
		now  []core.Body
		want replay.Difference
	}{
		"another value":  {[]core.Body{a[0], a[1], other}, replay.Difference{At: 3, Fields: []replay.Field{{Name: "data.text", Recorded: `"4"`, Now: `"5"`}}}},
		"an event less":  {[]core.Body{a[0], a[1]}, replay.Difference{At: 3}},
		"one event more": {[]core.Body{a[0], a[1], a[2], core.TurnEnd{}}, replay.Difference{}},
	} {
		first, _, err := recorded(t, events(a...)).Compare(events(c.now...))
		if err != nil || first == nil {
			t.Errorf("%s: got %v, %v; want a difference", name, first, err)
			continue
		}
		if diff := cmp.Diff([]any{c.want.At, c.want.Fields}, []any{first.At, first.Fields}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestNumbersKeepEveryDigit(t *testing.T) {
	reply := func(n string) core.FinalOutput {
		return core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Data: map[string]any{"n": json.Number(n)}}}
	}
	first, _, err := recorded(t, events(reply("12345678901234567890"))).Compare(events(reply("12345678901234567891")))
	if err != nil || first == nil {
		t.Errorf("got %v, %v; want a difference in the last digit", first, err)
	}
}

// saying is a model that says the same always.
type saying struct {
	chunks []llm.Chunk
	err    error
}

func (saying) Name() string                      { return "parrot" }
func (saying) AllTools()                         {}
func (saying) ContextWindow(context.Context) int { return 4096 }

func (m saying) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for _, c := range m.chunks {
			if !yield(c, nil) {
				return
			}
		}
		if m.err != nil {
			yield(llm.Chunk{}, m.err)
		}
	}
}

// listened is all that comes of a request.
func listened(m llm.Model, req llm.Request) (chunks []llm.Chunk, err error) {
	for c, failed := range m.Stream(context.Background(), req) {
		if failed != nil {
			return chunks, failed
		}
		chunks = append(chunks, c)
	}
	return chunks, nil
}

func TestAModelSaysAgainWhatItSaidPieceByPiece(t *testing.T) {
	said := []llm.Chunk{
		{Thinking: "hm"},
		{Text: `{"a`},
		{Text: `":1}`},
		{Calls: []core.Call{{ID: "c", Tool: "calc", Args: json.RawMessage(`no JSON`)}}, Opaque: json.RawMessage(`{"signed":1}`), Done: &llm.Done{Reason: llm.ReasonCalls, Usage: core.Usage{Prompt: 3}}},
	}
	busy := &core.Error{Code: core.CodeRateLimited, Message: "busy", Err: &llm.BusyError{After: time.Minute, Err: errors.New("come again")}}
	req := llm.Request{Scope: run, Messages: []core.Message{{Role: core.RoleUser, Text: "2 + 2"}}}
	rec := recorded(t, nil, func(r *replay.Recorder) {
		for _, m := range []saying{{chunks: said}, {err: busy}} {
			_, _ = listened(r.Model(m), req) // what comes of it is recorded
		}
	})
	p := replay.NewPlayer(rec)
	m := p.Model("parrot")
	again, err := listened(m, req)
	if diff := cmp.Diff(said, again); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	_, err = listened(m, req)
	var wait *llm.BusyError
	if core.CodeOf(err) != core.CodeRateLimited || err.Error() != busy.Error() || !errors.As(err, &wait) || wait.After != time.Minute {
		t.Errorf("the failure is %v, want %v", err, busy)
	}
	req.Messages[0].Text = "2 + 3"
	if _, err = listened(m, req); core.CodeOf(err) != core.CodeNotFound || core.Retryable(err) {
		t.Errorf("a request more than was recorded gets %v, want an error that is not tried again", err)
	}
	sized, _ := m.(llm.Sized)
	if _, all := m.(llm.AllTools); !all || sized.ContextWindow(t.Context()) != 4096 {
		t.Error("the model is not what it was")
	}
}

func TestARequestThatIsAnotherIsCounted(t *testing.T) {
	rec := recorded(t, nil, func(r *replay.Recorder) {
		_, _ = listened(r.Model(saying{chunks: []llm.Chunk{{Text: "4", Done: &llm.Done{}}}}), llm.Request{Scope: run, Now: "Monday", Messages: []core.Message{{ID: "1", Role: core.RoleUser, Text: "2 + 2"}}})
	})
	for text, others := range map[string]int{"2 + 2": 0, "2 + 3": 1} {
		p := replay.NewPlayer(rec)
		_, _ = listened(p.Model("parrot"), llm.Request{Scope: run, Now: "Tuesday", Messages: []core.Message{{ID: "2", Role: core.RoleUser, Text: text}}})
		if p.Others() != others {
			t.Errorf("%s: %d requests are others, want %d", text, p.Others(), others)
		}
	}
}

// echo answers each call with how often it was called.
type echo struct{ calls int }

func (*echo) Spec() core.ToolSpec { return core.ToolSpec{Name: "echo"} }

func (e *echo) Call(context.Context, core.Call) (core.ToolResult, error) {
	e.calls++
	return core.ToolResult{Status: core.ToolSuccess, Text: strings.Repeat("again ", e.calls-1) + "hello"}, nil
}

func TestACallThatWasMadeAgainHasItsResultsInOrder(t *testing.T) {
	call := core.Call{ID: "c", Tool: "echo", Key: run.CallKey("c")}
	rec := recorded(t, nil, func(r *replay.Recorder) {
		set := r.Toolset(core.Toolset{Tools: []core.Tool{&echo{}}})
		for range 2 {
			must.Get(set.Tools[0].Call(t.Context(), call))(t)
		}
	})
	set := replay.NewPlayer(rec).Tools()
	var got []string
	for _, c := range []core.Call{call, call, {Tool: "echo", Key: "another"}} {
		result := must.Get(set.Tools[0].Call(t.Context(), c))(t)
		got = append(got, result.Text)
	}
	must.Equal(t, []string{"hello", "again hello", "the recording has no result of this call"}, got)
}

func TestToolsComeAndGoAsTheyDidBetweenRequests(t *testing.T) {
	rec := recorded(t, nil, func(r *replay.Recorder) {
		r.Toolset(core.Toolset{})
		_, _ = listened(r.Model(saying{}), llm.Request{Scope: run})
		r.Toolset(core.Toolset{Tools: []core.Tool{&echo{}}})
	})
	p := replay.NewPlayer(rec)
	before := len(p.Tools().Tools)
	_, _ = listened(p.Model("parrot"), llm.Request{Scope: run})
	if after := len(p.Tools().Tools); before != 0 || after != 1 {
		t.Errorf("there are %d tools before the first request and %d after it, want 0 and 1", before, after)
	}
}

// stored is a question that an agent has answered with one call.
func stored() replay.Stored {
	root := core.Scope{Thread: "t", Run: "r", Trace: "r", Agent: "yaap"}
	tell := func(b core.Body) core.Event { return core.Event{Scope: root, Body: b} }
	return replay.Stored{
		Root: core.RunRow{ID: "r", Thread: "t", Runner: "agent/yaap"},
		Said: []core.Message{{ID: "0", Run: "before", Role: core.RoleUser, Text: "hello"}, {ID: "1", Run: "r", Role: core.RoleUser, Text: "2 + 2?"}},
		Events: []core.Event{
			tell(core.RunStart{Prompt: "2 + 2?"}), tell(core.AgentProcessing{Model: "parrot", MaxTurns: 7, Tools: []string{"calc", "find_out", "notes__read"}}),
			tell(core.LLMCallStart{Call: "a"}), tell(core.LLMCallEnd{Call: "a", Reason: "tool_calls"}), tell(core.ToolCallStart{Call: "c", Tool: "calc", Expert: "sums"}),
			tell(core.ToolCallEnd{Call: "c", Tool: "calc"}), tell(core.LLMCallStart{Call: "b"}), tell(core.LLMCallEnd{Call: "b", Reason: "stop"}), tell(core.RunEnd{}),
		},
		Saved: map[string]core.Saved{"r": {Run: core.RunRow{ID: "r", Runner: "agent/yaap"}, Messages: []core.Message{
			{Role: core.RoleUser, Text: "2 + 2?"},
			{Role: core.RoleAssistant, Model: "parrot", Calls: []core.Call{{ID: "c", Tool: "calc", Args: json.RawMessage(`{}`)}}},
			{Role: core.RoleTool, Name: "calc", CallID: "c", Result: &core.ToolResult{Status: core.ToolSuccess, Text: "4"}},
			{Role: core.RoleAssistant, Model: "parrot", Text: "It is 4."},
		}}},
		Adds: func(name string) bool { return name == "find_out" },
	}
}

func TestWhatIsStoredOfAQuestionIsARecording(t *testing.T) {
	rec := must.Get(stored().Recording())(t)
	p := replay.NewPlayer(rec)
	var tools []string
	for _, spec := range p.Tools().Specs() {
		tools = append(tools, spec.Owner+" "+spec.Name)
	}
	var said []string
	for range 2 {
		chunks := must.Get(listened(p.Model("parrot"), llm.Request{Scope: run}))(t)
		for _, c := range chunks {
			if said = append(said, c.Text); len(c.Calls) > 0 {
				said = append(said, c.Calls[0].Tool)
			}
		}
	}
	result := must.Get(p.Tools().Tools[0].Call(t.Context(), core.Call{Tool: "calc", Key: run.CallKey("c")}))(t)
	got := []any{rec.Prompt, len(rec.Said), rec.MaxTurns, rec.Model, tools, said, result.Text}
	want := []any{"2 + 2?", 1, 7, "parrot", []string{"sums calc", "notes notes__read"}, []string{"", "calc", "It is 4.", ""}, "4"}
	must.Equal(t, want, got)
}

func TestItIsSaidWhatAStoreHasNotGot(t *testing.T) {
	for why, change := range map[string]func(*replay.Stored){
		"it was gone on with":         func(s *replay.Stored) { s.Events[0].Body = core.RunStart{Resumed: true} },
		"a model failed":              func(s *replay.Stored) { s.Events[3].Body = core.LLMCallEnd{Call: "a", Error: "busy"} },
		"a model was asked again":     func(s *replay.Stored) { s.Events[5].Body = core.LLMCallEnd{Call: "b"} },
		"a model was shown some of":   func(s *replay.Stored) { s.Finder = "find_out" },
		"the conversation was longer": func(s *replay.Stored) { s.Events[5].Body = core.ContextFitted{} },
		"the user was asked":          func(s *replay.Stored) { s.Events[5].Body = core.ApprovalGiven{} },
		"another model took over":     func(s *replay.Stored) { s.Events[5].Body = core.Fallback{} },
	} {
		s := stored()
		change(&s)
		if _, err := s.Recording(); core.CodeOf(err) != core.CodeRefused || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: got %v", why, err)
		}
	}
}

func TestWhatAnExpertDoesInRunsOfItsOwnIsNotCompared(t *testing.T) {
	below := core.Event{Scope: run.Child("a"), Body: core.TurnStart{}}
	rec := recorded(t, append(events(call("a")...), below), func(r *replay.Recorder) {
		must.Get(r.Tool(&echo{}).Call(t.Context(), core.Call{Tool: "echo", Key: run.CallKey("a")}))(t)
	})
	if first, same, err := rec.Compare(events(call("a")...)); first != nil || err != nil || same != 3 {
		t.Errorf("got %+v, %d, %v; want 3 events that are the same", first, same, err)
	}
	if first, _, err := recorded(t, append(events(call("b")...), below)).Compare(events(call("b")...)); first == nil || err != nil {
		t.Errorf("got %+v, %v; want the run that is missing of a chain", first, err)
	}
}

func TestSecretsAreNotInTheFile(t *testing.T) {
	const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
	path := filepath.Join(t.TempDir(), "x.jsonl")
	r := must.Get(replay.Create(path))(t)
	r.Begin(replay.Head{Prompt: secret, MaxTurns: 1, Said: []core.Message{{Text: secret}}})
	r.Chain(replay.Chain{Name: "x", Text: "key: " + secret})
	_, _ = listened(r.Model(saying{chunks: []llm.Chunk{{Text: secret, Calls: []core.Call{{ID: "1", Args: json.RawMessage(`{"key":"` + secret + `"}`)}}, Done: &llm.Done{}}}}), llm.Request{})
	must.Do(t, r.Close())
	raw, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(raw), "abcdefghijklmnopqrstuvwxyz0123") {
		t.Errorf("%v: the file holds a secret:\n%s", err, raw)
	}
	if rec, err := replay.Read(path); err != nil || !rec.Masked {
		t.Errorf("it is not said that something was taken out: %v", err)
	}
}

func TestAFileThatIsNoRecordingIsRefusedWithItsLine(t *testing.T) {
	const head = `{"type":"recording","data":{"max_turns":3}}` + "\n"
	for text, line := range map[string]string{
		"":                                  "line 1",
		"{}":                                "line 1",
		`{"type":"run_end","data":{}}`:      "line 1",
		`{"type":"recording","data":{}}`:    "line 1", // no turn
		head + "nonsense":                   "line 2",
		head + head:                         "line 2",
		head + `{"type":"heron","data":{}}`: "line 2",
		head + "\n" + `{"type":"recorded_reply","data":[]}`: "line 3",
	} {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		if _, err := replay.Read(path); core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), line) {
			t.Errorf("%q: got %v, want a refusal of %s", text, err, line)
		}
	}
}

func TestARecordingThatNeverBeganLeavesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	r := must.Get(replay.Create(path))(t)
	must.Do(t, r.Close())
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want no file", err)
	}
}

func FuzzAFileOfOthersIsReadOrRefused(f *testing.F) {
	f.Add(`{"type":"recording","data":{"max_turns":3,"prompt":"2 + 2"}}` + "\n" + `{"type":"run_start","run":"r","data":{"prompt":"2 + 2"}}` + "\n" +
		`{"type":"tool_call_end","run":"r/c","data":{"call":"a/b"}}` + "\n" + `{"type":"recorded_reply","data":{"run":"r","model":"m","text":"four","pieces":[-9,2,99]}}` + "\n" +
		`{"type":"recorded_tools","data":{"after":-1,"tools":[{"name":"calc"}]}}` + "\n" + `{"type":"recorded_result","data":{"key":"k"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		rec, err := replay.Read(path)
		if err != nil {
			if core.CodeOf(err) != core.CodeInvalid {
				t.Errorf("it is refused with %v", err)
			}
			return
		}
		again := slices.Clone(rec.Page().Events)
		if _, _, err := rec.Compare(again); err != nil {
			t.Errorf("what was read cannot be compared: %v", err)
		}
		p := replay.NewPlayer(rec)
		_, _ = listened(p.Model(rec.Model), llm.Request{Scope: core.Scope{Run: "r"}})
		p.Tools()
	})
}

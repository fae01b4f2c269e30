package runlog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/chain"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/orchestrator"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/store"
)

const thread = "thread"

var in = core.Scope{Thread: thread}

// tool is a tool made of a function.
type tool struct {
	name string
	call func(context.Context) core.ToolResult
}

func (t tool) Spec() core.ToolSpec { return core.ToolSpec{Name: t.name, Owner: t.name} }

func (t tool) Call(ctx context.Context, _ core.Call) (core.ToolResult, error) {
	return t.call(ctx), nil
}

func (t tool) Tools() core.Toolset { return core.Toolset{Rev: 1, Tools: []core.Tool{t}} }

func calc() tool {
	return tool{"calc", func(context.Context) core.ToolResult { return core.ToolResult{Status: core.ToolSuccess, Text: "2"} }}
}

// careful asks before every call but those of handoffs.
type careful struct{}

func (careful) NeedsApproval(_ string, t core.ToolSpec) bool { return t.Name == "calc" }
func (careful) Options(core.ToolSpec) []core.Option {
	return []core.Option{{ID: core.AllowOnce}, {ID: core.Deny}}
}
func (careful) Allow(_ string, _ core.ToolSpec, _ string) error { return nil }
func call(id, tool string, args string) core.Call {
	return core.Call{ID: id, Tool: tool, Args: []byte(args)}
}

func says(message string) llmtest.Turn {
	raw, _ := json.Marshal(core.Reply{Thought: "easy", Status: core.StatusSuccess, Data: map[string]any{}, Message: message})
	return llmtest.Turn{Text: string(raw)}
}

// stage is a conversation with its store, and one who looks on.
type stage struct {
	*orchestrator.Orchestrator
	t     *testing.T
	store *store.Store
	feed  *event.Feed
	agent agent.Config
}

func newStage(t *testing.T, file string, uses core.Toolbox, turns ...llmtest.Turn) *stage {
	t.Helper()
	db := must.Get(store.Open(t.Context(), t.TempDir()))(t)
	ended := make(chan error, 1)
	go func() { ended <- db.Run(context.WithoutCancel(t.Context())) }()
	t.Cleanup(func() {
		must.Report(t, db.Close())
		must.Report(t, <-ended)
	})
	must.Do(t, db.Put(t.Context(), core.Session{ID: "session", Started: time.Now()}))
	bus := new(event.Bus)
	s := &stage{t: t, store: db, feed: bus.Feed(), agent: agent.Config{
		Model: llmtest.New(t, turns...), Tools: uses, Journal: db, Sink: bus, Backoff: llm.Backoff{Base: time.Nanosecond},
	}}
	lookup := func(string) (core.Runner, error) { return agent.New(s.agent), nil }
	s.Orchestrator = orchestrator.New(orchestrator.Config{
		Journal: db, Conversations: db, Session: "session", Sink: bus, Attended: true,
		Lookup: func(name string) (core.Runner, error) {
			if !strings.HasPrefix(name, "chain/") {
				return lookup(name)
			}
			spec, faults := chain.Parse("test.yaml", []byte(file))
			if faults = append(faults, chain.Check(spec, chain.Known{})...); len(faults) > 0 {
				t.Fatal(faults)
			}
			c, err := chain.Compile(spec, "hash")
			if err != nil {
				return nil, err
			}
			return c.Runner(chain.Config{Journal: db, Sink: bus, Lookup: lookup}), nil
		},
	})
	return s
}

// live folds what one sees who looks on, with what is streamed of a thought.
func (s *stage) live() *runlog.Set {
	set, thought := new(runlog.Set), ""
	for _, e := range s.feed.Pending() {
		e.Time = e.Time.Truncate(time.Microsecond) // which is what the store keeps
		switch b := e.Body.(type) {
		case core.LLMCallStart:
			thought = ""
		case core.Delta:
			if b.Field == core.FieldThought && e.Depth == 0 {
				thought += b.Text
			}
		case core.AssistantMessage:
			set.SetThought(e, thought)
			thought = ""
		default:
		}
		set.Apply(e)
	}
	return set
}

// stored folds what the store holds of the same runs.
func (s *stage) stored(roots []*runlog.Run) *runlog.Set {
	s.t.Helper()
	messages := must.Get(s.store.Messages(s.t.Context(), thread))(s.t)
	thinking := map[string]string{}
	for _, m := range messages {
		thinking[m.ID] = m.Thinking
	}
	var events []core.Event
	for _, r := range roots {
		told := must.Get(s.store.RunEvents(s.t.Context(), r.ID))(s.t)
		events = append(events, told...)
	}
	return runlog.Read(events, thinking)
}

// told is all that a fold knows of the runs that the user started.
func told(t *testing.T, set *runlog.Set) []string {
	t.Helper()
	for _, r := range set.Runs() {
		r.Version = 0
	}
	raw := must.Get(json.MarshalIndent(roots(set), "", " "))(t)
	return strings.Split(string(raw), "\n")
}

func roots(set *runlog.Set) []*runlog.Run {
	return slices.DeleteFunc(slices.Clone(set.Runs()), func(r *runlog.Run) bool { return r.Parent != "" })
}

const loop = `
chain: 1
name: loop
nodes:
  write: {agent: yaap, prompt: "write it", max_visits: 3}
  judge: {agent: yaap, prompt: "{{write.message}}", max_visits: 3}
  which: {function: ask, input: {question: "Which?", options: [red, blue]}}
  never: {function: set, input: {message: never}}
edges:
  - {from: start, to: write}
  - {from: write, to: judge}
  - {from: judge, to: write, when: response.message == "again"}
  - {from: judge, to: which, default: true}
  - {from: which, to: never, when: response.data.answer == "red"}
  - {from: which, to: end, default: true}
  - {from: never, to: end}
`

func TestStoredEventsTellOfARunWhatTheLiveOnesTold(t *testing.T) {
	args := `{"prompt":"1+1"}`
	asks := llmtest.Turn{Thinking: "calc fits", Text: "Let me see.", Calls: []core.Call{call("a", "calc", args)}}
	cases := map[string]func(t *testing.T) *stage{
		"an agent": func(t *testing.T) *stage {
			s := newStage(t, "", calc(), asks, says("It is 2."))
			s.prompt("1+1?")
			return s
		},
		"two prompts": func(t *testing.T) *stage {
			s := newStage(t, "", calc(), says("Hello."), asks, says("It is 2."))
			s.prompt("hello")
			s.prompt("1+1?")
			return s
		},
		"a call that is allowed": func(t *testing.T) *stage {
			s := newStage(t, "", calc(), asks, says("It is 2."))
			s.agent.Approvals = careful{}
			result := s.prompt("1+1?")
			s.answer(core.Answer{Pause: result.Pauses[0].ID, ID: core.AllowOnce})
			return s
		},
		"a handoff": func(t *testing.T) *stage {
			s := newStage(t, "", calc(), llmtest.Turn{Calls: []core.Call{call("h", "handoff_to_agent", `{"agent":"lawyer","reason":"law"}`)}}, says("MIT is fine."), says("It is fine."))
			s.agent.Peers = func() []agent.Peer {
				return []agent.Peer{{Name: "lawyer", Description: "Knows licences.", Prompt: "Law."}}
			}
			s.prompt("may I?")
			return s
		},
		"cancelled": func(t *testing.T) *stage {
			ctx, cancel := context.WithCancel(t.Context())
			deaf := tool{"calc", func(ctx context.Context) core.ToolResult {
				cancel()
				<-ctx.Done()
				return core.ToolResult{Status: core.ToolError, Code: core.ToolCodeCancelled, Text: "cancelled"}
			}}
			s := newStage(t, "", deaf, asks)
			if _, err := s.Prompt(ctx, in, "1+1?"); core.CodeOf(err) != core.CodeCancelled {
				t.Fatal(err)
			}
			return s
		},
		"a chain with a loop and a question": func(t *testing.T) *stage {
			s := newStage(t, loop, calc(), says("first"), says("again"), says("second"), says("good"))
			if result, err := s.Start(t.Context(), in, "chain/loop", "go", nil); err != nil || len(result.Pauses) != 1 {
				t.Fatal(result, err)
			}
			s.prompt("blue")
			return s
		},
	}
	for name, play := range cases {
		t.Run(name, func(t *testing.T) {
			s := play(t)
			live := s.live()
			if n := len(roots(live)); n == 0 {
				t.Fatal("nothing was told")
			}
			must.Equal(t, told(t, live), told(t, s.stored(roots(live))))
		})
	}
}

// prompt asks, and must be answered.
func (s *stage) prompt(text string) core.Result {
	s.t.Helper()
	result := must.Get(s.Prompt(s.t.Context(), in, text))(s.t)
	return result
}

func (s *stage) answer(a core.Answer) {
	s.t.Helper()
	must.Get(s.Answer(s.t.Context(), a))(s.t)
}

// fold plays events of the run "r".
func fold(set *runlog.Set, bodies ...core.Body) *runlog.Run {
	for _, b := range bodies {
		set.Apply(core.Event{Scope: core.Scope{Thread: thread, Run: "r", Trace: "r"}, Body: b})
	}
	return set.Run("r")
}

func TestOnlySoManyVisitsAndSoMuchTextAreKept(t *testing.T) {
	const visits, most, field = 135, 128, 16 << 10
	bodies := []core.Body{core.RunStart{Runner: "chain/loop"}}
	for v := range visits {
		bodies = append(bodies, core.NodeStart{Node: "n", Visit: v + 1, Attempt: 1},
			core.NodeEnd{Node: "n", Visit: v + 1, Attempt: 1, State: core.NodeCompleted, Message: strings.Repeat("m", 2*field)})
	}
	r := fold(new(runlog.Set), bodies...)
	if len(r.Visits) != most || r.Steps() != visits || !r.Truncated() {
		t.Fatalf("%d visits of %d are kept", len(r.Visits), r.Steps())
	}
	size := 0
	for _, v := range r.Visits {
		size += len(v.End.Message)
	}
	if size > 1<<20 || r.Visits[0].End.Message != "" || len(r.Visits[most-1].End.Message) != field+len("…") {
		t.Errorf("%d bytes are kept, and not the newest", size)
	}
}

func TestARunThatGoesOnAfterARestartKeepsWhatItDidBefore(t *testing.T) {
	visit := func(node string, attempt int, state core.NodeState) []core.Body {
		return []core.Body{core.NodeStart{Node: node, Visit: 1, Attempt: attempt}, core.NodeEnd{Node: node, Visit: 1, Attempt: attempt, State: state, MS: 1}}
	}
	before, after := new(runlog.Set), new(runlog.Set)
	fold(before, core.RunStart{Runner: "chain/asks", Prompt: "go"})
	fold(before, visit("collect", 1, core.NodeCompleted)...)
	fold(before, append(visit("approve", 1, core.NodePaused), core.RunEnd{Outcome: "interrupted", MS: 5})...)
	fold(after, core.RunStart{Runner: "chain/asks", Prompt: "yes", Resumed: true})
	r := fold(after, append(visit("approve", 2, core.NodeCompleted), core.RunEnd{Outcome: "completed", MS: 7})...)
	r.Recall(before.Run("r"))
	var got []string
	for _, v := range r.Visits {
		got = append(got, fmt.Sprint(v.Node, " ", v.Attempt, " ", v.State()))
	}
	must.Equal(t, []string{"collect 1 completed", "approve 1 paused", "approve 2 completed"}, got)
	if r.Prompt != "go" || r.Spent != 12*time.Millisecond || r.State() != core.NodeCompleted {
		t.Errorf("got %q, %v, %s", r.Prompt, r.Spent, r.State())
	}
}

func TestWhatACallAsksIsToldInItsOrder(t *testing.T) {
	for args, want := range map[string]string{
		`{"path":"new.txt","content":"hello","how":{"z": 1,
			"b": [2]},"deep":true}`: `path: new.txt, content: hello, how: {"z":1,"b":[2]}, deep: true`,
		`{"prompt":"what time is it?"}`:          "what time is it?",
		`{"prompt":"what time is it?","head":3}`: "prompt: what time is it?, head: 3",
		`{}`:                                     "", `null`: "", ``: "", `[1]`: "[1]", `{"path":"cut…`: `{"path":"cut…`,
	} {
		must.Equal(t, want, runlog.Asked(json.RawMessage(args)))
	}
}

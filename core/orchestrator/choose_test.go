package orchestrator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/bidding"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/orchestrator"
)

// crowd are experts with long words about themselves, of which one bids.
type crowd struct {
	tools  []core.Tool
	bidder string // bids on what has the word herons
	calls  atomic.Int32
}

// Tools implements [core.Toolbox].
func (c *crowd) Tools() core.Toolset { return core.Toolset{Rev: 1, Tools: c.tools} }

// Experts implements [bidding.Bidders].
func (*crowd) Experts() []core.Expert { return nil }

// DepartedExperts implements [bidding.Bidders].
func (*crowd) DepartedExperts() []core.Expert { return nil }

// Bids implements [bidding.Bidders].
func (c *crowd) Bids(_ context.Context, texts []string, _ []core.Message, _ string, _ time.Duration) []core.Bids {
	made := core.Bids{Expert: c.bidder, Tool: c.bidder, Bids: make([]core.Bid, len(texts))}
	for i, text := range texts {
		if strings.Contains(text, "herons") {
			made.Bids[i] = core.Bid{Score: 0.8, Reads: "herons"}
		}
	}
	return []core.Bids{made}
}

// member is one tool of the crowd.
type member struct {
	crowd *crowd
	spec  core.ToolSpec
}

// Spec implements [core.Tool].
func (m member) Spec() core.ToolSpec { return m.spec }

// Call implements [core.Tool].
func (m member) Call(context.Context, core.Call) (core.ToolResult, error) {
	m.crowd.calls.Add(1)
	return core.ToolResult{Status: core.ToolSuccess, Text: m.spec.Name + " answered"}, nil
}

// newCrowd has count tools, as long as those of a large server are.
func newCrowd(count int) *crowd {
	c := &crowd{bidder: "unit_000"}
	for i := range count {
		fields := map[string]any{"number": map[string]any{"type": "integer", "description": "Which one."}}
		for j := range 20 {
			fields[fmt.Sprintf("field_%d", j)] = map[string]any{
				"type": "string", "description": strings.Repeat("What this is about, told at length. ", 6), "enum": []string{"open", "closed", "all"},
			}
		}
		schema, _ := json.Marshal(map[string]any{"type": "object", "properties": fields, "required": []string{"number"}})
		c.tools = append(c.tools, member{c, core.ToolSpec{
			Name: fmt.Sprintf("unit_%03d", i), Owner: fmt.Sprintf("unit_%03d", i), Schema: schema,
			Description: "Manages records of a repository. " + strings.Repeat("It returns pages of them, in their order. ", 40),
		}})
	}
	return c
}

// describe changes what a tool says of itself.
func (c *crowd) describe(name, about string) {
	i := slices.IndexFunc(c.tools, func(t core.Tool) bool { return t.Spec().Name == name })
	spec := c.tools[i].Spec()
	spec.Description = about + " " + spec.Description
	c.tools[i] = member{c, spec}
}

// ask puts prompts to a room with a crowd, in one conversation.
func (c *crowd) ask(t *testing.T, model *llmtest.Script, prompts ...string) []llm.Request {
	t.Helper()
	journal, bus := openStore(t), new(event.Bus)
	must.Do(t, journal.Put(t.Context(), core.Session{ID: "session"}))
	room := &bidding.Collector{Experts: c, Sink: bus}
	runner := agent.New(agent.Config{
		Model: model, Tools: c, Journal: journal, Sink: bus, Prompt: strings.Repeat("Answer briefly. ", 50),
		Rank: room.Rank, Now: func() time.Time { return time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC) },
	})
	o := orchestrator.New(orchestrator.Config{
		Journal: journal, Conversations: journal, Session: "session",
		Lookup: func(string) (core.Runner, error) { return runner, nil },
	})
	for _, prompt := range prompts {
		must.Get(o.Prompt(t.Context(), core.Scope{Thread: "thread"}, prompt))(t)
	}
	return model.Requests()
}

func done() llmtest.Turn {
	return llmtest.Turn{Text: `{"thought":"t","status":"success","message":"done","data":{}}`}
}

func calls(tool, args string) llmtest.Turn {
	return llmtest.Turn{Calls: []core.Call{{Tool: tool, Args: json.RawMessage(args)}}}
}

func offers(req llm.Request) (names []string) {
	for _, spec := range req.Tools {
		names = append(names, spec.Name)
	}
	return names
}

// tokens is what a request comes to, by its bytes.
func tokens(req llm.Request) int {
	n := len(req.System)
	for _, m := range req.Messages {
		n += len(m.Text)
		for _, c := range m.Calls {
			n += len(c.Tool) + len(c.Args)
		}
	}
	for _, spec := range req.Tools {
		n += len(spec.Name) + len(spec.Description) + len(spec.Schema)
		for _, e := range spec.Examples {
			n += len(e)
		}
	}
	return n / 4
}

func TestAPromptStaysSmallInARoomOf201Tools(t *testing.T) {
	c := newCrowd(201)
	var turns []llmtest.Turn
	for i, bird := range []string{"heron", "plover", "curlew", "dunlin", "avocet", "godwit"} {
		for j := range 5 {
			c.describe(fmt.Sprintf("unit_%03d", 100+5*i+j), "Counts each "+bird+".")
		}
		turns = append(turns, calls("find_expert", `{"query":"`+bird+`"}`))
	}
	model := llmtest.New(t, append(turns, done())...)
	for i, req := range c.ask(t, model, "which records does the repository have?") {
		if n := tokens(req); n >= 8000 {
			t.Errorf("request %d has %d tokens, of which %d tools", i+1, n, len(req.Tools))
		}
		if i == 0 && len(req.Tools) != 24 {
			t.Errorf("the model sees %d tools, want 24", len(req.Tools))
		}
		if i == 1 && len(req.Tools) != 29 {
			t.Errorf("the model sees %d tools after it has found 5, want 29", len(req.Tools))
		}
		for _, spec := range req.Tools {
			if !json.Valid(spec.Schema) || !strings.Contains(string(spec.Schema), `"required"`) {
				t.Errorf("%s takes %s", spec.Name, spec.Schema)
			}
		}
	}
}

func TestTheToolOfABidderIsOfferedAndTheOthersByTheirWords(t *testing.T) {
	c := newCrowd(201)
	c.bidder = "unit_180"
	c.describe("unit_190", "Counts newts in ponds.")
	got := offers(c.ask(t, llmtest.New(t, done()), "how many herons and newts?")[0])
	must.Equal(t, []string{"find_expert", "unit_180", "unit_190"}, got)
}

func TestAHiddenToolIsFoundAndCalledAndTheListGrowsAtItsEnd(t *testing.T) {
	c := newCrowd(201)
	c.bidder = "unit_150"
	c.describe("unit_007", "Counts newts in ponds.")
	requests := c.ask(t, llmtest.New(t, calls("find_expert", `{"query":"newts"}`), calls("unit_007", `{"number":1}`), calls("find_expert", `{"query":"herons"}`), done(), done()),
		"list the records", "and again the records")
	first, second, last := offers(requests[0]), offers(requests[1]), offers(requests[3])
	if slices.Contains(first, "unit_007") || c.calls.Load() != 1 {
		t.Errorf("unit_007 was called %d times, of %v", c.calls.Load(), first)
	}
	if diff := cmp.Diff(append(slices.Clone(first), "unit_007"), second); diff != "" {
		t.Errorf("after it was found (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(append(slices.Clone(second), "unit_150"), last); diff != "" {
		t.Errorf("after another was found (-want +got)\n%s", diff)
	}
	if requests[0].System != requests[1].System {
		t.Error("the instructions change with the tools")
	}
	for i := range requests[1:] {
		if i < 3 && cmp.Diff(requests[0].Tools, requests[i+1].Tools[:len(first)]) != "" {
			t.Errorf("what is said of the first tools has changed in request %d", i+2)
		}
	}
	next := offers(requests[4])
	if !slices.IsSorted(next) || !slices.Contains(next, "unit_007") || len(next) != 24 {
		t.Errorf("the next prompt has %v", next)
	}
}

func TestAToolThatWasNotOfferedIsCalledByItsNameWhereTheArgumentsFit(t *testing.T) {
	c := newCrowd(201)
	requests := c.ask(t, llmtest.New(t, calls("unit_200", `{"number":"one"}`), calls("unit_200", `{"number":1}`), done()), "hello")
	if slices.Contains(offers(requests[0]), "unit_200") {
		t.Fatal("it was offered")
	}
	refused, made := requests[1].Messages[len(requests[1].Messages)-1].Result, requests[2].Messages[len(requests[2].Messages)-1].Result
	if refused.Status != core.ToolValidationError || !made.OK() || c.calls.Load() != 1 {
		t.Errorf("got %+v, then %+v", refused, made)
	}
}

func TestFewerThan25ToolsAreAllOfferedAsTheyAre(t *testing.T) {
	c := newCrowd(24)
	got := c.ask(t, llmtest.New(t, done()), "hello")[0].Tools
	must.Equal(t, c.Tools().Specs(), got)
}

// Demo shows the terminal with a room that follows a script, to look at it by
// hand:
//
//	go run ./tui/testdata/demo [-slow 1] [-title infra-notes]
//
// "/chain run review-loop" runs a chain that asks before it ends; "weather" in a prompt asks an expert that reports progress, "long" streams a
// long answer, "fail" fails, "who" asks back, "note"
// has to be allowed, anything else calls two experts.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"yaap/core"
	"yaap/tui"
)

func main() {
	slow := flag.Float64("slow", 1, "how slow everything is")
	title := flag.String("title", "", "title of the session")
	flag.Parse()
	ctx := context.Background()
	b := &room{slow: *slow, more: make(chan struct{}, 1), model: "offline"}
	go b.start(ctx)
	err := tui.Run(ctx, tui.Options{Thread: "t1", Title: *title, Model: "offline", Version: "0.1", Dir: "~/src/infra-notes", Env: os.Getenv}, b)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type room struct {
	mu      sync.Mutex
	slow    float64
	seq     uint64
	events  []core.Event
	more    chan struct{}
	experts []core.Expert
	runs    int
	model   string
	stop    bool
	past    []core.Event // what was stored
	waits   string       // the run of a chain that waits for an answer
	held    []held       // calls that wait to be allowed
}

func (r *room) emit(s core.Scope, b core.Body) {
	r.mu.Lock()
	r.seq++
	e := core.Event{Seq: r.seq, Time: time.Now(), Scope: s, Body: b}
	r.events = append(r.events, e)
	if s.Run != "" {
		r.past = append(r.past, e)
	}
	r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
}

func (r *room) Next(ctx context.Context) ([]core.Event, error) {
	for {
		r.mu.Lock()
		events := r.events
		r.events = nil
		r.mu.Unlock()
		if len(events) > 0 {
			return events, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-r.more:
		}
	}
}

func (r *room) Experts() []core.Expert {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]core.Expert(nil), r.experts...)
}

func (r *room) change(name string, f func(*core.Expert)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.experts {
		if r.experts[i].Name == name {
			f(&r.experts[i])
			return
		}
	}
	e := core.Expert{Name: name, Since: time.Now(), Transport: "child"}
	f(&e)
	r.experts = append(r.experts, e)
}

func (r *room) sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(float64(d) * r.slow)):
	}
}

func (r *room) join(name, does string, examples ...string) {
	r.change(name, func(e *core.Expert) {
		e.State, e.Since, e.Description, e.Tools = core.ExpertReady, time.Now(), does, []core.ToolSpec{{Name: name}}
		e.Examples, e.Command, e.Message = examples, []string{"yaap", "expert", name}, ""
	})
	n := 0
	for _, e := range r.Experts() {
		if e.Present() {
			n++
		}
	}
	r.emit(core.Scope{}, core.ExpertJoined{Name: name, Description: does, Transport: "child", Tools: []string{name}, Count: n})
}

func (r *room) start(ctx context.Context) {
	for _, e := range [][]string{
		{"calc", "Exact arithmetic: fractions, percent, powers, units.", "12% of 840", "17/4 as a decimal"},
		{"clock", "Times and dates: now in a place, between zones.", "what time is it in Tokyo?"},
		{"data", "SQL over CSV, JSON and SQLite files.", "how many rows has sales.csv"},
		{"files", "Lists, reads and searches the files of this folder.", "find “lease” in README.md"},
		{"git", "The history of this repository.", "who changed README.md last?"},
	} {
		r.sleep(ctx, 30*time.Millisecond)
		r.join(e[0], e[1], e[2:]...)
	}
	r.change("tides", func(e *core.Expert) { e.State, e.Since = core.ExpertJoining, time.Now() })
	r.emit(core.Scope{}, core.ExpertStatus{Name: "tides", State: core.ExpertJoining})
	r.sleep(ctx, 5*time.Second)
	r.join("weather", "Forecasts for places in the UK.", "will it rain in Leeds?")
	r.sleep(ctx, 3*time.Second)
	r.change("tides", func(e *core.Expert) {
		e.State, e.Since, e.Message = core.ExpertQuarantined, time.Now(), "exited 1: TIDES_KEY is not set"
		e.Stderr = []string{"Traceback (most recent call last):", "  File \"tides.py\", line 3, in <module>", "KeyError: 'TIDES_KEY'"}
	})
	r.emit(core.Scope{}, core.ExpertLeft{Name: "tides", Reason: core.LeftExited, Detail: "exited 1: TIDES_KEY is not set", Count: 6})
}

func (r *room) Threads(context.Context) ([]core.Thread, error) {
	now := time.Now()
	return []core.Thread{
		{ID: "t1", Title: "infra-notes", Updated: now.Add(-2 * time.Minute), Count: 12},
		{ID: "t2", Title: "Which lease rule is the right one", Updated: now.Add(-3 * time.Hour), Count: 4},
		{ID: "t3", Title: "Sales of October by region", Updated: now.Add(-50 * time.Hour), Count: 31},
	}, nil
}

func (r *room) Told(context.Context, string, time.Time, time.Time) ([]core.Event, error) {
	return nil, nil
}

func (r *room) Messages(_ context.Context, thread string) ([]core.Message, error) {
	if thread == "t1" {
		return nil, nil
	}
	at := time.Now().Add(-3 * time.Hour)
	return []core.Message{
		{ID: "1", Run: "r1", Role: core.RoleUser, Text: "Which lease rule is the right one?", Time: at},
		{ID: "2", Run: "r1", Role: core.RoleAssistant, Thinking: "files can look it up.", Calls: []core.Call{{ID: "c", Tool: "files", Args: json.RawMessage(`{"prompt":"find lease in README.md"}`)}}, Model: "offline", Time: at},
		{ID: "3", Run: "r1", Role: core.RoleTool, CallID: "c", Text: "README.md:88: the lease is 45 s", Time: at},
		{ID: "4", Run: "r1", Role: core.RoleAssistant, Reply: &core.Reply{Status: core.StatusSuccess, Message: "The one in `README.md`, line 88: **45 s**.", Thought: "files found it."}, Model: "offline", Time: at.Add(20 * time.Millisecond)},
	}, nil
}

func (r *room) Do(_ context.Context, _ string, args []string) (tui.Output, error) {
	switch args[0] {
	case "new":
		return tui.Output{Thread: fmt.Sprint("new", time.Now().UnixNano())}, nil
	case "status":
		return tui.Output{Text: "| what | where |\n|---|---|\n| model | offline |\n| database | `~/.local/state/yaap/yaap.db` |\n| door | `http://127.0.0.1:41234/mcp` |"}, nil
	case "model":
		if len(args) > 1 {
			return tui.Output{Model: args[1], Text: "The model is **" + args[1] + "** from now on."}, nil
		}
		return tui.Output{Text: "- **offline** (in use)\n- ollama/qwen3:8b"}, nil
	}
	return tui.Output{}, &core.Error{Code: core.CodeInvalid, Message: "the demo does not know " + strings.Join(args, " "), Hint: "it only knows /new, /status and /model"}
}

func (r *room) Steer(string, core.Steer) {
	r.mu.Lock()
	r.stop = true
	r.mu.Unlock()
}

func (r *room) Continue(context.Context, string) (core.Result, error) {
	return core.Result{}, &core.Error{Code: core.CodeNotFound, Message: "the last question has been answered", Hint: "ask the next one"}
}

func (r *room) Prompt(ctx context.Context, thread, text string) (core.Result, error) {
	r.mu.Lock()
	r.runs++
	r.stop = false
	id := fmt.Sprint("run", r.runs)
	r.mu.Unlock()
	if strings.HasPrefix(text, "/chain run") || r.waits != "" {
		return r.chain(ctx, thread, id, text)
	}
	if strings.Contains(text, "note") {
		return r.allow(ctx, thread, id, text)
	}
	begun := time.Now()
	s := core.Scope{Thread: thread, Run: id, Trace: id, Agent: "yaap"}
	r.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: text})
	reply, turns := r.play(ctx, s, text)
	end := core.RunEnd{Outcome: "completed", Status: reply.Status, Turns: turns, MS: time.Since(begun).Milliseconds()}
	var err error
	switch {
	case ctx.Err() != nil:
		err = &core.Error{Code: core.CodeCancelled, Message: "stopped", Hint: "the answer so far is kept", Err: nil}
	case strings.Contains(text, "fail"):
		err = &core.Error{Code: core.CodeUnreachable, Message: "the model at 127.0.0.1:11434 does not answer", Hint: "start it with: ollama serve, or /model offline", Err: errors.New("connection refused")}
	}
	if err != nil {
		end.Outcome, end.Code, end.Error, end.Hint = "error", core.CodeOf(err), err.Error(), core.HintOf(err)
	}
	r.emit(s, end)
	return core.Result{Reply: reply, Turns: turns}, err
}

type use struct{ id, expert, ask, answer string }

func (r *room) play(ctx context.Context, s core.Scope, text string) (core.Reply, int) {
	thought := "Two questions: arithmetic, and a time zone. calc and clock fit best, 0.91 and 0.88; neither needs the other, so both at once."
	calls := []use{{"c1", "calc", "12 % of 840", "100.8"}, {"c2", "clock", "time in Tokyo", "09:12"}}
	reply := core.Reply{Status: core.StatusSuccess, Thought: thought, Message: "12 % of 840 is **100.8**. In Tokyo it is **09:12** on Saturday, 21 November."}
	switch {
	case strings.Contains(text, "fail"):
		calls = calls[:1]
	case strings.Contains(text, "who"):
		reply = core.Reply{Status: core.StatusClarification, Thought: "Nobody's description fits.", Message: "Nobody in the room can tell that. Here are: calc, clock, data, files, git. Ask one of them with @name, or let an expert join."}
		calls, thought = nil, reply.Thought
	case strings.Contains(text, "weather") || strings.Contains(text, "rain"):
		thought = "weather has joined since; its description fits (0.94)."
		calls = []use{{"c1", "weather", "rain in Leeds this afternoon", "light rain from 15:00"}}
		reply = core.Reply{Status: core.StatusSuccess, Thought: thought, Message: "Light rain from about 15:00, clearing by seven in the evening. Take a coat."}
	case strings.Contains(text, "long"):
		thought = strings.Repeat("I need the history of core/hub and the README's text; git and files can do that at the same time, then I compare what they say. ", 4)
		calls = []use{{"c1", "git", "last commits on core/hub/lease.go", "3 commits"}, {"c2", "files", "find “lease” in README.md", "3 lines"}}
		reply = core.Reply{Status: core.StatusSuccess, Thought: thought, Message: long}
	}
	turn := 1
	s.Turn = turn
	tools := []string{"calc", "clock", "data", "files", "git"}
	r.emit(s, core.AgentProcessing{Messages: 1, Tools: tools, Model: r.model, MaxTurns: 10})
	r.emit(s, core.TurnStart{})
	r.emit(s, core.LLMCallStart{Call: s.Run + "m1", Model: r.model, Tools: len(tools)})
	r.stream(ctx, s, s.Run+"m1", core.FieldThought, thought, 12*time.Millisecond)
	r.emit(s, core.LLMCallEnd{Call: s.Run + "m1", Reason: "tool_calls", Usage: core.Usage{Prompt: 1800, Completion: 412}, MS: 4})
	if len(calls) > 0 {
		r.calls(ctx, s, calls, strings.Contains(text, "fail"))
		r.emit(s, core.TurnEnd{})
		turn++
		s.Turn = turn
		r.emit(s, core.AgentProcessing{Messages: 4, Tools: tools, Model: r.model, MaxTurns: 10})
		r.emit(s, core.TurnStart{})
	}
	r.mu.Lock()
	stopped := r.stop
	r.mu.Unlock()
	if ctx.Err() != nil || stopped || strings.Contains(text, "fail") {
		r.emit(s, core.TurnEnd{})
		return core.Reply{}, turn
	}
	r.emit(s, core.LLMCallStart{Call: s.Run + "m2", Model: r.model, Purpose: "answer"})
	r.stream(ctx, s, s.Run+"m2", core.FieldMessage, reply.Message, 20*time.Millisecond)
	r.emit(s, core.LLMCallEnd{Call: s.Run + "m2", Reason: "stop", MS: 3})
	r.emit(s, core.TokenUsage{Usage: core.Usage{Prompt: 1900, Completion: 220}, Model: r.model})
	r.emit(s, core.FinalOutput{Reply: reply})
	r.emit(s, core.TurnEnd{})
	return reply, turn
}

func (r *room) calls(ctx context.Context, s core.Scope, calls []use, fail bool) {
	var req core.ToolRequests
	for _, u := range calls {
		args, _ := json.Marshal(map[string]string{"prompt": u.ask})
		req.Calls = append(req.Calls, core.Call{ID: u.id, Tool: u.expert, Args: args})
	}
	r.emit(s, core.AssistantMessage{ID: "m", Calls: len(calls)})
	r.emit(s, req)
	var wg sync.WaitGroup
	for i, u := range calls {
		wg.Go(func() {
			begun := time.Now()
			r.change(u.expert, func(e *core.Expert) { e.State, e.Since = core.ExpertBusy, begun })
			r.emit(s, core.ToolCallStart{Call: u.id, Tool: u.expert, Expert: u.expert, Args: req.Calls[i].Args})
			steps := 2 + i*3
			if u.expert == "weather" {
				steps = 12
			}
			for k := range steps {
				r.sleep(ctx, 150*time.Millisecond)
				if u.expert == "weather" {
					r.emit(s, core.ToolCallProgress{Call: u.id, Message: "fetching the 12:00 run", Fraction: float64(k+1) / 12})
				}
			}
			status, text := core.ToolSuccess, u.answer
			if fail || ctx.Err() != nil {
				status, text = core.ToolError, "calc cannot read “fail”: expected a number, found a word. Try: calc 2+2"
			}
			r.change(u.expert, func(e *core.Expert) {
				e.State, e.Since, e.Latency = core.ExpertReady, time.Now(), time.Since(begun)
				e.Calls++
				if status != core.ToolSuccess {
					e.Errors++
				}
			})
			r.emit(s, core.ToolCallEnd{Call: u.id, Tool: u.expert, Expert: u.expert, Status: status, Text: text, MS: time.Since(begun).Milliseconds()})
		})
	}
	wg.Wait()
	r.emit(s, core.ToolResultsToLLM{Calls: []string{"c1"}})
}

func (r *room) stream(ctx context.Context, s core.Scope, stream, field, text string, every time.Duration) {
	for i := 0; i < len(text) && ctx.Err() == nil; i += 4 {
		r.emit(s, core.Delta{Stream: stream, Field: field, Text: text[i:min(i+4, len(text))]})
		r.sleep(ctx, every)
	}
}

const long = `Not quite: one of its two numbers is **old**.

1. The lease is 45 s (README, line 88) and the code says the same.
2. Drain is 5 s since Tuesday; the README still says 10.

## What the code says

` + "```go\n// lease is how long an expert may be silent.\nconst lease = 45 * time.Second\n\nfunc (h *Hub) expire(now time.Time) {\n\tfor name, e := range h.experts {\n\t\tif now.Sub(e.seen) > lease {\n\t\t\th.leave(name, LeftLost)\n\t\t}\n\t}\n}\n```" + `

| number | README | code | since |
|---|---|---|---|
| lease | 45 s | 45 s | always |
| drain | 10 s | 5 s | Tuesday |

> A lease bounds an expert whose end was not seen.

- Change line 91 of the README to 5 s.
- Or revert the commit, if ten seconds were meant: see the [discussion](https://example.com/lease).
`

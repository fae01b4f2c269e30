package tui

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/charmbracelet/x/vt"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/wire"
)

// terminal is an emulated terminal with the program in it.
type terminal struct {
	t      *testing.T
	mu     sync.Mutex
	cond   *sync.Cond
	emu    *vt.Emulator
	in     *keyboard
	cancel context.CancelFunc
	done   chan error
}

// Write takes what the program draws. With no real terminal between, a line
// feed has to return the carriage here.
func (x *terminal) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, err := x.emu.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	x.cond.Broadcast()
	return len(p), nil
}

type setup struct {
	w, h  int
	light bool
	env   map[string]string
	o     Options
}

// start runs the program on an emulated terminal until the test ends, and waits for the
// experts that are there.
func start(t *testing.T, s setup, b Backend) *terminal {
	t.Helper()
	x := &terminal{t: t, emu: vt.NewEmulator(s.w, s.h), in: newKeyboard(), done: make(chan error, 1)}
	x.cond = sync.NewCond(&x.mu)
	x.emu.SetBackgroundColor(color.RGBA{13, 17, 23, 255})
	if s.light {
		x.emu.SetBackgroundColor(color.White)
	}
	var pumps sync.WaitGroup
	pumps.Go(func() { _, _ = io.Copy(x.in, x.emu) })
	env := map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor", "CLICOLOR_FORCE": "1", "LANG": "C.UTF-8"}
	for k, v := range s.env {
		env[k] = v
	}
	o := s.o
	o.Input, o.Output, o.Width, o.Height = x.in, x, s.w, s.h
	o.Commands = append(programCommands(), o.Commands...)
	o.Env = func(name string) string { return env[name] }
	for k, v := range env {
		o.Environ = append(o.Environ, k+"="+v)
	}
	if o.Thread == "" {
		o.Thread = "t1"
	}
	ctx, cancel := context.WithCancel(t.Context())
	x.cancel = cancel
	go func() { x.done <- Run(ctx, o, b) }()
	t.Cleanup(func() {
		cancel()
		if err := <-x.done; err != nil {
			t.Errorf("Run: %v", err)
		}
		_ = x.in.Close()
		if c, ok := x.emu.InputPipe().(io.Closer); ok {
			_ = c.Close()
		}
		pumps.Wait()
	})
	if f, ok := b.(*fake); ok && len(f.experts) > 0 && s.w >= 80 && s.h >= 20 {
		x.see(" are in the room") // the rail counts them before the chat names them
	}
	return x
}

// left blocks until the program has ended.
func (x *terminal) left() {
	x.t.Helper()
	err := <-x.done
	if err != nil {
		x.t.Error(err)
	}
	x.done <- err // for the end of the test
}

// read is the screen, without trailing blanks.
func (x *terminal) read() string {
	var lines []string
	for y := range x.emu.Height() {
		var b strings.Builder
		for c := 0; c < x.emu.Width(); {
			cell := x.emu.CellAt(c, y)
			if cell == nil || cell.Content == "" {
				b.WriteByte(' ')
				c++
				continue
			}
			b.WriteString(cell.Content)
			c += max(cell.Width, 1)
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

// wait blocks until the screen fulfils f.
func (x *terminal) wait(what string, f func(screen string) bool) string {
	x.t.Helper()
	s, ok := x.until(f)
	if !ok {
		x.t.Fatalf("no %s on the screen:\n%s", what, s)
	}
	return s
}

// until blocks until the screen fulfils f, or does not for a long time.
func (x *terminal) until(f func(screen string) bool) (screen string, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	late := false
	timer := time.AfterFunc(20*time.Second, func() {
		x.mu.Lock()
		late = true
		x.mu.Unlock()
		x.cond.Broadcast()
	})
	defer timer.Stop()
	for {
		s := x.read()
		if ok := f(s); ok || late {
			return s, ok
		}
		x.cond.Wait()
	}
}

// see blocks until all texts are on the screen at once.
func (x *terminal) see(texts ...string) string {
	x.t.Helper()
	return x.wait(fmt.Sprintf("%q", texts), func(s string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(s, text) })
	})
}

func (x *terminal) gone(text string) string {
	x.t.Helper()
	return x.wait(fmt.Sprintf("screen without %q", text), func(s string) bool { return !strings.Contains(s, text) })
}

// ask sends the question, and blocks until the screen shows the answer below it and the turn has ended.
func (x *terminal) ask(question, answer string) {
	x.t.Helper()
	x.press(question, "enter")
	x.wait(fmt.Sprintf("answer to %q", question), func(s string) bool {
		_, below, asked := strings.Cut(s, question)
		return asked && strings.Contains(below, answer) && !strings.Contains(s, "esc stop")
	})
}

// golden compares the screen, once the texts are on it, with the file of the test.
func (x *terminal) golden(texts ...string) {
	x.t.Helper()
	x.goldenOf(func(screen string) string { return screen }, texts...)
}

// goldenOf does as golden, of the screen without what changes from one run to the next.
func (x *terminal) goldenOf(edit func(screen string) string, texts ...string) {
	x.t.Helper()
	s := x.see(texts...)
	if flag.Lookup("update").Value.String() == "false" {
		if want, err := os.ReadFile(filepath.Join("testdata", x.t.Name()+".golden")); err == nil {
			s, _ = x.until(func(s string) bool { return edit(s) == string(want) })
		}
	}
	golden.RequireEqual(x.t, edit(s))
}

// press types keys as a terminal sends them.
func (x *terminal) press(keys ...string) {
	known := map[string]string{
		"enter": "\r", "esc": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z", "up": "\x1b[A", "down": "\x1b[B", "alt+up": "\x1b[1;3A", "pgup": "\x1b[5~",
		"pgdown": "\x1b[6~", "f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f7": "\x1b[18~", "f8": "\x1b[19~", "left": "\x1b[D", "right": "\x1b[C", "f6": "\x1b[17~", "ctrl+c": "\x03", "ctrl+d": "\x04",
		"ctrl+j": "\n", "ctrl+n": "\x0e", "ctrl+p": "\x10", "ctrl+r": "\x12", "ctrl+s": "\x13", "ctrl+t": "\x14", "ctrl+x": "\x18",
		"backspace": "\x7f", "alt+enter": "\x1b\r",
	}
	for _, k := range keys {
		if seq, ok := known[k]; ok {
			k = seq
		}
		_, _ = x.in.Write([]byte(k))
	}
}

// fake is a room that does what the test says.
type fake struct {
	mu      sync.Mutex
	seq     uint64
	now     time.Time
	events  []core.Event
	more    chan struct{}
	experts []core.Expert
	waits   []core.Pause
	kept
	heard
	script
	tap wire.Tap
}

// kept is what a fake has on disk.
type kept struct {
	threads  []core.Thread
	said     []string // in earlier sittings
	messages map[string][]core.Message
	told     map[string][]core.Event
	graphs   map[string]diagram.Graph
	before   map[string][]core.Event // by run
	audit    []core.AuditEntry
	report   core.AuditReport
	requests map[string]core.Exchange // to models, by run and name
}

// heard is what the terminal asked of a fake.
type heard struct {
	prompts []string
	runs    int // that the terminal has made ids for
	steers  []core.RunControl
	answers []core.Answer
	done    [][]string
}

// script is how a fake answers; nil: as a room does in which all is well.
type script struct {
	prompt func(ctx context.Context, f *fake, s core.Scope, text string) (core.Result, error)
	answer func(ctx context.Context, f *fake, a core.Answer) (core.Result, error)
	say    func(ctx context.Context, text string) error
	goOn   func(f *fake, thread string) (core.Result, error)
	do     func(args []string) (core.Doc, error)
	memory func(q core.MemoryQuery) (core.MemoryView, error)
}

func newFake() *fake {
	return &fake{more: make(chan struct{}, 1), kept: kept{messages: map[string][]core.Message{}}, now: time.Date(2026, 11, 21, 12, 2, 11, 204e6, time.UTC)}
}

func (f *fake) emit(s core.Scope, bodies ...core.Body) {
	f.mu.Lock()
	for _, b := range bodies {
		f.seq++
		f.now = f.now.Add(time.Millisecond)
		f.events = append(f.events, core.Event{Seq: f.seq, Time: f.now, Scope: s, Body: b})
	}
	f.mu.Unlock()
	select {
	case f.more <- struct{}{}:
	default:
	}
}

func (f *fake) Next(ctx context.Context) ([]core.Event, error) {
	for {
		f.mu.Lock()
		events := f.events
		f.events = nil
		f.mu.Unlock()
		if len(events) > 0 {
			return events, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.more:
		}
	}
}

func (f *fake) NewRun() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.runs++
	return fmt.Sprintf("run%d", f.runs)
}

func (f *fake) Prompt(ctx context.Context, thread, run, text string) (core.Result, error) {
	f.mu.Lock()
	f.prompts = append(f.prompts, text)
	play := f.prompt
	f.mu.Unlock()
	if play == nil {
		play = arithmetic
	}
	return play(ctx, f, core.Scope{Thread: thread, Run: run, Trace: run, Agent: "yaap"}, text)
}

func (f *fake) Answer(ctx context.Context, a core.Answer) (core.Result, error) {
	f.mu.Lock()
	f.answers = append(f.answers, a)
	play := f.answer
	f.mu.Unlock()
	if play == nil {
		return core.Result{}, nil
	}
	return play(ctx, f, a)
}

func (f *fake) Waiting(context.Context, string) ([]core.Pause, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.waits), nil
}

func (f *fake) Do(_ context.Context, _ string, args []string) (core.Doc, error) {
	f.mu.Lock()
	f.done = append(f.done, args)
	do := f.do
	f.mu.Unlock()
	if do == nil {
		return core.Say(core.Markdown, "did "+strings.Join(args, " ")), nil
	}
	return do(args)
}

func (f *fake) Threads(_ context.Context, find string) (found []core.Thread, _ error) {
	for _, t := range f.threads {
		if holdsAll(strings.ToLower(t.Title+" "+t.Match), strings.Fields(find)) {
			found = append(found, t)
		}
	}
	return found, nil
}

func (f *fake) RecentPrompts(context.Context) ([]string, error) { return f.said, nil }

func (f *fake) Page(_ context.Context, thread, _ string) (core.Page, error) {
	return core.Page{Messages: f.messages[thread], Events: f.told[thread]}, nil
}

func (f *fake) Experts() []core.Expert {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.experts)
}

func (f *fake) Suggest(_ context.Context, before string) []core.Suggestion {
	if strings.HasSuffix(before, "@cl") {
		return []core.Suggestion{{Text: "@docs/clear.md", Insert: "@docs/clear.md ", At: len(before) - len("@cl")}}
	}
	if before == "read @notes:" {
		return []core.Suggestion{{Text: "notes://herons", Help: "Herons", Insert: "notes://herons ", At: len(before)}}
	}
	if before == "/export " {
		return []core.Suggestion{{Text: "conversation.md", Insert: "conversation.md", At: len(before), Last: true}}
	}
	return nil
}

func (f *fake) Graph(_ context.Context, runner string) (diagram.Graph, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	g, ok := f.graphs[runner]
	if !ok {
		return g, &core.Error{Code: core.CodeNotFound, Message: "there is no " + runner}
	}
	return g, nil
}

func (f *fake) RunEvents(_ context.Context, run string) ([]core.Event, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.before[run], nil
}

func (f *fake) Exchange(_ context.Context, run, call string) (core.Exchange, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	x, ok := f.requests[run+" "+call]
	if !ok {
		return x, &core.Error{Code: core.CodeNotFound, Message: "nothing is known of it"}
	}
	return x, nil
}

func (f *fake) Audit(_ context.Context, q core.AuditQuery) ([]core.AuditEntry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []core.AuditEntry
	for _, e := range f.audit {
		if q.Matches(e) {
			out = append(out, e)
		}
	}
	if q.Limit > 0 {
		out = out[max(len(out)-q.Limit, 0):]
	}
	return out, nil
}

func (f *fake) Wire() *wire.Tap { return &f.tap }

func (f *fake) VerifyAudit(context.Context) (core.AuditReport, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.report, nil
}

func (f *fake) Memory(_ context.Context, q core.MemoryQuery) (core.MemoryView, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.memory == nil {
		return core.MemoryView{}, nil
	}
	return f.memory(q)
}

// reported is what a run reported at an earlier time.
func reported(run string, at time.Time, turn int, bodies ...core.Body) (events []core.Event) {
	for _, b := range bodies {
		events = append(events, core.Event{Time: at, Scope: core.Scope{Thread: "t1", Run: run, Trace: run, Agent: "yaap", Turn: turn}, Body: b})
	}
	return events
}

// join lets an expert in.
func (f *fake) join(name, does string, examples ...string) {
	f.mu.Lock()
	f.experts = append(f.experts, core.Expert{Name: name, Description: does, Examples: examples, Tools: []core.ToolSpec{{Name: name}}, Transport: "child", Command: []string{"yaap", "expert", name}, State: core.ExpertReady, Since: f.now})
	n := len(f.experts)
	f.mu.Unlock()
	f.emit(core.Scope{}, core.ExpertJoined{Name: name, Description: does, Transport: "child", Tools: []string{name}, Count: n})
}

// kill lets an expert go without a word.
func (f *fake) kill(name, why string) {
	f.mu.Lock()
	n := 0
	for i := range f.experts {
		if f.experts[i].Name == name {
			f.experts[i].State, f.experts[i].Since, f.experts[i].Message = core.ExpertGone, time.Now(), why
		}
		if f.experts[i].Present() {
			n++
		}
	}
	f.mu.Unlock()
	f.emit(core.Scope{}, core.ExpertLeft{Name: name, Reason: core.LeftExited, Detail: why, Count: n})
}

// arithmetic is a run of two turns: two calls at the same time, then the
// answer.
func arithmetic(_ context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
	reply := core.Reply{
		Status:  core.StatusSuccess,
		Thought: "Two questions: arithmetic, and a time zone. calc and clock fit best, 0.91 and 0.88; neither needs the other, so both at once.",
		Message: "12 % of 840 is **100.8**. In Tokyo it is **09:12** on Saturday, 21 November.",
	}
	f.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: text})
	s.Turn = 1
	f.emit(s, turnBegins(1)...)
	f.emit(s, pieces("m1", core.FieldThought, reply.Thought)...)
	f.emit(s, core.LLMCallEnd{Call: "m1", Reason: "tool_calls", MS: 1},
		core.AssistantMessage{ID: "a1", Calls: 2},
		core.ToolRequests{Calls: []core.Call{{ID: "c1", Tool: "calc", Args: []byte(`{"prompt":"12 % of 840"}`)}, {ID: "c2", Tool: "clock", Args: []byte(`{"prompt":"time in Tokyo"}`)}}},
		core.ToolCallStart{Call: "c1", Tool: "calc", Expert: "calc", Args: []byte(`{"prompt":"12 % of 840"}`)},
		core.ToolCallStart{Call: "c2", Tool: "clock", Expert: "clock", Args: []byte(`{"prompt":"time in Tokyo"}`)},
		core.ToolCallEnd{Call: "c1", Tool: "calc", Expert: "calc", Status: core.ToolSuccess, Text: "100.8", MS: 3},
		core.ToolCallEnd{Call: "c2", Tool: "clock", Expert: "clock", Status: core.ToolSuccess, Text: "09:12", MS: 8},
		core.ToolResultsToLLM{Calls: []string{"c1", "c2"}}, core.TurnEnd{})
	s.Turn = 2
	f.emit(s, turnBegins(2)...)
	f.emit(s, pieces("m2", core.FieldMessage, reply.Message)...)
	f.emit(s, core.LLMCallEnd{Call: "m2", Reason: "stop", MS: 1}, core.AssistantMessage{ID: "a2", Text: reply.Message}, core.FinalOutput{Reply: reply}, core.TurnEnd{})
	s.Turn = 0
	f.emit(s, core.RunEnd{Outcome: "completed", Status: reply.Status, Turns: 2, MS: 11})
	return core.Result{Reply: reply, Turns: 2}, nil
}

func turnBegins(turn int) []core.Body {
	return []core.Body{
		core.AgentProcessing{Messages: turn, Tools: []string{"calc", "clock"}, Model: "offline", MaxTurns: 10},
		core.TurnStart{},
		core.LLMCallStart{Call: fmt.Sprintf("m%d", turn), Model: "offline", Tools: 2},
	}
}

// pieces cuts a text into deltas of seven bytes, runes and all.
func pieces(stream, field, text string) []core.Body {
	var out []core.Body
	for i := 0; i < len(text); i += 7 {
		out = append(out, core.Delta{Stream: stream, Field: field, Text: text[i:min(i+7, len(text))]})
	}
	return out
}

// programCommands are some commands of a program.
func programCommands() (list []core.Command) {
	for line := range strings.Lines(`help|[TOPIC]
experts|[EXPERT]
experts add|CMD ARGS
experts stop|EXPERT
experts restart|EXPERT
experts forget|EXPERT
trust|[EXPERT]
trust allow|EXPERT
trust revoke|NAME
chain|
chain run|NAME [INPUT=VALUE...]
chain list|
chain runs|
chain cancel|[RUN]
memory|
memory show|[ENTRY]
memory forget|[ENTRY]
status|
`) {
		name, args, _ := strings.Cut(strings.TrimSpace(line), "|")
		list = append(list, core.Command{Name: name, Args: args, Does: "what " + name + " does", Prompt: name == "chain run"})
	}
	list[0].Does, list[1].Aliases = "keys and commands", []string{"mcp"}
	return append(list, core.Command{Name: "new", Aliases: []string{"clear"}, Does: "new session", Idle: true},
		core.Command{Name: "model", Args: "[NAME]", Does: "the model that answers", Idle: true})
}

// of is the pane of a type.
func of[P pane](m *model) (found P) {
	for _, p := range m.panes.all {
		if p, ok := p.(P); ok {
			found = p
		}
	}
	return found
}

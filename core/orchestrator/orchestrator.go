// Package orchestrator takes prompts and has them answered: it is what /chat
// leads to, for the terminal, the command line and MCP clients alike.
//
// A prompt is on disk before anything else happens to it; that row is also the
// claim of its conversation: one run at a time, across windows.
package orchestrator

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
)

const (
	maxPrompt = 1 << 20 // bytes
	maxDepth  = 3       // of experts that chat with the room that called them

	beginTime = 10 * time.Second // to store a prompt and read its conversation
)

// Conversations reads what was said and what is being asked.
type Conversations interface {
	Messages(ctx context.Context, thread string) ([]core.Message, error)
	// Pauses returns the questions that wait for the user in a conversation.
	Pauses(ctx context.Context, thread string) ([]core.Pause, error)
	// Pause returns a question by its id, open or not.
	Pause(ctx context.Context, id string) (core.Pause, error)
}

// Config is what an orchestrator needs; Journal, Conversations, Lookup
// and Session are required.
type Config struct {
	Journal       core.Journal
	Conversations Conversations
	Lookup        core.Lookup  // agent/yaap, expert/NAME; never fails: who cannot be found is a Runner that says so
	Session       string       // the sitting that new conversations belong to
	Runner        string       // who answers what is for nobody else; default agent/yaap
	Guard         guard.Policy // what is looked for in what the user says
	Sink          core.Sink    // where the user is told what was found, and asked by Ask; may be nil
	Attended      bool         // somebody is there whom Ask can ask

	// Ready says why the answer to a question could not be carried out now, and in
	// its hint what to type next; it may be nil. The question then stays open.
	Ready func(ctx context.Context, p core.Pause, a core.Answer) error
}

// Orchestrator answers prompts. Its methods may be called from any goroutine.
type Orchestrator struct {
	cfg Config

	mu      sync.Mutex
	steer   map[string]*wishes // by thread, while a run is in progress
	asks    map[string]asking  // that wait, by the id of their pause
	allowed map[string]bool    // tools that the user has allowed until the program ends
}

// New returns an orchestrator. It starts nothing.
func New(cfg Config) *Orchestrator {
	cfg.Runner = cmp.Or(cfg.Runner, "agent/yaap")
	return &Orchestrator{
		cfg: cfg, steer: map[string]*wishes{}, asks: map[string]asking{}, allowed: map[string]bool{},
	}
}

// NewRun returns the id of a run that is to begin.
func NewRun() string { return uuid.Must(uuid.NewV7()).String() }

// NewThread returns the id of a conversation that begins with its first prompt.
func NewThread() string { return uuid.Must(uuid.NewV7()).String() }

// Prompt answers text as the next message of in.Thread and blocks until it is
// answered or ctx ends. in.Run is the id of the run that begins; empty: one is
// made. A leading @name asks that expert directly. Where
// a run of the conversation waits for the user, any other text is the answer: to
// the first question where somebody sits at the room, who is shown that one, and
// else to the only one. Where there are several it then fails with
// [core.CodeInvalid]. A question that lapses is not answered by what is none of its
// options: its run is given up, and text is asked.
// The pictures of files are shown to the model; an answer has none.
// Errors are those of [core.Runner], and [core.CodeBusy] when the conversation
// is being answered already.
func (o *Orchestrator) Prompt(ctx context.Context, in core.Scope, text string, files ...core.File) (core.Result, error) {
	if expert, _ := core.Address(text); expert == "" {
		pauses, err := o.cfg.Conversations.Pauses(ctx, in.Thread)
		if err == nil {
			pauses, err = o.lapse(ctx, pauses, text)
		}
		if err != nil {
			return core.Result{}, err
		}
		if len(pauses) > 0 && len(files) > 0 {
			return core.Result{}, core.Fail(core.CodeInvalid, "something is being asked, and a picture is no answer to it", "answer in words first; then ask about "+files[0].Name)
		}
		if len(pauses) > 0 {
			p := pauses[0] // which is what somebody who sits here is shown
			if !o.cfg.Attended {
				if p, err = only(pauses); err != nil {
					return core.Result{}, err
				}
			}
			return o.answer(ctx, p, core.Answer{Text: text})
		}
	}
	return o.start(ctx, o.to(text), core.Input{Scope: in}, core.Message{Text: text, Files: files})
}

// Start has a Runner answer text as the next message of in.Thread: a chain with its
// inputs. It blocks like Prompt, and in.Run is as there.
func (o *Orchestrator) Start(ctx context.Context, in core.Scope, runner, text string, args map[string]any) (core.Result, error) {
	return o.start(ctx, runner, core.Input{Scope: in, Args: args}, core.Message{Text: text})
}

// StartFrom has a Runner go on, as another run in a conversation of its own,
// from steps that were taken from a run. It blocks like Prompt.
func (o *Orchestrator) StartFrom(ctx context.Context, thread, runner, text string, steps []json.RawMessage) (core.Result, error) {
	return o.start(ctx, runner, core.Input{Scope: core.Scope{Thread: thread}}, core.Message{Text: text}, steps...)
}

// to is who answers a text.
func (o *Orchestrator) to(text string) string {
	if expert, _ := core.Address(text); expert != "" {
		return "expert/" + expert
	}
	return o.cfg.Runner
}

// Chat is Prompt for an expert that itself was called by a run of that depth.
func (o *Orchestrator) Chat(ctx context.Context, thread, text string, depth int) (core.Result, error) {
	if depth > maxDepth {
		return core.Result{}, core.Fail(core.CodeRefused, fmt.Sprintf("experts have asked the room %d deep already", maxDepth), "answer without asking the room")
	}
	return o.start(ctx, o.to(text), core.Input{Scope: core.Scope{Thread: thread, Depth: depth}}, core.Message{Text: text})
}

// start begins a run with what the user said. in tells its conversation, its depth and its
// inputs.
func (o *Orchestrator) start(ctx context.Context, name string, in core.Input, message core.Message, steps ...json.RawMessage) (core.Result, error) {
	text, err := o.taken(in.Thread, message.Text)
	if err != nil {
		return core.Result{}, err
	}
	if in.Args != nil && o.cfg.Guard.Active() {
		clean, _ := o.cfg.Guard.Value(in.Args)
		in.Args, _ = clean.(map[string]any)
	}
	now, thread := time.Now(), in.Thread
	run := cmp.Or(in.Run, NewRun())
	message.ID, message.Run, message.Role, message.Text, message.Time = uuid.Must(uuid.NewV7()).String(), run, core.RoleUser, text, now
	steer, _ := o.expect(thread)
	defer o.forget(thread, steer)

	// What is begun here is ended by the runner, cancelled or not: a claim that
	// nobody gives up would lock the conversation.
	begin, stop := context.WithTimeout(context.WithoutCancel(ctx), beginTime)
	defer stop()
	scope := core.Scope{Thread: thread, Run: run, Depth: in.Depth}
	// No Updated: a conversation that is there already keeps its title.
	rows := append(core.Begin(scope, name, message), core.Thread{ID: thread, Session: o.cfg.Session, Title: title(text), Created: now})
	for i, step := range steps {
		rows = append(rows, core.Checkpoint{Run: run, Step: i + 1, State: step, Time: now})
	}
	err = o.cfg.Journal.Put(begin, rows...)
	if err != nil {
		return core.Result{}, err
	}
	runner, messages, err := o.prepare(begin, name, thread)
	if err != nil {
		return core.Result{}, errors.Join(err, o.cfg.Journal.Put(begin, scope.RunRow(name, core.RunFailed, time.Now())))
	}
	input := o.input(scope, messages, steer)
	input.Args = in.Args
	result, err := runner.Run(ctx, input)
	return o.inOrder(ctx, result, err)
}

func (o *Orchestrator) input(scope core.Scope, messages []core.Message, steer *wishes) core.Input {
	scope.Trace = scope.Run
	return core.Input{
		Scope:    scope,
		Messages: messages,
		Steer:    func() core.RunControl { return o.steered(steer) },
		Said:     func() []core.Message { return o.said(steer) },
	}
}

// prepare finds who answers, and what was said so far.
func (o *Orchestrator) prepare(ctx context.Context, name, thread string) (core.Runner, []core.Message, error) {
	runner, err := o.cfg.Lookup(name)
	if err != nil {
		return nil, nil, err
	}
	messages, err := o.cfg.Conversations.Messages(ctx, thread)
	return runner, messages, err
}

func check(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return core.Fail(core.CodeInvalid, "there is no question", "type one")
	case len(text) > maxPrompt:
		return core.Fail(core.CodeInvalid, fmt.Sprintf("the prompt has %d bytes, more than the %d that are taken", len(text), maxPrompt), "put the text into a file and ask about the file")
	case !utf8.ValidString(text):
		return core.Fail(core.CodeInvalid, "the prompt is not UTF-8 text", "convert it first")
	}
	return nil
}

package hub_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/yaap"
)

// expert is a [hub.Link] to an expert that lives in the test. Its fields are
// set before it joins.
type expert struct {
	answer  func(context.Context, core.Call) (core.ToolResult, error) // nil: says its name
	list    func(context.Context) ([]core.ToolSpec, error)            // nil: one tool of its own name
	name    string
	adopted bool // it said no hello
	signals chan hub.Signal
	done    chan struct{}

	mu  sync.Mutex
	err error
	bye []string
}

func newExpert(name string) *expert {
	return &expert{name: name, signals: make(chan hub.Signal, 64), done: make(chan struct{})}
}

func (e *expert) Tools(ctx context.Context) ([]core.ToolSpec, error) {
	e.mu.Lock()
	list := e.list
	e.mu.Unlock()
	if list != nil {
		return list(ctx)
	}
	return []core.ToolSpec{{Name: e.name, Schema: core.PromptSchema()}}, nil
}

// lists changes what the expert lists while it is in the room.
func (e *expert) lists(list func(context.Context) ([]core.ToolSpec, error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = list
}

func (e *expert) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	if e.answer != nil {
		return e.answer(ctx, c)
	}
	return core.ToolResult{Status: core.ToolSuccess, Text: e.name}, nil
}

func (e *expert) Signals() <-chan hub.Signal { return e.signals }
func (e *expert) Done() <-chan struct{}      { return e.done }
func (e *expert) Welcome(string)             {}

func (e *expert) Bye(reason string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bye = append(e.bye, reason)
}

func (e *expert) byes() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.bye
}

func (e *expert) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

func (e *expert) Close() error {
	e.die(nil)
	return nil
}

// die ends the expert; only the first call has an effect.
func (e *expert) die(why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	select {
	case <-e.done:
	default:
		e.err = why
		close(e.done)
	}
}

// says lists tools of these names.
func says(names ...string) func(context.Context) ([]core.ToolSpec, error) {
	return func(context.Context) ([]core.ToolSpec, error) {
		specs := make([]core.ToolSpec, len(names))
		for i, name := range names {
			specs[i] = core.ToolSpec{Name: name, Description: "Does " + name + "."}
		}
		return specs, nil
	}
}

// waits is an answer that never comes: the call ends with its context.
func waits(ctx context.Context, _ core.Call) (core.ToolResult, error) {
	<-ctx.Done()
	return core.ToolResult{}, ctx.Err()
}

// room is a running hub.
type room struct {
	*hub.Hub
	t    *testing.T
	bus  *event.Bus
	feed *event.Feed
	stop func()
}

// open starts a hub. It ends with the test, or with stop.
func open(t *testing.T, opener hub.Opener) *room {
	t.Helper()
	return openGated(t, opener, nil)
}

// openGated starts a hub with a gate.
func openGated(t *testing.T, opener hub.Opener, gate hub.TrustStore) *room {
	t.Helper()
	bus := new(event.Bus)
	r := &room{Hub: hub.New(bus, opener, gate), t: t, bus: bus, feed: bus.Feed()}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		must.Report(t, r.Run(ctx))
	}()
	r.stop = func() { cancel(); <-ended }
	t.Cleanup(r.stop)
	return r
}

// inRoom runs a test on a hub with a clock of its own.
func inRoom(t *testing.T, opener hub.Opener, test func(*testing.T, *room)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, open(t, opener)) })
}

func entry(e *expert) hub.Entry {
	return hub.Entry{
		Introduction: yaap.Introduction{Name: e.name, Description: "Knows " + e.name + "s.", Adopted: e.adopted},
		Transport:    hub.Peer, Link: e,
	}
}

func (r *room) join(e *expert, edits ...func(*hub.Entry)) *hub.Membership {
	r.t.Helper()
	seat := must.Get(r.try(e, edits...))(r.t)
	return seat
}

func (r *room) try(e *expert, edits ...func(*hub.Entry)) (*hub.Membership, error) {
	in := entry(e)
	for _, edit := range edits {
		edit(&in)
	}
	return r.Join(r.t.Context(), in)
}

func instance(id string) func(*hub.Entry) { return func(e *hub.Entry) { e.Instance = id } }

func (r *room) find(name string) core.Tool {
	r.t.Helper()
	tool, ok := r.Tools().Find(name)
	if !ok {
		r.t.Fatalf("there is no tool %s among %v", name, r.names())
	}
	return tool
}

func (r *room) has(name string) bool {
	_, ok := r.Tools().Find(name)
	return ok
}

func (r *room) names() []string {
	names := []string{}
	for _, spec := range r.Tools().Specs() {
		names = append(names, spec.Name)
	}
	return names
}

// call calls a tool and wants no error.
func (r *room) call(tool core.Tool) core.ToolResult {
	r.t.Helper()
	result, err := tool.Call(r.t.Context(), core.Call{ID: "1", Tool: tool.Spec().Name})
	must.Report(r.t, err)
	return result
}

// events returns what was emitted since the last time.
func (r *room) events() []core.Body {
	r.t.Helper()
	r.bus.Emit(core.Scope{}, core.TurnStart{}) // there is something to wait for
	var bodies []core.Body
	for {
		events := must.Get(r.feed.Next(r.t.Context()))(r.t)
		for _, e := range events {
			if _, last := e.Body.(core.TurnStart); last {
				return bodies
			}
			bodies = append(bodies, e.Body)
		}
	}
}

func code(err error) string {
	var refusal *yaap.Refusal
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	return ""
}

func (r *room) expert(name string) core.Expert {
	r.t.Helper()
	for _, e := range r.Experts() {
		if e.Name == name {
			return e
		}
	}
	r.t.Fatalf("there is no expert %s among %+v", name, r.Experts())
	return core.Expert{}
}

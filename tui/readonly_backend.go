package tui

import (
	"context"

	"github.com/yaap-chat/yaap/core"
)

// readOnlyBackend is a Backend that changes nothing: nobody is asked and nothing is typed.
type readOnlyBackend struct{}

// nothingCanBeAsked is what it says to whoever asks it.
func nothingCanBeAsked() error {
	return core.Fail(core.CodeRefused, "this conversation is only shown again", "open it with yaap --thread to go on with it")
}

func (readOnlyBackend) Prompt(context.Context, string, string, string) (r core.Result, _ error) {
	return r, nothingCanBeAsked()
}

func (readOnlyBackend) Continue(context.Context, string) (r core.Result, _ error) {
	return r, nothingCanBeAsked()
}

func (readOnlyBackend) Answer(context.Context, core.Answer) (r core.Result, _ error) {
	return r, nothingCanBeAsked()
}

func (readOnlyBackend) Do(context.Context, string, []string) (d core.Doc, _ error) {
	return d, nothingCanBeAsked()
}

func (readOnlyBackend) Say(context.Context, string, string) error { return nothingCanBeAsked() }

func (readOnlyBackend) NewRun() string                                         { return "" }
func (readOnlyBackend) Steer(string, core.RunControl)                          {}
func (readOnlyBackend) Threads(context.Context, string) ([]core.Thread, error) { return nil, nil }

func (readOnlyBackend) RecentPrompts(context.Context) ([]string, error) { return nil, nil }

func (readOnlyBackend) Page(context.Context, string, string) (p core.Page, _ error) { return p, nil }

func (readOnlyBackend) Waiting(context.Context, string) ([]core.Pause, error)    { return nil, nil }
func (readOnlyBackend) Suggest(context.Context, string) (list []core.Suggestion) { return list }

package tui

import (
	"context"

	"github.com/yaap-chat/yaap/core"
)

// readOnlyBackend is a Backend that changes nothing: nobody is asked and nothing is typed.
type readOnlyBackend struct{}

// nothingCanBeAsked is what it says to whoever asks it.
func nothingCanBeAsked() error {
	return &core.Error{Code: core.CodeRefused, Op: "tui: show", Message: "this conversation is only shown again", Hint: "open it with yaap --thread to go on with it"}
}

func (readOnlyBackend) NewRun() string { return "" }

// Prompt implements [Backend]: it refuses.
func (readOnlyBackend) Prompt(context.Context, string, string, string) (core.Result, error) {
	return core.Result{}, nothingCanBeAsked()
}

// Continue implements [Backend]: it refuses.
func (readOnlyBackend) Continue(context.Context, string) (core.Result, error) {
	return core.Result{}, nothingCanBeAsked()
}

// Answer implements [Backend]: it refuses.
func (readOnlyBackend) Answer(context.Context, core.Answer) (core.Result, error) {
	return core.Result{}, nothingCanBeAsked()
}

// Steer implements [Backend]: there is nothing to steer.
func (readOnlyBackend) Steer(string, core.RunControl) {}

// Do implements [Backend]: it refuses.
func (readOnlyBackend) Do(context.Context, string, []string) (core.Doc, error) {
	return core.Doc{}, nothingCanBeAsked()
}

// Threads implements [Backend]: there are none.
func (readOnlyBackend) Threads(context.Context, string) ([]core.Thread, error) { return nil, nil }

// RecentPrompts implements [Backend]: nothing is typed.
func (readOnlyBackend) RecentPrompts(context.Context) ([]string, error) { return nil, nil }

// Page implements [Backend]: what was said is not read.
func (readOnlyBackend) Page(context.Context, string, string) (core.Page, error) {
	return core.Page{}, nil
}

// Waiting implements [Backend]: nobody waits.
func (readOnlyBackend) Waiting(context.Context, string) ([]core.Pause, error) { return nil, nil }

// Suggest implements [Backend]: nothing is typed.
func (readOnlyBackend) Suggest(context.Context, string) []core.Suggestion { return nil }

package room

import (
	"context"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/orchestrator"
	"github.com/yaap-chat/yaap/core/wire"
)

const (
	listedThreads = 200
	pageMessages  = 40
	saidTexts     = 500 // of the user, for the history of the input
)

// Window is a room as a terminal sees it. All methods but Next may be called by any
// goroutine.
type Window struct {
	*Room
	feed *event.Feed
}

// Window opens one. Close it when nobody looks any more.
func (r *Room) Window() *Window {
	if r.memory != nil {
		r.memory.models.Store(true) // somebody sits here
	}
	r.models.load(r.models.current())
	return &Window{Room: r, feed: r.bus.Feed()}
}

// Close ends Next.
func (w *Window) Close() { w.feed.Close() }

// NewRun makes the id of a run that is to begin.
func (w *Window) NewRun() string { return orchestrator.NewRun() }

// Prompt answers what was typed in a conversation, "/chain run" and "/compact" included,
// in a run of that id. It blocks until it is answered.
func (w *Window) Prompt(ctx context.Context, thread, run, text string) (core.Result, error) {
	in := core.Scope{Thread: thread, Run: run}
	if name, words, ok := chainWords(text); ok {
		return w.startChain(ctx, in, text, name, words)
	}
	if fields := strings.Fields(text); len(fields) > 0 && fields[0] == agent.Compact {
		return w.compact(ctx, in, text)
	}
	text, pictures, err := w.attached(ctx, text)
	if err != nil {
		return core.Result{}, err
	}
	return w.ask(ctx, in, text, pictures)
}

// chainWords are the words of "/chain run NAME …"; ok is false for any other
// text. Quotes keep the spaces of an input, room="the big one"; elsewhere they
// are part of what is said.
func chainWords(text string) (name string, words []string, ok bool) {
	fields := strings.Fields(text)
	if slices.ContainsFunc(fields, isQuoted) {
		if words, err := core.SplitCommandLine(text); err == nil {
			fields = words
		}
	}
	if len(fields) < 3 || fields[0] != "/chain" || fields[1] != "run" {
		return "", nil, false
	}
	return fields[2], fields[3:], true
}

// isQuoted reports whether the value of an input begins with a quote.
func isQuoted(word string) bool {
	_, value, _ := strings.Cut(word, "=")
	return strings.HasPrefix(value, `"`) || strings.HasPrefix(value, "'")
}

// Answer carries out what the user decided, and blocks like Prompt where a run goes
// on with it.
func (w *Window) Answer(ctx context.Context, a core.Answer) (core.Result, error) {
	return w.chat.Answer(ctx, a)
}

// Steer tells the run in progress of a conversation what the user wants.
func (w *Window) Steer(thread string, s core.RunControl) { w.chat.Steer(thread, s) }

// Say gives the run in progress of a conversation text to take in, with the files that it
// names, and blocks until it has, as [orchestrator.Orchestrator.Say] does.
func (w *Window) Say(ctx context.Context, thread, text string) error {
	text, pictures, err := w.attached(ctx, text)
	if err != nil {
		return err
	}
	return w.chat.Say(ctx, thread, text, pictures...)
}

// Next returns the events since the last call. One goroutine calls it.
func (w *Window) Next(ctx context.Context) ([]core.Event, error) { return w.feed.Next(ctx) }

// Threads are the conversations that have the words, the last first: those of this
// directory, then those that yaap run began here, then those of other directories.
func (w *Window) Threads(ctx context.Context, find string) ([]core.Thread, error) {
	threads, err := w.store.Threads(ctx, core.ThreadQuery{Find: find, Limit: listedThreads})
	place := func(t core.Thread) int {
		switch {
		case t.Dir != "" && t.Dir != w.Config.Dir:
			return 2
		case t.Unattended:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(threads, func(a, b core.Thread) int { return place(a) - place(b) })
	return threads, err
}

// Page is the last part of a conversation, or the one before a run.
func (w *Window) Page(ctx context.Context, thread, before string) (core.Page, error) {
	return w.store.Page(ctx, thread, before, pageMessages)
}

// RecentPrompts returns what the user typed last in this directory, the last one last.
func (w *Window) RecentPrompts(ctx context.Context) ([]string, error) {
	return w.store.RecentPrompts(ctx, w.Config.Dir, saidTexts)
}

// Waiting is what the runs of a conversation wait for.
func (w *Window) Waiting(ctx context.Context, thread string) ([]core.Pause, error) {
	return w.chat.Waiting(ctx, thread)
}

// Experts are those in the room, and those that left some seconds ago.
func (w *Window) Experts() []core.Expert { return w.experts() }

// Graph is a chain as it is written, without states.
func (w *Window) Graph(_ context.Context, runner string) (diagram.Graph, error) {
	return writtenGraph(w.Config, runner)
}

// RunEvents are the stored events of a run and of those below it.
func (w *Window) RunEvents(ctx context.Context, run string) ([]core.Event, error) {
	return w.store.RunEvents(ctx, run)
}

// Exchange is a request of a run to a model: as it was sent, where it is one of the last
// of this room, or else what is stored of it.
func (w *Window) Exchange(ctx context.Context, run, call string) (core.Exchange, error) {
	if x, ok := w.sent.Find(run, call); ok {
		return shownExchange(w.Config, x), nil
	}
	return storedExchange(ctx, w.store.Store, run, call)
}

// Audit are rows of the audit log.
func (w *Window) Audit(ctx context.Context, q core.AuditQuery) ([]core.AuditEntry, error) {
	return w.store.Audit(ctx, q)
}

// Wire is where what passes between the room and others is seen.
func (w *Window) Wire() *wire.Tap { return &w.tap }

// VerifyAudit checks the whole audit log.
func (w *Window) VerifyAudit(ctx context.Context) (core.AuditReport, error) {
	return w.store.VerifyAudit(ctx, core.AuditHead{})
}

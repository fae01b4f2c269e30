package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/wire"
)

// Backend is all that the terminal may ask of the program. What blocks returns
// when ctx ends.
type Backend interface {
	Conversations
	// Do runs a slash command that is not the terminal's own. args[0] is its
	// name without the slash.
	Do(ctx context.Context, thread string, args []string) (core.Doc, error)
	// Next returns the events since the last call, in order, and blocks until
	// there is one, or, with none, something else is to be drawn. One goroutine
	// calls it.
	Next(ctx context.Context) ([]core.Event, error)
	Queries
}

// Conversations sends prompts and answers to conversations.
type Conversations interface {
	// NewRun makes the id of a run that is to begin.
	NewRun() string
	// Prompt answers text in a conversation, which is created when it is new,
	// and blocks until it is answered; what happens meanwhile is reported by
	// events of that run, or where the text answers what another asks of that
	// one. Cancel ctx to stop now.
	Prompt(ctx context.Context, thread, run, text string) (core.Result, error)
	// Continue goes on with the last question of a conversation where it was
	// cut off or ran out of turns, and blocks like Prompt. Its run is the one
	// that was there: its events begin with a run_start that is resumed. Where
	// there is nothing to go on with it fails with core.CodeNotFound.
	Continue(ctx context.Context, thread string) (core.Result, error)
	// Answer says what the user decided about something that waits to be
	// allowed. Where a run waits with it, the run goes on and Answer blocks like
	// Prompt. The first answer wins: another fails with core.CodeConflict, or
	// with core.CodeNotFound when nobody waits any more.
	Answer(ctx context.Context, a core.Answer) (core.Result, error)
	Steering
	// RecentPrompts returns what the user typed last in this directory, the last one last.
	RecentPrompts(ctx context.Context) ([]string, error)
}

// Steering tells the run in progress of a conversation what the user wants.
type Steering interface {
	// Steer never blocks.
	Steer(thread string, s core.RunControl)
	// Say gives the run text to take in before its next request to a model, and blocks
	// until it has. It fails with core.CodeNotFound where no run does, and when ctx ends.
	Say(ctx context.Context, thread, text string) error
}

// Queries reads what the terminal shows. Any goroutine may call it at any time.
type Queries interface {
	// Threads returns the conversations that have these words, or parts of words, in
	// their title or a message: all, where there are none.
	Threads(ctx context.Context, find string) ([]core.Thread, error)
	// Page returns the last messages of a conversation, or those before a run of
	// it, with what was reported of them.
	Page(ctx context.Context, thread, before string) (core.Page, error)
	// Waiting returns what the runs of a conversation wait for.
	Waiting(ctx context.Context, thread string) ([]core.Pause, error)
	// Experts never blocks. It lists them by name, those that left some
	// seconds ago included with state core.ExpertGone.
	Experts() []core.Expert
	// Suggest is what the text before the cursor may go on as, where only experts or
	// providers of models know; nothing where none says so soon.
	Suggest(ctx context.Context, before string) []core.Suggestion
	InspectorData
}

// Runs is what the inspectors read of runs beside their events.
type Runs interface {
	// Graph returns how chain/NAME is written, without states. A node that an
	// edge names need not be listed.
	Graph(ctx context.Context, runner string) (diagram.Graph, error)
	// RunEvents returns the stored events of a root run and of those below it,
	// in order.
	RunEvents(ctx context.Context, run string) ([]core.Event, error)
	// Exchange returns a request of a run to a model and what came back, as far as that
	// is known.
	Exchange(ctx context.Context, run, call string) (core.Exchange, error)
}

// InspectorData reads what the inspectors show beside events.
type InspectorData interface {
	Runs
	// Audit returns entries in the order of the log.
	Audit(ctx context.Context, q core.AuditQuery) ([]core.AuditEntry, error)
	// VerifyAudit checks the whole log.
	VerifyAudit(ctx context.Context) (core.AuditReport, error)
	// Memory returns what is remembered. That nothing can be remembered now is
	// told by the view, not by an error.
	Memory(ctx context.Context, q core.MemoryQuery) (core.MemoryView, error)
	// Wire is where what passes between the room and others is seen. It never
	// blocks.
	Wire() *wire.Tap
}

// Options is what the terminal starts with.
type Options struct {
	Thread    string // the conversation to open with
	Title     string
	Model     string
	Version   string
	Dir       string                   // where the room works, for the welcome
	Exists    func(path string) bool   // of a file there that the welcome may speak of; nil: none does
	Env       func(name string) string // NO_COLOR, LANG, TERM and the like; nil: nothing is set
	Commands  []core.Command           // that Backend.Do runs
	Ephemeral bool                     // nothing is kept when the program ends
	// ReducedMotion keeps signs from moving; times are updated once a second.
	ReducedMotion bool
	Keys          Rebound // the user's own; [Rebound.Check] accepts them
	// Clip puts text into the clipboard beside the terminal's own way, and says by which
	// program; where there is none the name is empty. It may block; nil: there is none.
	Clip   func(ctx context.Context, text string) (with string, err error)
	Theme  string // auto, light or dark; empty: auto
	Colors Colors // the user's own; [Colors.Check] accepts them
	Detail string // one of [Details]; empty: the first
	// Keep keeps a setting for the next time; nil: nothing is kept.
	Keep func(key, value string) error
	// Files is the directory of the files that answers have and the user attached;
	// empty: none is shown.
	Files    string
	Pictures string // how they are shown: auto, off, blocks, kitty, iterm2 or sixel
	// Inline leaves what was said in the terminal's scrollback, and has the screen to itself
	// only while something else than the chat is shown.
	Inline bool
	// NoMouse leaves the mouse to the terminal.
	NoMouse bool
	// Vi has the keys of vi in the input: esc ends typing, and letters are commands.
	Vi bool

	Tour          *Tour     // uses the terminal in the place of the user; nil: nobody does
	Input         io.Reader // nil: the terminal
	Output        io.Writer // nil: the terminal
	Environ       []string  // of the terminal, as os.Environ; nil: that of the process
	Width, Height int       // where Output is not a terminal
}

// Run shows the terminal until the user quits or ctx ends, which is no error.
// All that it started has ended when it returns: prompts are cancelled, and
// waited for.
func Run(ctx context.Context, o Options, b Backend) error {
	ctx, cancel := context.WithCancel(ctx)
	var jobs jobs
	f := newRedrawModel(ctx, o, b, &jobs)
	p := f.program
	if o.Tour != nil {
		defer o.Tour.open(p)()
	}
	var pumping sync.WaitGroup
	pumping.Go(func() { pump(ctx, b, p.Send) })
	_, err := p.Run()
	cancel()
	pumping.Wait()
	jobs.wait()
	if jobs.keeping { // it is not known to be the last that was chosen
		_ = o.Keep("detail", Details()[f.chat.detail])
	}
	if last := f.pen.pictures.close(); last != "" {
		if o.Output == nil {
			o.Output = os.Stdout
		}
		_, _ = io.WriteString(o.Output, last) // it need not keep them
	}
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrProgramPanic) {
		return nil
	}
	return err
}

func (o Options) program(ctx context.Context) []tea.ProgramOption {
	// Signals end ctx. Bubble Tea, had it a handler of its own, would wait for ever to tell a loop of it that ctx has ended.
	opts := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFilter(calm), tea.WithoutSignalHandler()}
	if o.Input != nil {
		opts = append(opts, tea.WithInput(o.Input))
	}
	if o.Output != nil {
		opts = append(opts, tea.WithOutput(o.Output))
	}
	if o.Environ != nil {
		opts = append(opts, tea.WithEnvironment(o.Environ))
	}
	if o.Width > 0 && o.Height > 0 {
		opts = append(opts, tea.WithWindowSize(o.Width, o.Height))
	}
	return opts
}

// calm drops what nobody looks at: a mouse that moves with no button held.
func calm(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case tea.MouseMotionMsg:
		if msg.Button != tea.MouseLeft {
			return nil
		}
	case tea.KeyReleaseMsg:
		return nil
	}
	return msg
}

// jobs waits for commands in progress. Bubble Tea does not.
type jobs struct {
	mu     sync.Mutex
	wg     sync.WaitGroup
	closed bool

	// Of the slash command that was begun last; the program's goroutine alone
	// touches them.
	begun  int
	stop   context.CancelFunc // nil: it is done
	moving bool               // it opens another conversation, which is not shown yet
	back   back               // from a question that is changed in a conversation begun for that

	keeping bool // a setting is being kept; the program's goroutine alone touches it
}

// begin is the context of a slash command, and what is called when that is done.
func (j *jobs) begin(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	j.begun++
	j.stop = cancel
	n := j.begun
	return ctx, func() {
		if cancel(); n == j.begun {
			j.stop = nil
		}
	}
}

// command makes f a command that wait waits for.
func (j *jobs) command(f func() tea.Msg) tea.Cmd {
	return func() tea.Msg {
		j.mu.Lock()
		if j.closed {
			j.mu.Unlock()
			return nil
		}
		j.wg.Add(1)
		j.mu.Unlock()
		defer j.wg.Done()
		return f()
	}
}

func (j *jobs) wait() {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	j.wg.Wait()
}

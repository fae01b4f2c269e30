package tui

import (
	"context"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	tickEvery    = 100 * time.Millisecond
	tickQuiet    = time.Second // with reduced motion
	noteFor      = 4 * time.Second
	noteLeast    = time.Second // also for who types on
	leaderFor    = 2 * time.Second
	examplesShow = 3
)

// model is the terminal. Its methods run in the program's goroutine.
type model struct {
	ctx      context.Context // of Run; every command ends with it
	b        Backend
	o        Options
	jobs     *jobs
	pen      *pen
	keys     keymap
	commands []command
	screen   screen
	chat     *chat
	input    input
	run      run
	panes    panes
	asks     approvals
	forms    []*form // that experts ask the user to fill in; the first is shown
	frame    frame
	drag     drag
	above    inlined
	experts  roster
	once     bool // it is drawn once: nothing comes later
}

// run is the prompt that is being answered.
type run struct {
	cancel   context.CancelFunc // nil when nothing runs
	stopping time.Time          // when the user asked to stop; the queue does not follow then
	cut      bool               // cancel was called
	direct   bool               // one expert was asked by name: there is nothing to stop after
	ticking  bool
}

// panes is what the user looks at.
type panes struct {
	focus   place
	all     []pane // in the order of the table
	tab     int    // the one that is chosen
	full    bool   // the inspector takes the body
	over    overlay
	entry   entry
	note    note
	blurred bool
	quit    bool // ctrl+c was pressed once
	model   string
	tools   int
	tokens  int
	show    *showing       // a conversation that is shown again; nil: none is
	look    InspectBackend // what the inspectors alone look at; nil: there is a chat
	// shiftEnter says that the terminal tells shift+enter from enter.
	shiftEnter bool
}

// note is a line for a moment, in place of the hints.
type note struct {
	text  string
	tone  tone
	n     int
	since time.Time
	asks  string // what it asks to be confirmed
}

// frame is the screen as drawn last.
type frame struct {
	stale bool
	view  tea.View
}

// answered is the result of a run.
type answered struct {
	answer   *answer // that waits for it, where there is one
	thread   string
	decision *decision // that the run was told, where there is one
	res      core.Result
	err      error
}

// opened is a conversation that was read.
type opened struct {
	moves         bool // a command said so, and what is typed meanwhile waits for it
	thread, title string
	page          core.Page
	pauses        []core.Pause
	older         bool   // for the conversation that is shown
	draft, told   string // what is put into the input then, and what is said of that
	question      string // that is asked there at once; empty: none is
	found         string // words that are shown where they were said last
}

// back is where one was before a conversation was begun to change a question.
type back struct{ thread, title, from string } // from: the conversation that was begun

func newModel(ctx context.Context, o Options, b Backend, j *jobs) *model {
	if o.Env == nil {
		o.Env = func(string) string { return "" }
	}
	p := newPen(o.Env)
	if o.Inline && o.Pictures != "off" {
		o.Pictures = "blocks" // what else they are drawn with is gone with the program
	}
	p.now, p.pictures = time.Now().UnixNano(), newGallery(o, &p)
	p.short.Open, p.short.Copy = o.Keys.named("o"), o.Keys.named("y")
	if slices.ContainsFunc(o.Commands, func(c core.Command) bool { return c.Name == "retry" }) {
		p.again = o.Keys.named("r")
	}
	c := newChat(&p, o.Thread, o.Title, time.Now())
	c.detail = detail(max(slices.Index(Details(), o.Detail), 0))
	if o.Tour != nil {
		c.detail = detailTurns
	}
	m := &model{
		ctx: ctx, b: b, o: o, jobs: j, pen: &p, keys: newKeymap(o.Keys), commands: commandTable(o.Commands, o.Keys),
		chat: &c, input: newInput(&p),
		asks:    approvals{names: map[string]subject{}, going: map[string]bool{}, told: map[string]bool{}},
		experts: roster{exists: o.Exists},
		panes:   panes{focus: inInput, tab: paneNamed("events"), model: safe.Line(o.Model)}, frame: frame{stale: true},
	}
	m.input.vi.on = o.Vi
	m.above.on, m.above.thread = o.Inline && o.Tour == nil, o.Thread
	if p.colors = o.Colors; o.Theme != "" || len(o.Colors) > 0 {
		m.wear()
	}
	for i, row := range paneTable() {
		m.panes.all = append(m.panes.all, row.of(host{m, i}))
	}
	switch b := b.(type) {
	case *Show:
		m.panes.show, m.chat.said, m.chat.detail = newShowing(b), true, detailTurns
	case inspecting:
		m.panes.look, m.panes.focus, m.panes.full = b.InspectBackend, inInspector, true
		m.panes.tab = max(paneNamed(b.pane), 0)
	}
	return m
}

// Init asks for the terminal's background and the conversation so far.
func (m *model) Init() tea.Cmd {
	cmds := []tea.Cmd{tea.RequestBackgroundColor, m.pen.pictures.ask(), await(m, func(ctx context.Context, b Backend) ([]string, error) { return b.RecentPrompts(ctx) }, func(said []string, _ error) tea.Cmd {
		m.input.recall(said)
		return nil
	})}
	switch {
	case m.panes.show != nil:
		cmds = append(cmds, m.play())
	case m.panes.look != nil:
		cmds = append(cmds, m.shown().Open())
	case m.o.Thread != "":
		cmds = append(cmds, m.open(opened{thread: m.o.Thread, title: m.o.Title}))
	}
	return tea.Batch(cmds...)
}

// Update takes a message. What a message changes is drawn by View.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.pen.now = time.Now().UnixNano()
	if m.panes.show != nil {
		m.pen.now = m.panes.show.now().UnixNano()
	}
	m.frame.stale = true
	cmd := m.update(msg)
	m.fit()
	return m, tea.Batch(cmd, m.writeAbove())
}

// wear draws in the chosen theme from now on.
func (m *model) wear() {
	m.pen.wear(m.o.Theme, !m.screen.light)
	m.input.restyle(m.pen)
}

func (m *model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.drag = drag{}
		m.screen.w, m.above.tall = msg.Width, msg.Height
		m.input.resize(msg.Width)
		return m.paint()
	case tea.BackgroundColorMsg:
		m.screen.light = !msg.IsDark()
		m.wear()
	case tea.ColorProfileMsg:
		m.above.profile = msg.Profile
		m.pen.told(msg)
	case tea.TerminalVersionMsg, uv.PrimaryDeviceAttributesEvent, uv.CellSizeEvent:
		m.pen.told(msg)
	case tea.KeyboardEnhancementsMsg:
		m.panes.shiftEnter = msg.SupportsKeyDisambiguation()
	case tea.FocusMsg:
		m.panes.blurred = false
		return m.tick()
	case tea.BlurMsg:
		m.panes.blurred = true
	case tea.KeyPressMsg:
		if m.o.Tour != nil {
			return m.keyTour(msg)
		}
		return m.key(msg)
	case tourKey:
		return m.key(tea.KeyPressMsg(msg))
	case tea.PasteMsg:
		if m.panes.show != nil || m.panes.look != nil || m.o.Tour != nil {
			return nil
		}
		return m.paste(msg.Content)
	case tea.MouseWheelMsg:
		m.drag = drag{}
		return m.wheel(msg)
	case tea.MouseMsg:
		return m.mouse(msg)
	case batch:
		return m.happened(msg)
	case lost:
		m.chat.fail(msg.err)
	case then:
		if msg != nil {
			return msg()
		}
	default:
		m.frame.stale = false
		return m.input.update(msg)
	}
	return nil
}

// happened takes what the room reports.
func (m *model) happened(b batch) tea.Cmd {
	var cmds []tea.Cmd
	for _, e := range b.events {
		if m.panes.look == nil {
			m.chat.apply(e)
		} else {
			e.Time = e.Time.Local()
			m.chat.log.Apply(e) // of whichever conversation
		}
		if start, ok := e.Body.(core.RunStart); ok {
			if r := m.chat.log.Run(e.Run); r != nil {
				cmds = append(cmds, m.began(r, start.Resumed))
			}
		}
		switch body := e.Body.(type) {
		case core.AgentProcessing:
			m.panes.tools = len(body.Tools)
		case core.TokenUsage:
			m.panes.tokens = body.Usage.Total()
		case core.MemoryOperation:
			if body.Operation == core.MemoryRecord && e.Thread == m.chat.thread {
				m.chat.noted = append(m.chat.noted, body.Noted...)
			}
		case core.ExpertLeft:
			if time.Since(e.Time) < goneFor {
				cmds = append(cmds, m.after(goneFor+time.Second, then(func() tea.Cmd { m.experts.set(m.b.Experts(), time.Now()); return nil })))
			}
		default:
		}
		for _, p := range m.panes.all {
			if cmd := p.Event(e); cmd != nil {
				cmds = append(cmds, cmd)
			}
		}
		if m.panes.show == nil && m.panes.look == nil { // what was asked then is asked nobody now
			cmds = append(cmds, m.approving(e), m.eliciting(e))
		}
	}
	cmds = append(cmds, m.tell())
	if b.experts != nil {
		m.experts.set(b.experts, time.Now())
	}
	return tea.Batch(append(cmds, m.tick())...)
}

// running reports whether a prompt of this terminal, or a run in this
// conversation, goes on.
func (m *model) running() bool { return m.run.cancel != nil || m.chat.active() != nil }

// tick keeps the clock going while a run does, or somebody joins, and somebody looks.
func (m *model) tick() tea.Cmd {
	_, joining := m.experts.joining()
	if s := m.panes.show; m.run.ticking || m.panes.blurred || !m.running() && !joining || s != nil && s.paused {
		return nil
	}
	m.run.ticking = true
	every := tickEvery
	if m.o.ReducedMotion {
		every = tickQuiet
	}
	return m.after(every, then(m.ticked))
}

func (m *model) ticked() tea.Cmd {
	m.run.ticking = false
	if !m.o.ReducedMotion {
		m.pen.frame++
	}
	m.chat.tick()
	return m.tick()
}

// then is what is to be done in the program's goroutine.
type then func() tea.Cmd

// await has a job done beside the program's goroutine, and hands its result to
// next in it.
func await[T any](m *model, job func(context.Context, Backend) (T, error), next func(T, error) tea.Cmd) tea.Cmd {
	ctx, b := m.ctx, m.b
	return m.jobs.command(func() tea.Msg {
		t, err := job(ctx, b)
		return then(func() tea.Cmd { return next(t, err) })
	})
}

// after sends msg, or has it done, when d is over.
func (m *model) after(d time.Duration, msg tea.Msg) tea.Cmd {
	if m.once {
		return nil
	}
	ctx := m.ctx
	return m.jobs.command(func() tea.Msg {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
			return msg
		}
	})
}

// say shows a line for a moment.
func (m *model) say(t tone, text string) tea.Cmd {
	m.panes.note = note{text: safe.Line(text), tone: t, n: m.panes.note.n + 1, since: time.Now()}
	n := m.panes.note.n
	return m.after(noteFor, then(func() tea.Cmd {
		if n == m.panes.note.n {
			m.panes.note.text, m.panes.quit = "", false
		}
		return nil
	}))
}

// fit arranges the screen anew when its size or the input's has changed.
func (m *model) fit() {
	if m.above.writing {
		return
	}
	s := shape{input: m.input.height(), full: m.panes.full, alone: m.panes.look != nil, tour: m.captionRows()}
	light := m.screen.light
	if m.inline() {
		m.screen = m.fitInline(s)
	} else {
		m.screen = arrange(m.screen.w, m.above.tall, s)
	}
	sc := &m.screen
	sc.light = light
	m.input.hint(m.chat.asking() != nil)
	r := sc.chat
	if r.w == 0 {
		r = rect{w: sc.w, h: sc.h}
	}
	m.chat.resize(r, sc.size)
}

func itoa(n int) string { return strconv.Itoa(n) }

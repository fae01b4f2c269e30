package tui

import (
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	keyGap  = 45 * time.Millisecond // between two keys
	hasty   = 3 * time.Second       // until what is waited for is to be seen
	patient = 30 * time.Second      // until it must be

	captionWide = 76 // cells that a caption has room in

	seesWidth, seesHeight = 80, 24 // from which on all that is to be seen is seen
)

// Tour drives the terminal for a viewer: it presses keys, waits for texts on the screen,
// and explains the step below the input. The viewer can pause it, step through it, change
// its speed, and leave it. It outlives a terminal that is closed and opened again. Its methods may be called from any goroutine.
type Tour struct {
	mu sync.Mutex
	tourState
	changed chan struct{} // closed and replaced when something has changed
	film    film
}

// tourState is what is drawn of a tour and what the keys of the viewer change.
type tourState struct {
	program   *tea.Program // nil: no terminal is open
	rows      string       // of the frame that was drawn last
	busy      bool         // a run goes on
	small     bool         // the terminal is: rows are cut
	scene, of int
	says      string
	speed     int  // among the speeds
	atOnce    bool // nothing is waited for
	paused    bool
	stepping  bool     // it goes on to the end of the step, though paused
	next      bool     // the step is to end
	yours     []string // keys that are the user's to press now
	pressed   bool     // the user has pressed one
	hurry     bool     // as atOnce, for a while
	reopens   bool
	opened    int // how often a terminal was
}

// NewTour returns a tour of a number of scenes at one of the speeds of a replay; at a
// higher speed it does not wait. With steps each step waits for a key.
func NewTour(scenes int, speed float64, steps bool) *Tour {
	t := &Tour{changed: make(chan struct{})}
	t.of, t.paused, t.stepping, t.atOnce = scenes, steps, steps, speed > speeds()[len(speeds())-1]
	t.speed = speedOf(speed)
	return t
}

// film records the frames; without a writer it does nothing.
type film struct {
	w       io.Writer
	cast    *Cast // nil: nothing was seen yet
	began   time.Time
	skipped time.Duration // that nobody had to wait for
	err     error
}

// Record writes the frames to w as an asciicast, at the pace of a viewer.
func (t *Tour) Record(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.film = film{w: w, began: time.Now()}
	if t.atOnce {
		t.speed = slices.Index(speeds(), 1) // that is how it is watched
	}
}

// Recorded returns the error of the recording.
func (t *Tour) Recorded() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.film.err
}

// frame records a frame of width columns.
func (f *film) frame(rows []string, width int) {
	if f.w == nil || f.err != nil || width == 0 {
		return
	}
	if f.cast == nil {
		if f.cast, f.err = NewCast(f.w, width, len(rows), f.began, "yaap demo"); f.err != nil {
			return
		}
	}
	f.err = f.cast.Frame(time.Since(f.began)+f.skipped, rows)
}

// change edits the state and wakes those that wait for it.
func (t *Tour) change(do func(s *tourState)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	do(&t.tourState)
	close(t.changed)
	t.changed = make(chan struct{})
}

// show edits the state and has the terminal draw it. The terminal itself must not call it:
// it would wait for itself.
func (t *Tour) show(do func(s *tourState)) {
	t.change(do)
	if s, _ := t.state(); s.program != nil {
		s.program.Send(then(func() tea.Cmd { return nil }))
	}
}

// state is the current state, and a channel that is closed when it changes.
func (t *Tour) state() (tourState, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tourState, t.changed
}

// Say sets the scene and the text below the input.
func (t *Tour) Say(scene int, text string) {
	t.show(func(s *tourState) { s.scene, s.says = scene, text })
}

// Hurry turns the waits off, or on again.
func (t *Tour) Hurry(on bool) { t.change(func(s *tourState) { s.hurry = on }) }

// Type presses the keys of a text.
func (t *Tour) Type(ctx context.Context, text string) error {
	for _, r := range text {
		if err := t.send(ctx, tea.KeyPressMsg{Code: r, Text: string(r)}); err != nil {
			return err
		}
		if err := t.wait(ctx, keyGap, false); err != nil {
			return err
		}
	}
	return nil
}

// Press presses keys by their names.
func (t *Tour) Press(ctx context.Context, names ...string) error {
	for _, name := range names {
		if err := t.send(ctx, keyNamed(name)); err != nil {
			return err
		}
	}
	return nil
}

// keyNamed is a key as the terminal reports it.
func keyNamed(name string) (k tea.KeyPressMsg) {
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		name, k.Mod = rest, tea.ModCtrl
	}
	named := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "f6": tea.KeyF6, "f7": tea.KeyF7, "f8": tea.KeyF8, "space": tea.KeySpace,
	}
	if code, ok := named[name]; ok {
		k.Code = code
		return k
	}
	k.Code = []rune(name)[0]
	if k.Mod == 0 {
		k.Text = name
	}
	return k
}

// tourKey is a key that a tour presses, not the viewer.
type tourKey tea.KeyPressMsg

func (t *Tour) send(ctx context.Context, k tea.KeyPressMsg) error {
	err := t.until(ctx, func(s tourState) bool { return s.program != nil })
	if s, _ := t.state(); s.program != nil {
		s.program.Send(tourKey(k))
	}
	return err
}

// WaitFor waits until the screen matches the pattern, nothing runs, and keys work. In a
// terminal that is too small for its rows it waits for a while only.
func (t *Tour) WaitFor(ctx context.Context, pattern string) error {
	wanted, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	for _, d := range []time.Duration{hasty, patient} {
		late, cancel := context.WithTimeout(ctx, d)
		err = t.until(late, func(s tourState) bool {
			return s.program != nil && !s.busy && wanted.MatchString(s.rows) && !strings.Contains(s.rows, inAMoment)
		})
		cancel()
		if s, _ := t.state(); err == nil || ctx.Err() != nil || s.small {
			return ctx.Err()
		}
	}
	s, _ := t.state()
	return core.Fail(core.CodeTimedOut, "“"+pattern+"” was not to be seen:\n"+s.rows, "")
}

// Reopen quits the program as a user does, and waits until it is open again.
func (t *Tour) Reopen(ctx context.Context) error {
	before := 0
	t.change(func(s *tourState) { s.reopens, before = true, s.opened })
	if err := t.Type(ctx, "/quit"); err != nil {
		return err
	}
	if err := t.Press(ctx, "enter"); err != nil {
		return err
	}
	return t.until(ctx, func(s tourState) bool { return s.opened > before })
}

// IsReopening reports whether the terminal was closed by [Tour.Reopen].
func (t *Tour) IsReopening() bool {
	s, _ := t.state()
	return s.reopens
}

// until waits until is holds for the state.
func (t *Tour) until(ctx context.Context, is func(tourState) bool) error {
	for {
		s, changed := t.state()
		if is(s) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// Wait waits before the next action.
func (t *Tour) Wait(ctx context.Context, d time.Duration) error { return t.wait(ctx, d, false) }

// Linger ends a step and gives the viewer time to read. While the tour is paused it waits
// for the viewer.
func (t *Tour) Linger(ctx context.Context, d time.Duration) error { return t.wait(ctx, d, true) }

// WaitForUser waits before an action that the viewer may do with one of keys instead of the
// tour. It reports whether one was pressed, and returns then at once.
func (t *Tour) WaitForUser(ctx context.Context, d time.Duration, keys ...string) (pressed bool, err error) {
	if len(keys) == 0 {
		return false, t.Wait(ctx, d)
	}
	t.change(func(s *tourState) { s.yours, s.pressed = keys, false })
	err = t.Linger(ctx, 3*d)
	t.change(func(s *tourState) { pressed, s.yours, s.pressed = s.pressed, nil, false })
	return pressed, err
}

func (t *Tour) wait(ctx context.Context, d time.Duration, rest bool) error {
	if s, _ := t.state(); s.atOnce || s.hurry {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !s.hurry {
			t.film.skipped += d
		}
		return ctx.Err()
	}
	if rest {
		t.change(func(s *tourState) { s.stepping = s.stepping && s.next })
	}
	for left := float64(d); ; {
		s, changed := t.state()
		if rest && (s.next || s.pressed) {
			t.change(func(s *tourState) { s.next, s.stepping = false, s.paused })
			return ctx.Err()
		}
		var over <-chan time.Time
		held, since := s.paused && !s.stepping, time.Now()
		if !held {
			over = time.After(time.Duration(left / speeds()[s.speed]))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-over:
			return nil
		case <-changed:
			if !held {
				left -= float64(time.Since(since)) * speeds()[s.speed]
			}
		}
	}
}

// open attaches a terminal that has started; closed is called when it ends.
func (t *Tour) open(p *tea.Program) (closed func()) {
	t.change(func(s *tourState) { s.program, s.rows, s.reopens, s.opened = p, "", false, s.opened+1 })
	return func() { t.change(func(s *tourState) { s.program, s.rows = nil, "" }) }
}

// saw takes a frame that was drawn.
func (t *Tour) saw(rows []string, width int, busy bool) {
	text := ansi.Strip(strings.Join(rows, "\n"))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.film.frame(rows, width)
	t.small = width < seesWidth || len(rows) < seesHeight
	if t.rows != text || t.busy != busy {
		t.rows, t.busy = text, busy
		close(t.changed)
		t.changed = make(chan struct{})
	}
}

// keyTour takes a key of the viewer.
func (m *model) keyTour(msg tea.KeyPressMsg) tea.Cmd {
	t, name := m.o.Tour, msg.String()
	if s, _ := t.state(); slices.Contains(s.yours, name) {
		t.change(func(s *tourState) { s.pressed = true })
		return m.key(msg)
	}
	do := m.keys.find(inShow, name)
	switch do {
	case actQuit, actInterrupt:
		return tea.Quit
	case actPause:
		t.change(func(s *tourState) { s.paused, s.stepping = !s.paused, false })
	case actStep:
		t.change(func(s *tourState) { s.paused, s.stepping, s.next = true, true, true })
	case actFaster:
		t.change(func(s *tourState) { s.speed = min(s.speed+1, len(speeds())-1) })
	case actSlower:
		t.change(func(s *tourState) { s.speed = max(s.speed-1, 0) })
	}
	return nil
}

// captionRows is the height of the caption: the same for all texts, so that nothing jumps.
func (m *model) captionRows() int {
	switch {
	case m.o.Tour == nil:
		return 0
	case m.screen.w < captionWide:
		return 2
	}
	return 1
}

// caption draws the text of the step.
func (m *model) caption(r rect) []string {
	if r.h == 0 {
		return nil
	}
	p := m.pen
	s, _ := m.o.Tour.state()
	at := " " + itoa(s.scene) + "/" + itoa(s.of) + "  "
	rows := exactly(hung(p.accent.on(at), p.strong.each(wrap(safe.Line(s.says), max(r.w-len(at)-1, 8)))), r.w, r.h)
	for i := range rows {
		rows[i] = p.selected.under(rows[i])
	}
	return rows
}

// tourKeys is the last row while there is a tour.
func (m *model) tourKeys(w int) string {
	p := m.pen
	s, _ := m.o.Tour.state()
	state, tone, pause := "playing", p.ok, "pause"
	if s.paused {
		state, tone, pause = "paused", p.warn, "go on"
	}
	line := ""
	for _, h := range [][2]string{{"space", pause}, {"n", "next"}, {"+ -", "speed"}, {"q", "leave"}} {
		line += " " + p.strong.on(h[0]) + " " + p.dim.on(h[1]) + "  "
	}
	return ends(line, tone.on(state)+" "+p.text.on(speedWords(speeds()[s.speed]))+" ", w, p.ellipsis)
}

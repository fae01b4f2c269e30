package tui

import (
	"context"
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	framesASecond = 60
	frameEvery    = time.Second / framesASecond
	frameSoon     = time.Millisecond // after a key
	frameMade     = 5 * frameSoon    // that it is drawn by, though one before it is being drawn
	stillFor      = 150 * time.Millisecond
)

// redrawModel is the model as Bubble Tea sees it, and decides when it is drawn. Bubble Tea draws at each tick of a
// ticker that never stops; redrawModel stops it while nothing happens, and makes the
// frame of a key due at once. Its methods run in the program's goroutine.
type redrawModel struct {
	*model
	program *tea.Program
	ticker  *time.Ticker // nil where it cannot be reached: it ticks on then
	pressed time.Time    // when the user last did something
	moved   bool         // since the last still
	asleep  bool
}

// Messages of redrawModel to itself.
type (
	still  struct{} // some time is over
	steady struct{} // the frame that was due at once is drawn
)

// newRedrawModel makes the program.
func newRedrawModel(ctx context.Context, o Options, b Backend, j *jobs) *redrawModel {
	f := &redrawModel{model: newModel(ctx, o, b, j)}
	f.program = tea.NewProgram(f, append(o.program(ctx), tea.WithFPS(framesASecond))...)
	return f
}

// tickerOf returns the ticker of a running program, and nil where there is none. Bubble Tea has no option for it: the field is read, never
// written, and what is done with it is what any holder of a ticker may do.
func tickerOf(program any) *time.Ticker {
	field := reflect.ValueOf(program).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (*time.Ticker)(field.UnsafePointer())
}

// Init runs when the ticker has been made.
func (f *redrawModel) Init() tea.Cmd {
	f.ticker = tickerOf(f.program)
	return tea.Batch(f.model.Init(), f.rest())
}

// rest looks after a while whether anything has happened.
func (f *redrawModel) rest() tea.Cmd {
	if f.ticker == nil {
		return nil
	}
	return f.after(stillFor, still{})
}

// Update hands a message on, draws, and sets the ticker. A message comes here
// only when the view of the one before is with the renderer: two stills with
// nothing between mean that it has been drawn, however slow the terminal is.
func (f *redrawModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg.(type) {
	case still:
		if f.moved {
			f.moved = false
			return f, f.rest()
		}
		f.ticker.Stop()
		f.asleep = true
		return f, nil
	case steady:
		if !f.asleep {
			f.ticker.Reset(frameEvery)
		}
		return f, nil
	}
	_, cmd := f.model.Update(msg)
	f.View() // takes its time before the frame is due
	return f, tea.Batch(cmd, f.wake(msg), f.pen.pictures.load(f.model))
}

// wake makes a frame due at once when the first thing happens for a while, or the
// user did something; not for what the user does faster than frames are.
func (f *redrawModel) wake(msg tea.Msg) tea.Cmd {
	f.moved = true
	hurry := f.asleep
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		hurry = hurry || time.Since(f.pressed) >= frameEvery
		f.pressed = time.Now()
	}
	if !hurry || f.ticker == nil {
		return nil
	}
	var rest tea.Cmd
	if f.asleep {
		f.asleep = false
		rest = f.rest()
	}
	f.ticker.Reset(frameSoon)
	return tea.Batch(rest, f.after(frameMade, steady{}))
}

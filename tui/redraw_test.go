package tui

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// writes is a terminal that notes when the program wrote to it.
type writes struct {
	mu    sync.Mutex
	times []time.Time
}

func (d *writes) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.times = append(d.times, time.Now())
	return len(p), nil
}

// since is how long after begun the first was written, and how many there were.
func (d *writes) since(begun time.Time) (first time.Duration, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, at := range d.times {
		if at.Before(begun) {
			continue
		}
		if n == 0 {
			first = at.Sub(begun)
		}
		n++
	}
	return first, n
}

// play runs the program in fake time until f returns.
func play(t *testing.T, f func(p *redrawModel, screen *writes, keys io.Writer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		screen, room, keys := new(writes), newFake(), newKeyboard()
		var jobs jobs
		o := Options{Thread: "t1", Input: keys, Output: screen, Width: 80, Height: 24, Environ: []string{"TERM=xterm-256color"}}
		p := newRedrawModel(ctx, o, room, &jobs)
		var all sync.WaitGroup
		all.Go(func() { pump(ctx, room, p.program.Send) })
		all.Go(func() {
			if _, err := p.program.Run(); !errors.Is(err, tea.ErrProgramKilled) || errors.Is(err, tea.ErrProgramPanic) {
				t.Errorf("the program: %v", err)
			}
		})
		synctest.Wait()
		f(p, screen, keys)
		cancel()
		_ = keys.Close()
		all.Wait()
		jobs.wait()
	})
}

// ticks is how often the ticker ticked for somebody beside the renderer.
func ticks(t *testing.T, p *redrawModel, during time.Duration) (n int) {
	t.Helper()
	synctest.Wait()
	if p.ticker == nil {
		t.Error("this Bubble Tea has no ticker that can be reached: it ticks 60 times a second for ever until frames is written anew")
		return 0
	}
	over := time.After(during)
	for {
		select {
		case <-p.ticker.C:
			n++
		case <-over:
			return n
		}
	}
}

func TestNoFrameIsMadeWhileNothingHappens(t *testing.T) {
	play(t, func(p *redrawModel, screen *writes, _ io.Writer) {
		if ticks(t, p, 100*time.Millisecond) == 0 {
			t.Error("nothing ticks while the terminal starts")
		}
		time.Sleep(time.Second)
		if n := ticks(t, p, time.Minute); n > 0 {
			t.Errorf("%d ticks in a minute in which nothing happened", n)
		}
	})
}

func TestWhatMovesIsDrawnSixtyTimesASecondFromItsBeginning(t *testing.T) {
	play(t, func(p *redrawModel, screen *writes, _ io.Writer) {
		time.Sleep(time.Second)
		begun := time.Now()
		for i := range 100 {
			p.program.Send(tea.WindowSizeMsg{Width: 80 + i%2, Height: 24})
			if i == 0 {
				time.Sleep(2 * frameSoon)
				synctest.Wait()
				if _, n := screen.since(begun); n != 1 {
					t.Errorf("the first thing that moves is drawn %d times", n)
				}
			}
			time.Sleep(10 * time.Millisecond)
		}
		if _, n := screen.since(begun); n < framesASecond-2 || n > framesASecond+2 {
			t.Errorf("%d frames in a second in which the terminal's size changes all the time", n)
		}
	})
}

// What was drawn last may be on its way when a still comes, however long it takes.
func TestFramesEndWithTheSecondStillInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var jobs jobs
		p := newRedrawModel(t.Context(), Options{Input: newKeyboard(), Output: io.Discard}, newFake(), &jobs)
		p.ticker = time.NewTicker(frameEvery)
		p.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		for i, want := range []int{6, 0} {
			p.Update(still{})
			if n := ticks(t, p, 105*time.Millisecond); n != want {
				t.Errorf("%d ticks after still %d, want %d", n, i+1, want)
			}
		}
	})
}

func TestTheFrameOfAKeyIsDrawnAtOnce(t *testing.T) {
	play(t, func(p *redrawModel, screen *writes, keys io.Writer) {
		for range 20 { // awake and asleep
			for _, wait := range []time.Duration{time.Second, 21 * time.Millisecond} {
				time.Sleep(wait)
				begun := time.Now()
				_, _ = keys.Write([]byte("x"))
				time.Sleep(50 * time.Millisecond)
				synctest.Wait()
				if after, n := screen.since(begun); n != 1 || after > 2*time.Millisecond {
					t.Errorf("a key is drawn %v after it, and %d times", after, n)
				}
			}
		}
	})
}

func TestKeysThatComeFasterThanFramesHoldNoFrameUp(t *testing.T) {
	play(t, func(p *redrawModel, screen *writes, keys io.Writer) {
		time.Sleep(time.Second)
		begun := time.Now()
		for range 400 {
			_, _ = keys.Write([]byte("x"))
			time.Sleep(500 * time.Microsecond)
		}
		synctest.Wait()
		if _, n := screen.since(begun); n < 10 || n > 30 {
			t.Errorf("%d frames of 400 keys in 200 ms", n)
		}
	})
}

// other is a program that has the terminal for a while.
type other struct{ does func() }

func (o other) Run() error        { o.does(); return nil }
func (other) SetStdin(io.Reader)  {}
func (other) SetStdout(io.Writer) {}
func (other) SetStderr(io.Writer) {}

// Bubble Tea gives the terminal back after an editor as it does after ctrl+z.
func TestFramesGoOnWhenTheTerminalComesBackFromAnotherProgram(t *testing.T) {
	for _, wait := range []time.Duration{0, time.Second} { // awake and asleep
		play(t, func(p *redrawModel, screen *writes, _ io.Writer) {
			time.Sleep(wait)
			back := make(chan tea.Msg)
			p.program.Send(tea.Exec(other{func() { time.Sleep(time.Minute) }}, func(error) tea.Msg { close(back); return nil })())
			<-back
			for range 3 {
				begun := time.Now()
				p.program.Send(tea.KeyPressMsg{Code: 'x', Text: "x"})
				time.Sleep(50 * time.Millisecond)
				synctest.Wait()
				if after, n := screen.since(begun); n == 0 || after > 2*time.Millisecond {
					t.Errorf("%v after the start, a key after the editor is drawn %v after it, %d times", wait, after, n)
				}
				time.Sleep(time.Second)
			}
			if n := ticks(t, p, time.Minute); n > 0 {
				t.Errorf("%d ticks in a minute in which nothing happened", n)
			}
		})
	}
}

func TestWhatHasNoTickerLikeThatOfTheProgramIsLeftAlone(t *testing.T) {
	for _, program := range []any{new(struct{}), new(struct{ ticker time.Ticker }), new(struct{ ticker *int })} {
		if got := tickerOf(program); got != nil {
			t.Errorf("%T has the ticker %v", program, got)
		}
	}
}

package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/processes"
	"github.com/yaap-chat/yaap/tui"
)

const (
	tokensASecond = 200
	idleFigure    = "processor: a second at rest"
	lastWord      = "heron" // of every conversation
)

// stage is a room with one conversation, in which happens what is sent to events.
type stage struct {
	tui.Backend // what the keys that are pressed here do not ask for
	page        core.Page
	events      chan []core.Event
}

// Experts implements [tui.Queries].
func (stage) Experts() []core.Expert { return nil }

// RecentPrompts implements [tui.Conversations].
func (stage) RecentPrompts(context.Context) ([]string, error) { return nil, nil }

// Page implements [tui.Queries].
func (s stage) Page(context.Context, string, string) (core.Page, error) { return s.page, nil }

// Waiting implements [tui.Queries].
func (stage) Waiting(context.Context, string) ([]core.Pause, error) { return nil, nil }

// Next implements [tui.Backend].
func (s stage) Next(ctx context.Context) ([]core.Event, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case e := <-s.events:
		return e, nil
	}
}

// conversation is a page of so many messages: questions and their answers.
func conversation(messages int) (p core.Page) {
	at := time.Unix(1_700_000_000, 0)
	for i := range messages / 2 {
		run := fmt.Sprint("run", i)
		reply := core.Reply{Status: core.StatusSuccess, Message: fmt.Sprintf("Answer %d with **bold** words, `code` and\n\n- a list\n- of a %s", i, lastWord)}
		p.Messages = append(p.Messages, core.Message{ID: run, Run: run, Role: core.RoleUser, Text: fmt.Sprintf("question %d, as long as questions are", i), Time: at})
		for _, body := range []core.Body{core.RunStart{}, core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "completed", Status: reply.Status}} {
			at = at.Add(time.Second)
			p.Events = append(p.Events, core.Event{Time: at, Scope: core.Scope{Thread: "t", Run: run, Trace: run}, Body: body})
		}
		at = at.Add(time.Second)
	}
	return p
}

// paper is a terminal that remembers nothing; it tells when some bytes are written.
type paper struct {
	mu      sync.Mutex
	want    []byte
	written chan struct{} // nil: nobody waits
}

// Write implements [io.Writer].
func (p *paper) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.written != nil && bytes.Contains(b, p.want) {
		close(p.written)
		p.written = nil
	}
	return len(b), nil
}

// expect returns what is closed when want has been written.
func (p *paper) expect(want string) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.want, p.written = []byte(want), make(chan struct{})
	return p.written
}

// played is the terminal program on paper.
type played struct {
	paper *paper
	keys  io.Writer
	room  stage
}

// press types keys and waits until want is on the paper.
func (x played) press(keys, want string) error {
	written := x.paper.expect(want)
	if _, err := io.WriteString(x.keys, keys); err != nil {
		return err
	}
	return arrived(written)
}

func arrived(written <-chan struct{}) error {
	select {
	case <-written:
		return nil
	case <-time.After(20 * time.Second):
		return errors.New("the terminal does not draw")
	}
}

// onPaper runs the terminal program in a conversation of so many messages until f
// returns.
func onPaper(ctx context.Context, messages int, f func(x played) error) error {
	ctx, cancel := context.WithCancel(ctx)
	in, keys := io.Pipe()
	x := played{paper: new(paper), keys: keys, room: stage{page: conversation(messages), events: make(chan []core.Event)}}
	there := x.paper.expect(lastWord)
	ended := make(chan error, 1)
	environ := []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8"}
	go func() {
		ended <- tui.Run(ctx, tui.Options{Thread: "t", Input: in, Output: x.paper, Environ: environ, Width: 120, Height: 40}, x.room)
	}()
	err := arrived(there)
	if err == nil {
		err = f(x)
	}
	cancel()
	return errors.Join(err, <-ended, keys.Close())
}

func screen(ctx context.Context, each time.Duration) (figures []Figure, err error) {
	err = onPaper(ctx, 40, func(x played) error {
		time.Sleep(time.Second / 2) // it has drawn all
		figures = append(figures, idle(each))
		for _, streaming := range []bool{false, true} {
			f, err := typing(ctx, x, each, streaming)
			if err != nil {
				return err
			}
			figures = append(figures, f)
		}
		return nil
	})
	for _, n := range []int{40, 10_000} {
		err = errors.Join(err, onPaper(ctx, n, func(x played) error {
			f, err := scrolling(x, each)
			f.What = fmt.Sprintf("processor: a frame of %d messages", n)
			figures = append(figures, f)
			return err
		}))
	}
	return figures, err
}

// idle is what a second costs in which nothing happens.
func idle(each time.Duration) Figure {
	before, begun := processes.CPUTime(), time.Now()
	time.Sleep(max(each, time.Second/5))
	micros := float64((processes.CPUTime() - before).Microseconds()) / time.Since(begun).Seconds()
	return Figure{What: idleFigure, P50: micros, P99: micros, Times: 1}
}

// typing measures from a key to its letter on the paper, while an answer is written
// or nothing happens. Keys come at all moments between two frames; what one allocates
// is with taking it back.
func typing(ctx context.Context, x played, each time.Duration, streaming bool) (Figure, error) {
	what := "a key at rest"
	if streaming {
		what = fmt.Sprintf("a key at %d tokens a second", tokensASecond)
		ctx, cancel := context.WithCancel(ctx)
		var writing sync.WaitGroup
		writing.Go(func() { x.room.answer(ctx) })
		defer writing.Wait()
		defer cancel()
	}
	if err := x.press("x", ""); err != nil { // the hint of an empty line is gone
		return Figure{}, err
	}
	w := watch{each: each}
	for n := 0; w.more(); n++ {
		letter := []string{"ø", "å"}[n%2] // never the one that may still be there
		if err := x.press(letter, letter); err != nil {
			return Figure{}, err
		}
		w.took()
		if _, err := io.WriteString(x.keys, "\x7f"); err != nil {
			return Figure{}, err
		}
		time.Sleep(30*time.Millisecond + time.Duration(n%17)*time.Millisecond)
	}
	return w.figure(what), nil
}

// answer reports an answer that is written until ctx ends.
func (s stage) answer(ctx context.Context) {
	text := "Some prose that goes on for a line or two, with **bold** and `code` in it.\n\n- one\n- two\n\n"
	text = strings.Repeat(text, 100)
	tick := time.NewTicker(time.Second / tokensASecond)
	defer tick.Stop()
	bodies := []core.Body{core.RunStart{Prompt: "q"}, core.TurnStart{}, core.LLMCallStart{Call: "m"}}
	for i := 0; ; i = (i + 4) % len(text) {
		var events []core.Event
		for _, body := range append(bodies, core.Delta{Stream: "m", Field: core.FieldMessage, Text: text[i:min(i+4, len(text))]}) {
			events = append(events, core.Event{Time: time.Now(), Scope: core.Scope{Thread: "t", Run: "streamed", Trace: "streamed", Turn: 1}, Body: body})
		}
		bodies = nil
		select {
		case <-ctx.Done():
			return
		case s.events <- events:
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// scrolling measures what the processors do for a page up or down.
func scrolling(x played, each time.Duration) (Figure, error) {
	keys := []string{"\x1b[5~", "\x1b[6~"}
	w := watch{each: each}
	for n := 0; w.more(); n++ {
		before := processes.CPUTime()
		if err := x.press(keys[n%len(keys)], ""); err != nil {
			return Figure{}, err
		}
		w.times = append(w.times, processes.CPUTime()-before)
		time.Sleep(3 * time.Millisecond)
	}
	return w.figure(""), nil
}

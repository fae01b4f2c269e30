package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
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
	page        func(ctx context.Context, before string) (core.Page, error)
	events      chan []core.Event
}

// Experts implements [tui.Queries].
func (stage) Experts() []core.Expert { return nil }

// RecentPrompts implements [tui.Conversations].
func (stage) RecentPrompts(context.Context) ([]string, error) { return nil, nil }

// Page implements [tui.Queries].
func (s stage) Page(ctx context.Context, _, before string) (core.Page, error) {
	return s.page(ctx, before)
}

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
			p.Events = append(p.Events, core.Event{Seq: uint64(len(p.Events)) + 1, Time: at, Scope: core.Scope{Thread: "t", Run: run, Trace: run}, Body: body})
		}
		at = at.Add(time.Second)
	}
	return p
}

// inMemory is a conversation of so many messages that is one page.
func inMemory(messages int) stage {
	page := conversation(messages)
	return stage{page: func(context.Context, string) (core.Page, error) { return page, nil }}
}

// paper is a terminal that remembers nothing; it tells when some bytes are written.
type paper struct {
	mu      sync.Mutex
	want    []byte
	written chan struct{} // nil: nobody waits
	bytes   int           // that were written
}

// Write implements [io.Writer].
func (p *paper) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes += len(b)
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

// size is how many bytes were written.
func (p *paper) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes
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

// onPaper runs the terminal program in a room until f returns.
func onPaper(ctx context.Context, room stage, f func(x played) error) error {
	ctx, cancel := context.WithCancel(ctx)
	in, keys := io.Pipe()
	room.events = make(chan []core.Event)
	x := played{paper: new(paper), keys: keys, room: room}
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

func screen(ctx context.Context, each time.Duration) ([]Figure, error) {
	drawn, err := drawing(ctx, each)
	opened, err2 := opening(ctx, 10_000, many)
	return append(drawn, opened...), errors.Join(err, err2)
}

// drawing measures a conversation and an inspector that are in memory.
func drawing(ctx context.Context, each time.Duration) (figures []Figure, err error) {
	err = onPaper(ctx, inMemory(40), func(x played) error {
		time.Sleep(time.Second / 2) // it has drawn all
		figures = append(figures, idle(each))
		f, err := typing(ctx, x, each, "a key at rest")
		figures = append(figures, f)
		return err
	})
	for _, n := range []int{40, 10_000} {
		err = errors.Join(err, onPaper(ctx, inMemory(n), func(x played) error {
			f, err := scrolling(x, each)
			f.What = fmt.Sprintf("processor: a frame of %d messages", n)
			figures = append(figures, f)
			if err != nil || n < 10_000 {
				return err
			}
			streamed, err := streaming(ctx, x, each)
			figures = append(figures, streamed...)
			return err
		}))
	}
	watched, err2 := watching(ctx, each)
	return append(figures, watched...), errors.Join(err, err2)
}

// idle is what a second costs in which nothing happens.
func idle(each time.Duration) Figure {
	before, begun := processes.CPUTime(), time.Now()
	time.Sleep(max(each, time.Second/5))
	micros := float64((processes.CPUTime() - before).Microseconds()) / time.Since(begun).Seconds()
	return Figure{What: idleFigure, P50: micros, P99: micros, Times: 1}
}

// typing measures from a key to its letter on the paper. Keys come at all moments between
// two frames; what one allocates is with taking it back.
func typing(ctx context.Context, x played, each time.Duration, what string) (Figure, error) {
	if err := x.press("x", ""); err != nil { // the hint of an empty line is gone
		return Figure{}, err
	}
	w := watch{each: each}
	for n := 0; w.more() && ctx.Err() == nil; n++ {
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
	return w.figure(what), ctx.Err()
}

// streaming measures what a token costs of an answer that is written, and a key meanwhile.
func streaming(ctx context.Context, x played, each time.Duration) ([]Figure, error) {
	ctx, cancel := context.WithCancel(ctx)
	var tokens atomic.Int64
	var writing sync.WaitGroup
	writing.Go(func() { x.room.answer(ctx, &tokens) })
	defer writing.Wait()
	defer cancel()
	from, cpu, size := tokens.Load(), processes.CPUTime(), x.paper.size()
	time.Sleep(max(each, time.Second/5))
	n := float64(max(tokens.Load()-from, 1))
	micros, bytes := float64((processes.CPUTime()-cpu).Microseconds())/n, float64(x.paper.size()-size)/n
	key, err := typing(ctx, x, each, fmt.Sprintf("a key at %d tokens a second", tokensASecond))
	return []Figure{
		{What: "processor: a token", P50: micros, P99: micros, Times: 1},
		{What: "written: a token", P50: bytes, P99: bytes, Times: 1, Unit: Bytes},
		key,
	}, err
}

// answer reports an answer that is written until ctx ends.
func (s stage) answer(ctx context.Context, tokens *atomic.Int64) {
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
			tokens.Add(1)
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

package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/room"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/tui"
)

const (
	maxLine  = 64 << 10 // bytes that are typed in a line
	maxQueue = 100      // lines that wait for the run in progress
	endWait  = 200 * time.Millisecond
)

// plainChat is the chat without a screen: for screen readers, for terminals that can draw
// nothing, and for programs. What is typed is a line and so is every change; nothing that
// was printed is drawn again. All its fields are of the goroutine of run.
type plainChat struct {
	*program
	window *room.Window
	thread string
	watch  *watcher

	work    sync.WaitGroup
	stop    context.CancelFunc // ends what is in progress; nil: nothing is
	came    chan ending        // its result
	late    chan useless       // answers to somebody who asks meanwhile
	queue   []string           // what was typed meanwhile
	given   []string           // what the run in progress is to take in
	left    chan leftOver      // what became of it
	asked   []core.Pause       // what waits for the user; the first has been told
	choices []string           // what can be said by its number: never a command
}

// ending is what something came to that was typed.
type ending struct {
	doc    core.Doc
	result core.Result
	err    error
}

// useless is an answer that was of no use, and what it answered.
type useless struct {
	err  error
	asks core.Pause
}

// leftOver is what was given to the run in progress, and why it did not take it in.
type leftOver struct {
	text string
	err  error // nil: it did
}

// plain is a chat in lines. It ends with its input, when what was typed is answered.
func (p *program) plain(ctx context.Context) error {
	p.options.attended, p.options.output = true, asText
	r, err := p.open(ctx)
	if err != nil {
		return err
	}
	return p.attend(ctx, r, func(ctx context.Context, window *room.Window, thread core.Thread) error {
		c := &plainChat{
			program: p, window: window, thread: thread.ID, watch: &watcher{p: p, awaited: awaited(r.Config), thread: thread.ID},
			came: make(chan ending, 1), late: make(chan useless, 1), left: make(chan leftOver),
		}
		ctx, cancel := context.WithCancel(ctx)
		defer func() {
			cancel()
			c.work.Wait()
		}()
		p.options.lines = true
		defer func() { p.options.lines = false }()
		say(p.stdout, "yaap in "+safe.Line(r.Config.Dir)+".\nType a question; /help lists the commands, /quit leaves.")
		if err := c.run(ctx, c.lines(ctx), c.events(ctx)); err != nil && ctx.Err() == nil {
			return err
		}
		if !r.Config.Ephemeral.V {
			say(p.stdout, "Go on with it: yaap --plain --thread "+c.thread)
		}
		return nil
	})
}

// lines are those of the input, until it or ctx ends.
func (c *plainChat) lines(ctx context.Context) <-chan string {
	lines := make(chan string)
	go func() { // a read cannot be ended: the program ends before it
		defer close(lines)
		in := bufio.NewReaderSize(c.stdin, maxLine)
		for {
			raw, more, err := in.ReadLine()
			line := string(raw)
			for more && err == nil { // what is behind the limit is left out
				_, more, err = in.ReadLine()
			}
			if line = strings.TrimSpace(strings.ToValidUTF8(line, "�")); line != "" {
				select {
				case lines <- line:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// events are those of the room, until ctx ends.
func (c *plainChat) events(ctx context.Context) <-chan core.Event {
	events := make(chan core.Event)
	c.work.Go(func() {
		for {
			list, err := c.window.Next(ctx)
			if err != nil {
				return
			}
			for _, e := range list {
				select {
				case events <- e:
				case <-ctx.Done():
					return
				}
			}
		}
	})
	return events
}

// run takes what is typed and what happens, one after the other.
func (c *plainChat) run(ctx context.Context, lines <-chan string, events <-chan core.Event) error {
	for lines != nil || c.stop != nil || len(c.queue) > 0 || len(c.given) > 0 {
		waits, idle := slices.ContainsFunc(c.asked, waitsFor), c.stop == nil && len(c.queue) == 0 && len(c.given) == 0
		if lines == nil && (waits || idle && len(c.asked) > 0) {
			c.halt() // nobody is here who could answer
			continue
		}
		if c.stop == nil && len(c.queue) > 0 && len(c.given) == 0 && !waits {
			line := c.queue[0]
			c.queue = c.queue[1:]
			say(c.stdout, "you: "+safe.Line(line))
			c.begin(ctx, line)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case line, ok := <-lines:
			if !ok {
				lines = nil
			}
			if ok && !c.take(ctx, line) {
				return nil
			}
		case e := <-events:
			c.happened(e)
		case u := <-c.late:
			if c.complain(u.err); core.CodeOf(u.err) == core.CodeInvalid { // it is still waited for
				c.asked = append([]core.Pause{u.asks}, c.asked...)
				c.tell(u.asks)
			}
		case l := <-c.left:
			c.goOnWith(l)
		case o := <-c.came:
			c.settle(o, events)
			if err := c.finish(ctx, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// take carries out a line that was typed, and reports whether the user stays.
func (c *plainChat) take(ctx context.Context, line string) bool {
	name, more, steers := strings.Cut(line, " ")
	more, steers = strings.TrimSpace(more), steers && name == "/steer"
	if steers && c.stop == nil { // there is nothing that could take it in
		line, steers = more, false
	}
	switch word := strings.ToLower(line); {
	case word == "/quit" || word == "/exit":
		c.halt()
		return false
	case word == "/stop" && c.stop == nil && len(c.asked) == 0:
		say(c.stdout, "Nothing is in progress.")
	case word == "/stop":
		c.halt()
	case word == "/help":
		c.help()
	case line[0] != '/' && len(c.asked) > 0 && c.answer(ctx, line):
	case len(c.queue)+len(c.given) == maxQueue:
		say(c.stderr, "not queued: too much waits already")
	case steers:
		c.steer(ctx, more)
	case line[0] != '/' && slices.ContainsFunc(c.asked, waitsFor): // what is asked comes first
		c.queue = append(c.queue, line)
	case c.stop != nil:
		c.queue = append(c.queue, line)
		say(c.stderr, "queued: it is asked next; /stop ends what is in progress, /steer TEXT gives it more")
	default:
		c.begin(ctx, line)
	}
	return true
}

// steer gives a text to the run in progress, which takes it in before its next request to
// a model.
func (c *plainChat) steer(ctx context.Context, text string) {
	c.given = append(c.given, text)
	say(c.stderr, "given to what is in progress, before the model is asked again")
	thread := c.thread
	c.work.Go(func() {
		l := leftOver{text, c.window.Say(ctx, thread, text)}
		select {
		case c.left <- l:
		case <-ctx.Done():
		}
	})
}

// goOnWith asks next what no run took in, unless /stop has dropped it.
func (c *plainChat) goOnWith(l leftOver) {
	at := slices.Index(c.given, l.text)
	if at < 0 {
		return
	}
	c.given = slices.Delete(c.given, at, at+1)
	switch {
	case l.err == nil: // an event tells it
	case core.CodeOf(l.err) == core.CodeNotFound:
		c.queue = append(c.queue, l.text)
	default:
		c.complain(l.err)
	}
}

// help lists the commands.
func (c *plainChat) help() {
	rows := [][]string{{"/stop", "end what is in progress, and drop what waits for it"}, {"/steer TEXT", "give this to the running turn, before the model is asked again"}, {"/quit", "leave"}}
	for _, one := range room.InChat() {
		name := strings.Join(append([]string{"/" + one.Name}, one.Aliases...), ", /")
		rows = append(rows, []string{strings.TrimSpace(name + " " + one.Args), one.Does})
	}
	for _, line := range columns(rows) {
		say(c.stdout, line)
	}
}

// begin has a prompt answered or a command done. It comes to an ending.
func (c *plainChat) begin(ctx context.Context, line string) {
	command := line[0] == '/'
	if n, err := strconv.Atoi(line); err == nil && n > 0 && n <= len(c.choices) {
		line = c.choices[n-1]
	}
	c.choices = nil
	c.do(ctx, func(ctx context.Context) (o ending) {
		words, err := core.SplitCommand(strings.TrimPrefix(line, "/"))
		if !command || err == nil && isPrompt(words) {
			o.result, o.err = c.window.Prompt(ctx, c.thread, c.window.NewRun(), line)
			return o
		}
		if o.err = err; err == nil {
			o.doc, o.err = c.window.Do(ctx, c.thread, words)
		}
		if o.doc.Result != nil {
			o.result = *o.doc.Result
		}
		return o
	})
}

// isPrompt reports whether a command is answered as a prompt is.
func isPrompt(words []string) bool {
	typed := strings.Join(words, " ") + " "
	return slices.ContainsFunc(room.InChat(), func(c core.Command) bool { return c.Prompt && strings.HasPrefix(typed, c.Name+" ") })
}

// do has something done that comes to an ending; /stop ends it.
func (c *plainChat) do(ctx context.Context, work func(context.Context) ending) {
	ctx, c.stop = context.WithCancel(ctx)
	c.work.Go(func() { c.came <- work(ctx) })
}

// happened prints an event, and takes note of who asks.
func (c *plainChat) happened(e core.Event) {
	if e.Thread != "" && e.Thread != c.thread {
		return
	}
	if b, ok := e.Body.(core.ApprovalRequested); ok && e.Run == "" { // where a run waits that is told when it has come to its end
		c.ask(core.Pause{ID: b.Pause, Kind: core.PauseApproval, Options: b.Options, Question: asksToAllow(b)})
		return
	}
	c.watch.progress(e)
	switch b := e.Body.(type) {
	case core.ElicitationRequested:
		c.ask(core.Pause{ID: b.Pause, Run: e.Run, Kind: core.PauseElicitation, Schema: b.Schema, URL: b.URL, From: b.Expert, Question: safe.Sprintf("%s asks: %s", b.Expert, b.Message)})
	case core.ApprovalGiven:
		c.drop(func(p core.Pause) bool { return p.ID == b.Pause })
	case core.ElicitationAnswered:
		c.drop(func(p core.Pause) bool { return p.ID == b.Pause })
	case core.RunEnd:
		c.drop(func(p core.Pause) bool { return p.Run == e.Run && b.Outcome != "interrupted" })
	default:
	}
}

// asksToAllow is the question that something leads to which no run waits for.
func asksToAllow(b core.ApprovalRequested) string {
	why := cmp.Or(b.Reason, b.Claims)
	if slices.ContainsFunc(b.Options, func(o core.Option) bool { return o.ID == core.AllowOnce }) {
		return safe.Sprintf("%s: %s %s", why, b.Tool, b.Args)
	}
	return safe.Sprintf("Let %s in? %s: %s", b.Tool, why, b.Args)
}

// settle prints what happened before an ending: the end of its run, where there was one.
func (c *plainChat) settle(o ending, events <-chan core.Event) {
	if o.result.Reply.Status == "" && o.err == nil && len(o.result.Pauses) == 0 {
		return
	}
	timer := time.NewTimer(endWait)
	defer timer.Stop()
	for {
		select {
		case e := <-events:
			c.happened(e)
			if _, ok := e.Body.(core.RunEnd); ok && e.Thread == c.thread && e.Parent == "" {
				return
			}
		case <-timer.C: // there was no run
			return
		}
	}
}

// finish prints an ending.
func (c *plainChat) finish(ctx context.Context, o ending) error {
	c.stop()
	c.stop = nil
	c.show(c.stdout, o.doc)
	for _, p := range o.result.Pauses {
		c.ask(p)
	}
	switch {
	case o.err != nil && core.CodeOf(o.err) == core.CodeCancelled:
		say(c.stdout, "stopped")
	case o.err != nil:
		c.complain(o.err)
	case o.result.Reply.Status != "" && len(o.result.Pauses) == 0:
		c.choices = tui.Choices(o.result.Reply)
		if err := c.print(o.result.Reply); err != nil {
			return err
		}
	}
	if o.doc.Thread != "" {
		c.thread, c.watch.thread = o.doc.Thread, o.doc.Thread
		say(c.stdout, "You are in "+cmp.Or(safe.Line(o.doc.Title), "a new conversation")+".")
	}
	if o.doc.Draft != "" {
		c.choices = []string{o.doc.Draft}
		say(c.stdout, "1 sends it; to change it, type it anew: "+safe.Text(o.doc.Draft))
	}
	if o.doc.Send != "" {
		c.begin(ctx, o.doc.Send)
	}
	return nil
}

// ask has the user asked, once.
func (c *plainChat) ask(p core.Pause) {
	if slices.ContainsFunc(c.asked, func(other core.Pause) bool { return other.ID == p.ID }) {
		return
	}
	switch {
	case p.URL != "":
		p.Question += " It wants you to open " + safe.Line(p.URL)
		p.Options = []core.Option{{ID: core.Accept, Label: "agree"}, {ID: core.Decline, Label: "decline"}}
	case p.Kind == core.PauseElicitation:
		p.Question += " Type " + safe.Line(wanted(p).Usage())
		p.Options = []core.Option{{ID: core.Decline, Label: "decline"}}
	}
	if c.asked = append(c.asked, p); len(c.asked) == 1 {
		c.tell(p)
	}
}

// wanted is what an answer has to have, which is typed as the arguments of a tool are.
func wanted(p core.Pause) core.ToolSpec { return core.ToolSpec{Schema: p.Schema} }

// tell prints what is asked, and what may be answered.
func (c *plainChat) tell(p core.Pause) {
	say(c.stdout, "? "+safe.Text(p.Question))
	for i, option := range p.Options {
		say(c.stdout, "  "+strconv.Itoa(i+1)+"  "+safe.Line(option.Label))
	}
}

// drop forgets what is asked no more, and asks the next.
func (c *plainChat) drop(gone func(core.Pause) bool) {
	if len(c.asked) == 0 {
		return
	}
	first := c.asked[0].ID
	if c.asked = slices.DeleteFunc(c.asked, gone); len(c.asked) > 0 && c.asked[0].ID != first {
		c.tell(c.asked[0])
	}
}

// halt ends what is in progress and what is asked, and tells what is asked no more.
func (c *plainChat) halt() {
	for _, line := range slices.Concat(c.given, c.queue) {
		say(c.stdout, "not asked: "+safe.Line(line))
	}
	for _, p := range c.asked {
		if p.Run == "" {
			say(c.stdout, "not answered: "+safe.Line(p.Question))
			continue
		}
		say(c.stdout, "not answered, it waits: "+safe.Line(p.Line()))
	}
	c.queue, c.given, c.asked = nil, nil, nil
	if c.stop != nil {
		c.stop()
	}
}

// waitsFor reports whether a run waits for an answer: what is said next would not reach it.
func waitsFor(p core.Pause) bool { return p.Run != "" }

// answer answers what is asked first, and reports whether the line is for it. What may act
// is only allowed by an answer that was offered; any other line waits.
func (c *plainChat) answer(ctx context.Context, line string) bool {
	p := c.asked[0]
	a := core.Answer{Pause: p.ID, Text: line, By: "user"}
	chosen := p.Chosen(line)
	var data json.RawMessage
	if p.Kind == core.PauseElicitation && p.URL == "" {
		data, _ = wanted(p).ReadArguments(line)
	}
	switch {
	case chosen != nil:
		a.ID, a.Text = chosen.ID, chosen.Label
	case data != nil:
		a.ID, a.Data = core.Accept, data
	case !waitsFor(p):
		return false
	case p.Kind != core.PauseClarification:
		say(c.stdout, "That is none of the answers: it is asked when this is answered. /stop leaves it.")
		c.tell(p)
		return false
	}
	c.drop(func(other core.Pause) bool { return other.ID == p.ID })
	if c.stop == nil && chosen == nil && p.Kind == core.PauseClarification { // the room knows whether it is an answer
		c.begin(ctx, line)
		return true
	}
	if c.stop == nil {
		c.do(ctx, func(ctx context.Context) (o ending) {
			o.result, o.err = c.window.Answer(ctx, a)
			return o
		})
		return true
	}
	c.work.Go(func() { // who asks waits in what is in progress
		if _, err := c.window.Answer(ctx, a); err != nil {
			select {
			case c.late <- useless{err, p}:
			case <-ctx.Done():
			}
		}
	})
	return true
}

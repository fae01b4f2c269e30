package web

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
)

const (
	defaultSilence = 5 * time.Minute
	lastWords      = 5 * time.Second // that a server has after the end of its answer, for the usage

	maxLine   = 4 << 20  // bytes in one line of a stream
	maxStream = 32 << 20 // bytes in all lines of a stream

	// MaxCalls is how many calls one answer may have.
	MaxCalls = 64
)

// ErrSilent is the cause of a context that ended because a server said nothing.
var ErrSilent = errors.New("the server is silent")

var errBroken = errors.New("the reader broke off")

// Answer assembles an answer of a model. Its methods yield it in chunks; an error of
// theirs ends the answer and is to be returned by ask.
type Answer struct {
	Req llm.Request

	server  *Server
	yield   func(llm.Chunk, error) bool
	alive   func()              // the server has said something
	limit   func(time.Duration) // from now on it has this long, whatever it says
	calls   int
	text    int  // bytes of text so far
	spoken  bool // some of it is not space
	stopped bool // only the last words are to come
	ids     map[string]bool
}

// Ask answers req with what ask makes of it. ask ends with [Answer.Done] or an error.
func (s *Server) Ask(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool, ask func(context.Context, *Answer) error) {
	if len(req.Tools) > 0 && len(req.Schema) > 0 {
		yield(llm.Chunk{}, core.Fail(core.CodeInternal, "a model was given tools and a schema at once", ""))
		return
	}
	outer, silence := ctx, cmp.Or(s.IdleTimeout, defaultSilence)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(silence, func() { cancel(ErrSilent) })
	defer watchdog.Stop()
	a := &Answer{
		Req: req, server: s, yield: yield,
		alive: func() { watchdog.Reset(silence) }, limit: func(d time.Duration) { watchdog.Reset(min(d, silence)) },
	}
	err := ask(ctx, a)
	if err == nil || errors.Is(err, errBroken) {
		return
	}
	switch {
	case outer.Err() != nil:
		err = outer.Err()
	case errors.Is(context.Cause(ctx), ErrSilent):
		err = core.Fail(core.CodeTimedOut, fmt.Sprintf("%s has said nothing for %v", s.Model, silence), s.IdleHint).Because(err)
	}
	yield(llm.Chunk{}, err)
}

// Lines calls each with each line of a stream that is not empty, and reports whether each
// found the end. A line that was cut off is skipped.
func (a *Answer) Lines(stream io.Reader, each func(line []byte) (end bool, err error)) (bool, error) {
	lines := bufio.NewScanner(stream)
	lines.Buffer(make([]byte, 0, 16<<10), maxLine)
	total := 0
	for lines.Scan() && lines.Err() == nil {
		if !a.stopped {
			a.alive()
		}
		if total += len(lines.Bytes()) + 1; total > maxStream {
			return false, a.endless()
		}
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if end, err := each(line); end || err != nil {
			return end, err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return false, a.endless()
	case err != nil:
		return false, a.ConnectionError(err)
	}
	return false, nil
}

// Events calls each with the data of each event of a stream, as [Answer.Lines] does. A body
// that is one JSON object counts as one event.
func (a *Answer) Events(stream io.Reader, each func(data []byte) (end bool, err error)) (bool, error) {
	var other []byte // what is no field of an event
	seen := false
	end, err := a.Lines(stream, func(line []byte) (bool, error) {
		field, value, _ := bytes.Cut(line, []byte(":"))
		switch string(field) {
		case "data":
			seen = true
			if value = bytes.TrimSpace(value); len(value) == 0 {
				return false, nil
			}
			return each(value)
		case "", "event", "id", "retry": // a comment is a sign of life
			return false, nil
		}
		other = append(append(other, line...), '\n')
		if other[0] != '{' || seen || len(other) > maxLine {
			return false, a.server.DecodeError(errors.New(a.server.clean(string(other))))
		}
		return false, nil
	})
	if end || err != nil || other == nil {
		return end, err
	}
	if !json.Valid(other) {
		return false, a.ConnectionError(io.ErrUnexpectedEOF)
	}
	return each(bytes.TrimSpace(other))
}

// ReadEvents calls take with the events of a stream until *finished is set; a failure after
// that is ignored. A stream that ends before is an error.
func (a *Answer) ReadEvents(stream io.Reader, take func(data []byte) (end bool, err error), finished *bool) error {
	_, err := a.Events(stream, take)
	switch {
	case *finished:
		return nil
	case err == nil:
		return a.ConnectionError(io.ErrUnexpectedEOF)
	}
	return err
}

// ConnectionError is the error of a connection that ended before the answer did.
func (a *Answer) ConnectionError(err error) error {
	s := a.server
	return core.Fail(core.CodeUnreachable, "the connection to "+s.Name+" was lost while "+s.Model+" was answering", s.UnreachableHint).Because(err)
}

// Stopping says that the answer has ended and only its usage may follow.
func (a *Answer) Stopping() {
	if !a.stopped {
		a.stopped = true
		a.limit(lastWords)
	}
}

func (a *Answer) fault(message string) error {
	return core.Fail(core.CodeModelBehavior, message, "ask in other words, or try another model with /model")
}

func (a *Answer) endless() error {
	return a.fault("the answer of " + a.server.Model + " has no end")
}

// TooManyCallsError is the error of an answer with more than [MaxCalls] calls.
func (a *Answer) TooManyCallsError() error {
	return a.fault(fmt.Sprintf("%s wants more than %d calls at once", a.server.Model, MaxCalls))
}

// RepetitionError returns the error of a model that was stopped because it said the same again and again.
func (a *Answer) RepetitionError() error {
	return a.fault(a.server.Model + " went in circles and was stopped")
}

// ContentFilterError is the error of an answer that the provider withholds.
func (a *Answer) ContentFilterError(why string) error {
	return core.Fail(core.CodeRefused, a.server.Name+" does not let "+a.server.Model+" answer this",
		"ask in other words, or choose another model with /model").Because(errors.New(a.server.clean(why)))
}

func (a *Answer) send(c llm.Chunk) error {
	if !a.yield(c, nil) {
		return errBroken
	}
	return nil
}

// AddText yields thinking and text.
func (a *Answer) AddText(thinking, text string) error {
	if thinking == "" && text == "" {
		return nil
	}
	a.text += len(thinking) + len(text)
	a.spoken = a.spoken || strings.TrimSpace(text) != ""
	return a.send(llm.Chunk{Thinking: thinking, Text: text})
}

// AddOpaque yields data that has to be sent back to the model unchanged.
func (a *Answer) AddOpaque(opaque any) error {
	raw, err := json.Marshal(opaque)
	if err != nil {
		return a.server.DecodeError(err)
	}
	return a.send(llm.Chunk{Opaque: raw})
}

// OffersTools reports whether the model may call tools.
func (a *Answer) OffersTools() bool { return len(a.Req.Tools) > 0 && !a.Req.NoCalls }

// Begun reports whether anything was yielded, and spoken whether it was text.
func (a *Answer) Begun() (begun, spoken bool) { return a.text+a.calls > 0, a.spoken }

// Server is the server that answers.
func (a *Answer) Server() *Server { return a.server }

// AddCalls yields calls, if the model was offered tools. Every call gets an id that is
// new in the conversation, and arguments with sorted keys: their order is random in what
// some servers send.
func (a *Answer) AddCalls(calls ...core.Call) error {
	if !a.OffersTools() || len(calls) == 0 {
		return nil
	}
	if a.calls += len(calls); a.calls > MaxCalls {
		return a.TooManyCallsError()
	}
	var out []core.Call
	for _, c := range calls {
		args, ok := Canonical(c.Args)
		if !ok || c.Tool == "" {
			return a.fault(fmt.Sprintf("%s called the tool %q with arguments that are not a JSON object", a.server.Model, Shorten(c.Tool)))
		}
		out = append(out, core.Call{ID: a.newID(c.ID), Tool: c.Tool, Args: args})
	}
	return a.send(llm.Chunk{Calls: out})
}

func (a *Answer) newID(id string) string {
	if a.ids == nil {
		a.ids = make(map[string]bool)
		for _, m := range a.Req.Messages {
			for _, c := range m.Calls {
				a.ids[c.ID] = true
			}
		}
	}
	for n := len(a.ids) + 1; id == "" || len(id) > 100 || a.ids[id]; n++ {
		id = fmt.Sprintf("call_%d", n)
	}
	a.ids[id] = true
	return id
}

// Done ends the answer. Numbers that the server left out are estimated.
func (a *Answer) Done(cut bool, u core.Usage) error {
	reason := llm.ReasonStop
	switch {
	case cut:
		reason = llm.ReasonLength
	case a.calls > 0:
		reason = llm.ReasonCalls
	case a.OffersTools() && !a.spoken:
		return a.swallowed()
	}
	return a.send(llm.Chunk{Done: &llm.Done{Reason: reason, Usage: a.usage(u)}})
}

func (a *Answer) usage(u core.Usage) core.Usage {
	if u.Prompt <= 0 { // a server that has the whole prompt in its cache may leave it out
		u.Estimated = true
		u.Prompt = 1 + len(a.Req.System)/4
		for _, m := range a.Req.Messages {
			u.Prompt += len(m.Text) / 4
		}
	}
	if u.Completion <= 0 {
		u.Estimated = true
		u.Completion = 1 + a.text/4
	}
	u.Cached = min(max(u.Cached, 0), u.Prompt)
	return u
}

// swallowed is the error of an empty answer. Some servers silently drop a call of a tool
// that they do not know.
func (a *Answer) swallowed() error {
	const most = 30
	list := strings.Join(core.Names(a.Req.Tools[:min(most, len(a.Req.Tools))]), ", ")
	if len(a.Req.Tools) > most {
		list += ", …"
	}
	return a.fault(a.server.Model + " answered nothing, or called a tool that does not exist; there are: " + list)
}

// Join makes one text of a streamed answer, so that people can read it and a secret in it is
// found. read parses the stream.
func Join(stream []byte, read func(*Answer, io.Reader) error) []byte {
	var whole struct {
		Thinking string          `json:"thinking,omitempty"`
		Text     string          `json:"text,omitempty"`
		Calls    []core.Call     `json:"calls,omitempty"`
		Opaque   json.RawMessage `json:"opaque,omitempty"`
		Done     *llm.Done       `json:"done,omitempty"`
		Error    string          `json:"error,omitempty"`
	}
	var thinking, text strings.Builder
	nothing := func() {}
	a := &Answer{
		Req: llm.Request{Tools: []core.ToolSpec{{}}}, server: NewServer(Config{}), alive: nothing, limit: func(time.Duration) {},
		yield: func(c llm.Chunk, _ error) bool {
			thinking.WriteString(c.Thinking)
			text.WriteString(c.Text)
			whole.Calls = append(whole.Calls, c.Calls...)
			if c.Opaque != nil {
				whole.Opaque = c.Opaque
			}
			whole.Done = c.Done
			return true
		},
	}
	if err := read(a, bytes.NewReader(stream)); err != nil {
		whole.Error = err.Error()
	}
	if whole.Thinking, whole.Text = thinking.String(), text.String(); whole.Thinking+whole.Text == "" && whole.Calls == nil {
		return stream
	}
	joined, err := json.Marshal(whole)
	if err != nil {
		return stream
	}
	return joined
}

package room

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/store"
)

// Masking says whether secrets are taken out of what leaves a run. All of that passes one of these six, and no secret gets through them as far as package guard knows one:
//
//   - [maskedBus]: every event, and with them the terminal, --json and the events that are stored. Streamed text is held
//     back as far as a secret in it could reach;
//   - [maskedStore]: every row that is stored: messages, checkpoints, pauses, answers, the audit log, the memory, learned questions;
//   - [maskedRunner]: what an agent, an expert or a chain is asked, and what it answers: the model, the node of a chain,
//     the MCP client and standard output get nothing else;
//   - [MaskedErrors]: standard error, what is said of the command line included;
//   - [maskedWriter]: the log;
//   - [wire.Tap]: frames that somebody looks at. They are masked whatever the configuration says.
//
// A user whose configuration allows secrets at every stage gets them, but for the audit log, which is kept for ever, and the wire.
type Masking struct{ off bool }

// MaskingOf is what a configuration asks for.
func MaskingOf(guards config.Guards) Masking {
	off := true
	for _, policy := range guards {
		off = off && policy.Secrets == guard.Allow
	}
	return Masking{off}
}

// Clean returns v without its secrets.
func Clean[T any](m Masking, v T) T {
	if m.off {
		return v
	}
	v, _ = guard.Clean(v)
	return v
}

// maskedBus is the room's sequence of events. All methods may be called from any goroutine.
type maskedBus struct {
	bus     event.Bus
	masking Masking
	mu      sync.Mutex
	streams map[streamed]*guard.Stream
}

// streamed names a text that arrives in pieces.
type streamed struct {
	scope         core.Scope
	stream, field string
}

// Feed returns a new reader of everything that is emitted from now on.
func (b *maskedBus) Feed() *event.Feed { return b.bus.Feed() }

// Emit implements [core.Sink]. A delta of which nothing may go on yet is not emitted; the event that is returned for it has
// no number. What is held back of a request to a model goes on before its end is reported.
func (b *maskedBus) Emit(scope core.Scope, body core.Body) core.Event {
	if b.masking.off {
		return b.bus.Emit(scope, body)
	}
	switch e := body.(type) {
	case core.Delta:
		return b.piece(scope, e)
	case core.LLMCallEnd:
		b.flush(scope, e.Call)
	case core.RunEnd:
		b.flush(scope, "")
	default:
	}
	return b.bus.Emit(scope, Clean(b.masking, body))
}

func (b *maskedBus) piece(scope core.Scope, d core.Delta) core.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := streamed{scope, d.Stream, d.Field}
	s := b.streams[key]
	if s == nil || d.Reset { // what was held back of it is void
		if b.streams == nil {
			b.streams = map[streamed]*guard.Stream{}
		}
		s = new(guard.Stream)
		b.streams[key] = s
	}
	if d.Text = s.Write(d.Text); d.Text == "" && !d.Reset {
		return core.Event{Scope: scope, Body: d}
	}
	return b.bus.Emit(scope, d)
}

// flush emits what was held back of a stream of a run, or of all of them.
func (b *maskedBus) flush(scope core.Scope, stream string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, field := range [...]string{core.FieldThought, core.FieldText, core.FieldMessage} {
		for key, s := range b.streams {
			if key.field != field || key.scope.Run != scope.Run || stream != "" && key.stream != stream {
				continue
			}
			if text := s.Close(); text != "" {
				b.bus.Emit(key.scope, core.Delta{Stream: key.stream, Field: key.field, Text: text})
			}
			delete(b.streams, key)
		}
	}
}

// maskedStore is the store as everybody writes to it.
type maskedStore struct {
	*store.Store
	masking Masking
	news    *memoryNews // nil: nobody is told
	sent    *llm.Exchanges
}

// Put implements [core.Journal]. Events were masked when they were emitted.
func (s maskedStore) Put(ctx context.Context, rows ...core.Row) error {
	masked := make([]core.Row, len(rows))
	for i, row := range rows {
		switch r := row.(type) {
		case core.EventRow:
			masked[i] = r
		case core.AuditRow:
			masked[i], _ = guard.Clean(r)
		default:
			masked[i] = Clean(s.masking, row)
		}
	}
	err := s.Store.Put(ctx, masked...)
	if err == nil {
		s.news.put(rows)
	}
	return err
}

// Forget implements [memory.Directory].
func (s maskedStore) Forget(ctx context.Context, q core.ForgetQuery) (core.Forgotten, error) {
	much, err := s.Store.Forget(ctx, q)
	s.sent.Forget()                              // it may be in any of them
	s.news.tell(memoryURI, entriesURI, graphURI) // also when it failed half-way
	return much, err
}

// Learn implements [bidding.Store].
func (s maskedStore) Learn(ctx context.Context, l core.Learned) error {
	return s.Store.Learn(ctx, Clean(s.masking, l))
}

// conversations are those of a room, as whoever answers is told them: without secrets.
type conversations struct {
	maskedStore
	said *store.MessageCache
}

// Messages implements [orchestrator.Conversations].
func (c conversations) Messages(ctx context.Context, thread string) ([]core.Message, error) {
	return c.said.Messages(ctx, thread)
}

// maskedRunner answers without secrets, and is asked without any.
type maskedRunner struct {
	core.Runner
	masking Masking
}

// Run implements [core.Runner]. Messages of other runs come from [conversations].
func (r maskedRunner) Run(ctx context.Context, in core.Input) (core.Result, error) {
	in.Messages = slices.Clone(in.Messages)
	for i, m := range in.Messages {
		if m.Run == in.Run || m.Run == "" {
			in.Messages[i] = Clean(r.masking, m)
		}
	}
	in.Args, in.Context = Clean(r.masking, in.Args), Clean(r.masking, in.Context)
	if in.NodeOptions != nil {
		in.NodeOptions = Clean(r.masking, in.NodeOptions)
	}
	result, err := r.Runner.Run(ctx, in)
	return Clean(r.masking, result), cleanError(r.masking, err)
}

// cleanError returns err without the secrets in its words. What it wraps is lost
// where there are some.
func cleanError(m Masking, err error) error {
	if err == nil {
		return nil
	}
	text, hint := err.Error(), core.HintOf(err)
	cleanText, cleanHint := Clean(m, text), Clean(m, hint)
	if cleanText == text && cleanHint == hint {
		return err
	}
	return core.Fail(core.CodeOf(err), cleanText, cleanHint)
}

// MaskedErrors is standard error: every write is a text of its own.
type MaskedErrors struct {
	io.Writer
	Masking *Masking // the zero value until the configuration is read
}

// Write implements [io.Writer].
func (w MaskedErrors) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, Clean(*w.Masking, string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// maskedWriter is a file of lines of JSON.
type maskedWriter struct{ io.Writer }

// Write implements [io.Writer].
func (w maskedWriter) Write(line []byte) (int, error) {
	masked, hits := guard.Policy{Secrets: guard.Redact}.JSON(line)
	if len(hits) == 0 {
		return w.Writer.Write(line)
	}
	if _, err := w.Writer.Write(append(masked, '\n')); err != nil {
		return 0, err
	}
	return len(line), nil
}

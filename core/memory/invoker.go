package memory

import (
	"context"

	"github.com/yaap-chat/yaap/core"
)

// Invoker decides what the agent is to do, from what happens in a
// conversation. Like the agent it is for one goroutine.
type Invoker struct{ agent *Agent }

// NewInvoker returns the invoker of an agent.
func NewInvoker(a *Agent) *Invoker { return &Invoker{agent: a} }

// StartSession begins a session of a conversation; its messages are counted
// anew.
func (i *Invoker) StartSession(ctx context.Context, thread string) error {
	return i.agent.Invoke(ctx, StartSession, thread)
}

// Started reports whether a session of the conversation goes on; also one that
// another program began and did not end.
func (i *Invoker) Started(ctx context.Context, thread string) (bool, error) {
	s, err := i.agent.state(ctx, thread)
	return s.going(), err
}

// Begin starts a session of a conversation where none goes on. It fails with
// [core.CodeConflict] where another program has begun one meanwhile.
func (i *Invoker) Begin(ctx context.Context, thread string) error {
	s, err := i.agent.state(ctx, thread)
	if err != nil || s.going() {
		return err
	}
	i.agent.states[thread] = s // read again it could be that of another
	return i.StartSession(ctx, thread)
}

// Process records messages of a conversation, in order. With every sixth of the
// session the context is written anew.
func (i *Invoker) Process(ctx context.Context, thread string, messages ...core.Message) error {
	for len(messages) > 0 {
		s, err := i.agent.state(ctx, thread)
		if err != nil {
			return err
		}
		every := i.agent.cfg.Every
		n := min(len(messages), every-s.Count%every)
		control := ProcessMessage
		if (s.Count+n)%every == 0 {
			control = ProcessMessageAndFlush
		}
		if err := i.agent.Invoke(ctx, control, thread, messages[:n]...); err != nil {
			return err
		}
		messages = messages[n:]
	}
	return nil
}

// NextFlush is how many messages of a conversation are missing until its
// context is written anew.
func (i *Invoker) NextFlush(thread string) int {
	every := i.agent.cfg.Every
	return every - i.agent.states[thread].Count%every
}

// EndSession ends a session. Where nothing is new nothing is written.
func (i *Invoker) EndSession(ctx context.Context, thread string) error {
	return i.agent.Invoke(ctx, EndSession, thread)
}

// CatchUp writes the context anew where a program that was killed did not.
func (i *Invoker) CatchUp(ctx context.Context) error {
	behind, err := i.agent.behind(ctx)
	if err != nil || !behind {
		return err
	}
	return i.agent.Invoke(ctx, EndSession, "")
}

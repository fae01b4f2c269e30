package memory

import (
	"context"

	"yaap/core"
)

// Invoker decides what the agent is to do, from what happens in a
// conversation. Like the agent it is for one goroutine.
type Invoker struct {
	agent *Agent
	count map[string]int // messages since the session began, by conversation
}

// NewInvoker returns the invoker of an agent.
func NewInvoker(a *Agent) *Invoker { return &Invoker{agent: a, count: map[string]int{}} }

// StartSession begins a session of a conversation; its messages are counted
// anew.
func (i *Invoker) StartSession(ctx context.Context, thread string) error {
	i.count[thread] = 0
	return i.agent.Invoke(ctx, StartSession, thread)
}

// Started reports whether a session of the conversation goes on.
func (i *Invoker) Started(thread string) bool {
	_, ok := i.count[thread]
	return ok
}

// Process records messages of a conversation, in order. With every sixth the
// context is written anew.
func (i *Invoker) Process(ctx context.Context, thread string, messages ...core.Message) error {
	for len(messages) > 0 {
		n := min(len(messages), flushEvery-i.count[thread]%flushEvery)
		control := ProcessMessage
		if (i.count[thread]+n)%flushEvery == 0 {
			control = ProcessMessageAndFlush
		}
		if err := i.agent.Invoke(ctx, control, thread, messages[:n]...); err != nil {
			return err
		}
		i.count[thread] += n
		messages = messages[n:]
	}
	return nil
}

// NextFlush is how many messages of a conversation are missing until its
// context is written anew.
func (i *Invoker) NextFlush(thread string) int { return flushEvery - i.count[thread]%flushEvery }

// EndSession ends a session. Where nothing is new nothing is written.
func (i *Invoker) EndSession(ctx context.Context, thread string) error {
	delete(i.count, thread)
	return i.agent.Invoke(ctx, EndSession, thread)
}

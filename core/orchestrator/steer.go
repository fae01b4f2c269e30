package orchestrator

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/yaap-chat/yaap/core"
)

// wishes are what the user wants of a run in progress.
type wishes struct {
	control core.RunControl
	said    []saying      // that the run has not taken in yet
	over    chan struct{} // closed with the run
}

// saying is something that was said to a run in progress.
type saying struct {
	core.Message
	taken chan struct{} // closed when the run takes it in
}

// Steer tells the run in progress of a conversation what the user wants. It
// has no effect when there is none.
func (o *Orchestrator) Steer(thread string, s core.RunControl) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if steer := o.steer[thread]; steer != nil {
		steer.control = s
	}
}

// Say gives the run in progress of a conversation something to take in before its next
// request to a model, and blocks until it has. It fails with [core.CodeNotFound] where
// nothing is being answered, or the run ends without another request, when ctx ends, and
// like Prompt where it must not be passed on; no run takes it in then.
func (o *Orchestrator) Say(ctx context.Context, thread, text string, files ...core.File) error {
	text, err := o.taken(thread, text)
	if err != nil {
		return err
	}
	s := saying{core.Message{ID: uuid.Must(uuid.NewV7()).String(), Text: text, Files: files}, make(chan struct{})}
	o.mu.Lock()
	steer := o.steer[thread]
	if steer != nil {
		steer.said = append(steer.said, s)
	}
	o.mu.Unlock()
	err = core.Fail(core.CodeNotFound, "nothing is being answered that could take this in", "ask it")
	if steer == nil {
		return err
	}
	select {
	case <-s.taken:
	case <-steer.over:
	case <-ctx.Done():
		err = core.Cancelled(ctx)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	at := slices.IndexFunc(steer.said, func(other saying) bool { return other.ID == s.ID })
	if at < 0 {
		return nil
	}
	steer.said = slices.Delete(steer.said, at, at+1)
	return err
}

// said hands over what the user said since it was called last.
func (o *Orchestrator) said(steer *wishes) (messages []core.Message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range steer.said {
		messages = append(messages, s.Message)
		close(s.taken)
	}
	steer.said = nil
	return messages
}

func (o *Orchestrator) steered(steer *wishes) core.RunControl {
	o.mu.Lock()
	defer o.mu.Unlock()
	return steer.control
}

// expect makes the place where the wishes for a run are put, and reports whether it
// is alone: a run that is in progress keeps its own.
func (o *Orchestrator) expect(thread string) (steer *wishes, alone bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	steer, alone = &wishes{over: make(chan struct{})}, o.steer[thread] == nil
	if alone {
		o.steer[thread] = steer
	}
	return steer, alone
}

func (o *Orchestrator) forget(thread string, steer *wishes) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(steer.over)
	if o.steer[thread] == steer {
		delete(o.steer, thread)
	}
}

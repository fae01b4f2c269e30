package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/yaap"
)

// The transports of an expert.
const (
	Child  = "child"
	Remote = "remote" // a server that the room calls over HTTP
	Peer   = "peer"
	File   = "file" // an expert that the user has written down: nobody is asked about it
)

const (
	handshakeTimeout = 30 * time.Second
	firstBackoff     = 500 * time.Millisecond
	maxBackoff       = 30 * time.Second
	maxFailures      = 5 // within failureWindow, then quarantine
	failureWindow    = 5 * time.Minute
)

// child is an expert that the hub keeps running.
type child struct {
	spec           Spec
	status         core.Expert   // while it is not in the room; guarded by Hub.mu
	tried          bool          // it joined or failed once; guarded by Hub.mu
	end            string        // how it ended, while it has not come again since; guarded by Hub.mu
	desired        desiredState  // guarded by Hub.mu
	desiredChanged chan struct{} // holds a token when desired has changed
	ended          chan struct{} // closed when its supervisor returned
	tally          tally
}

// desiredState is what the user wants of a child.
type desiredState int

const (
	desiredRunning   desiredState = iota
	desiredStopped                // until it is wanted again
	desiredForgotten              // another one has its place
)

// Add starts an expert and keeps it running. It returns at once; events and
// [Hub.Experts] tell how it goes.
func (h *Hub) Add(ctx context.Context, spec Spec) error {
	if spec.URL == "" && (len(spec.Command) == 0 || spec.Command[0] == "") {
		return core.Fail(core.CodeInvalid, "there is no command to run", "name one: /experts add python3 heron.py")
	}
	if spec.Name != "" {
		if err := yaap.CheckName(spec.Name); err != nil {
			return core.Fail(core.CodeInvalid, err.Error(), "choose another name").Because(err)
		}
	}
	c := &child{spec: spec, desiredChanged: make(chan struct{}, 1), ended: make(chan struct{})}
	c.status = core.Expert{Name: c.title(), Transport: spec.transport(), Command: spec.line(), State: core.ExpertJoining, Since: time.Now()}
	var refused error
	h.change(func(s *state) []core.Body {
		old := s.children[c.title()]
		if old != nil && !old.isAway() || s.members[yaap.Canonical(c.title())] != nil {
			refused = core.Fail(core.CodeConflict, c.title()+" is in the room already", "stop it first: /experts stop "+c.title())
			return nil
		}
		if old != nil { // nobody can want it back now
			old.setDesired(desiredForgotten)
		}
		s.children[c.title()] = c
		return []core.Body{core.ExpertStatus{Name: c.title(), State: core.ExpertJoining}}
	})
	if refused != nil {
		return refused
	}
	if !h.start(ctx, func(life context.Context) { h.supervise(life, c) }) {
		close(c.ended)
		h.change(func(s *state) []core.Body { delete(s.children, c.title()); return nil })
		return core.Fail(core.CodeUnreachable, "the room is closed", "start yaap again")
	}
	return nil
}

// Stop ends the expert of that name until [Hub.Restart] brings it back. It
// returns when all that belonged to it is gone. One that joined by itself is
// told to leave; nothing keeps it from joining again.
func (h *Hub) Stop(ctx context.Context, name string) error {
	c, err := h.setDesired(name, desiredStopped)
	if m := h.guest(name); err != nil && m != nil {
		m.kill()
		select {
		case <-m.gone:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err != nil {
		return err
	}
	for {
		h.mu.Lock()
		changed, stopped := h.state.changed, c.status.State == core.ExpertStopped || c.desired != desiredStopped
		h.mu.Unlock()
		if stopped {
			return nil
		}
		select {
		case <-changed:
		case <-c.ended:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Restart ends the expert of that name, if it runs, and starts it again, one
// that was stopped or quarantined included. It returns at once.
func (h *Hub) Restart(name string) error {
	_, err := h.setDesired(name, desiredRunning)
	if m := h.guest(name); err != nil && m != nil {
		return core.Fail(core.CodeRefused, m.in.Name+" joined by itself: the room does not know how to start it", "start it again where it runs")
	}
	return err
}

// Remove ends the expert of that name and forgets it. It returns when all that
// belonged to it is gone. One that is not run here is none.
func (h *Hub) Remove(ctx context.Context, name string) error {
	c, err := h.setDesired(name, desiredForgotten)
	if err != nil {
		return err
	}
	select {
	case <-c.ended:
	case <-ctx.Done():
		return ctx.Err()
	}
	h.change(func(s *state) []core.Body {
		if s.children[c.title()] == c {
			delete(s.children, c.title())
		}
		return nil
	})
	return nil
}

// Spec returns what the expert of that name is started with, where it is run here.
func (h *Hub) Spec(name string) (Spec, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := h.state.child(name); c != nil {
		return c.spec, true
	}
	return Spec{}, false
}

// guest returns the expert of that name that joined by itself, or nil.
func (h *Hub) guest(name string) *member {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := h.state.members[yaap.Canonical(name)]; m != nil && m.child == nil {
		return m
	}
	return nil
}

// setDesired tells the supervisor of that child what the user wants; the last call
// counts.
func (h *Hub) setDesired(name string, w desiredState) (*child, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.state.child(name)
	if c == nil {
		return nil, core.Fail(core.CodeNotFound, "the room does not run an expert called "+safe.Line(name), "type /experts to see who is here; bring one in with /experts add CMD")
	}
	c.setDesired(w)
	return c, nil
}

// child returns the child that is known by that name, or nil. One that is away
// may have left its name to another: that one is meant.
func (s *state) child(name string) (found *child) {
	for _, c := range s.children {
		if (yaap.Canonical(c.status.Name) == yaap.Canonical(name) || c.title() == name) && !c.hasEnded() &&
			(found == nil || found.isAway()) {
			found = c
		}
	}
	return found
}

// setDesired sets the desired state of the child; Hub.mu is held.
func (c *child) setDesired(w desiredState) {
	c.desired = w
	select {
	case c.desiredChanged <- struct{}{}:
	default:
	}
}

// isAway reports whether the child neither runs nor will by itself; Hub.mu is
// held.
func (c *child) isAway() bool {
	return c.status.State == core.ExpertGone || c.status.State == core.ExpertStopped
}

func (c *child) hasEnded() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// title is what the child is called before it has said hello.
func (c *child) title() string { return c.spec.Title() }

// supervise keeps a child running, or known while it is away, until another
// one has its place or the room closes.
func (h *Hub) supervise(life context.Context, c *child) {
	defer close(c.ended)
	var failures []time.Time
	for {
		reason, err := h.session(life, c)
		now := time.Now()
		var retry <-chan time.Time
		switch {
		case life.Err() != nil:
			return
		case reason == core.LeftRemoved: // the user wants something
		case reason == core.LeftGoodbye:
			h.tell(c, core.ExpertGone, "said goodbye", nil)
		case errors.Is(err, ErrSignIn):
			h.tell(c, core.ExpertSignedOut, words(err)+": /experts login "+c.status.Name, err)
		default:
			failures = slices.DeleteFunc(append(failures, now), func(t time.Time) bool { return now.Sub(t) > failureWindow })
			if len(failures) >= maxFailures || refusedForGood(err) || reason == core.LeftQuarantined {
				h.tell(c, core.ExpertQuarantined, words(err), err)
				break
			}
			delay := backoff(len(failures))
			h.tell(c, core.ExpertRestarting, fmt.Sprintf("%s; starting again in %s", words(err), delay), err)
			retry = time.After(delay)
		}
		if reason == core.LeftRemoved || c.wait(life, retry) {
			if !h.waitUntilDesired(life, c) {
				return
			}
			failures = nil
		}
		h.tell(c, core.ExpertJoining, "", nil)
	}
}

// waitUntilDesired blocks until the user wants the child to run; it reports false when it
// shall not run any more.
func (h *Hub) waitUntilDesired(life context.Context, c *child) bool {
	for life.Err() == nil {
		h.mu.Lock()
		wanted := c.desired
		if wanted == desiredRunning {
			c.status.State = core.ExpertJoining // before anybody can want another
		}
		h.mu.Unlock()
		switch wanted {
		case desiredRunning:
			return true
		case desiredForgotten:
			return false
		case desiredStopped:
			h.tell(c, core.ExpertStopped, "stopped by you; /experts restart "+c.status.Name+" starts it again", nil)
		}
		c.wait(life, nil)
	}
	return false
}

// session runs the child once, until it has left. A wish of the user ends it
// whatever it is at; the reason is then LeftRemoved.
func (h *Hub) session(life context.Context, c *child) (core.LeaveReason, error) {
	ctx, cancel := context.WithTimeout(life, handshakeTimeout)
	defer cancel()
	over, interrupted := make(chan struct{}), make(chan struct{})
	wished := make(chan bool, 1)
	go func() {
		select {
		case <-c.desiredChanged:
		case <-over:
			wished <- false
			return
		}
		close(interrupted)
		cancel()
		wished <- true
	}()
	reason, err := h.live(ctx, life, c, interrupted)
	close(over)
	if <-wished {
		return core.LeftRemoved, nil
	}
	return reason, err
}

// live is one session of a child: its start within ctx, and its time in the
// room until it has left or interrupted is closed.
func (h *Hub) live(ctx, life context.Context, c *child, interrupted <-chan struct{}) (core.LeaveReason, error) {
	link, in, err := h.opener.Open(ctx, life, c.spec)
	if err != nil {
		return core.LeftExited, err
	}
	if limit := c.spec.Timeout; limit > 0 {
		in.CallTimeoutMS = int(min(limit.Milliseconds(), yaap.MaxTimeoutMS))
	}
	m, err := h.enter(ctx, life, Entry{Introduction: in, Transport: c.spec.transport(), Link: link, child: c})
	if err != nil {
		_ = link.Close() // the refusal is what counts
		return core.LeftExited, err
	}
	if greeter, ok := link.(OutcomeNotifier); ok {
		greeter.Welcome(m.first)
	}
	reason := h.attend(m, interrupted)
	if err = link.Err(); err == nil && reason == core.LeftQuarantined {
		err = errHung
	}
	if reason == core.LeftExited && err == nil {
		return core.LeftGoodbye, nil // it ended by itself and in order
	}
	return reason, err
}

// wait blocks until retry fires, the user wants something, or life ends; it
// reports whether it was the user.
func (c *child) wait(life context.Context, retry <-chan time.Time) bool {
	select {
	case <-c.desiredChanged:
		return true
	case <-retry:
	case <-life.Done():
	}
	return false
}

// tell records and reports what a child that is not in the room does.
func (h *Hub) tell(c *child, what core.ExpertState, message string, err error) {
	h.change(func(*state) []core.Body {
		c.status.State, c.status.Message, c.status.Since = what, message, time.Now()
		c.tried = c.tried || what != core.ExpertJoining
		switch {
		case err != nil:
			c.end = words(err)
		case what == core.ExpertGone:
			c.end = message
		case what == core.ExpertStopped:
			c.end = ""
		}
		if talker := StderrReporter(nil); errors.As(err, &talker) { // the opener's error knows what the child printed
			c.status.Stderr = talker.Stderr()
		}
		return []core.Body{core.ExpertStatus{Name: c.status.Name, State: what, Message: message}}
	})
}

// joined lets the child be known by what it calls itself; Hub.mu is held.
func (c *child) joined(m *member) {
	c.status.Name, c.status.Description, c.status.Examples = m.in.Name, m.in.Description, m.in.Examples
	c.status.Message, c.status.Stderr, c.end = "", nil, ""
	c.status.State, c.status.Since, c.tried = core.ExpertReady, time.Now(), true
}

func backoff(failures int) time.Duration {
	delay := firstBackoff
	for range failures - 1 {
		delay = min(2*delay, maxBackoff)
	}
	return delay
}

package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/yaap"
)

const (
	defaultTimeout     = 60 * time.Second
	defaultConcurrency = 16
	maxMisfit          = 1000
	maxQueued          = 16 // calls that wait for a slot
	maxMisses          = 3  // deadlines missed in a row before quarantine
	drainTime          = 5 * time.Second
	lastWords          = 200 * time.Millisecond // to learn what an expert that is gone said, and why it is
)

var errHung = errors.New("it missed three deadlines in a row")

// member is one expert that is in the room, or was: a tool that a run still
// holds answers "left" through it.
type member struct {
	in        yaap.Introduction
	instance  string
	transport string
	link      Link
	child     *child          // nil for a peer
	offers    []offer         // guarded by Hub.mu once it is in the room
	changed   []offer         // hidden until the user allows the change; guarded likewise
	slots     chan struct{}   // one token for every call that may run
	bidding   chan struct{}   // holds a token while bids are asked for
	bidDue    atomic.Int64    // when those should be there, in nanoseconds since 1970; 0 while none are asked for
	hidden    chan struct{}   // closed when its tools left the list
	gone      chan struct{}   // closed when it is gone for good
	hung      chan struct{}   // closed when it missed too many deadlines in a row
	life      context.Context // ends its calls
	kill      context.CancelFunc
	calls     sync.WaitGroup // running calls; Add under stats.mu while not leaving
	stats     stats
	tally     *tally

	first      string // the tool that it is welcomed as
	summarised bool   // its description is made of what its tools say
}

// stats is what people are shown about a member.
type stats struct {
	mu      sync.Mutex
	leaving bool
	reason  core.LeaveReason
	detail  string
	running int
	depths  []int // of the runs that called it, for each running call
	waiting int
	misses  int       // deadlines missed in a row
	hung    bool      // member.hung is closed
	suspect bool      // not heard of for a while
	changed []string  // tools that are hidden: a run that holds one already cannot call it either
	since   time.Time // of the present state
	omitted []string  // tools that are not offered, each with the reason
}

// tally counts the calls of an expert. A child keeps it when it is started
// again: what it failed at is what people look for.
type tally struct {
	mu      sync.Mutex
	calls   int
	errors  int
	latency time.Duration // of the last one
	told    string        // of the tools that are not offered
}

func (t *tally) add(ok bool, latency time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls++
	if !ok {
		t.errors++
	}
	t.latency = latency
}

// show puts the numbers where people see them.
func (t *tally) show(e *core.Expert) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.Calls, e.Errors, e.Latency = t.calls, t.errors, t.latency
}

func newMember(life context.Context, e Entry) *member {
	concurrency := cmp.Or(e.Concurrency, defaultConcurrency)
	m := &member{
		in: e.Introduction, instance: e.Instance, transport: e.Transport, link: e.Link, child: e.child,
		slots: make(chan struct{}, concurrency), hidden: make(chan struct{}), gone: make(chan struct{}), hung: make(chan struct{}),
		bidding: make(chan struct{}, 1),
	}
	m.life, m.kill = context.WithCancel(life)
	m.stats.since = time.Now()
	m.summarised = e.Adopted && e.Description == ""
	m.tally = new(tally)
	if e.child != nil {
		m.tally = &e.child.tally
	}
	return m
}

func (m *member) key() string { return yaap.Canonical(m.in.Name) }

// offer sets the tools that can be called and those that are hidden; Hub.mu is
// held.
func (m *member) offer(visible, hidden []offer) {
	m.offers, m.changed = visible, hidden
	m.note(func(s *stats) { s.changed = specNames(hidden) })
}

func (m *member) toolNames() []string { return specNames(m.offers) }

func specNames(offers []offer) []string {
	names := make([]string, len(offers))
	for i, o := range offers {
		names[i] = o.spec.Name
	}
	return names
}

// without returns the names that others does not have.
func without(names, others []string) (left []string) {
	for _, name := range names {
		if !slices.Contains(others, name) {
			left = append(left, name)
		}
	}
	return left
}

func sameOffers(a, b []offer) bool {
	return slices.EqualFunc(a, b, func(a, b offer) bool {
		return a.name == b.name && a.spec.Name == b.spec.Name && a.spec.SameDefinition(b.spec)
	})
}

// fetch asks the expert for its tools.
func (m *member) fetch(ctx context.Context) ([]offer, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	tools, err := m.link.Tools(ctx)
	if err != nil {
		return nil, fmt.Errorf("it did not list its tools: %w", err)
	}
	if m.child != nil {
		tools = slices.DeleteFunc(tools, func(t core.ToolSpec) bool { return !m.child.spec.offers(t.Name) })
	}
	list, omitted := offers(m.in, m.origin(), m.command(), tools)
	if omitter, ok := m.link.(OmittedToolsReporter); ok {
		omitted = append(omitted, omitter.Omitted()...)
	}
	m.note(func(s *stats) { s.omitted = nil })
	m.omit(omitted)
	if m.child != nil && m.child.spec.Trusted {
		for i := range list {
			list[i].spec.Acts = false
		}
	}
	return list, nil
}

// omit notes tools that are not offered, each with the reason.
func (m *member) omit(tools []string) {
	m.note(func(s *stats) {
		for _, why := range tools {
			s.omitted = append(s.omitted, safe.Cut(safe.Line(why), 200))
		}
	})
}

// tool is one tool of a member: bound to it, whoever holds the name by then.
type tool struct {
	*member
	offer
}

// Spec implements [core.Tool].
func (t tool) Spec() core.ToolSpec { return t.spec }

// Call implements [core.Tool].
func (t tool) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	refusal, turn, ok := t.begin(t.spec.Name)
	if !ok {
		return refusal, nil
	}
	defer t.calls.Done()
	if !turn {
		if refusal, ok = t.slot(ctx); !ok {
			return refusal, ctx.Err()
		}
	}
	defer func() { <-t.slots }()

	start := time.Now()
	t.note(func(s *stats) {
		s.running++
		s.since = start
		s.depths = append(s.depths, c.Scope.Depth)
	})
	result, err := t.make(ctx, c)
	t.tally.add(ctx.Err() != nil || err == nil && result.OK(), time.Since(start))
	missed := result.Code == core.ToolCodeTimeout
	t.note(func(s *stats) {
		s.running--
		s.since = time.Now()
		i := slices.Index(s.depths, c.Scope.Depth)
		s.depths = slices.Delete(s.depths, i, i+1)
		switch {
		case missed:
			if s.misses++; s.misses == maxMisses && !s.hung {
				s.hung = true
				close(t.hung)
			}
		case err == nil:
			s.misses = 0
		}
	})
	return result, err
}

// begin counts a call unless the member left or too many calls wait. It
// reports in turn whether the call has its slot already.
func (m *member) begin(tool string) (refusal core.ToolResult, turn, ok bool) {
	m.stats.mu.Lock()
	defer m.stats.mu.Unlock()
	switch {
	case m.stats.leaving:
		return m.left(m.stats.detail), false, false
	case slices.Contains(m.stats.changed, tool):
		return core.ToolFailure(core.ToolPermissionDenied, core.ToolCodePermissionDenied,
			tool+" has changed: it cannot be called until the user has seen how, with /trust "+m.in.Name), false, false
	}
	select {
	case m.slots <- struct{}{}:
		turn = true
	default:
		if m.stats.waiting >= maxQueued {
			return core.ToolFailure(core.ToolError, core.ToolCodeUnavailable,
				fmt.Sprintf("%s has %d calls waiting already: ask again later", m.in.Name, maxQueued)), false, false
		}
		m.stats.waiting++
	}
	m.calls.Add(1)
	return core.ToolResult{}, turn, true
}

// slot waits for the turn of a call that waits.
func (m *member) slot(ctx context.Context) (core.ToolResult, bool) {
	defer m.note(func(s *stats) { s.waiting-- })
	select {
	case m.slots <- struct{}{}:
		return core.ToolResult{}, true
	case <-m.life.Done():
		return m.left(m.detail()), false
	case <-ctx.Done():
		return core.ToolResult{}, false
	}
}

// make makes the call and turns every way it can fail into a result. The link
// may be deaf: it is not waited for once ctx or the deadline ends, nor for long
// once the member does.
func (t tool) make(ctx context.Context, c core.Call) (core.ToolResult, error) {
	deadline := newDeadline(t.life, ctx, t.spec.Timeout)
	defer deadline.stop()
	var heard reports
	defer heard.end()
	progress, hold := c.Progress, c.Hold
	if !t.in.Context {
		c.Context = nil
	}
	c.Tool, c.Progress = t.name, func(p core.ToolProgress) {
		deadline.extend()
		if progress != nil {
			heard.hand(p, progress)
		}
	}
	c.Hold = func() func() {
		resume := deadline.hold()
		if hold == nil {
			return resume
		}
		outer := hold()
		return func() { resume(); outer() }
	}
	if len(c.Args) == 0 || string(c.Args) == "null" {
		c.Args = json.RawMessage("{}")
	}
	answered := make(chan result[core.ToolResult], 1)
	go func() {
		value, err := t.link.Call(deadline.ctx, c)
		answered <- result[core.ToolResult]{value, err}
	}()
	var a result[core.ToolResult]
	select {
	case a = <-answered:
	case <-deadline.ctx.Done():
		a.err = deadline.ctx.Err()
		if t.life.Err() != nil && ctx.Err() == nil { // what it said last may be on its way
			select {
			case a = <-answered:
			case <-time.After(lastWords):
			}
		}
	}
	switch {
	case a.err == nil:
		return t.checked(a.value), nil
	case ctx.Err() != nil:
		return core.ToolResult{}, ctx.Err()
	case deadline.expired():
		return core.ToolFailure(core.ToolError, core.ToolCodeTimeout,
			fmt.Sprintf("%s did not answer within %s", t.in.Name, deadline.allowed())), nil
	case t.life.Err() != nil, errors.Is(a.err, ErrGone):
		return t.left(t.await()), nil
	}
	return core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, safe.Text(a.err.Error())), nil
}

// await gives the supervisor a moment to learn why the member is gone.
func (m *member) await() string {
	select {
	case <-m.gone:
	case <-time.After(lastWords):
	}
	return m.detail()
}

func (m *member) left(why string) core.ToolResult {
	text := m.in.Name + " left the room"
	if why != "" {
		text += " (" + why + ")"
	}
	return core.ToolFailure(core.ToolError, core.ToolCodeExpertLeft, text)
}

func (m *member) note(f func(*stats)) {
	m.stats.mu.Lock()
	defer m.stats.mu.Unlock()
	f(&m.stats)
}

func (m *member) detail() string {
	m.stats.mu.Lock()
	defer m.stats.mu.Unlock()
	return m.stats.detail
}

func (m *member) reason() core.LeaveReason {
	m.stats.mu.Lock()
	defer m.stats.mu.Unlock()
	return m.stats.reason
}

// isGone reports whether the expert cannot be reached any more.
func (m *member) isGone() bool {
	select {
	case <-m.link.Done():
		return true
	default:
		return false
	}
}

// saidGoodbye reports whether the last words of an expert that is gone were a
// goodbye.
func (m *member) saidGoodbye() bool {
	for {
		select {
		case signal := <-m.link.Signals():
			if signal == SaysGoodbye {
				return true
			}
		default:
			return false
		}
	}
}

// suspect notes whether the expert is heard of. It reports whether that is news.
func (m *member) suspect(suspect bool) bool {
	m.stats.mu.Lock()
	defer m.stats.mu.Unlock()
	if m.stats.leaving || m.stats.suspect == suspect {
		return false
	}
	m.stats.suspect, m.stats.since = suspect, time.Now()
	return true
}

// leave lets no new call begin. It reports whether it was the first to do so.
func (m *member) leave(reason core.LeaveReason, detail string) bool {
	m.stats.mu.Lock()
	defer m.stats.mu.Unlock()
	if m.stats.leaving {
		return false
	}
	m.stats.leaving, m.stats.reason, m.stats.since = true, reason, time.Now()
	if m.stats.detail = detail; detail == "" || reason == core.LeftGoodbye {
		m.stats.detail = string(reason)
	}
	close(m.hidden)
	return true
}

// drain waits for the running calls, at most drainTime.
func (m *member) drain() {
	finished := make(chan struct{})
	go func() { m.calls.Wait(); close(finished) }()
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-finished:
	case <-timer.C:
	case <-m.link.Done():
	}
}

// works reports whether a call runs or waits.
func (m *member) works() bool {
	m.stats.mu.Lock()
	defer m.stats.mu.Unlock()
	return m.stats.running+m.stats.waiting > 0
}

// show is the snapshot with all that people may want to know; Hub.mu is held.
func (m *member) show() core.Expert {
	e := m.snapshot()
	for _, o := range m.offers {
		e.Tools = append(e.Tools, o.spec)
	}
	if m.child != nil {
		e.Command = m.child.spec.line()
	}
	if talker, ok := m.link.(StderrReporter); ok {
		e.Stderr = talker.Stderr()
	}
	return e
}

// omissions says which tools are not offered, and why, when that is news.
func (m *member) omissions() []core.Body {
	const most = 3
	var omitted []string
	m.note(func(s *stats) { omitted = s.omitted })
	named := omitted[:min(len(omitted), most)]
	text := strings.Join(named, "; ")
	if more := len(omitted) - len(named); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	m.tally.mu.Lock()
	defer m.tally.mu.Unlock()
	known := m.tally.told == text
	if m.tally.told = text; known || text == "" {
		return nil
	}
	return []core.Body{core.Notice{
		Level: "warn", Text: m.in.Name + " has tools that are not offered: " + text, Hint: "f2 shows the tools of every expert",
		About: "the tools of " + m.in.Name,
	}}
}

// snapshot is the member as people see it.
func (m *member) snapshot() core.Expert {
	m.stats.mu.Lock()
	defer m.stats.mu.Unlock()
	e := core.Expert{
		Name: m.in.Name, Description: m.in.Description, Examples: m.in.Examples, Transport: m.transport,
		State: core.ExpertReady, Since: m.stats.since, Message: m.stats.detail, Omitted: m.stats.omitted,
	}
	m.tally.show(&e)
	switch {
	case m.stats.leaving:
		e.State = core.ExpertDraining
	case m.stats.suspect:
		e.State, e.Message = core.ExpertSuspect, "it has not been heard of for a moment"
	case m.stats.running > 0:
		e.State = core.ExpertBusy
	}
	return e
}

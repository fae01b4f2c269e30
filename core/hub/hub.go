// Package hub knows who is in the room.
//
// An expert comes in over a [Link]: a child that the hub starts and keeps
// running ([Hub.Want]), or a peer that connected by itself ([Hub.Join]). What
// the room offers is one immutable [core.Toolset], swapped whole and numbered:
// a model call sees the tools of one moment, and no tool of another expert
// ever vanishes while the list changes. A tool is bound to the expert that
// brought it; once that expert is gone, calling it says so.
//
// Every expert has one goroutine, which alone brings it in and takes it out;
// all of them belong to [Hub.Run]. The hub knows no transport.
package hub

import (
	"cmp"
	"context"
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
	maxNamed    = 12                     // experts in a hint
	maxReason   = 200                    // characters of why an expert leaves
	showDepart  = 30 * time.Second       // how long one that left is still listed
	listTimeout = 10 * time.Second       // for an expert to list its tools
	settle      = 100 * time.Millisecond // a burst of changes is one change
)

// Hub is a room's list of experts. Its methods may be called from any goroutine.
type Hub struct {
	sink   core.Sink
	opener Opener
	gate   TrustStore
	tools  atomic.Pointer[core.Toolset]
	spawn  chan func(context.Context) // to Run
	done   chan struct{}              // closed when Run ends

	pinning sync.Mutex // one writes pins at a time; taken before mu

	mu    sync.Mutex
	state state
}

// state is guarded by Hub.mu and changed in [Hub.change] only.
type state struct {
	rev        uint64
	members    map[string]*member   // by canonical name
	children   map[string]*child    // by the name the user knows them by
	draining   map[*member]struct{} // said goodbye and finish a call
	departed   []core.Expert        // the last ones that left, oldest first
	pins       map[string]Pins      // by origin
	changed    chan struct{}        // closed at the next change
	maxExperts int                  // members
}

// DefaultMaxExperts is how many experts may be in the room at the same time, where nobody
// says otherwise.
const DefaultMaxExperts = 256

// New returns an empty room. Nothing runs before [Hub.Run] does. gate may be
// nil: everybody may come in.
func New(sink core.Sink, opener Opener, gate TrustStore) *Hub {
	h := &Hub{
		sink: sink, opener: opener, gate: gate,
		spawn: make(chan func(context.Context)), done: make(chan struct{}),
		state: state{
			members: map[string]*member{}, children: map[string]*child{}, draining: map[*member]struct{}{},
			changed: make(chan struct{}), pins: map[string]Pins{}, maxExperts: DefaultMaxExperts,
		},
	}
	h.tools.Store(&core.Toolset{})
	return h
}

// SetMaxExperts lets at most n experts be in the room at the same time; those that are there
// stay.
func (h *Hub) SetMaxExperts(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.maxExperts = n
}

// MaxExperts returns how many experts may be in the room at the same time.
func (h *Hub) MaxExperts() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state.maxExperts
}

// Run owns every goroutine of the hub. It blocks until ctx ends and all
// experts are gone with it.
func (h *Hub) Run(ctx context.Context) error {
	defer close(h.done)
	var running sync.WaitGroup
	defer running.Wait()
	for {
		select {
		case <-ctx.Done():
			return nil
		case task := <-h.spawn:
			running.Go(func() { task(ctx) })
		}
	}
}

// start hands task to Run; it reports false when the room is closed.
func (h *Hub) start(ctx context.Context, task func(context.Context)) bool {
	select {
	case h.spawn <- task:
		return true
	case <-h.done:
	case <-ctx.Done():
	}
	return false
}

// Tools implements [core.Toolbox].
func (h *Hub) Tools() core.Toolset { return *h.tools.Load() }

// change applies f, rebuilds what follows from the state and wakes those who
// wait for a change. f returns what to report; it is emitted before anybody
// can make the next change, so that events come in the order of revisions.
func (h *Hub) change(f func(*state) []core.Body) {
	h.mu.Lock()
	defer h.mu.Unlock()
	bodies := f(&h.state)
	close(h.state.changed)
	h.state.changed = make(chan struct{})
	for _, body := range bodies {
		h.sink.Emit(core.Scope{}, body)
	}
}

// Changed returns a channel that is closed when the room changes next.
func (h *Hub) Changed() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state.changed
}

// swap numbers and publishes the list of tools; Hub.mu is held.
func (h *Hub) swap(s *state) {
	s.rev++
	set := core.Toolset{Rev: s.rev}
	for _, m := range s.members {
		for _, o := range m.offers {
			set.Tools = append(set.Tools, tool{member: m, offer: o})
		}
	}
	slices.SortFunc(set.Tools, func(a, b core.Tool) int { return cmp.Compare(a.Spec().Name, b.Spec().Name) })
	h.tools.Store(&set)
}

// Entry is an expert that asks to come in.
type Entry struct {
	yaap.Introduction
	Instance  string // the same name and instance again is a resume
	Transport string // Child, Remote, Peer or File
	Link      Link

	child *child
}

// Membership is the place in the room of an expert that joined by itself.
type Membership struct {
	Tool string // the name of its tool, or of its first
	hub  *Hub
	m    *member
}

// Join brings a peer in. When it returns, the tools are in the list already.
// The error is a [yaap.Refusal] when a rule is broken or the name is taken.
// The hub closes the link when the expert has left.
func (h *Hub) Join(ctx context.Context, e Entry) (*Membership, error) {
	joined := make(chan result[*member], 1)
	if err := h.ask(ctx, e); err != nil {
		return nil, err
	}
	if !h.start(ctx, func(life context.Context) {
		m, err := h.enter(life, life, e)
		joined <- result[*member]{m, err}
		if err == nil {
			h.attend(m, nil)
		}
	}) {
		return nil, yaap.Refuse(yaap.Gone, "the room is closed")
	}
	select {
	case came := <-joined:
		if came.err != nil {
			return nil, came.err
		}
		return &Membership{Tool: came.value.first, hub: h, m: came.value}, nil
	case <-ctx.Done():
		// It may still come in; its link's end takes it out again.
		return nil, ctx.Err()
	}
}

// Goodbye hides the expert at once; running calls may finish within 5 s. It
// returns when nobody can call it any more. The reason is for people.
func (s *Membership) Goodbye(reason string) { s.hub.hide(s.m, core.LeftGoodbye, reason) }

// enter checks an expert and puts it in. ctx bounds the checks, life its stay.
func (h *Hub) enter(ctx, life context.Context, e Entry) (*member, error) {
	e.Description = Description(e.Description)
	for i, example := range e.Examples {
		e.Examples[i] = safe.Line(example)
	}
	if err := e.Check(); err != nil && !e.Adopted {
		return nil, err
	}
	m := newMember(life, e)
	offers, err := m.fetch(ctx)
	if err == nil && m.summarised {
		m.in.Description = summary(m.in.Name, offers)
		err = m.in.Check()
	}
	if err == nil {
		err = h.recall(m)
	}
	if err != nil {
		m.kill()
		return nil, err
	}
	var refused error
	var grown bool
	h.change(func(s *state) []core.Body {
		if refused = s.admit(e, offers); refused != nil {
			return nil
		}
		visible, hidden, full, grows := s.divide(m, offers)
		m.offer(visible, hidden)
		m.omit(full)
		if grown = grows; len(visible) > 0 {
			m.first = visible[0].spec.Name
		}
		var bodies []core.Body
		old := s.members[m.key()]
		if old != nil && old.isGone() { // its own goroutine is about to learn it
			bodies = h.remove(s, old, lost(old), words(old.link.Err()))
			old = nil
		}
		s.members[m.key()] = m
		if m.child != nil {
			m.child.joined(m)
		}
		h.swap(s)
		if old != nil {
			return resumed(old, m, s.rev)
		}
		bodies = append(bodies, core.ExpertJoined{
			Name: m.in.Name, Description: m.in.Description, Transport: m.transport,
			Tools: m.toolNames(), Rev: s.rev, Count: len(s.members),
		})
		if len(m.changed) > 0 {
			bodies = append(bodies, core.ExpertChanged{Name: m.in.Name, Changed: []string{"tools"}, Hidden: specNames(m.changed), Rev: s.rev})
		}
		return append(bodies, m.omissions()...)
	})
	if refused != nil {
		m.kill()
		return nil, refused
	}
	h.keep(m, grown)
	return m, nil
}

// keep keeps the pins of m where they have grown, and what is hidden, or says why it cannot.
func (h *Hub) keep(m *member, grown bool) {
	var err error
	if grown {
		err = h.keepPins(m)
	}
	if err = cmp.Or(err, h.holdChanges(m)); err != nil {
		h.sink.Emit(core.Scope{}, core.Notice{Level: "warn", Text: "what " + m.in.Name + " says of its tools is not remembered: " + words(err), Hint: core.HintOf(err)})
	}
}

// admit says whether e may come in with these tools; Hub.mu is held.
func (s *state) admit(e Entry, offers []offer) error {
	key := yaap.Canonical(e.Name)
	holder := s.members[key]
	if holder == nil && len(s.members) >= s.maxExperts {
		return yaap.Refuse(yaap.TooMany, "there are %d experts in the room: no more are let in; max_experts in the configuration allows more", s.maxExperts)
	}
	resumes := holder != nil && e.Instance != "" && e.Instance == holder.instance
	if holder != nil && !resumes && !holder.isGone() {
		return yaap.Refuse(yaap.NameTaken, "the name %s is taken by an expert that is in the room", e.Name)
	}
	for _, o := range offers {
		if other := s.owner(o, key); other != nil {
			return yaap.Refuse(yaap.NameTaken, "its tool %s has the name of a tool of %s", o.spec.Name, other.in.Name)
		}
	}
	return nil
}

// owner returns the member other than the one called key that has a tool of
// the name of o, or nil.
func (s *state) owner(o offer, key string) *member {
	for _, other := range s.members {
		if other.key() != key && slices.ContainsFunc(other.offers, func(p offer) bool { return p.spec.Name == o.spec.Name }) {
			return other
		}
	}
	return nil
}

// resumed takes the old place of an expert that came back.
func resumed(old, m *member, rev uint64) []core.Body {
	old.leave(core.LeftLost, "it joined again")
	old.kill()
	if old.in.Description == m.in.Description && slices.Equal(old.toolNames(), m.toolNames()) {
		return nil
	}
	return []core.Body{core.ExpertChanged{Name: m.in.Name, Changed: []string{"description", "tools"}, Rev: rev}}
}

// attend is the life of an expert in the room: it returns when the expert has
// left, with the reason. stop takes it out on the user's behalf; it may be nil.
func (h *Hub) attend(m *member, stop <-chan struct{}) core.LeaveReason {
	var listing sync.WaitGroup
	defer listing.Wait()
	var settled <-chan time.Time // fires when a burst of changes has had its time
	var listed chan struct{}     // gets a token when the tools were listed again; nil while nobody does
	for {
		select {
		case <-m.link.Done():
			return h.depart(m, lost(m), words(m.link.Err()))
		case <-m.life.Done(): // the room closes, or it came back under another lease
			return h.depart(m, core.LeftRemoved, "")
		case <-stop:
			return h.depart(m, core.LeftRemoved, "")
		case <-m.hung:
			return h.depart(m, core.LeftQuarantined, words(errHung))
		case <-m.hidden:
			m.drain()
			return h.depart(m, core.LeftGoodbye, "")
		case signal := <-m.link.Signals():
			switch {
			case signal == SaysGoodbye:
				h.hide(m, core.LeftGoodbye, "")
			case signal == SuspectChanged:
				h.doubt(m)
			case settled == nil:
				settled = time.After(settle)
			}
		case <-settled:
			if settled = nil; listed != nil { // the last list has not come yet
				settled = time.After(settle)
				continue
			}
			listed = make(chan struct{}, 1)
			listing.Go(func() {
				if offers, err := m.fetch(m.life); err == nil { // else the old list stays
					h.relist(m, offers)
				}
				listed <- struct{}{}
			})
		case <-listed:
			listed = nil
		}
	}
}

func words(err error) string {
	if err == nil {
		return ""
	}
	return safe.Line(err.Error())
}

// relist replaces the tools of a member that said they changed. A tool with
// the name of another member's tool is left out.
func (h *Hub) relist(m *member, offers []offer) {
	grown := false
	h.change(func(s *state) []core.Body {
		if s.members[m.key()] != m {
			return nil
		}
		offers = slices.DeleteFunc(offers, func(o offer) bool { return s.owner(o, m.key()) != nil })
		visible, changed, full, grows := s.divide(m, offers)
		m.omit(full)
		grown = grows
		if sameOffers(m.offers, visible) && sameOffers(m.changed, changed) {
			return m.omissions()
		}
		before, hidden := m.toolNames(), specNames(m.changed)
		m.offer(visible, changed)
		if m.summarised {
			m.in.Description = summary(m.in.Name, visible)
		}
		h.swap(s)
		now := m.toolNames()
		return append(m.omissions(), core.ExpertChanged{
			Name: m.in.Name, Changed: []string{"tools"}, Rev: s.rev, Added: without(now, before),
			Removed: without(without(before, now), specNames(changed)), Hidden: without(specNames(changed), hidden),
		})
	})
	h.keep(m, grown)
}

// doubt reports that m is not heard of any more, or is again.
func (h *Hub) doubt(m *member) {
	h.change(func(*state) []core.Body {
		if waverer, ok := m.link.(SuspectReporter); !ok || !m.suspect(waverer.Suspect()) {
			return nil
		}
		e := m.snapshot()
		return []core.Body{core.ExpertStatus{Name: e.Name, State: e.State, Message: e.Message}}
	})
}

// Expert returns the prompt tool, or the first tool, of the expert of that name.
func (h *Hub) Expert(name string) (core.Tool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.state.members[yaap.Canonical(name)]
	if m != nil && len(m.offers) > 0 {
		return tool{member: m, offer: m.offers[0]}, nil
	}
	err := core.Fail(core.CodeNotFound, "no expert called "+safe.Line(name)+" is in the room", "")
	if m != nil {
		err.Message = m.in.Name + " is in the room, but it has no tool that could be asked"
		if len(m.changed) > 0 {
			err.Message, err.Hint = m.in.Name+" has changed what it says of its tools: they are hidden until you have seen how", "/trust "+m.in.Name+" shows how"
			return nil, err
		}
	} else if c := h.state.child(name); c != nil && c.status.State == core.ExpertReady && yaap.Canonical(c.status.Name) != yaap.Canonical(name) {
		err.Message, err.Hint = safe.Line(name)+" calls itself "+c.status.Name, "ask @"+c.status.Name
		return nil, err
	} else if c != nil {
		err.Message, err.Hint = c.status.Name+" is not in the room now", "/experts restart "+c.status.Name+" starts it again"
		if c.end != "" {
			err.Message += ": " + c.end
		}
		switch {
		case c.end == "" && c.status.State == core.ExpertJoining:
			err.Message, err.Hint = c.status.Name+" is not in the room yet: it has not said hello", "it is on its way: ask again in a moment"
		case c.end != "" && c.status.State != core.ExpertGone && c.spec.URL == "":
			err.Hint = "yaap expert check -- " + safe.Line(core.JoinWords(c.spec.Command)) + " says what is wrong; " + err.Hint
		}
		return nil, err
	}
	var here []string
	for _, other := range h.state.members {
		if len(other.offers) > 0 {
			here = append(here, "@"+other.in.Name)
		}
	}
	slices.Sort(here)
	switch n := len(here); {
	case n == 0:
		err.Hint = "bring one in with /experts add CMD"
	case n > maxNamed:
		err.Hint = fmt.Sprintf("ask %s, or one of %d others", strings.Join(here[:maxNamed], ", "), n-maxNamed)
	default:
		err.Hint = "ask " + strings.Join(here, ", ")
	}
	return nil, err
}

// WaitSettled blocks until every child has joined or failed once, or ctx ends.
func (h *Hub) WaitSettled(ctx context.Context) error {
	for {
		h.mu.Lock()
		changed, waiting := h.state.changed, false
		for _, c := range h.state.children {
			waiting = waiting || !c.tried
		}
		h.mu.Unlock()
		if !waiting {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// refusedForGood reports whether trying again cannot help.
func refusedForGood(err error) bool {
	var refusal *yaap.Refusal
	return errors.As(err, &refusal) || core.CodeOf(err) == core.CodeInvalid
}

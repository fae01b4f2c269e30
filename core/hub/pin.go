package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/yaap"
)

const maxPins = 4 * maxTools // tools of one expert whose definitions are held

// TrustStore holds who may come in and the pinned definitions of tools. Its methods are
// called from several goroutines.
type TrustStore interface {
	// Admit blocks until the user has said whether a peer may come in, or has
	// said so before. tool is the peer's only one. The error is a
	// [yaap.Refusal].
	Admit(ctx context.Context, tool core.ToolSpec) error
	// Pins returns what Pin kept of the expert that is reached like that.
	Pins(origin string) (Pins, error)
	// Pin keeps the definitions of an expert's tools for later rooms.
	Pin(expert, origin string, pins Pins) error
	// StoreChanges keeps what an expert says now of the tools that are hidden, none perhaps.
	StoreChanges(origin string, changed Pins) error
}

// ask has a peer that keeps the rules pass the gate.
func (h *Hub) ask(ctx context.Context, e Entry) error {
	if h.gate == nil || e.Transport == File || e.Check() != nil {
		return nil
	}
	specs, err := e.Link.Tools(ctx)
	if err != nil {
		return err
	}
	list, _ := offers(e.Introduction, Peer, "", specs)
	h.mu.Lock()
	err = h.state.admit(e, list) // who cannot come in is not asked about
	h.mu.Unlock()
	if err != nil {
		return err
	}
	for _, o := range list {
		if err := h.gate.Admit(ctx, o.spec); err != nil {
			return err
		}
	}
	return nil
}

// Pins are the definitions of an expert's tools as they were when they first
// came, or when the user allowed a change: by the names that the expert calls
// them by.
type Pins = map[string]core.ToolSpec

// origin says how a member is reached: another command is another expert, and so
// is one that the user calls by another name; what it calls itself counts for
// nothing. It is a hash, for a command may hold a secret.
func (m *member) origin() string {
	if m.child == nil {
		return Peer
	}
	parts := []any{m.child.spec.Name, m.child.spec.Command, m.child.spec.Dir}
	if m.child.spec.URL != "" {
		parts = append(parts, m.child.spec.URL)
	}
	return Origin(Child, parts...)
}

// Origin is a kind of expert, and a hash of all that says how it is reached: strings,
// and lists and maps of them.
func Origin(kind string, how ...any) string {
	raw, _ := json.Marshal(how) // strings
	return kind + ":" + core.Hash(raw)
}

// command is what a child was started with, as it is typed.
func (m *member) command() string {
	if m.child == nil {
		return ""
	}
	return core.JoinWords(m.child.spec.line())
}

// pinned reports whether the tools of m have to stay what they were. Those of a
// trusted expert need not, and a peer passes the gate at every hello.
func (m *member) pinned() bool { return m.child != nil && !m.child.spec.Trusted }

// recall reads what m's tools were in earlier rooms, unless they are known.
func (h *Hub) recall(m *member) error {
	if !m.pinned() {
		return nil
	}
	pins := Pins{}
	if h.gate != nil {
		kept, err := h.gate.Pins(m.origin())
		if err != nil {
			return err
		}
		maps.Copy(pins, kept)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.pins[m.origin()] == nil {
		h.state.pins[m.origin()] = pins
	}
	return nil
}

// divide tells the tools of m that may be called from those that are hidden, for
// they are defined differently than before, and pins the new ones. It reports in
// grown whether there are any, and names in full those that are too many; Hub.mu
// is held.
func (s *state) divide(m *member, all []offer) (visible, hidden []offer, full []string, grown bool) {
	if !m.pinned() {
		return all, nil, nil, false
	}
	pins := s.pins[m.origin()]
	for _, o := range all {
		was, known := pins[o.name]
		switch {
		case known && !was.SameDefinition(o.spec):
			hidden = append(hidden, o)
		case known:
			visible = append(visible, o)
		case len(pins) >= maxPins:
			full = append(full, fmt.Sprintf("%s: it had %d others already; yaap trust revoke %s forgets them", o.spec.Name, maxPins, m.in.Name))
		default:
			pins[o.name], grown = o.spec, true
			visible = append(visible, o)
		}
	}
	return visible, hidden, full, grown
}

// keepPins has the gate keep the pins of m.
func (h *Hub) keepPins(m *member) error {
	if h.gate == nil || !m.pinned() {
		return nil
	}
	h.pinning.Lock()
	defer h.pinning.Unlock()
	h.mu.Lock()
	name, pins := m.in.Name, maps.Clone(h.state.pins[m.origin()])
	h.mu.Unlock()
	return h.gate.Pin(name, m.origin(), pins)
}

// holdChanges has the gate keep what m says of its hidden tools.
func (h *Hub) holdChanges(m *member) error {
	if h.gate == nil || !m.pinned() {
		return nil
	}
	h.pinning.Lock()
	defer h.pinning.Unlock()
	changed := Pins{}
	h.mu.Lock()
	for _, o := range m.changed {
		changed[o.name] = o.spec
	}
	h.mu.Unlock()
	return h.gate.StoreChanges(m.origin(), changed)
}

// changes are the tools of m that are hidden, each with what it was; Hub.mu is
// held.
func (s *state) changes(m *member) []core.ToolChange {
	var list []core.ToolChange
	for _, o := range m.changed {
		list = append(list, core.ToolChange{Was: s.pins[m.origin()][o.name], Now: o.spec})
	}
	return list
}

// Accept lets the changed tools of an expert be called, on the user's behalf.
// seen are the changes that the user was shown, as [core.Expert] has them: where
// they are others by now, Accept fails with [core.CodeConflict]. Another error
// says why it could not be kept for later rooms.
func (h *Hub) Accept(name string, seen []core.ToolChange) error {
	var failed error
	var m *member
	h.change(func(s *state) []core.Body {
		m = s.members[yaap.Canonical(name)]
		if m == nil || len(m.changed) == 0 {
			failed = core.Fail(core.CodeNotFound, "no tool of "+safe.Line(name)+" is hidden", "f2 shows who is here and what they can do")
			return nil
		}
		now := s.changes(m)
		if !slices.EqualFunc(now, seen, func(a, b core.ToolChange) bool { return a.Now.Name == b.Now.Name && a.Now.SameDefinition(b.Now) }) {
			failed = core.Fail(core.CodeConflict, m.in.Name+" has changed again since you looked", "look again: /trust "+m.in.Name)
			return nil
		}
		pins, added := s.pins[m.origin()], []string(nil)
		for _, o := range m.changed {
			pins[o.name], added = o.spec, append(added, o.spec.Name)
		}
		m.offer(slices.Concat(m.offers, m.changed), nil)
		h.swap(s)
		return []core.Body{core.ExpertChanged{Name: m.in.Name, Changed: []string{"tools"}, Added: added, Rev: s.rev}}
	})
	if failed != nil {
		return failed
	}
	return h.keepPins(m)
}

// summary describes an adopted server by its tools.
func summary(name string, offers []offer) string {
	var does []string
	for _, o := range offers {
		if o.spec.Description != "" {
			does = append(does, strings.TrimRight(safe.Cut(o.spec.Description, 80), ". "))
		}
	}
	if len(does) == 0 {
		return "an MCP server that does not say what it knows"
	}
	return Description(name + ": " + strings.Join(does, "; "))
}

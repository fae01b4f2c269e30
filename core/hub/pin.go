package hub

import (
	"context"
	"slices"
	"strings"

	"yaap/core"
	"yaap/core/safe"
	"yaap/core/yaap"
)

const maxPins = 4 * maxTools // tools of one expert whose first definitions are held

// Gate knows what the user has allowed. Its methods are called from several
// goroutines.
type Gate interface {
	// Admit blocks until the user has said whether a peer may come in, or has
	// said so before. tool is the peer's only one. The error is a
	// [yaap.Refusal].
	Admit(ctx context.Context, tool core.ToolSpec) error
	// Pinned returns the tools of an expert that the user allowed for good, as
	// they were then.
	Pinned(owner, origin string) []core.ToolSpec
}

// pins are the definitions of an expert's tools as they were when they first
// came, or when the user allowed a change: by the name that models use.
type pins map[string]core.ToolSpec

// pinned returns the pins of m; Hub.mu is held. A trusted expert and a peer, who
// passes the gate at every hello, have none.
func (h *Hub) pinned(s *state, m *member) pins {
	if m.child == nil || m.child.spec.Trusted {
		return nil
	}
	key := m.key() + "\x00" + m.origin()
	if s.pins[key] == nil {
		s.pins[key] = pins{}
		if h.gate != nil {
			for _, spec := range h.gate.Pinned(m.in.Name, m.origin()) {
				s.pins[key][spec.Name] = spec
			}
		}
	}
	return s.pins[key]
}

// divide tells the tools that may be called from those that are hidden, for
// they are defined differently than before.
func (p pins) divide(all []offer) (visible, hidden []offer) {
	if p == nil {
		return all, nil
	}
	for _, o := range all {
		was, known := p[o.spec.Name]
		switch {
		case known && !was.SameDefinition(o.spec):
			hidden = append(hidden, o)
		case known:
			visible = append(visible, o)
		case len(p) < maxPins:
			p[o.spec.Name] = o.spec
			visible = append(visible, o)
		}
	}
	return visible, hidden
}

// changes are the tools of m that are hidden, each with what it was; Hub.mu is
// held.
func (h *Hub) changes(s *state, m *member) []core.ToolChange {
	var list []core.ToolChange
	for _, o := range m.changed {
		list = append(list, core.ToolChange{Was: h.pinned(s, m)[o.spec.Name], Now: o.spec})
	}
	return list
}

// Accept lets the changed tools of an expert be called, on the user's behalf.
// seen are the changes that the user was shown, as [core.Expert] has them: where
// they are others by now, Accept fails with [core.CodeConflict].
func (h *Hub) Accept(name string, seen []core.ToolChange) error {
	var failed error
	h.change(func(s *state) []core.Body {
		m := s.members[yaap.Canonical(name)]
		if m == nil || len(m.changed) == 0 {
			failed = &core.Error{
				Code: core.CodeNotFound, Op: "hub: accept", Message: "no tool of " + safe.Line(name) + " is hidden",
				Hint: "f2 shows who is here and what they can do",
			}
			return nil
		}
		now := h.changes(s, m)
		if !slices.EqualFunc(now, seen, func(a, b core.ToolChange) bool { return a.Now.Name == b.Now.Name && a.Now.SameDefinition(b.Now) }) {
			failed = &core.Error{
				Code: core.CodeConflict, Op: "hub: accept", Message: m.in.Name + " has changed again since you looked", Hint: "look again: /trust " + m.in.Name,
			}
			return nil
		}
		pins, added := h.pinned(s, m), []string(nil)
		for _, o := range m.changed {
			pins[o.spec.Name], added = o.spec, append(added, o.spec.Name)
		}
		m.offer(slices.Concat(m.offers, m.changed), nil)
		h.swap(s)
		return []core.Body{core.ExpertChanged{Name: m.in.Name, Changed: []string{"tools"}, Added: added, Rev: s.rev}}
	})
	return failed
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

package hub

import (
	"slices"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// hide takes the tools of m out of the list and reports that it left. Running
// calls go on. Only the first call has an effect.
func (h *Hub) hide(m *member, reason core.LeaveReason, detail string) {
	h.change(func(s *state) []core.Body { return h.remove(s, m, reason, detail) })
}

// remove is what hide does; Hub.mu is held.
func (h *Hub) remove(s *state, m *member, reason core.LeaveReason, detail string) []core.Body {
	if reason == core.LeftGoodbye {
		if leaver, ok := m.link.(LeaveReasonReporter); ok { // not how its process ended
			detail = leaver.Farewell()
		}
		detail = safe.Cut(safe.Line(detail), maxReason)
	}
	if !m.leave(reason, detail) {
		return nil
	}
	if s.members[m.key()] != m { // another one has its place
		return nil
	}
	delete(s.members, m.key())
	h.swap(s)
	if m.child != nil {
		m.child.status.State = core.ExpertGone
		if talker, ok := m.link.(StderrReporter); ok {
			m.child.status.Stderr = talker.Stderr()
		}
	}
	e := m.snapshot()
	e.State, e.Since = core.ExpertGone, time.Now()
	s.departed = append(s.departed, e)
	if extra := len(s.departed) - DefaultMaxExperts; extra > 0 {
		s.departed = slices.Delete(s.departed, 0, extra)
	}
	bodies := []core.Body{core.ExpertLeft{Name: m.in.Name, Reason: reason, Detail: detail, Rev: s.rev, Count: len(s.members)}}
	if reason == core.LeftGoodbye && m.works() && !m.isGone() {
		s.draining[m] = struct{}{}
		bodies = append(bodies, core.ExpertStatus{Name: m.in.Name, State: core.ExpertDraining})
	}
	return bodies
}

// depart takes m out for good: its calls end and its link is closed.
func (h *Hub) depart(m *member, reason core.LeaveReason, detail string) core.LeaveReason {
	h.hide(m, reason, detail)
	close(m.gone)
	m.kill()
	if greeter, ok := m.link.(OutcomeNotifier); ok && !m.isGone() {
		greeter.Bye(m.detail())
	}
	// What could not be ended is the link's to report through Err.
	_ = m.link.Close()
	h.drained(m)
	return m.reason()
}

// drained ends the time in which m could finish its calls, if it had any.
func (h *Hub) drained(m *member) {
	h.change(func(s *state) []core.Body {
		if _, ok := s.draining[m]; !ok {
			return nil
		}
		delete(s.draining, m)
		if m.child != nil { // its supervisor says so
			return nil
		}
		return []core.Body{core.ExpertStatus{Name: m.in.Name, State: core.ExpertGone, Message: m.detail()}}
	})
}

// lost says why an expert that is gone left.
func lost(m *member) core.LeaveReason {
	switch {
	case m.saidGoodbye():
		return core.LeftGoodbye
	case m.transport == Child:
		return core.LeftExited
	}
	return core.LeftLost
}

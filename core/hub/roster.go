package hub

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/yaap"
)

// Experts lists everybody, sorted by name: those in the room, the children
// that are on their way or stopped, and those who left a moment ago.
func (h *Hub) Experts() []core.Expert {
	h.mu.Lock()
	defer h.mu.Unlock()
	byName := map[string]core.Expert{}
	for _, e := range h.state.departed {
		if time.Since(e.Since) < showDepart {
			byName[e.Name] = e
		}
	}
	for _, away := range []bool{true, false} { // one that is away may have left its name to another
		for _, c := range h.state.children {
			if e := c.status; c.isAway() == away && (e.State != core.ExpertGone || time.Since(e.Since) < showDepart) {
				c.tally.show(&e)
				byName[e.Name] = e
			}
		}
	}
	for m := range h.state.draining {
		byName[m.in.Name] = m.show()
	}
	for _, m := range h.state.members {
		e := m.show()
		e.Changes = h.state.changes(m)
		byName[m.in.Name] = e
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b core.Expert) int { return cmp.Compare(a.Name, b.Name) })
}

// Depth is how deep the deepest run is that waits for an expert just now; -1, where
// none does. Who asks the room meanwhile may be that expert, whatever it says.
func (h *Hub) Depth() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	deepest := -1
	for _, m := range h.state.members {
		m.note(func(s *stats) { deepest = slices.Max(append(s.depths, deepest)) })
	}
	return deepest
}

// maxLeft bounds whom the room remembers of those who left.
const maxLeft = 32

// DepartedExperts lists those who were in the room and are not now, each once, the last that
// left first, 32 at most. [Hub.Restart] brings those back that are children; peers
// have to come by themselves. A child whose place another one has is not listed.
func (h *Hub) DepartedExperts() []core.Expert {
	h.mu.Lock()
	defer h.mu.Unlock()
	var left []core.Expert
	seen := map[string]bool{}
	for _, e := range slices.Backward(h.state.departed) {
		key := yaap.Canonical(e.Name)
		if seen[key] || len(left) == maxLeft {
			continue
		}
		seen[key] = true
		if h.state.members[key] == nil && (e.Transport == Peer || h.state.child(e.Name) != nil) {
			left = append(left, e)
		}
	}
	return left
}

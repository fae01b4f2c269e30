package chain

import (
	"math/bits"
	"slices"
	"strings"
)

// paths knows what has been done for certain when a node begins.
//
// A node has run before another one when it is on every path to it. Where a
// node waits for all that may lead to it, more is certain: a fanout before it
// has sent work along all edges without condition, and what that came to is
// waited for.
type paths struct {
	*graph
	spec   *Spec
	sure   []numbers // by node: nodes, and successes beyond them; nil where nothing leads
	behind []numbers // by node: what may lead to it without passing through it, once asked for
	retry  *graph
}

func newPaths(s *Spec, g *graph) *paths {
	p := &paths{graph: g, spec: s, sure: make([]numbers, g.end+1), behind: make([]numbers, g.end+1)}
	order := p.order()
	p.sure[g.start] = newNumbers(2 * (g.end + 1))
	for changed := true; changed; {
		changed = false
		for _, at := range order {
			if s := p.meet(at); p.sure[at] == nil || !slices.Equal(s, p.sure[at]) {
				p.sure[at], changed = s, true
			}
		}
	}
	return p
}

// order is an order in which most nodes come after what leads to them.
func (p *paths) order() []int {
	seen := newNumbers(p.end)
	seen.add(p.start)
	next := make([]int, p.end+1)
	var done []int
	for path := []int{p.start}; len(path) > 0; {
		at := path[len(path)-1]
		if next[at] < len(p.out[at]) {
			to := p.out[at][next[at]].to
			next[at]++
			if !seen.has(to) {
				seen.add(to)
				path = append(path, to)
			}
			continue
		}
		path = path[:len(path)-1]
		done = append(done, at)
	}
	slices.Reverse(done)
	return done[1:] // the first one is start
}

// meet is what is certain by all ways to a node.
func (p *paths) meet(at int) numbers {
	var met numbers
	for _, a := range p.in[at] {
		if p.sure[a.from] == nil {
			continue
		}
		s := slices.Clone(p.sure[a.from])
		if a.from != p.start {
			s.add(a.from)
		}
		if p.alongAll(a) {
			s.add(p.success(a.from))
		}
		if met == nil {
			met = s
		} else {
			met.intersect(s)
		}
	}
	if p.waits(at) {
		p.gather(at, met)
	}
	return met
}

// success is the number of the fact that a node, or start, has succeeded and
// all edges of it without condition were followed.
func (p *paths) success(at int) int { return p.end + 1 + at }

// alongAll reports whether following an edge shows that all edges of its node
// without condition are followed.
func (p *paths) alongAll(a arc) bool {
	if a.edge == implicit {
		return false
	}
	if a.from == p.start || p.spec.Nodes[a.from].Fanout {
		e := &p.spec.Edges[a.edge]
		return p.plain(a) && !e.Default || e.When != "" && (a.from == p.start || onlySuccess(e.When))
	}
	return p.plain(a) && len(p.out[a.from]) == 1
}

// onlySuccess reports whether a condition asks for success and for nothing
// instead of it.
func onlySuccess(when string) bool {
	return asksSuccess().MatchString(when) && !strings.Contains(when, "or ") && !strings.Contains(when, "||") && !strings.Contains(when, "not ") && !strings.Contains(when, "!")
}

//nolint:gochecknoglobals // never changes; see pattern
var asksSuccess = pattern(`\bresponse\.status\s*==\s*["']success["']`)

func (p *paths) plain(a arc) bool {
	if a.edge == implicit {
		return false
	}
	e := &p.spec.Edges[a.edge]
	return e.When == "" && !e.OnError && e.On == ""
}

// waits reports whether a node waits for all that may still lead to it.
func (p *paths) waits(at int) bool {
	if at >= p.start || len(p.in[at]) < 2 {
		return false
	}
	n := &p.spec.Nodes[at]
	return (n.Join.Kind == "" || n.Join.Kind == JoinAll) && n.ID != p.spec.OnError
}

// gather adds what is certain because a node has waited for it.
func (p *paths) gather(at int, met numbers) {
	if p.behind[at] == nil {
		p.behind[at] = p.upstream(at)
	}
	var open []int
	for w, word := range met {
		for ; word != 0; word &= word - 1 {
			if i := w*64 + bits.TrailingZeros64(word); i > p.end {
				open = append(open, i-p.end-1)
			}
		}
	}
	for len(open) > 0 {
		from := open[len(open)-1]
		open = open[:len(open)-1]
		for _, a := range p.out[from] {
			if !p.plain(a) || p.spec.Edges[a.edge].Default && len(p.out[from]) > 1 || a.to >= p.start || met.has(a.to) || !p.awaited(a.to, at) {
				continue
			}
			met.add(a.to)
			if p.straight(a.to) && !met.has(p.success(a.to)) {
				met.add(p.success(a.to))
				open = append(open, a.to)
			}
		}
	}
}

// awaited reports whether a node that an edge was followed to is over before
// another one begins that waits for all.
func (p *paths) awaited(at, by int) bool {
	if at == by || !p.behind[by].has(at) {
		return false
	}
	if k := p.spec.Nodes[at].Join.Kind; k == JoinCount || k == JoinFirst {
		return false // more must come before it begins
	}
	if !p.waits(at) {
		return true
	}
	if p.behind[at] == nil {
		p.behind[at] = p.upstream(at)
	}
	return !p.behind[at].has(by) // or they might wait for each other
}

// straight reports whether all edges of a node are followed whenever the chain
// goes on after it.
func (p *paths) straight(at int) bool {
	for _, a := range p.out[at] {
		if !p.plain(a) || !p.alongAll(a) {
			return false
		}
		if a.to < p.start {
			if k := p.spec.Nodes[a.to].Join.Kind; k != "" && k != JoinAll {
				return false // which can do without it
			}
		}
	}
	return true
}

// upstream is what leads to a node without passing through it on the way.
func (p *paths) upstream(at int) numbers {
	seen := newNumbers(p.end)
	for open := []int{at}; len(open) > 0; {
		to := open[len(open)-1]
		open = open[:len(open)-1]
		for _, a := range p.in[to] {
			if a.from != at && !seen.has(a.from) {
				seen.add(a.from)
				open = append(open, a.from)
			}
		}
	}
	return seen
}

// always reports whether a node has run whenever another one begins. Of what
// nothing leads to, anything is true.
func (p *paths) always(first, then int) bool {
	return p.sure[then] == nil || p.sure[then].has(first)
}

// maybe reports whether a node can have run when another one begins: also by
// being sent back with an instruction.
func (p *paths) maybe(first, then int) bool {
	if p.retry == nil {
		p.retry = &graph{in: make([][]arc, p.end+1)}
		for to, in := range p.in {
			for _, a := range in {
				p.retry.in[to] = append(p.retry.in[to], a)
				if to < p.start && a.from < p.start && p.spec.Nodes[to].MaxVisits > 0 {
					p.retry.in[a.from] = append(p.retry.in[a.from], arc{edge: implicit, from: to, to: a.from})
				}
			}
		}
	}
	var from []int
	for _, a := range p.retry.in[then] {
		from = append(from, a.from)
	}
	return p.retry.before(from...).has(first)
}

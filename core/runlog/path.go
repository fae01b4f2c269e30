package runlog

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/yaap-chat/yaap/core"
)

const (
	maxVisits = 128     // attempts of a run that are kept
	maxText   = 1 << 20 // bytes of all texts of the attempts of a run
)

// Path is the way that the run of a chain has taken.
type Path struct {
	Visits []*Visit         // attempts, in the order in which they began
	Starts []core.EdgeTaken // the edges that were judged before the first
	Nodes  map[string]int   // how often each node was reached
	Pause  *core.Pause      // what it asks
	ended  int
	size   int // bytes of text in visits
}

// Visit is one attempt of one visit of a node.
type Visit struct {
	core.NodeStart
	End    *core.NodeEnd // nil while it runs
	Ended  int           // how many attempts had ended then, this one too
	Began  time.Time
	Beside bool             // the attempt before still ran when it began
	Edges  []core.EdgeTaken // that were judged after it
}

// State is how far an attempt is.
func (v *Visit) State() core.NodeState {
	if v.End == nil {
		return core.NodeRunning
	}
	return v.End.State
}

// Steps is how many visits there were, those that are forgotten too.
func (p *Path) Steps() (n int) {
	for _, visits := range p.Nodes {
		n += visits
	}
	return n
}

// Newest returns the newest attempt of a node, nil where there is none.
func (p *Path) Newest(node string) *Visit {
	for _, v := range slices.Backward(p.Visits) {
		if v.Node == node {
			return v
		}
	}
	return nil
}

// Visited returns the run that a visit of a node has started, nil where none is
// known.
func (r *Run) Visited(v *Visit) *Run {
	return r.FindStarted(func(below *Run) bool { return below.Node == v.Node && !below.Began.Before(v.Began) })
}

// applyNode takes what a chain tells of its nodes.
func (r *Run) applyNode(e core.Event) bool {
	p := &r.Path
	switch b := e.Body.(type) {
	case core.NodeStart:
		b.Input = Shorten(b.Input)
		p.enter(&Visit{NodeStart: b, Began: e.Time})
		p.hold(len(b.Input))
	case core.NodeEnd:
		p.leave(e.Time, b)
	case core.EdgeTaken:
		if v := p.Newest(b.From); v != nil {
			if len(v.Edges) < maxVisits {
				v.Edges = append(v.Edges, b)
			}
		} else if len(p.Starts) < maxVisits {
			p.Starts = append(p.Starts, b)
		}
	case core.ChainPaused:
		p.Pause = &b.Pause
		if b.Pause.Kind != core.PauseApproval {
			r.offer(b.Pause.Options)
		}
	default:
		return false
	}
	return true
}

func (p *Path) find(node string, n, attempt int) int {
	return slices.IndexFunc(p.Visits, func(v *Visit) bool { return v.Node == node && v.Visit == n && v.Attempt == attempt })
}

// enter adds an attempt, or begins one anew that is there already.
func (p *Path) enter(v *Visit) {
	if i := p.find(v.Node, v.Visit, v.Attempt); i >= 0 {
		p.Visits[i] = v
		return
	}
	if p.Nodes == nil {
		p.Nodes = map[string]int{}
	}
	if last := p.Newest(v.Node); last == nil || last.Visit < v.Visit {
		p.Nodes[v.Node]++
	}
	v.Beside = len(p.Visits) > 0 && p.Visits[len(p.Visits)-1].End == nil
	p.Visits = append(p.Visits, v)
	if over := len(p.Visits) - maxVisits; over > 0 {
		for _, old := range p.Visits[:over] {
			p.size -= old.strip()
		}
		p.Visits = slices.Delete(p.Visits, 0, over)
	}
}

// leave ends an attempt. One that began before what is kept is added.
func (p *Path) leave(at time.Time, b core.NodeEnd) {
	b.Data, b.Thought, b.Message, b.Error = Shorten(b.Data), Shorten(b.Thought), Shorten(b.Message), Shorten(b.Error)
	i := p.find(b.Node, b.Visit, b.Attempt)
	if i < 0 {
		p.enter(&Visit{NodeStart: core.NodeStart{Chain: b.Chain, Node: b.Node, Visit: b.Visit, Attempt: b.Attempt}, Began: at})
		i = len(p.Visits) - 1
	}
	v := p.Visits[i]
	b.MS = cmp.Or(b.MS, max(at.Sub(v.Began).Milliseconds(), 0))
	p.ended++
	v.End, v.Ended = &b, p.ended
	p.hold(len(b.Data) + len(b.Thought) + len(b.Message) + len(b.Error))
}

// hold notes that a visit holds so much more text. The oldest lose theirs when it
// is too much.
func (p *Path) hold(n int) {
	p.size += n
	for i := 0; p.size > maxText && i < len(p.Visits)-1; i++ {
		p.size -= p.Visits[i].strip()
	}
}

// strip forgets the texts of an attempt and returns how much that was.
func (v *Visit) strip() int {
	n := len(v.Input)
	v.Input = nil
	if e := v.End; e != nil {
		n += len(e.Data) + len(e.Thought) + len(e.Message) + len(e.Error)
		e.Data, e.Thought, e.Message, e.Error = nil, "", "", ""
	}
	return n
}

// Truncated reports whether the first attempts were dropped.
func (p *Path) Truncated() bool { return len(p.Visits) == maxVisits }

// Recall takes what a run did before it was resumed.
func (r *Run) Recall(stored *Run) {
	since := r.Visits
	path := stored.clone()
	path.Pause = r.Pause
	r.Path, r.Began, r.Prompt = path, stored.Began, stored.Prompt
	r.Spent += stored.Spent
	for _, v := range since {
		r.enter(v)
		if v.End != nil {
			r.ended++
			v.Ended = r.ended
		}
	}
	r.Version++
}

func (p *Path) clone() Path {
	next := *p
	next.Visits = make([]*Visit, len(p.Visits))
	for i, v := range p.Visits {
		same := *v
		same.Edges = slices.Clone(v.Edges)
		next.Visits[i] = &same
	}
	next.Starts = slices.Clone(p.Starts)
	next.Nodes = maps.Clone(p.Nodes)
	return next
}

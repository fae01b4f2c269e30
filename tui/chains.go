package tui

import (
	"cmp"
	"slices"
	"strings"

	"yaap/core"
	"yaap/core/diagram"
	"yaap/core/runlog"
)

const (
	maxChains = 20
	maxGraph  = 512 // nodes, and edges, of a chain that are drawn
)

// chainRun is one run of a chain. All text in it is as it came.
type chainRun struct {
	runlog.Run
	graph diagram.Graph // as the chain is written
}

func (r *chainRun) name() string {
	name, _ := chainName(r.Runner)
	return name
}

// root is the run that the user started.
func (r *chainRun) root() string {
	root, _, _ := strings.Cut(r.ID, "/")
	return root
}

func shorten(s string) string { return runlog.Shorten(s) }

func waits(end core.RunEnd) bool { return runlog.Waits(end) }

// drawn is the graph of the run: every node with how far it is.
func (r *chainRun) drawn(now int64) diagram.Graph {
	g := r.Graph(r.graph)
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.State == core.NodeRunning {
			n.MS = max((now-r.Last(n.ID).Began.UnixNano())/int64(tickEvery), 1) * tickEvery.Milliseconds()
		}
	}
	return g
}

// bounded returns what is drawn of a graph.
func bounded(g diagram.Graph) diagram.Graph {
	g.Nodes, g.Edges = g.Nodes[:min(len(g.Nodes), maxGraph)], g.Edges[:min(len(g.Edges), maxGraph)]
	return g
}

// nodeCount counts the nodes of a graph that do something.
func nodeCount(g diagram.Graph) int {
	ids := map[string]bool{}
	for _, n := range g.Nodes {
		ids[n.ID] = true
	}
	for _, e := range g.Edges {
		ids[e.From], ids[e.To] = true, true
	}
	delete(ids, runlog.Start)
	delete(ids, runlog.End)
	return len(ids)
}

// chainLog is the runs of chains that are kept, the newest last.
type chainLog struct {
	browser
	runs   []*chainRun
	asked  map[string]bool // runs of which the store was asked
	thread string          // whose runs are shown
	chosen string          // the run that is shown; empty: the newest
	node   string          // the node that is chosen; empty: where the work is
	cancel string          // the root run that c was pressed for once
	full   bool            // nothing else is shown
	page   page
	nodes  []string // that can be chosen, as drawn last
	cache  struct {
		graph, detail paneCache
	}
}

// paneCache is rows and what they were drawn for.
type paneCache struct {
	key  paneKey
	rows []string
	at   map[string]int // the row of a node
}

type paneKey struct {
	run, node       string
	version, w      int
	look            int
	tenths          int64
	page            page
	ascii, selected bool
}

func newChainLog() chainLog { return chainLog{asked: map[string]bool{}} }

// add takes an event and returns the run of a chain that it tells of.
func (l *chainLog) add(e core.Event) *chainRun {
	r := l.run(e.Run)
	if start, begins := e.Body.(core.RunStart); r == nil && begins {
		if _, chain := chainName(start.Runner); chain {
			r = &chainRun{}
			l.runs = append(l.runs, r)
			l.runs = l.runs[max(len(l.runs)-maxChains, 0):]
		}
	}
	if r != nil {
		r.Apply(e)
	}
	return r
}

// chainName is the chain that a runner is.
func chainName(runner string) (string, bool) { return strings.CutPrefix(runner, "chain/") }

func (l *chainLog) run(id string) *chainRun {
	for _, r := range slices.Backward(l.runs) {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// recall takes stored events of runs of an earlier time.
func (l *chainLog) recall(events []core.Event) []*chainRun {
	old := newChainLog()
	for _, e := range events {
		old.add(e)
	}
	for _, r := range old.runs {
		if live := l.run(r.ID); live != nil {
			live.Join(&r.Run)
			continue
		}
		r.Cut()
		l.runs = append(l.runs, r)
	}
	slices.SortStableFunc(l.runs, func(a, b *chainRun) int { return cmp.Compare(a.Began.UnixNano(), b.Began.UnixNano()) })
	l.runs = l.runs[max(len(l.runs)-maxChains, 0):]
	return old.runs
}

// here lists the runs of the conversation that is shown.
func (l *chainLog) here() []*chainRun {
	var out []*chainRun
	for _, r := range l.runs {
		if r.Thread == l.thread {
			out = append(out, r)
		}
	}
	return out
}

// current is the run that is shown: the chosen one, or the newest that was not
// started by another.
func (l *chainLog) current() (r *chainRun, at, of int) {
	runs := l.here()
	at = -1
	for i, x := range runs {
		root := !slices.ContainsFunc(runs, func(r *chainRun) bool { return r != x && r.ID == x.root() })
		if x.ID == l.chosen {
			return x, i, len(runs)
		}
		if root {
			at = i
		}
	}
	if at < 0 {
		return nil, 0, len(runs)
	}
	return runs[at], at, len(runs)
}

// turn chooses the run before or after the one that is shown. From the newest
// on, new ones are shown as they begin.
func (l *chainLog) turn(n int) {
	_, at, of := l.current()
	if of == 0 {
		return
	}
	at = max(min(at+n, of-1), 0)
	l.chosen, l.node, l.scrolled = l.here()[at].ID, "", 0
	if at == of-1 {
		l.chosen = ""
		if r, i, _ := l.current(); r != nil && i != at { // a run below another
			l.chosen = l.here()[at].ID
		}
	}
}

// focus is the node that is shown: the chosen one, or where the work is.
func (l *chainLog) focus(r *chainRun) string {
	if l.node != "" && slices.Contains(l.nodes, l.node) {
		return l.node
	}
	if n := len(r.Visits); n > 0 {
		return r.Visits[n-1].Node
	}
	if len(l.nodes) > 0 {
		return l.nodes[0]
	}
	return ""
}

// scroll implements [inspector].
func (l *chainLog) scroll(do action, rows int) {
	switch do {
	case actLeft, actRight:
		n := page(1)
		if do == actLeft {
			n = pages - 1
		}
		l.page, l.scrolled = (l.page+n)%pages, 0
	case actHalfDown:
		l.scrolled += max(rows, 1)
	case actHalfUp:
		l.scrolled = max(l.scrolled-max(rows, 1), 0)
	default:
		l.steer(do, rows, true, l.move)
	}
}

// move chooses another node.
func (l *chainLog) move(n int) {
	r, _, _ := l.current()
	if r == nil || len(l.nodes) == 0 {
		return
	}
	at := max(slices.Index(l.nodes, l.focus(r)), 0)
	l.node, l.scrolled = l.nodes[max(min(at+n, len(l.nodes)-1), 0)], 0
	if last := len(r.Visits) - 1; last >= 0 && r.Visits[last].Node == l.node {
		l.node = "" // where the work is: it is followed again
	}
}

// look chooses the first node whose name holds the words.
func (l *chainLog) look(words string) {
	for _, id := range l.nodes {
		if words != "" && holdsAll(strings.ToLower(id), strings.Fields(strings.ToLower(words))) {
			l.node, l.scrolled = id, 0
			return
		}
	}
}

func (l *chainLog) hints() [][2]string {
	return [][2]string{{"j k", "node"}, {"h l", "part"}, {"[ ]", "run"}, {"c", "cancel"}, {"f", "fork"}, {"y", "copy"}}
}

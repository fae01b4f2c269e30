package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"yaap/core/diagram"
	"yaap/core/runlog"
)

const maxChains = 20 // runs of chains that are shown

// chainLog shows the runs of chains of a conversation, the newest last.
type chainLog struct {
	idlePane
	browser
	set    *runlog.Set              // of the conversation
	graphs map[string]diagram.Graph // how chains are written, by their names
	chosen string                   // the run that is shown; empty: the newest
	node   string                   // the node that is chosen; empty: where the work is
	cancel string                   // the root run that c was pressed for once
	full   bool                     // nothing else is shown
	page   page
	nodes  []string // that can be chosen, as drawn last
	cache  struct {
		graph, detail paneCache
	}
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
	delete(ids, runlog.ChainStart)
	delete(ids, runlog.ChainEnd)
	return len(ids)
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
	written         int // nodes of the chain, as far as known
	look            int
	tenths          int64
	page            page
	ascii, selected bool
}

func newChainLog() chainLog {
	return chainLog{set: new(runlog.Set), graphs: map[string]diagram.Graph{}}
}

// graphOf is how the chain of a run is written.
func (l *chainLog) graphOf(r *runlog.Run) diagram.Graph {
	name, _ := r.Chain()
	return l.graphs[name]
}

// here lists the runs that are shown.
func (l *chainLog) here() []*runlog.Run {
	var out []*runlog.Run
	for _, r := range l.set.Runs() {
		if _, ok := r.Chain(); ok {
			out = append(out, r)
		}
	}
	return out[max(len(out)-maxChains, 0):]
}

// rootRun is the run that the user started.
func rootRun(r *runlog.Run) string {
	root, _, _ := strings.Cut(r.ID, "/")
	return root
}

// current is the run that is shown: the chosen one, or the newest that was not
// started by another.
func (l *chainLog) current() (r *runlog.Run, at, of int) {
	runs := l.here()
	at = -1
	for i, x := range runs {
		root := !slices.ContainsFunc(runs, func(r *runlog.Run) bool { return r != x && r.ID == rootRun(x) })
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
func (l *chainLog) focus(r *runlog.Run) string {
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

// key implements [pane].
func (l *chainLog) key(m *model, k press) (tea.Cmd, bool) {
	switch k.do {
	case actOlderRun, actNewerRun, actCancelRun, actForkRun:
		return m.actChain(k.do), true
	case actLeft, actRight:
		n := page(1)
		if k.do == actLeft {
			n = pages - 1
		}
		l.page, l.scrolled = (l.page+n)%pages, 0
	case actHalfDown:
		l.scrolled += max(k.page, 1)
	case actHalfUp:
		l.scrolled = max(l.scrolled-max(k.page, 1), 0)
	default:
		return nil, l.steer(k, true, l.move)
	}
	return nil, true
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
func (l *chainLog) look(_ *model, words string, _ bool) tea.Cmd {
	for _, id := range l.nodes {
		if words != "" && holdsAll(strings.ToLower(id), strings.Fields(strings.ToLower(words))) {
			l.node, l.scrolled = id, 0
			return nil
		}
	}
	return nil
}

func (l *chainLog) hints() [][2]string {
	return [][2]string{{"j k", "node"}, {"h l", "part"}, {"[ ]", "run"}, {"c", "cancel"}, {"f", "fork"}, {"y", "copy"}}
}

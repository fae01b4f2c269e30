package tui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"yaap/core"
	"yaap/core/diagram"
)

const (
	maxChains  = 20
	maxVisits  = 128      // of a run that are kept
	maxField   = 16 << 10 // bytes of an input, a thought, data or a message that are kept
	maxRunText = 1 << 20  // bytes of all texts of a run that are kept
	maxGraph   = 512      // nodes, and edges, of a chain that are drawn
)

// chainRun is one run of a chain, as its events tell it. All text in it is as
// it came.
type chainRun struct {
	id, thread, name string
	began, since     time.Time     // it was gone on with last
	spent            time.Duration // without the time in which it waited
	end              *core.RunEnd  // nil while it runs
	pause            *core.Pause   // what it asks
	graph            diagram.Graph
	visits           []*visit // attempts, in the order in which they began
	begun            int      // visits of nodes, those that are forgotten too
	endings          int
	starts           []core.EdgeTaken
	size             int // bytes of text in visits
	version          int // rises with every change
}

// root is the run that the user started.
func (r *chainRun) root() string {
	root, _, _ := strings.Cut(r.id, "/")
	return root
}

// visit is one attempt of one visit of a node.
type visit struct {
	core.NodeStart
	end   *core.NodeEnd // nil while it runs
	ended int           // how many attempts had ended then, this one too
	began time.Time
	edges []core.EdgeTaken // that were judged after it
}

// state is how far an attempt is.
func (v *visit) state() core.NodeState {
	if v.end == nil {
		return core.NodeRunning
	}
	return v.end.State
}

// waits reports whether a run ended because it waits for the user. One that was
// cut off tells why.
func waits(end core.RunEnd) bool {
	return end.Outcome == "interrupted" && (end.Status == core.StatusClarification || end.Code == "")
}

// state is how far a run is.
func (r *chainRun) state() core.NodeState {
	switch {
	case r.end == nil:
		return core.NodeRunning
	case waits(*r.end):
		return core.NodePaused
	case r.end.Outcome == "completed" && r.end.Status == core.StatusFailure:
		return core.NodeFailed
	case r.end.Outcome == "completed":
		return core.NodeCompleted
	case r.end.Outcome == "interrupted", r.end.Code == core.CodeCancelled, r.end.Code == core.CodeStopped:
		return core.NodeCancelled
	}
	return core.NodeFailed
}

// over reports whether nothing of the run is left to do.
func (r *chainRun) over() bool { return r.end != nil && !waits(*r.end) }

// last returns the newest attempt of a node, nil where there is none.
func (r *chainRun) last(node string) *visit {
	for _, v := range slices.Backward(r.visits) {
		if v.Node == node {
			return v
		}
	}
	return nil
}

// apply takes an event of the run itself.
func (r *chainRun) apply(e core.Event) {
	r.version++
	switch b := e.Body.(type) {
	case core.RunStart:
		r.end, r.pause, r.since = nil, nil, e.Time
		if r.began.IsZero() {
			r.began = e.Time
		}
	case core.NodeStart:
		b.Input = shorten(b.Input)
		r.enter(&visit{NodeStart: b, began: e.Time})
		r.hold(len(b.Input))
	case core.NodeEnd:
		b.Data, b.Thought, b.Message, b.Error = shorten(b.Data), shorten(b.Thought), shorten(b.Message), shorten(b.Error)
		i := r.find(b.Node, b.Visit, b.Attempt)
		if i < 0 { // it began before what is kept
			r.enter(&visit{NodeStart: core.NodeStart{Chain: b.Chain, Node: b.Node, Visit: b.Visit, Attempt: b.Attempt}, began: e.Time})
			i = len(r.visits) - 1
		}
		v := r.visits[i]
		if b.MS == 0 {
			b.MS = max(e.Time.Sub(v.began).Milliseconds(), 0)
		}
		r.endings++
		v.end, v.ended = &b, r.endings
		r.hold(len(b.Data) + len(b.Thought) + len(b.Message) + len(b.Error))
	case core.EdgeTaken:
		if v := r.last(b.From); v != nil {
			if len(v.edges) < maxVisits {
				v.edges = append(v.edges, b)
			}
		} else if len(r.starts) < maxVisits {
			r.starts = append(r.starts, b)
		}
	case core.ChainPaused:
		r.pause = &b.Pause
	case core.RunEnd:
		r.end = &b
		r.spent += time.Duration(b.MS) * time.Millisecond
	default:
		r.version--
	}
}

func (r *chainRun) find(node string, n, attempt int) int {
	return slices.IndexFunc(r.visits, func(v *visit) bool { return v.Node == node && v.Visit == n && v.Attempt == attempt })
}

// enter adds an attempt, or begins one anew that is there already.
func (r *chainRun) enter(v *visit) {
	if i := r.find(v.Node, v.Visit, v.Attempt); i >= 0 {
		r.visits[i] = v
		return
	}
	if last := r.last(v.Node); last == nil || last.Visit < v.Visit {
		r.begun++
	}
	r.visits = append(r.visits, v)
	if over := len(r.visits) - maxVisits; over > 0 {
		for _, old := range r.visits[:over] {
			r.size -= old.strip()
		}
		r.visits = slices.Delete(r.visits, 0, over)
	}
}

// hold notes that a visit holds so much more text. The oldest lose theirs when
// it is too much.
func (r *chainRun) hold(n int) {
	r.size += n
	for i := 0; r.size > maxRunText && i < len(r.visits)-1; i++ {
		r.size -= r.visits[i].strip()
	}
}

// strip forgets the texts of an attempt and returns how much that was.
func (v *visit) strip() int {
	n := len(v.Input)
	v.Input = nil
	if e := v.end; e != nil {
		n += len(e.Data) + len(e.Thought) + len(e.Message) + len(e.Error)
		e.Data, e.Thought, e.Message, e.Error = nil, "", "", ""
	}
	return n
}

// shorten bounds what is kept of a text.
func shorten[T ~string | ~[]byte](s T) T {
	if len(s) <= maxField {
		return s
	}
	return T(strings.ToValidUTF8(string(s[:maxField]), "") + "…")
}

// adopt takes what stored events tell of the same run, which began before
// those that arrived here.
func (r *chainRun) adopt(stored *chainRun) {
	live := r.visits
	r.visits, r.starts, r.begun, r.began = stored.visits, stored.starts, stored.begun, stored.began
	r.endings += stored.endings
	r.size += stored.size
	r.spent += stored.spent
	for _, v := range live {
		if i := r.find(v.Node, v.Visit, v.Attempt); i >= 0 && r.visits[i].end != nil && v.end == nil {
			continue // the store is ahead
		}
		r.enter(v)
	}
	if r.end == nil && len(live) == 0 {
		r.end, r.pause = stored.end, stored.pause
	}
	r.version++
}

// drawn is the graph of the run: every node with how far it is.
func (r *chainRun) drawn(now int64) diagram.Graph {
	g := diagram.Graph{Name: r.graph.Name, Nodes: slices.Clone(r.graph.Nodes), Edges: slices.Clone(r.graph.Edges)}
	at := map[string]int{}
	for i, n := range g.Nodes {
		at[n.ID] = i
	}
	node := func(id string) *diagram.Node {
		i, ok := at[id]
		if !ok {
			i = len(g.Nodes)
			at[id] = i
			g.Nodes = append(g.Nodes, diagram.Node{ID: id})
		}
		return &g.Nodes[i]
	}
	for _, e := range r.starts {
		node(e.From).State = core.NodeCompleted
		g.Edges = follow(g.Edges, e)
	}
	for _, v := range r.visits {
		v.mark(node(v.Node), now)
		for _, e := range v.edges {
			g.Edges = follow(g.Edges, e)
		}
	}
	r.ends(&g, node)
	return g
}

// mark notes on a node of a drawing how an attempt went.
func (v *visit) mark(n *diagram.Node, now int64) {
	n.State, n.Visits, n.Note, n.MS = v.state(), max(n.Visits, v.Visit), "", 0
	switch {
	case v.end == nil:
		n.MS = max((now-v.began.UnixNano())/int64(tickEvery), 1) * tickEvery.Milliseconds()
	case v.end.State == core.NodePaused:
		n.Note = "waits for you"
	default:
		n.MS = v.end.MS
		if v.end.Error != "" {
			n.Note = v.end.Error
		}
	}
}

// ends gives a state to where the work begins and ends, and to what was never
// come to.
func (r *chainRun) ends(g *diagram.Graph, node func(string) *diagram.Node) {
	for _, e := range g.Edges { // what only an edge names is a node too
		node(e.From)
		if to := node(e.To); e.Taken && to.ID == chainEnd {
			to.State = core.NodeCompleted
		}
		if e.From == chainStart {
			node(e.From).State = core.NodeCompleted
		}
	}
	skipped := r.skipped(*g)
	for i := range g.Nodes {
		if n := &g.Nodes[i]; skipped[n.ID] {
			n.State = core.NodeSkipped
		}
	}
}

// What a chain begins and ends with; there is nothing to tell of them.
const (
	chainStart = "start"
	chainEnd   = "end"
)

// follow marks the edge that was taken. One that is not in the chain's file,
// back for another try or to who takes care of errors, is added.
func follow(edges []diagram.Edge, e core.EdgeTaken) []diagram.Edge {
	if !e.Taken {
		return edges
	}
	found := -1
	for i, d := range edges {
		if d.From != e.From || d.To != e.To {
			continue
		}
		if d.Label == e.Condition {
			found = i
			break
		}
		if found < 0 {
			found = i
		}
	}
	if found >= 0 {
		edges[found].Taken = true
		return edges
	}
	if len(edges) >= maxGraph {
		return edges
	}
	return append(edges, diagram.Edge{From: e.From, To: e.To, Label: e.Condition, Taken: true})
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
	delete(ids, chainStart)
	delete(ids, chainEnd)
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

// add takes an event. It returns the run that began with it.
func (l *chainLog) add(e core.Event) *chainRun {
	r := l.run(e.Run)
	start, ok := e.Body.(core.RunStart)
	if !ok {
		if r != nil {
			r.apply(e)
		}
		return nil
	}
	name, chain := chainName(start.Runner)
	if !chain {
		return nil
	}
	if r == nil {
		r = &chainRun{id: e.Run, thread: e.Thread, name: name}
		l.runs = append(l.runs, r)
		l.runs = l.runs[max(len(l.runs)-maxChains, 0):]
	}
	r.apply(e)
	return r
}

// chainName is the chain that a runner is.
func chainName(runner string) (string, bool) { return strings.CutPrefix(runner, "chain/") }

func (l *chainLog) run(id string) *chainRun {
	for _, r := range slices.Backward(l.runs) {
		if r.id == id {
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
		if live := l.run(r.id); live != nil {
			live.adopt(r)
			continue
		}
		if r.end == nil { // it was cut off: nobody works on it
			r.end = &core.RunEnd{Outcome: "interrupted", Code: core.CodeStopped}
		}
		l.runs = append(l.runs, r)
	}
	slices.SortStableFunc(l.runs, func(a, b *chainRun) int { return cmp.Compare(a.began.UnixNano(), b.began.UnixNano()) })
	l.runs = l.runs[max(len(l.runs)-maxChains, 0):]
	return old.runs
}

// here lists the runs of the conversation that is shown.
func (l *chainLog) here() []*chainRun {
	var out []*chainRun
	for _, r := range l.runs {
		if r.thread == l.thread {
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
		root := !slices.ContainsFunc(runs, func(r *chainRun) bool { return r != x && r.id == x.root() })
		if x.id == l.chosen {
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
	l.chosen, l.node, l.scrolled = l.here()[at].id, "", 0
	if at == of-1 {
		l.chosen = ""
		if r, i, _ := l.current(); r != nil && i != at { // a run below another
			l.chosen = l.here()[at].id
		}
	}
}

// focus is the node that is shown: the chosen one, or where the work is.
func (l *chainLog) focus(r *chainRun) string {
	if l.node != "" && slices.Contains(l.nodes, l.node) {
		return l.node
	}
	if n := len(r.visits); n > 0 {
		return r.visits[n-1].Node
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
	if last := len(r.visits) - 1; last >= 0 && r.visits[last].Node == l.node {
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

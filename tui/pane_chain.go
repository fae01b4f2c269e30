package tui

import (
	"encoding/json"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
)

const maxChains = 20 // runs of chains that are shown

// chainPane shows the runs of chains of a conversation, the newest last.
type chainPane struct {
	host
	browser
	chosen string // the run that is shown; empty: the newest
	node   string // the node that is chosen; empty: where the work is
	page   page
	pick   int      // the option that enter takes, from 1; 0: nodes are chosen
	nodes  []string // that can be chosen, as drawn last
	cache  struct {
		graph, detail paneCache
	}
	at map[string]int // the row of a node of the graph
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

func newChainPane(h host) pane { return &chainPane{host: h} }

// graphOf is how the chain of a run is written.
func (l *chainPane) graphOf(r *runlog.Run) diagram.Graph {
	name, _ := r.Chain()
	return l.m.chat.canvas.graphs[name]
}

// chainRuns lists the newest runs of chains.
func chainRuns(of *runlog.Set) []*runlog.Run {
	var out []*runlog.Run
	for _, r := range of.Runs() {
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
func (l *chainPane) current() (r *runlog.Run, at, of int) {
	runs := chainRuns(&l.m.chat.log)
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
func (l *chainPane) turn(n int) {
	_, at, of := l.current()
	if of == 0 {
		return
	}
	at = max(min(at+n, of-1), 0)
	l.chosen, l.node, l.scrolled = chainRuns(&l.m.chat.log)[at].ID, "", 0
	if at == of-1 {
		l.chosen = ""
		if r, i, _ := l.current(); r != nil && i != at { // a run below another
			l.chosen = chainRuns(&l.m.chat.log)[at].ID
		}
	}
}

// focus is the node that is shown: the chosen one, or where the work is.
func (l *chainPane) focus(r *runlog.Run) string {
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

func (l *chainPane) Key(k press) (tea.Cmd, bool) {
	if cmd, done := l.answer(k); done {
		return cmd, true
	}
	switch k.do {
	case actFilter:
		l.find(k.text)
	case actOlderRun:
		l.turn(-1)
	case actNewerRun:
		l.turn(1)
	case actCancelRun:
		return l.cancel(), true
	case actForkRun:
		l.fork()
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

// answer takes a key that is about what the run asks, and reports whether it is: enter
// begins to choose, arrows go on, enter or a number takes.
func (l *chainPane) answer(k press) (tea.Cmd, bool) {
	options := 0
	if r, _, _ := l.current(); r != nil {
		options = len(l.Options(rootRun(r)))
	}
	l.pick = min(l.pick, options)
	n := l.pick
	switch {
	case options == 0:
		return nil, false
	case k.do == actNone && len(k.text) == 1 && k.text >= "1" && k.text <= "9":
		if n = int(k.text[0] - '0'); n > options {
			return nil, true
		}
	case k.do == actOpen && n == 0:
		l.pick = 1
		return nil, true
	case (k.do == actDown || k.do == actRight) && n > 0:
		l.pick = min(n+1, options)
		return nil, true
	case (k.do == actUp || k.do == actLeft) && n > 0:
		l.pick = max(n-1, 1)
		return nil, true
	case k.do != actOpen:
		return nil, false
	}
	l.pick = 0
	text := l.m.chosen(n)
	if text == "" {
		return l.m.say(toneAsk, "what stands in the input, or runs, goes first"), true
	}
	return l.m.take(text), true
}

// move chooses another node.
func (l *chainPane) move(n int) {
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

// find chooses the first node whose name holds the words.
func (l *chainPane) find(text string) {
	words := strings.Fields(strings.ToLower(text))
	i := slices.IndexFunc(l.nodes, func(id string) bool { return holdsAll(strings.ToLower(id), words) })
	if i >= 0 && len(words) > 0 {
		l.node, l.scrolled = l.nodes[i], 0
	}
}

func (l *chainPane) Hints() hints {
	if l.pick > 0 {
		return hints{keys: [][2]string{{"arrows", "option"}, {"enter", "take it"}}}
	}
	r, _, of := l.current()
	if r == nil {
		return hints{}
	}
	keys := [][2]string{{"j k", "node"}, {"h l", "part"}}
	if of > 1 {
		keys = append(keys, [2]string{"[ ]", "run"})
	}
	if !l.Alone() && !r.Over() {
		keys = append(keys, [2]string{"c", "cancel"})
	}
	if !l.Alone() {
		keys = append(keys, [2]string{"f", "fork"})
	}
	return hints{keys: append(keys, [2]string{"y", "copy"})}
}

// fork has the user say how the run that is shown is resumed from the chosen
// node.
func (l *chainPane) fork() {
	r, _, _ := l.current()
	if r == nil {
		return
	}
	at := ""
	if n, ok := stepOf(r, l.graphOf(r), l.focus(r)); ok {
		at = itoa(n)
	}
	l.Type("/chain fork " + safe.Line(r.ID) + " --at " + at)
}

// cancel stops the run that is shown, or gives it up where it waits. It has to be
// asked for twice.
func (l *chainPane) cancel() tea.Cmd {
	r, _, _ := l.current()
	switch {
	case r == nil:
		return nil
	case r.Over():
		return l.m.say(toneAsk, "this run is over")
	}
	root := rootRun(r)
	if a := l.m.chat.active(); l.m.run.cancel != nil && a != nil && a.run.ID == root && r.End == nil {
		return l.Confirm("cancel "+root, "c again stops this run; /continue goes on with it", l.m.cutRun)
	}
	return l.Confirm("cancel "+root, "c again gives this run up; it asks nothing any more then", func() tea.Cmd {
		return l.m.command("/chain cancel " + safe.Line(root))
	})
}

// stepOf is the number of the step that the newest attempt of a node was. It
// reports false where events do not tell: what needed nobody was no step, and
// a list was one for each of its items.
func stepOf(r *runlog.Run, g diagram.Graph, node string) (int, bool) {
	plain := map[string]bool{}
	for _, n := range g.Nodes {
		switch n.Kind {
		case "agent", "expert", "function", "chain":
			plain[n.ID] = true
		}
	}
	target := r.Newest(node)
	if target == nil || target.End == nil || r.Truncated() {
		return 0, false
	}
	n := 1 // the first step is the beginning
	for _, v := range r.Visits {
		switch {
		case v.End == nil || v.Ended > target.Ended || v.End.State == core.NodeCancelled:
			continue
		case v.End.State != core.NodeCompleted || isList(v.End.Data):
			return 0, false
		case plain[v.Node]:
			n++
		}
	}
	return n, true
}

// isList reports whether data is what a node that works through a list answers.
func isList(data json.RawMessage) bool {
	var keys struct{ Items, Messages, Failed []json.RawMessage }
	return json.Unmarshal(data, &keys) == nil && keys.Items != nil && keys.Messages != nil && keys.Failed != nil
}

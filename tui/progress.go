package tui

import (
	"cmp"
	"slices"
	"time"

	"yaap/core"
	"yaap/core/runlog"
	"yaap/core/safe"
)

const (
	maxChoices = 9   // options that are sent by a key
	maxChoice  = 200 // cells of one
)

// progress is how far a chain is, for the one line that its answer has for it.
type progress struct {
	name  string
	full  string // as it came
	total int    // nodes of the chain; 0: unknown
	run   runlog.Run
	calls map[string]*call // of the visits that are kept, by node and number
}

// node is one visit of a node.
type node struct {
	id     string // as it came
	beside bool   // it began while the one before still ran
	*call
}

// of is the progress of a chain that begins, or goes on.
func (g *progress) of(name string) *progress {
	if g != nil {
		g.run.End = nil
		return g
	}
	return &progress{name: safe.Cut(name, 40), full: name}
}

// clone is the progress of the same run in another answer.
func (g *progress) clone() *progress {
	if g == nil {
		return nil
	}
	out := *g
	out.run.Visits, out.calls = slices.Clone(g.run.Visits), map[string]*call{}
	for key, c := range g.calls {
		c := *c
		c.calls = slices.Clone(c.calls)
		out.calls[key] = &c
	}
	return &out
}

// nodes are the visits of nodes, as calls that those of the runs below them
// stand under.
func (g *progress) nodes() (nodes []node) {
	known := g.calls
	g.calls = map[string]*call{}
	for i := range g.run.Visits {
		v := &g.run.Visits[i]
		key := v.Node + "#" + itoa(v.Visit)
		c := g.calls[key]
		if c == nil { // it is no other attempt
			if c = known[key]; c == nil {
				c = &call{name: safe.Cut(v.Node, 40), ask: ask(v.Input), took: -1, fraction: -1}
			}
			g.calls[key] = c
			nodes = append(nodes, node{v.Node, v.Beside, c})
		}
		c.started, c.state, c.over, c.ok = v.Began, v.End.State, v.End.State != core.NodeRunning, v.End.State != core.NodeFailed
		c.text = v.End.Message
		if !c.ok {
			c.text = cmp.Or(v.End.Error, c.text)
		}
		c.text = safe.Text(safe.Cut(c.text, 2*maxAsk))
		if c.over { // until then the run below it tells what it thinks
			c.took, c.said = time.Duration(v.End.MS)*time.Millisecond, safe.Cut(v.End.Thought, maxAsk)
		}
	}
	return nodes
}

// applyNode takes what a chain says of its nodes, and what anybody asks.
func (a *answer) applyNode(e core.Event) {
	switch b := e.Body.(type) {
	case core.ClarificationRequested:
		a.offer(b.Options)
	case core.ChainPaused:
		if b.Pause.Kind != core.PauseApproval {
			a.offer(b.Pause.Options)
		}
	case core.NodeStart:
		a.busy = safe.Cut(b.Node, 40)
	default:
	}
	if a.chain != nil {
		a.chain.run.Apply(e)
	}
}

// startBelow shows the calls of a run that a node started below the node.
func (a *answer) startBelow(e core.Event) {
	if a.chain == nil || e.Node == "" || e.Parent != a.run || len(a.calls) >= maxCalls {
		return
	}
	for _, n := range a.chain.nodes() {
		if n.id == e.Node {
			a.calls[e.Run] = n.call
		}
	}
}

// asks reports whether the run waits for what the user types. One that is over
// may have asked, too: what is typed next is then another prompt. What has to be
// allowed is asked in a dialog.
func (a *answer) asks() bool {
	if a.end == nil || a.reply == nil || a.reply.Status != core.StatusClarification {
		return false
	}
	id, stored := a.reply.Data["pause"].(string)
	return !a.held() && a.allow[id] == nil && (stored || a.end.Outcome == "interrupted")
}

// offer takes what the user may choose from.
func (a *answer) offer(options []core.Option) {
	if len(options) == 0 {
		return
	}
	a.options = options[:min(len(options), 20)]
	a.view.whole = drawn{}
}

// offered reads the options of a reply: texts, or objects with a label.
func offered(data map[string]any) []core.Option {
	var out []core.Option
	if list, ok := data["options"].([]string); ok { // it never was JSON
		for _, label := range list {
			out = append(out, core.Option{Label: label})
		}
	}
	list, _ := data["options"].([]any)
	for _, v := range list {
		switch v := v.(type) {
		case string:
			out = append(out, core.Option{Label: v})
		case map[string]any:
			label, ok := v["label"].(string)
			if !ok {
				label, _ = v["value"].(string)
			}
			out = append(out, core.Option{Label: label})
		}
	}
	return out
}

// Choices are the lines that a reply that asks back offers the user to send.
func Choices(r core.Reply) []string {
	if r.Status != core.StatusClarification {
		return nil
	}
	return sendable(offered(r.Data))
}

// sendable are the first options that can be shown and sent whole, made safe.
// Whoever offers one speaks for the user: none is a command.
func sendable(options []core.Option) (lines []string) {
	for _, o := range options {
		line := safe.Line(o.Label[:min(len(o.Label), 16*maxChoice)])
		if line != "" && line[0] != '/' && width(line) <= maxChoice && !slices.Contains(lines, line) && len(lines) < maxChoices {
			lines = append(lines, line)
		}
	}
	return lines
}

// labels are what the user may choose from now: the options of a question that
// waits, or prompts.
func (a *answer) labels() (labels []string) {
	switch {
	case a.running() || a.reply == nil || a.reply.Status != core.StatusClarification || a.held():
	case a.asks():
		for _, o := range a.options {
			labels = append(labels, safe.Cut(o.Label, 300))
		}
	default:
		return sendable(a.options)
	}
	return labels
}

// choices are the numbered options of a question.
func (a *answer) choices(c *canvas, w int) []string {
	var rows []string
	labels := a.labels()
	for i, label := range labels {
		if i == 0 {
			rows = append(rows, "")
		}
		number := pad(itoa(i+1), len(itoa(len(labels))))
		lead := c.accent.on(number) + "  "
		for _, line := range wrap(label, max(w-len(number)-2, 8)) {
			rows = append(rows, lead+c.text.on(line))
			lead = pad("", len(number)+2)
		}
	}
	return rows
}

// chainRows draws how far a chain is: one line, and below it every node with
// its calls when the answer is opened.
func (a *answer) chainRows(c *canvas) {
	if a.end != nil && a.chain.run.End == nil {
		a.chain.run.Apply(core.Event{Body: *a.end})
	}
	v := &a.view
	v.head = append(v.head, a.chain.line(c, c.body()))
	if !a.opened(c) {
		a.notesOf(c)
		return
	}
	var calls []*call
	for _, n := range a.chain.nodes() {
		calls = append(calls, n.call)
	}
	a.callRows(c, calls, "")
	for i, s := range a.steps {
		a.stepRows(c, s, i == len(a.steps)-1)
	}
}

// line is the chain's name, the nodes that it came by, the newest in any case,
// and how many of them there are.
func (g *progress) line(c *canvas, w int) string {
	left := c.accent.on(c.chain) + " " + c.strong.on(g.name)
	nodes, seen := g.nodes(), map[string]bool{}
	for _, n := range nodes {
		seen[n.id] = true
	}
	right := ""
	if g.total > 0 {
		right = itoa(min(len(seen), g.total)) + " of " + itoa(g.total)
	}
	room := w - width(left) - 2 - width(right) - 2
	path := ""
	for i, n := range slices.Backward(nodes) {
		sign, _, tone := c.node(n.state)
		part, between := c.text.on(n.name)+" "+tone.on(sign), ""
		if i < len(nodes)-1 {
			between = " " + c.dim.on(c.into) + " "
			if nodes[i+1].beside {
				between = c.dim.on(" + ")
			}
		}
		spare := 0
		if i > 0 {
			spare = width(c.ellipsis) + 3
		}
		if path != "" && width(part)+width(between)+width(path)+spare > room {
			path = c.dim.on(c.ellipsis) + between + path
			break
		}
		path = part + between + path
	}
	if path != "" {
		left += "  " + path
	}
	if right != "" && width(left)+2+width(right) <= w {
		left += "  " + c.dim.on(right)
	}
	return cut(left, w, c.ellipsis)
}

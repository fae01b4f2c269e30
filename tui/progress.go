package tui

import (
	"slices"
	"time"

	"yaap/core"
	"yaap/core/safe"
)

const (
	maxSteps   = 100 // visits of nodes that an answer tells of
	maxChoices = 9   // options that are sent by a key
	maxChoice  = 200 // cells of one
)

// progress is how far a chain is, for the one line that its answer has for it.
type progress struct {
	name  string
	full  string // as it came
	total int    // nodes of the chain; 0: unknown
	seen  map[string]bool
	steps []nodeStep
}

// nodeStep is one visit of a node.
type nodeStep struct {
	node   string // as it came
	visit  int
	beside bool // it began while the one before still ran
	call   *call
}

// of is the progress of a chain that begins, or goes on.
func (g *progress) of(name string) *progress {
	if g != nil {
		return g
	}
	return &progress{name: safe.Cut(name, 40), full: name, seen: map[string]bool{}}
}

// clone is the progress of the same run in another answer.
func (g *progress) clone() *progress {
	if g == nil {
		return nil
	}
	out := &progress{name: g.name, full: g.full, total: g.total, seen: map[string]bool{}, steps: slices.Clone(g.steps)}
	for i, s := range out.steps {
		c := *s.call
		c.calls = slices.Clone(c.calls)
		out.steps[i].call, out.seen[s.node] = &c, true
	}
	return out
}

// last returns the newest visit of a node.
func (g *progress) last(node string) *nodeStep {
	for i := len(g.steps) - 1; i >= 0; i-- {
		if g.steps[i].node == node {
			return &g.steps[i]
		}
	}
	return nil
}

func (g *progress) start(e core.Event, b core.NodeStart) *call {
	if s := g.last(b.Node); s != nil && s.visit == b.Visit { // another attempt
		s.call.over, s.call.state, s.call.started, s.call.text = false, core.NodeRunning, e.Time, ""
		return s.call
	}
	c := &call{name: safe.Cut(b.Node, 40), ask: ask(b.Input), started: e.Time, took: -1, fraction: -1, state: core.NodeRunning}
	beside := len(g.steps) > 0 && !g.steps[len(g.steps)-1].call.over
	g.steps = append(g.steps, nodeStep{node: b.Node, visit: b.Visit, beside: beside, call: c})
	if len(g.seen) < maxCalls {
		g.seen[b.Node] = true
	}
	if over := len(g.steps) - maxSteps; over > 0 {
		g.steps = slices.Delete(g.steps, 0, over)
	}
	return c
}

func (g *progress) end(e core.Event, b core.NodeEnd) {
	s := g.last(b.Node)
	if s == nil || s.visit != b.Visit {
		return
	}
	c := s.call
	c.over, c.state, c.ok = true, b.State, b.State != core.NodeFailed
	c.took = time.Duration(b.MS) * time.Millisecond
	if b.MS == 0 {
		c.took = max(e.Time.Sub(c.started), 0)
	}
	c.text = safe.Text(safe.Cut(b.Message, 2*maxAsk))
	if b.State == core.NodeFailed && b.Error != "" {
		c.text = safe.Text(safe.Cut(b.Error, 2*maxAsk))
	}
	c.said = safe.Cut(b.Thought, maxAsk)
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
		if a.chain != nil {
			a.busy = a.chain.start(e, b).name
		}
	case core.NodeEnd:
		if a.chain != nil {
			a.chain.end(e, b)
		}
	default:
	}
}

// startBelow shows the calls of a run that a node started below the node.
func (a *answer) startBelow(e core.Event) {
	if a.chain == nil || e.Node == "" || e.Parent != a.run || len(a.calls) >= maxCalls {
		return
	}
	if s := a.chain.last(e.Node); s != nil {
		a.calls[e.Run] = s.call
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
	v := &a.view
	v.head = append(v.head, a.chain.line(c, c.body()))
	if !a.opened(c) {
		a.notesOf(c)
		return
	}
	calls := make([]*call, len(a.chain.steps))
	for i, s := range a.chain.steps {
		calls[i] = s.call
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
	right := ""
	if g.total > 0 {
		right = itoa(min(len(g.seen), g.total)) + " of " + itoa(g.total)
	}
	room := w - width(left) - 2 - width(right) - 2
	path := ""
	for i := len(g.steps) - 1; i >= 0; i-- {
		s := g.steps[i]
		sign, _, tone := c.node(s.call.state)
		part, between := c.text.on(s.call.name)+" "+tone.on(sign), ""
		if i < len(g.steps)-1 {
			between = " " + c.dim.on(c.into) + " "
			if g.steps[i+1].beside {
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

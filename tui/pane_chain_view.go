package tui

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	besideFrom = 130 // cells from which on a node is shown beside the graph
	airy       = 28  // rows from which on there are blank ones
)

// node is the state of a node, or of a run, as sign, word and colour.
func (p *pen) node(s core.NodeState) (sign, word string, tone style) {
	switch s {
	case core.NodeRunning:
		return p.works, "running", p.accent
	case core.NodeCompleted:
		return p.done, "completed", p.ok
	case core.NodeFailed:
		return p.failed, "failed", p.bad
	case core.NodePaused:
		return p.ask, "waits for you", p.warn
	case core.NodeSkipped:
		return p.dash, "skipped", p.dim
	case core.NodeCancelled:
		return p.dash, "cancelled", p.dim
	}
	return p.dot, "pending", p.dim
}

// View implements [pane]: a line about the run that is shown, its graph, and the
// chosen node below or beside it.
func (l *chainPane) View(f field) []string {
	p, w, h := f.pen, f.w, f.h
	r, at, of := l.current()
	switch {
	case r == nil && l.Alone():
		return p.nothing(l.Nothing(""), w)
	case r == nil:
		return p.nothing("No chain has run in this conversation.\n/chain run NAME runs one, /chain list lists them.", w)
	}
	rows := []string{runHead(p, r, at, of, w)}
	if f.list {
		return append(append(rows, ""), indent(l.graph(p, r, w-2, h, false), w)...)
	}
	if h >= airy {
		rows = append(rows, fit("", w))
	}
	var asks []string
	if f.full || l.pick > 0 { // else the chat beside it asks
		asks = l.asks(p, r, w, max(h/4, min(3, h/2)))
	}
	h -= len(asks)
	if w >= besideFrom {
		rows = append(rows, l.beside(p, r, w, h-len(rows), f.focused)...)
	} else {
		rows = append(rows, l.below(p, r, w, h-len(rows), f.focused)...)
	}
	return append(exactly(rows, w, h), asks...)
}

// runHead is one line about a run.
func runHead(p *pen, r *runlog.Run, at, of, w int) string {
	sign, word, tone := p.node(r.State())
	if r.End != nil && r.End.Outcome == "interrupted" && !runlog.Waits(*r.End) {
		word = "stopped"
	}
	when := diagram.FormatDuration(r.Spent)
	if r.End == nil {
		when = elapsed(p.since(r.Since) + r.Spent)
	}
	name, _ := r.Chain()
	dot := p.dim.on("  " + p.dot + "  ")
	left := " " + p.title.on(chainName(name)) + dot + tone.on(sign+" "+word)
	id := []rune(safe.Line(r.ID))
	left += dot + p.dim.on("run "+p.ellipsis+string(id[max(len(id)-8, 0):]))
	left += dot + p.dim.on(count(r.Steps(), "step")) + dot + p.dim.on(when)
	right := ""
	if of > 1 {
		right = p.dim.on("run "+itoa(at+1)+" of "+itoa(of)) + " "
	}
	return ends(left, right, w, p.ellipsis)
}

func tookMS(ms int64) string { return diagram.FormatDuration(time.Duration(ms) * time.Millisecond) }

// asks is the question that a run waits with, and how it is answered, in at most h
// rows.
func (l *chainPane) asks(p *pen, r *runlog.Run, w, h int) []string {
	if r.Pause == nil || r.Pause.Kind == core.PauseApproval || r.End == nil || !runlog.Waits(*r.End) || h < 2 {
		return nil
	}
	how := "tab goes to the input"
	switch {
	case l.Alone():
		how = "yaap chain answer answers it"
	case l.pick > 0:
		how = "enter takes it"
	case len(l.Options(rootRun(r))) > 0:
		how = "enter chooses, tab goes to the input"
	}
	if w < 60 {
		how = ""
	}
	options := make([]string, len(r.Pause.Options))
	for i, o := range r.Pause.Options {
		options[i] = "  " + p.accent.on(itoa(i+1)) + "  " + p.text.on(cut(safe.Line(o.Label), w-10, p.ellipsis))
		if i+1 == l.pick {
			options[i] = p.selected.under(p.accent.on(p.prompt) + options[i][1:])
		}
	}
	if line := strings.Join(options, "   "); width(line) <= w-3 {
		options = []string{line}
	}
	rows := []string{rule(p, "THE CHAIN ASKS", how, w)}
	rows = append(rows, hung(" "+p.warn.on(p.ask)+" ", p.strong.each(firstLines(safe.Line(r.Pause.Question), w-4, 2, p.ellipsis)))...)
	for i, o := range options {
		if len(rows) > h && i < len(options)-1 {
			return append(rows, fit("   "+p.dim.on(p.ellipsis+" "+itoa(len(options)-i)+" more"), w))
		}
		if o != "" {
			rows = append(rows, fit(" "+o, w))
		}
	}
	return rows
}

// below draws the graph over the node.
func (l *chainPane) below(p *pen, r *runlog.Run, w, h int, focused bool) []string {
	graph := l.graph(p, r, w-2, h, focused)
	detail := l.detail(p, r, w)
	room := min(len(graph), max(h-14, h/2, h-len(detail)-2)) // what the node leaves free is the graph's
	rows := indent(l.around(graph, room, r), w)
	if h >= airy && h-room > 14 {
		rows = append(rows, fit("", w))
	}
	title := "NODE " + safe.Line(l.focus(r))
	rows = append(rows, rule(p, title, l.parts(p), w))
	return append(rows, l.part(detail, h-len(rows))...)
}

// beside draws the graph at the left of the node.
func (l *chainPane) beside(p *pen, r *runlog.Run, w, h int, focused bool) []string {
	left := w * 9 / 20
	graph := indent(l.around(l.graph(p, r, left-2, h, focused), h, r), left)
	right := w - left - 1
	title := "NODE " + safe.Line(l.focus(r))
	detail := append([]string{rule(p, title, l.parts(p), right)}, l.part(l.detail(p, r, right), h-1)...)
	return besideEach(p, graph, left, detail, right, h)
}

func indent(rows []string, w int) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = fit(" "+row, w)
	}
	return out
}

// around returns the h rows of a graph around the chosen node.
func (l *chainPane) around(rows []string, h int, r *runlog.Run) []string {
	at := l.at[l.focus(r)] + 1 // the middle of a box
	l.top = max(min(at-h/2, len(rows)-h), 0)
	return rows[l.top:min(len(rows), l.top+max(h, 0))]
}

// graph returns the rows of the graph of a run.
// It is of boxes where h rows show enough of them.
func (l *chainPane) graph(p *pen, r *runlog.Run, w, h int, focused bool) []string {
	c, written := &l.cache.graph, l.graphOf(r)
	tenths := int64(0)
	if r.End == nil {
		tenths = p.now / int64(tickEvery)
	}
	return c.draw([9]any{r.ID, len(written.Nodes), l.focus(r), r.Version, w, p.look, focused, h >= airy, tenths}, func() []string {
		c.rows, l.at, l.nodes = []string{}, map[string]int{}, l.nodes[:0]
		drawing := r.Graph(written, p.at())
		var rows []diagram.Row
		if h >= airy {
			rows = diagram.Boxes(drawing, w, p.ascii())
		}
		boxed := rows != nil
		if !boxed {
			rows = diagram.Rows(drawing, w, p.ascii())
		}
		for i, row := range rows {
			for _, s := range row.Spans {
				if _, ok := l.at[s.Node]; !ok && s.Node != "" && !s.Edge {
					l.at[s.Node] = i
					if s.Node != runlog.ChainStart && s.Node != runlog.ChainEnd {
						l.nodes = append(l.nodes, s.Node)
					}
				}
			}
			if !boxed {
				c.rows = append(c.rows, p.graphRow(row))
			}
		}
		node := l.focus(r)
		if boxed {
			if !focused {
				node = ""
			}
			for _, row := range rows {
				c.rows = append(c.rows, p.boxRow(row, node))
			}
		} else if at, ok := l.at[node]; ok && focused {
			c.rows[at] = p.selected.under(fit(c.rows[at], w))
		}
		return c.rows
	})
}

func (p *pen) ascii() bool { return p.full == "#" }

// graphRow colours a row of a drawing.
func (p *pen) graphRow(row diagram.Row) string {
	var b strings.Builder
	named := false
	for _, s := range row.Spans {
		style := p.span(s)
		if text := s.Node != "" && !s.Edge && !s.Dim && worded(s.Text); text {
			if named { // what else there is to say
				_, _, style = p.node(core.NodeState(s.State))
			}
			named = true
		}
		b.WriteString(style.on(s.Text))
	}
	return b.String()
}

// boxRow colours a row of boxes, with the chosen one marked.
func (p *pen) boxRow(row diagram.Row, chosen string) string {
	var b strings.Builder
	of := func(i int) bool { // the chosen box
		return i >= 0 && i < len(row.Spans) && row.Spans[i].Node != "" && row.Spans[i].Node == chosen && !row.Spans[i].Edge
	}
	for i, s := range row.Spans {
		text := p.span(s).on(s.Text)
		if of(i) || s.Node == "" && !s.Edge && of(i-1) && of(i+1) { // what is blank in it, too
			text = p.selected.under(text)
		}
		b.WriteString(text)
	}
	return b.String()
}

func worded(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

func (p *pen) span(s diagram.Span) style {
	words := worded(s.Text)
	_, _, tone := p.node(core.NodeState(s.State))
	switch {
	case s.Edge && s.Taken:
		return p.ok
	case s.Edge && words, s.Dim:
		return p.dim
	case s.Edge:
		return p.border
	case s.Node == runlog.ChainStart, s.Node == runlog.ChainEnd, !words:
		return tone
	case s.State == "", s.State == string(core.NodePending), s.State == string(core.NodeSkipped), s.State == string(core.NodeCancelled):
		return p.dim
	}
	return p.strong
}

// page is the part of a node that is shown.
type page int

const (
	pageAll page = iota
	pageInput
	pageOutput
	pageThought
	pageAttempts
	pages
)

// parts names the parts of a node, the one that is shown first.
func (l *chainPane) parts(p *pen) string {
	names := []string{"all", "input", "output", "thought", "attempts"}
	names[l.page] = strings.ToUpper(names[l.page])
	return strings.Join(names, " "+p.dot+" ")
}

// copied is the chosen node as it is shown.
func (l *chainPane) copied() string {
	r, _, _ := l.current()
	if r == nil {
		return ""
	}
	v := r.Newest(l.focus(r))
	if v == nil {
		return ""
	}
	end := core.NodeEnd{}
	if v.End != nil {
		end = *v.End
	}
	in, out := []string{string(v.Input)}, []string{string(end.Data), end.Message, end.Error}
	parts, one := map[page][]string{pageInput: in, pageThought: {end.Thought}, pageOutput: out}[l.page]
	if !one {
		parts = slices.Concat(in, []string{end.Thought}, out)
	}
	for i, part := range parts {
		parts[i] = safe.Text(strings.TrimSpace(part))
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return strings.Join(parts, "\n\n")
}

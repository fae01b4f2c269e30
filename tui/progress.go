package tui

import (
	"path"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxChoices = 9   // options that are sent by a key
	maxChoice  = 200 // cells of one
)

// step is one visit of a node: its newest attempt.
type step struct {
	visit  *runlog.Visit
	beside bool // it began while the one before still ran
}

// steps are the visits of the run of a chain.
func steps(r *runlog.Run) (all []step) {
	for _, v := range r.Visits {
		i := slices.IndexFunc(all, func(s step) bool { return s.visit.Node == v.Node && s.visit.Visit == v.Visit })
		if i >= 0 {
			all[i].visit = v
			continue
		}
		all = append(all, step{v, v.Beside})
	}
	return all
}

// Choices are the lines that a reply that asks back offers the user to send.
func Choices(r core.Reply) []string {
	if r.Status != core.StatusClarification {
		return nil
	}
	return sendable(r.Options())
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

// choices are the numbered options of a question.
func (a *answer) choices(c *canvas, w int) []string {
	var rows []string
	labels := a.labels()
	if len(labels) == 0 {
		return nil
	}
	lead := func(i int) string { return c.accent.on(pad(itoa(i+1), len(itoa(len(labels))))) }
	if line := strings.Join(labels, "   "); width(line)+4*len(labels) <= w {
		var parts []string
		for i, label := range labels {
			parts = append(parts, lead(i)+" "+c.text.on(label))
		}
		return []string{strings.Join(parts, "   ")}
	}
	indent := len(itoa(len(labels))) + 1
	for i, label := range labels {
		rows = append(rows, hung(lead(i)+" ", c.text.each(wrap(label, max(w-indent, 8))))...)
	}
	return rows
}

// chainName is how a chain is called on screen: one that is run from a file by the
// file's name.
func chainName(name string) string {
	base := path.Base(name)
	return safe.Cut(strings.TrimSuffix(strings.TrimSuffix(base, ".yaml"), ".yml"), 40)
}

// chainLine is the chain's name, the nodes that it came by, the newest in any
// case, and how many there are, while it runs of how many.
func (a *answer) chainLine(c *canvas, calls []*call, w int) string {
	left := c.accent.on(c.chain) + " " + c.strong.on(chainName(a.chain()))
	right, total := "", nodeCount(c.graphs[a.chain()])
	switch {
	case a.run.End != nil && a.run.End.Outcome == "completed": // the others were not on its way
		right = count(len(a.run.Nodes), "node")
	case total > 0:
		right = itoa(min(len(a.run.Nodes), total)) + " of " + itoa(total)
	}
	room := w - width(left) - 2 - width(right) - 2
	way, all := "", steps(a.run)
	for i := len(calls) - 1; i >= 0; i-- {
		sign, _, tone := c.node(calls[i].state)
		part, between := c.text.on(calls[i].name)+" "+tone.on(sign), ""
		if i < len(calls)-1 {
			between = " " + c.dim.on(c.into) + " "
			if all[i+1].beside {
				between = c.dim.on(" + ")
			}
		}
		spare := 0
		if i > 0 {
			spare = width(c.ellipsis) + 3
		}
		if way != "" && width(part)+width(between)+width(way)+spare > room {
			way = c.dim.on(c.ellipsis) + between + way
			break
		}
		way = part + between + way
	}
	if way != "" {
		left += "  " + way
	}
	if right != "" && width(left)+2+width(right) <= w {
		left += "  " + c.dim.on(right)
	}
	return cut(left, w, c.ellipsis)
}

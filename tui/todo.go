package tui

import (
	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// todoRows are what a model means to do. When it is done with all of it, the number
// tells enough.
func todoRows(c *canvas, items []core.TodoItem, running bool) (rows []string) {
	done := doneOf(items)
	switch {
	case len(items) == 0:
		return nil
	case done == len(items) && !running:
		return []string{c.ok.on(c.done) + " " + c.dim.on(todoLine(items))}
	}
	for _, item := range items {
		text := cut(safe.Line(item.Text), max(c.body()-2, 4), c.ellipsis)
		switch item.Status {
		case core.TodoDone:
			rows = append(rows, c.ok.on(c.done)+" "+c.dim.on(text))
		case core.TodoBegun:
			rows = append(rows, c.accent.on(c.into)+" "+text)
		default:
			rows = append(rows, c.dim.on(c.dot+" "+text))
		}
	}
	return rows
}

// todoLine is a list of what a model means to do, in a line.
func todoLine(items []core.TodoItem) string {
	line := itoa(doneOf(items)) + " of " + itoa(len(items)) + " done"
	for _, item := range items {
		if item.Status == core.TodoBegun {
			line += ", now: " + safe.Line(item.Text)
		}
	}
	return line
}

func doneOf(items []core.TodoItem) (n int) {
	for _, item := range items {
		if item.Status == core.TodoDone {
			n++
		}
	}
	return n
}

package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/yaap-chat/yaap/core"
)

// storedPart is the part of a conversation that is stored and not in the list.
type storedPart struct {
	earlier bool     // there is something before the list
	reading bool     // a page of that is on its way
	words   []string // looked for in it; nil: nothing is
	found   []string // words that were looked for last
	hit     item     // that was shown for them
	row     int      // of it, in which they stand
}

// gap stands in the list for messages that were not read from the store. What is above it
// is dropped when the user has scrolled past it; scrolling up then reads the messages in
// order.
type gap struct{ remark }

func newGap(p *pen) *gap {
	return &gap{remark{sign: p.ellipsis, text: "what was said between is not shown", hint: "scroll down, and up again, to read it", whole: true}}
}

func (c *chat) gapIndex() int {
	return slices.IndexFunc(c.items, func(it item) bool { _, ok := it.(*gap); return ok })
}

// closeGap drops what is above a gap that the user has scrolled past.
func (c *chat) closeGap() {
	if i := c.gapIndex(); i >= 0 && (c.follow || c.top > i) {
		c.forget(i + 1)
	}
}

// insertFound shows the page before a run above the list, with a gap if pages between were
// not read. An earlier gap and what is above it are dropped, and so are items beyond the
// limit.
func (c *chat) insertFound(old *chat, earlier bool, run string) {
	if many := len(c.items) > 4*resident; many || c.firstRun() != run {
		c.forget(max(c.gapIndex()+1, len(c.items)-4*resident, 0))
		c.below()
		c.insert(0, newGap(c.canvas.pen))
	}
	c.prepend(old, earlier)
}

// find chooses the next item with the words of the search, before or after the chosen one.
// If the list has none, earlier pages are read until one has it.
func (m *model) find(dir int) tea.Cmd {
	c, words := m.chat, strings.Fields(strings.ToLower(m.panes.entry.last))
	switch {
	case len(words) == 0 || len(c.items) == 0 || c.words != nil:
		return nil
	case c.reading:
		return m.say(toneAsk, "earlier messages are being read: press n again")
	}
	c.found = words
	at, row := c.next(dir, dir > 0)
	switch {
	case at >= 0:
		c.show(at, row)
		return m.older()
	case c.earlier:
		c.words, c.reading = words, true
		return m.lookBefore(c.firstRun(), 0)
	}
	return m.foundAll(words)
}

// next is the nearest hit of the last search in a direction from the one that was shown, as
// an item and a row of it; -1: there is none. With around it continues from the other end.
func (c *chat) next(dir int, around bool) (at, row int) {
	n := len(c.items)
	at = c.sel
	if at < 0 {
		at = (n - 1) * (1 - dir) / 2
	}
	for i := range n + 1 {
		hits := c.hits(at)
		if dir < 0 {
			slices.Reverse(hits)
		}
		for _, hit := range hits {
			passed := c.items[at] == c.hit && (hit-c.row)*dir <= 0
			if !passed || i == n && hit != c.row {
				return at, hit
			}
		}
		if at += dir; at < 0 || at >= n {
			if !around {
				break
			}
			at = (at + n) % n
		}
	}
	return -1, -1
}

// hits are the rows of an item in which what was found last begins, as it was typed, else
// those with all of its words, else the first one where the item holds them somewhere.
func (c *chat) hits(at int) (hits []int) {
	it := c.items[at]
	if !holdsAll(strings.ToLower(copiedOf(it)), c.found) {
		return nil
	}
	var text strings.Builder
	var starts []int
	for i := range it.arrange(&c.canvas) {
		starts = append(starts, text.Len())
		text.WriteString(strings.Join(strings.Fields(ansi.Strip(it.row(i))), " ") + " ")
	}
	all, phrase := strings.ToLower(text.String()), strings.Join(c.found, " ")
	starts = append(starts, len(all))
	whole := strings.Contains(all, phrase)
	for i := range starts[1:] {
		at := strings.Index(all[starts[i]:], phrase)
		if at >= 0 && starts[i]+at < starts[i+1] || !whole && holdsAll(all[starts[i]:starts[i+1]], c.found) {
			hits = append(hits, i)
		}
	}
	if len(hits) == 0 {
		return []int{0}
	}
	return hits
}

func (c *chat) show(at, row int) {
	c.sel, c.hit, c.row = at, c.items[at], row
	c.settle(&c.canvas)
	if c.items[at].arrange(&c.canvas) <= c.h {
		c.reveal(&c.canvas)
	} else if first, _ := c.position(&c.canvas, at); at < c.top || first+row < 0 || first+row >= c.h {
		c.top, c.off, c.follow = at, row, false
		c.scroll(&c.canvas, -c.h/3)
	}
}

// marked is a row of the window with the hits of the last search marked.
func (c *chat) marked(row string, w int) string {
	plain := ansi.Strip(row)
	lower := strings.ToLower(plain)
	if len(lower) != len(plain) {
		return row
	}
	words := c.found
	if phrase := strings.Join(words, " "); strings.Contains(lower, phrase) {
		words = []string{phrase}
	}
	if !holdsAll(lower, words) {
		return row
	}
	for _, word := range words {
		for from := 0; ; from += len(word) {
			at := strings.Index(lower[from:], word)
			if at < 0 {
				break
			}
			from += at
			row = put(row, width(plain[:from]), c.canvas.selected.under(c.canvas.warn.on(plain[from:from+len(word)])), w)
		}
	}
	return row
}

// foundAll says that the beginning was reached, and continues from the end.
func (m *model) foundAll(words []string) tea.Cmd {
	c := m.chat
	if at, row := c.next(-1, true); at >= 0 {
		c.show(at, row)
		return m.say(toneQuiet, "the beginning was reached; found again from the end")
	}
	if c.sel >= 0 && holdsAll(strings.ToLower(copiedOf(c.chosen())), words) {
		return m.say(toneQuiet, "the beginning was reached; it is nowhere else in this conversation")
	}
	return m.say(toneAsk, "not found in this conversation; the beginning was reached")
}

// lookBefore reads the page before a run and searches it. Pages without a hit, with seen
// messages in all, are not kept.
func (m *model) lookBefore(run string, seen int) tea.Cmd {
	c := m.chat
	read := await(m, func(ctx context.Context, b Backend) (core.Page, error) { return b.Page(ctx, c.thread, run) }, func(p core.Page, err error) tea.Cmd {
		words := c.words
		c.words, c.reading = nil, false
		switch {
		case words == nil || m.chat != c: // the user went on
			return nil
		case err != nil:
			return m.say(toneAsk, "earlier messages could not be read: "+err.Error())
		}
		old := c.replayPage(p)
		first := old.firstRun()
		found := slices.ContainsFunc(old.items, func(it item) bool { return holdsAll(strings.ToLower(copiedOf(it)), words) })
		if !found && p.Earlier && first != "" && first != run {
			c.words, c.reading = words, true
			return m.lookBefore(first, seen+len(p.Messages))
		}
		if !found {
			return m.foundAll(words)
		}
		c.insertFound(old, p.Earlier, run)
		c.sel, c.hit, c.row = len(old.items), c.items[len(old.items)], 0
		c.show(c.next(-1, false))
		return tea.Batch(m.say(toneQuiet, "found in what was said earlier"), m.readOldGraphs(), m.older())
	})
	where := "what was said earlier"
	if seen > 0 {
		where += ": " + count(seen, "message")
	}
	return tea.Batch(read, m.say(toneQuiet, "looking in "+where+"; esc ends it"))
}

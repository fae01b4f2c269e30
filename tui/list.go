package tui

import (
	"slices"

	"github.com/yaap-chat/yaap/core/diagram"
)

// item is one entry of the transcript. It keeps its rows and makes new ones
// only when what it shows, the width or the look has changed.
type item interface {
	// arrange prepares the rows for c and returns how many there are.
	arrange(c *canvas) int
	// row returns one of the rows prepared last.
	row(i int) string
}

// canvas is what an item is drawn for.
type canvas struct {
	*pen
	w       int                      // cells of a row
	compact bool                     // one pane
	detail  detail                   // how much of a run is shown
	model   string                   // that the header names
	graphs  map[string]diagram.Graph // how chains are written, by their names
}

// list shows a window of many items: a frame costs as much as its rows, however
// many items there are. The window is held by an anchor, the first visible row
// as item and row within it; while it follows, by its end.
type list struct {
	items  []item
	h      int
	top    int // the item of the first visible row
	off    int // rows of it that are above the window
	follow bool
	unseen int // items added below the window since it stopped following
	sel    int // the chosen item, or -1
}

func newList() list { return list{follow: true, sel: -1} }

func (l *list) add(it item) {
	l.items = append(l.items, it)
	if !l.follow {
		l.unseen++
	}
}

// insert puts an item before the i-th. The window stays where it is.
func (l *list) insert(i int, it item) {
	l.items = slices.Insert(l.items, i, it)
	if i <= l.top && !l.follow {
		l.top++
	}
	if l.sel >= i {
		l.sel++
	}
}

// drop forgets the first n items.
func (l *list) drop(n int) {
	l.items = append([]item(nil), l.items[n:]...)
	l.top, l.sel = max(l.top-n, 0), max(l.sel-n, -1)
}

// toEnd follows the end from now on.
func (l *list) toEnd() {
	l.follow, l.unseen = true, 0
}

// settle puts the anchor where the window is and keeps it inside the items.
func (l *list) settle(c *canvas) {
	if len(l.items) == 0 {
		l.top, l.off = 0, 0
		return
	}
	if !l.follow {
		l.top = min(max(l.top, 0), len(l.items)-1)
		l.off = min(l.off, max(l.items[l.top].arrange(c)-1, 0))
		if l.below(c, l.h+1) > l.h {
			return
		}
	}
	l.follow, l.unseen = true, 0
	left := l.h
	for i := len(l.items) - 1; i >= 0; i-- {
		n := l.items[i].arrange(c)
		if n >= left {
			l.top, l.off = i, n-left
			return
		}
		left -= n
	}
	l.top, l.off = 0, 0
}

// below counts the rows from the anchor on, up to limit.
func (l *list) below(c *canvas, limit int) int {
	n := -l.off
	for i := l.top; i < len(l.items) && n < limit; i++ {
		n += l.items[i].arrange(c)
	}
	return n
}

// scroll moves the window by n rows, down when positive.
func (l *list) scroll(c *canvas, n int) {
	l.settle(c)
	if len(l.items) == 0 || n == 0 {
		return
	}
	if n < 0 {
		l.follow = false
	}
	l.off += n
	for l.off < 0 && l.top > 0 {
		l.top--
		l.off += l.items[l.top].arrange(c)
	}
	l.off = max(l.off, 0)
	for l.top < len(l.items)-1 && l.off >= l.items[l.top].arrange(c) {
		l.off -= l.items[l.top].arrange(c)
		l.top++
	}
	l.settle(c)
}

// rows returns the h rows of the window, blank ones first when there is less
// to show, and for each the item it belongs to.
func (l *list) rows(c *canvas, out []string, owner []int) ([]string, []int) {
	l.settle(c)
	out, owner = out[:0], owner[:0]
	for i, off := l.top, l.off; i < len(l.items) && len(out) < l.h; i, off = i+1, 0 {
		n := l.items[i].arrange(c)
		for ; off < n && len(out) < l.h; off++ {
			out, owner = append(out, l.items[i].row(off)), append(owner, i)
		}
	}
	for len(out) < l.h {
		out, owner = append(out, ""), append(owner, -1)
	}
	return out, owner
}

// choose moves the choice by n items and shows it. A chosen item that is longer
// than the window is scrolled through first.
func (l *list) choose(c *canvas, n int) {
	l.settle(c)
	if len(l.items) == 0 {
		return
	}
	if l.sel < 0 {
		l.sel = len(l.items)
		n = -1
	}
	first, rows := l.position(c, l.sel)
	if n > 0 && first+rows > l.h && rows > l.h || n < 0 && first < 0 && rows > l.h {
		l.scroll(c, n*max(l.h/3, 1))
		return
	}
	l.sel = min(max(l.sel+n, 0), len(l.items)-1)
	l.reveal(c)
}

// reveal scrolls until the chosen item is in the window.
func (l *list) reveal(c *canvas) {
	first, rows := l.position(c, l.sel)
	switch {
	case first < 0:
		l.top, l.off, l.follow = l.sel, 0, false
	case first+rows > l.h:
		l.scroll(c, min(first+rows-l.h, first))
	}
}

// position is the row of the window at which an item starts, negative when
// above it, and how many rows it has. An item below the window starts at h.
func (l *list) position(c *canvas, i int) (first, rows int) {
	if i < 0 || i >= len(l.items) {
		return l.h, 0
	}
	rows = l.items[i].arrange(c)
	if i < l.top {
		return -rows, rows
	}
	first = -l.off
	for j := l.top; j < i && first < l.h; j++ {
		first += l.items[j].arrange(c)
	}
	return first, rows
}

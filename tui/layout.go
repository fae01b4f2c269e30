package tui

// size is the class of a terminal's width and height.
type size int

// The classes, from nothing to everything at once.
const (
	sizeTiny   size = iota // too small for anything
	sizeBare               // chat and input only
	sizeSmall              // one pane, the others are overlays
	sizeMedium             // chat and a sidebar
	sizeLarge              // experts, chat and inspector
)

// rect is a part of the screen, in cells.
type rect struct{ x, y, w, h int }

func (r rect) right() int  { return r.x + r.w }
func (r rect) bottom() int { return r.y + r.h }

func (r rect) holds(x, y int) bool {
	return x >= r.x && x < r.right() && y >= r.y && y < r.bottom()
}

// shape is what a layout depends on besides the terminal's size.
type shape struct {
	input int  // rows that the input wants
	full  bool // an inspector takes the whole body
	alone bool // and there is no chat, nothing is typed
	tour  int  // rows that say what goes on
	live  int  // rows of the chat that are not written above the frame
}

// screen says where everything is. A part that is not shown has no rows.
type screen struct {
	light                            bool // the terminal has a light background
	size                             size
	w, h                             int
	header, top, bottom, input, hint rect // top and bottom are rules
	caption                          rect // of a tour
	sidebar, chat, inspector         rect
}

const (
	maxInput          = 8   // rows the input grows to
	maxText           = 100 // cells a line of the chat may have to be read easily
	sidebarWidth      = 32
	sidebarWidthLarge = 27
)

// arrange divides a terminal of w x h cells.
func arrange(w, h int, s shape) screen {
	sc := screen{w: w, h: h, size: classify(w, h)}
	if sc.size == sizeTiny {
		return sc
	}
	rows := min(max(s.input, 1), maxInput, max(h/3, 1))
	if s.alone {
		rows = 0
	}
	y := h
	take := func(n int) rect {
		y -= n
		return rect{0, y, w, n}
	}
	if sc.size == sizeBare {
		sc.caption = take(min(s.tour, 1))
		sc.input = take(rows)
		if sc.chat = (rect{0, 0, w, y}); s.alone {
			sc.chat, sc.inspector = rect{}, sc.chat
		}
		return sc
	}
	sc.hint = take(1)
	sc.caption = take(s.tour)
	sc.input = take(rows)
	sc.bottom = take(1)
	sc.header = rect{0, 0, w, 1}
	sc.top = rect{0, 1, w, 1}
	body := rect{0, 2, w, y - 2}
	switch {
	case s.full:
		sc.inspector = body
	case sc.size == sizeSmall:
		sc.chat = body
	case sc.size == sizeMedium:
		sc.chat, sc.sidebar = splitRight(body, sidebarWidth)
	default:
		sc.sidebar = rect{body.x, body.y, sidebarWidthLarge, body.h}
		rest := rect{sidebarWidthLarge + 1, body.y, w - sidebarWidthLarge - 1, body.h}
		sc.chat, sc.inspector = splitRight(rest, max(w*2/5, rest.w-maxText-gutterWide-4))
	}
	return sc
}

func classify(w, h int) size {
	switch {
	case w < 20 || h < 5:
		return sizeTiny
	case w < 40 || h < 10:
		return sizeBare
	case w < 100 || h < 30:
		return sizeSmall
	case w < 160:
		return sizeMedium
	}
	return sizeLarge
}

// splitRight cuts n columns off the right, with one between for a line.
func splitRight(r rect, n int) (left, right rect) {
	return rect{r.x, r.y, r.w - n - 1, r.h}, rect{r.right() - n, r.y, n, r.h}
}

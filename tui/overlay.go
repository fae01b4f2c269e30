package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// overlayKind is a dialog over the chat.
type overlayKind int

const (
	overNone overlayKind = iota
	overHelp
	overList // one of a list is chosen
	overLeader
	overPicture
	overReader
)

// overlay is the dialog that is open.
type overlay struct {
	kind   overlayKind
	title  string
	chosen func(choice) tea.Cmd // of a list
	menu   menu
	all    []choice
	filter string
	hint   string               // what its keys do; empty: enter and esc
	find   func() tea.Cmd       // looks anew for what fits the filter; nil: the list is narrowed
	remove func(choice) tea.Cmd // nil: nothing can be removed from the list
	sure   string               // what is removed when the key is pressed again
	peek   func(choice) tea.Cmd // has what the chosen one holds put into held; nil: the list says all
	peeked string               // the key of the one whose is in held, or on its way
	held   []string             // a line each
	scroll int
	// numbered says that a digit chooses from the list.
	numbered bool
	readers  []reader // each above the one before it
	n        int      // rises with every dialog, to tell their timers apart
}

const (
	heldRows = 6  // below a list
	heldFrom = 14 // rows of a dialog that shows what the chosen one holds
)

// look has what the chosen one holds shown.
func (o *overlay) look() tea.Cmd {
	c, _ := o.menu.chosen()
	if o.peek == nil || c.key == o.peeked {
		return nil
	}
	o.peeked, o.held = c.key, nil
	if c.key == "" {
		return nil
	}
	return o.peek(c)
}

func (o *overlay) narrow() {
	o.menu.cursor = 0
	o.menu.set(narrow(o.all, o.filter))
}

// choose lets the user choose one of a list.
func (m *model) choose(title string, all []choice, chosen func(choice) tea.Cmd) {
	m.panes.over = overlay{kind: overList, title: title, chosen: chosen, all: all, n: m.panes.over.n + 1}
	m.panes.over.narrow()
}

func (m *model) openOver(do action) tea.Cmd {
	var all []choice
	switch do {
	case actHelp:
		m.panes.over = overlay{kind: overHelp, n: m.panes.over.n + 1}
	case actPalette:
		m.choose("Commands", m.palette(), func(c choice) tea.Cmd {
			if !strings.HasPrefix(c.key, "/") {
				return m.act(m.keys.find(inInput, c.key))
			}
			return m.command(c.key)
		})
	case actSearch:
		newest := slices.Clone(m.input.history)
		slices.Reverse(newest)
		for _, h := range unique(newest) {
			all = append(all, choice{text: strings.ReplaceAll(h, "\n", " "), key: h})
		}
		m.choose("What you typed", all, func(c choice) tea.Cmd {
			m.input.set(c.key)
			m.panes.focus = inInput
			return nil
		})
	case actLeader:
		for _, b := range m.keys.table {
			if b.leader != "" {
				all = append(all, choice{text: b.leader, help: b.help, key: b.leader})
			}
		}
		n := m.panes.over.n + 1
		m.panes.over = overlay{kind: overLeader, menu: menu{choices: all, cursor: -1}, n: n}
		return m.after(leaderFor, then(func() tea.Cmd { // no key has followed
			if m.panes.over.kind == overLeader && m.panes.over.n == n {
				m.panes.over = overlay{n: n}
			}
			return nil
		}))
	}
	return nil
}

// palette lists what can be done: commands first, then the keys that act from
// everywhere.
func (m *model) palette() []choice {
	var out []choice
	for _, c := range m.commands {
		out = append(out, choiceOf(c))
	}
	for _, b := range m.keys.table {
		switch b.do {
		case actDetail, actSearch, actTakeBack:
			out = append(out, choice{text: b.keys[0], help: b.help, key: b.keys[0]})
		}
	}
	return out
}

func (m *model) keyOver(msg tea.KeyPressMsg) tea.Cmd {
	o := &m.panes.over
	name := msg.String()
	switch o.kind {
	case overPicture:
		return m.keyPicture(name)
	case overReader:
		return m.keyReader(msg)
	}
	if o.kind == overLeader {
		m.panes.over = overlay{n: o.n}
		if do, ok := m.keys.then[name]; ok {
			return m.act(do)
		}
		return nil
	}
	if name == "esc" || o.kind == overHelp && (name == "f1" || name == "?" || name == "q") {
		m.panes.over = overlay{n: o.n}
		return nil
	}
	switch name {
	case "up", "ctrl+p", "shift+tab":
		o.move(-1)
	case "down", "ctrl+n", "tab":
		o.move(1)
	case "pgup":
		o.move(-8)
	case "pgdown":
		o.move(8)
	case "enter":
		was := *o
		m.panes.over = overlay{n: o.n}
		if c, ok := was.menu.chosen(); ok {
			return was.chosen(c)
		}
	case "ctrl+d":
		if c, ok := o.menu.chosen(); ok && o.remove != nil {
			return o.remove(c)
		}
	default:
		if n := int(name[0] - '0'); o.numbered && len(name) == 1 && n >= 1 && n <= min(len(o.all), 9) {
			was := *o
			m.panes.over = overlay{n: o.n}
			return was.chosen(was.all[n-1])
		}
		if o.kind != overHelp {
			o.filter, o.sure = edited(o.filter, msg), ""
			o.narrow()
			if o.find != nil {
				return o.find()
			}
		}
	}
	return o.look()
}

func (o *overlay) move(n int) {
	if o.kind == overHelp {
		o.scroll = max(o.scroll+n, 0)
		return
	}
	if n == 1 || n == -1 {
		o.menu.move(n)
		return
	}
	o.menu.cursor = max(min(o.menu.cursor+n, len(o.menu.choices)-1), 0)
}

// drawOver lays the open dialog, or the completion, over the rows of a frame.
func (m *model) drawOver(rows []string) {
	o := &m.panes.over
	sc := &m.screen
	switch o.kind {
	case overNone:
		m.drawCompletion(rows)
		return
	case overPicture:
		m.drawLook(rows)
		return
	case overReader:
		m.drawReader(rows)
		return
	}
	w := max(min(sc.w-4, 76), min(sc.w-2, 12))
	h := max(min(sc.h-6, 24), 1)
	var title, hint string
	var body []string
	switch o.kind {
	case overHelp:
		w, h = max(min(sc.w-4, 100), 12), max(sc.h-6, 1)
		title, hint = "Keys and commands", m.pen.up+m.pen.down+" scroll, esc closes"
		help := m.help(w)
		o.scroll = max(min(o.scroll, len(help)-h), 0)
		body = help[o.scroll:min(len(help), o.scroll+h)]
	case overLeader:
		title, hint = m.keys.own.named("ctrl+x"), ""
		w = min(w, 44)
		body = o.menu.rows(m.pen, w, h)
	default:
		w = max(min(sc.w-4, max(wide(o.all), 76), 116), min(sc.w-2, 12))
		title, hint = o.title, cmp.Or(o.hint, "enter chooses, esc closes")
		held := o.drawHeld(m.pen, w, h)
		h -= len(held)
		body = append([]string{" " + m.pen.accent.on("/") + " " + m.pen.text.on(o.filter+m.pen.block)}, "")
		found := o.menu.rows(m.pen, w, max(h-2, 1))
		if len(found) == 0 {
			nothing := "nothing fits"
			if o.filter == "" {
				nothing = "there is none yet"
			}
			found = []string{"   " + m.pen.dim.on(nothing)}
		}
		for len(found) < min(len(o.all), h-2) {
			found = append(found, "")
		}
		body = append(append(body, found...), held...)
	}
	box := boxed(m.pen, title, hint, body, w)
	x := max((sc.w-w-2)/2, 0)
	y := max((sc.h-len(box))/3, 0)
	m.lay(rows, box, x, y)
}

// drawHeld is what the chosen one holds, in the same rows for each.
func (o *overlay) drawHeld(p *pen, w, h int) []string {
	if o.peek == nil || h < heldFrom {
		return nil
	}
	rows := []string{p.border.on(strings.Repeat(p.horizontal, w))}
	for _, line := range o.held {
		rows = append(rows, " "+p.dim.on(cut(line, w-2, p.ellipsis)))
	}
	for len(rows) <= heldRows {
		rows = append(rows, "")
	}
	return rows
}

func (m *model) drawCompletion(rows []string) {
	sc := &m.screen
	n := len(m.input.menu.choices)
	if n == 0 || m.panes.focus != inInput {
		return
	}
	w := max(min(sc.w-4, 84), min(sc.w-2, 12))
	h := min(n, 8, max(sc.input.y-3, 1))
	title := "Experts, files"
	if value := m.input.value(); strings.HasPrefix(value, "/") {
		title = "Commands"
		if name, _, more := strings.Cut(value, " "); more {
			title = name
		}
	}
	box := boxed(m.pen, title, "tab accepts", m.input.menu.rows(m.pen, w, h), w)
	m.lay(rows, box, min(1, sc.w-w-2), max(sc.input.y-1-len(box), 0))
}

func (m *model) lay(rows, box []string, x, y int) {
	for i, line := range box {
		if y+i < len(rows) {
			rows[y+i] = put(rows[y+i], x, line, m.screen.w)
		}
	}
}

package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// key takes a key press. What was said of the one before is over with it, and who comes
// back to what waits to be allowed begins anew with that.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	aside, quits, said := m.asks.first() != nil && m.deciding() == nil, m.panes.quit, m.panes.note.n
	cmd := m.keyOnTop(msg)
	if n := &m.panes.note; said == n.n && (quits || time.Since(n.since) >= noteLeast) {
		n.text = ""
	}
	if aside && m.deciding() != nil {
		m.asks.show(time.Now())
		return tea.Batch(cmd, m.arm())
	}
	return cmd
}

// keyOnTop gives a key to what is on top.
func (m *model) keyOnTop(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if name == "alt+esc" { // two that came at once over a slow line
		esc := tea.KeyPressMsg{Code: tea.KeyEscape}
		return tea.Batch(m.key(esc), m.key(esc))
	}
	if name != "ctrl+c" {
		m.panes.quit = false
	}
	if m.deciding() != nil && name != "ctrl+c" {
		return m.keyApproval(msg)
	}
	if m.form() != nil && name != "ctrl+c" {
		return m.keyForm(msg)
	}
	if m.panes.entry.kind != actNone && name != "ctrl+c" {
		return m.keyEntry(msg)
	}
	if m.panes.over.kind != overNone && name != "ctrl+c" {
		return m.keyOver(msg)
	}
	if m.panes.look != nil {
		return m.keyInspect(name)
	}
	if m.panes.show != nil && m.panes.focus == inInput {
		return m.keyShow(name)
	}
	if cmd, ok := m.keyMenu(name); ok {
		return cmd
	}
	if cmd, ok := m.viKey(msg); ok {
		return cmd
	}
	do := m.keys.find(m.panes.focus, name)
	if m.panes.focus != inInput && msg.Text != "" && name != "?" {
		return m.letter(do, msg)
	}
	switch do {
	case actNone: // a pane may have keys of its own
		if cmd, done := m.keyPane(press{text: name}); done {
			return cmd
		}
	case actQuestion:
		if m.panes.focus != inInput || m.input.empty() {
			return m.act(actHelp)
		}
	case actOlder, actNewer:
		if m.history(do) {
			return nil
		}
	case actEOF:
		if m.input.empty() {
			return m.quit()
		}
	case actChoose:
		if text := m.chosen(int(name[0] - '0')); text != "" {
			return m.take(text)
		}
	default:
		return m.act(do)
	}
	if m.panes.focus != inInput {
		return nil
	}
	return m.typed(msg)
}

// typed gives a key to the input.
func (m *model) typed(msg tea.KeyPressMsg) tea.Cmd {
	var said tea.Cmd
	if m.input.taken(msg.Text) {
		said = m.say(toneQuiet, "up brings back what was queued")
	}
	if msg.String() == "backspace" {
		m.input.erase(msg)
		return m.suggest()
	}
	return tea.Batch(said, m.input.update(msg), m.suggest())
}

// letter takes a key with a letter where the input has not the focus. One that does
// nothing there begins to type.
func (m *model) letter(do action, msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	switch {
	case m.panes.focus == inInspector && !slices.Contains([]action{actCopy, actFull, actFilter}, do):
		if cmd, done := m.keyPane(press{do: do, text: name}); done || name == "space" {
			return cmd
		}
	case do != actNone:
		return m.act(do)
	}
	if m.panes.show != nil || name == "space" {
		return nil
	}
	m.toInput()
	m.input.commands(false)
	m.input.strayed = true
	return m.typed(msg)
}

// keyMenu takes the keys that a completion knows while it is shown.
func (m *model) keyMenu(name string) (tea.Cmd, bool) {
	c, ok := m.input.menu.chosen()
	if !ok || m.panes.focus != inInput {
		return nil, false
	}
	switch name {
	case "up", "shift+tab":
		m.input.menu.move(-1)
	case "down":
		m.input.menu.move(1)
	case "tab":
		m.input.accept(c)
		return m.suggest(), true
	case "enter":
		m.input.accept(c)
		if c.runs {
			return m.send(), true
		}
		return m.suggest(), true
	default:
		return nil, false
	}
	return nil, true
}

func (m *model) history(do action) bool {
	if do == actNewer {
		return m.input.newer()
	}
	if len(m.input.history) == 0 && m.input.empty() && !m.chat.said {
		for _, c := range m.experts.offered {
			m.input.history = append([]string{c.text}, m.input.history...)
		}
		m.input.at = len(m.input.history)
	}
	return m.input.older()
}

// act does what a key, a command or the palette asks for.
func (m *model) act(do action) tea.Cmd {
	if m.panes.show != nil && asksForMore(do) {
		return m.say(toneAsk, "this conversation is only shown again")
	}
	switch do {
	case actSend:
		return m.send()
	case actNewline:
		m.input.area.InsertRune('\n')
		m.input.offered = false
		m.input.stale = true
	case actStop:
		return m.stop()
	case actInterrupt:
		return m.interrupt()
	case actQuit:
		return m.quit()
	case actPalette, actHelp, actSearch, actLeader:
		return m.openOver(do)
	case actSessions:
		if m.run.cancel != nil {
			return m.say(toneAsk, "sessions wait until the turn is over; esc stops it")
		}
		return m.openSessions()
	case actEditor:
		return m.edit()
	case actSuspend:
		return tea.Suspend
	case actModel:
		return m.command("/model")
	case actNew:
		return m.command("/new")
	case actContinue:
		return m.goOn()
	case actTakeBack:
		m.takeBack(len(m.chat.queue) - 1)
	case actReplay:
		return m.replay()
	case actQueue:
		m.openQueue()
	case actAttach:
		return m.attach()
	case actSteer:
		if m.steerable() == nil {
			return m.say(toneAsk, "nothing is queued that a turn could take in: /steer TEXT")
		}
		return m.giveLast()
	case actDetail:
		return m.nextDetail()
	case actNextPane:
		m.nextPane(1)
	case actPrevPane:
		m.nextPane(-1)
	case actFull:
		m.panes.full = !m.panes.full || m.screen.size < sizeLarge // where nothing is beside it it fills the screen
	case actCopy:
		return m.copy()
	case actTheme:
		return m.theme()
	case actMouse:
		m.o.NoMouse = !m.o.NoMouse
		if m.o.NoMouse {
			return m.say(toneQuiet, "the mouse is the terminal's: dragging selects; /mouse takes it back")
		}
		return m.say(toneQuiet, "the mouse scrolls, chooses and selects here; with shift, the terminal selects")
	case actCopyAnswer:
		return m.clip(m.chat.lastAnswer())
	case actRetry:
		return m.retry()
	case actCopyWhole:
		return m.clip(m.chat.copied())
	case actOpenThing:
		return m.oneOf("Open", m.openable(), "there is nothing to open here")
	case actLookAt:
		return m.lookAt()
	case actFind:
		m.panes.entry = entry{kind: do, last: m.panes.entry.last}
	case actFilter:
		m.panes.entry = entry{kind: do, text: m.shown().Hints().words}
	case actFindNext:
		return m.find(1)
	case actFindPrev:
		return m.find(-1)
	default:
		if do >= actPane {
			return m.openPane(int(do - actPane))
		}
		return m.scroll(do)
	}
	return nil
}

// keyPane gives a key to the pane that has the focus, and reports whether there is one
// that knows it.
func (m *model) keyPane(k press) (tea.Cmd, bool) {
	if m.panes.focus != inInspector {
		return nil, false
	}
	k.page = m.screen.inspector.h / 2
	return m.shown().Key(k)
}

func (m *model) nextPane(n int) {
	order := []place{inInput, inChat}
	if m.screen.size == sizeLarge {
		order = append(order, inInspector)
	}
	if m.panes.full {
		order = []place{inInspector, inInput}
	}
	at := max(slices.Index(order, m.panes.focus), 0)
	m.panes.focus = order[(at+n+len(order))%len(order)]
	m.input.strayed, m.chat.sel = false, -1
	if m.panes.focus == inChat {
		m.chat.choose(&m.chat.canvas, -1)
	}
}

// scroll moves within the pane that has the focus; pages of the chat scroll
// from the input too.
func (m *model) scroll(do action) tea.Cmd {
	if m.panes.focus == inInspector {
		cmd, _ := m.keyPane(press{do: do})
		return cmd
	}
	if m.inline() {
		m.panes.focus = inChat
	}
	c := m.chat
	page := max(c.h-2, 1)
	switch do {
	case actPageUp, actPageDown, actHalfUp, actHalfDown:
		c.scroll(&c.canvas, do.rows(page/2, page))
	case actTop:
		c.follow, c.top, c.off = false, 0, 0
	case actBottom:
		c.toEnd()
		c.sel = len(c.items) - 1
	case actUp, actDown:
		c.choose(&c.canvas, do.rows(page/2, page))
	case actFold:
		it, ok := c.folding()
		if !ok {
			return m.say(toneAsk, "there is nothing to fold or to open here")
		}
		it.fold()
	}
	return m.older()
}

// older reads more of the conversation when its start is reached.
func (m *model) older() tea.Cmd {
	c := m.chat
	c.closeGap()
	if c.earlier && !c.reading && !c.follow && c.top == 0 && c.off == 0 {
		c.reading = true
		return m.open(opened{thread: c.thread, older: true})
	}
	return nil
}

// copy puts the chosen thing into the clipboard.
func (m *model) copy() tea.Cmd {
	if m.panes.focus == inChat {
		return m.copyThing()
	}
	return m.clip(copiedOf(m.shown()))
}

// theme draws in a theme, until the program ends: one of a name, or without one that
// after the one in use.
func (m *model) theme(named ...string) tea.Cmd {
	all := themes()
	next := all[(max(slices.Index(all, m.o.Theme), 0)+1)%len(all)]
	if len(named) > 0 {
		next = strings.ToLower(strings.Join(named, " "))
	}
	if !slices.Contains(all, next) {
		m.chat.fail(core.Fail(core.CodeInvalid, "there is no theme "+m.pen.quoted(safe.Cut(next, 40)), "type /theme and one of auto, light or dark"))
		return nil
	}
	m.o.Theme = next
	m.wear()
	return m.say(toneQuiet, m.o.Theme+" until yaap closes; theme: "+m.o.Theme+" in the configuration keeps it")
}

func (m *model) clip(text string) tea.Cmd {
	if text == "" {
		return m.say(toneAsk, "there is nothing to copy here")
	}
	text = safe.Tabbed(text)
	return m.put(text, count(len([]rune(text)), "character"))
}

// put puts a text of a size into the clipboard by OSC 52, which a terminal may refuse without
// saying so, and by a program where there is one.
func (m *model) put(text, size string) tea.Cmd {
	given := size + " given to the terminal's clipboard"
	if m.o.Clip == nil {
		return tea.Batch(tea.SetClipboard(text), m.say(toneQuiet, given))
	}
	return tea.Batch(tea.SetClipboard(text), await(m, func(ctx context.Context, _ Backend) (string, error) { return m.o.Clip(ctx, text) },
		func(with string, err error) tea.Cmd {
			switch {
			case err == nil:
				return m.say(toneQuiet, size+" put into the clipboard with "+with)
			case with == "":
				return m.say(toneQuiet, given)
			}
			return m.say(toneAsk, given+"; "+safe.Line(err.Error()))
		}))
}

func (m *model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	var cmds []tea.Cmd
	n, do := 3, actDown
	if msg.Button == tea.MouseWheelUp {
		n, do = -3, actUp
	}
	switch {
	case m.deciding() != nil:
		m.asks.scroll += n
	case m.form() != nil:
	case m.reading() != nil:
		for range max(n, -n) {
			m.reading().key(do, 1)
		}
	case m.screen.inspector.holds(msg.X, msg.Y):
		for range m.row().wheel {
			cmd, _ := m.shown().Key(press{do: do, page: 1})
			cmds = append(cmds, cmd)
		}
	case m.screen.chat.holds(msg.X, msg.Y):
		m.chat.scroll(&m.chat.canvas, n)
		return m.older()
	}
	return tea.Batch(cmds...)
}

func (m *model) click(x, y int) {
	sc := &m.screen
	switch {
	case m.panes.over.kind != overNone || m.deciding() != nil || m.form() != nil:
	case sc.input.holds(x, y):
		m.panes.focus, m.chat.sel = inInput, -1
	case sc.inspector.holds(x, y):
		m.panes.focus = inInspector
	case sc.chat.holds(x, y):
		if i := y - sc.chat.y; i < len(m.chat.screen.owner) && m.chat.screen.owner[i] >= 0 {
			m.panes.focus, m.chat.sel = inChat, m.chat.screen.owner[i]
			first, _ := m.chat.position(&m.chat.canvas, m.chat.sel)
			if a, ok := m.chat.chosen().(*answer); ok && len(a.view.head) > 0 && first == i { // of what led to it
				a.fold()
			}
		}
	}
}

// entry is a line of text asked for in place of the hints: what to find, what
// to filter by.
type entry struct {
	kind action
	text string
	last string // what was looked for in the chat
}

func (m *model) keyEntry(msg tea.KeyPressMsg) tea.Cmd {
	e := &m.panes.entry
	kind, name := e.kind, msg.String()
	typed := name == "esc" || name == "enter"
	if typed {
		e.kind = actNone
	} else {
		e.text = edited(e.text, msg)
	}
	if name == "esc" {
		e.text = ""
	}
	if r, ok := m.reading().(*tableReader); ok {
		r.filter(e.text)
		return nil
	}
	if kind == actFilter {
		cmd, _ := m.shown().Key(press{do: kind, text: e.text, typed: typed})
		return cmd
	}
	if name == "enter" {
		e.last = cmp.Or(e.text, e.last)
		return m.find(-1)
	}
	return nil
}

// edited is a short text after a key.
func edited(text string, msg tea.KeyPressMsg) string {
	switch msg.String() {
	case "backspace", "ctrl+h":
		r := []rune(text)
		return string(r[:max(len(r)-1, 0)])
	case "ctrl+u":
		return ""
	case "ctrl+w":
		text = strings.TrimRight(text, " ")
		return text[:strings.LastIndexByte(text, ' ')+1]
	}
	if msg.Text != "" && len(text) < 200 {
		text += msg.Text
	}
	return text
}

// folding is an item that may have more to show than it does.
type folding interface {
	folds() bool
	fold()
}

// folding is what is chosen, where it can be folded or opened.
func (c *chat) folding() (folding, bool) {
	it, ok := c.chosen().(folding)
	return it, ok && it.folds()
}

// chosen is the item that is chosen, nil where there is none.
func (c *chat) chosen() item {
	if c.sel < 0 || c.sel >= len(c.items) {
		return nil
	}
	return c.items[c.sel]
}

func (c *chat) copied() string { return copiedOf(c.chosen()) }

// lastAnswer is the text of the last answer.
func (c *chat) lastAnswer() string {
	for _, it := range slices.Backward(c.items) {
		if a, ok := it.(*answer); ok && !a.running() {
			return a.copied()
		}
	}
	return ""
}

// copiedOf is the text of an item or a pane for the clipboard.
func copiedOf(of any) string {
	if it, ok := of.(interface{ copied() string }); ok {
		return it.copied()
	}
	return ""
}

package tui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core/safe"
)

// longJoin is how long joining takes before it is told in a terminal that has no rail.
const longJoin = 2 * time.Second

// header names the session on the left and what goes on at the right.
func (m *model) header(w int) string {
	p := m.pen
	dot := "  " + p.dim.on(p.dot) + "  "
	title := cmp.Or(m.chat.title, "new session")
	right := m.activity()
	room := w - width(right) - 2
	left := " " + p.title.on("yaap")
	if words := "nothing is kept"; m.o.Ephemeral && room >= 20+len(words) {
		left += dot + p.warn.on(words)
		room -= len(words)
	}
	if room >= 20 {
		left += dot + p.dim.on(cut(title, room-12, p.ellipsis))
	}
	if model := m.modelName(); model != "" && w >= 60 && width(left)+5+width(model) < room {
		left += dot + p.dim.on(model)
	}
	return ends(left, right+" ", w, p.ellipsis)
}

func (m *model) modelName() string {
	if m.panes.model == "offline" {
		return "offline model"
	}
	return m.panes.model
}

// activity says what goes on, in words and with a sign that moves.
func (m *model) activity() string {
	p := m.pen
	small := m.screen.size <= sizeSmall
	a := m.chat.active()
	if m.form() != nil || a == nil && (m.asks.first() != nil || m.chat.asking() != nil) {
		return p.warn.on(p.ask) + " " + p.text.on("waiting for you")
	}
	if a == nil {
		if e, ok := m.experts.joining(); small && ok && p.since(e.Since) >= longJoin {
			return p.dim.on(cut(e.Name, 16, p.ellipsis)+" joining "+elapsed(p.since(e.Since))) + "  " + m.experts.dots(p, 12)
		}
		if small {
			return m.experts.dots(p, 24)
		}
		return p.ok.on(p.idle) + " " + p.dim.on(count(m.experts.present(), "expert"))
	}
	var b strings.Builder
	if has := named(a.run.Has); has != "" && has != safe.Line(a.run.Agent) {
		b.WriteString(p.strong.on(cut(has, 16, p.ellipsis)) + p.dim.on(" "+p.dot+" "))
	}
	if n, most := a.turns(), a.run.Plan.MaxTurns; n > 0 {
		turn := "turn " + itoa(n)
		switch {
		case small && most > 0:
			turn += "/" + itoa(most)
		case most > 0:
			turn += " of " + itoa(most)
		}
		b.WriteString(p.text.on(turn))
		if small {
			b.WriteString(" ")
		} else {
			b.WriteString(p.dim.on(" " + p.dot + " "))
		}
	}
	busy := a.busy
	if small {
		busy = strings.TrimPrefix(busy, "calling ")
	}
	b.WriteString(p.dim.on(cut(busy, 32, p.ellipsis)) + " " + p.accent.on(p.spin()))
	if small {
		return b.String() + " " + m.experts.dots(p, 16)
	}
	return b.String() + p.dim.on(pad(elapsed(a.since(p)), 7))
}

// hints is the last row: which keys work here, or what was just said.
func (m *model) hints(w int) string {
	p := m.pen
	if m.o.Tour != nil {
		return m.tourKeys(w)
	}
	if e := m.panes.entry; e.kind != actNone {
		word := m.row().find
		switch {
		case e.kind == actFind:
			word = "find"
		case m.reading() != nil:
			word = "filter"
		}
		return fit(" "+p.accent.on(word)+" "+p.text.on(e.text+p.block)+"   "+p.dim.on("enter keeps, esc clears"), w)
	}
	right := m.status()
	if n := m.panes.note; n.text != "" {
		tone := p.tone(n.tone)
		if width(n.text)+width(right)+4 > w {
			right = ""
		}
		return ends(" "+tone.on(cut(n.text, w-2, p.ellipsis)), right, w, "")
	}
	room := w - width(right) - 3
	line, used := " ", 1
	for i, h := range m.hintKeys() {
		h[0] = m.keys.own.named(h[0])
		text := h[0] + " " + h[1]
		if i > 0 {
			if used+3+width(text) > room {
				break
			}
			line, used = line+"   ", used+3
		}
		line, used = line+p.strong.on(h[0])+" "+p.dim.on(h[1]), used+width(text)
	}
	return ends(line, right, w, "")
}

func (m *model) hintKeys() [][2]string {
	running := m.run.cancel != nil
	switch {
	case m.asks.edit != nil:
		return [][2]string{{"enter", "take it"}, {"ctrl+j", "new line"}, {"esc", "back"}}
	case m.deciding() != nil:
		return [][2]string{{"esc", "deny"}, {"ctrl+c", "leave"}}
	case m.form() != nil:
		return [][2]string{{"esc", "decline"}, {"ctrl+c", "leave"}}
	case m.reading() != nil:
		return m.reading().hints()
	case m.panes.over.kind != overNone:
		return [][2]string{{"esc", "close"}}
	case m.panes.focus == inChat:
		return m.chatKeys()
	case m.panes.look != nil:
		return append([][2]string{{"q", "leave"}, {"tab", "next"}, {"?", "keys"}}, m.shown().Hints().keys...)
	case m.panes.focus == inInspector:
		keys := slices.Concat([][2]string{{"esc", "back"}}, m.shown().Hints().keys)
		if m.screen.size < sizeLarge {
			return keys
		}
		return append(keys, [2]string{"o", "full screen"})
	case m.panes.show != nil && !m.panes.show.live:
		pause := "pause"
		if s := m.panes.show; s.paused || s.over() {
			pause = "go on"
		}
		return [][2]string{{"space", pause}, {m.pen.into, "step"}, {m.pen.outof, "back"}, {"[ ]", "question"}, {"+ -", "speed"}, {"q", "leave"}, {"?", "help"}}
	case running && !m.run.stopping.IsZero():
		return [][2]string{{"esc", "stop now"}, {"enter", "queue"}}
	case running && m.steerable() != nil && m.input.empty():
		return [][2]string{{"esc", "stop"}, {"enter", "give it to this turn"}, {"alt+up", "take it back"}, {"?", "help"}}
	case running:
		return [][2]string{{"esc", "stop"}, {"enter", "queue"}, {"ctrl+t", "detail"}, {"?", "help"}}
	}
	if m.wantsAgain() != nil {
		return [][2]string{{"enter", "try again"}, {"?", "help"}}
	}
	var choose [][2]string
	if a := m.chat.last(); a != nil {
		switch n := len(a.labels()); n {
		case 0:
		case 1:
			choose = [][2]string{{"1", "chooses"}}
		default:
			choose = [][2]string{{"1-" + itoa(n), "chooses"}}
		}
	}
	if m.chat.asking() != nil {
		return slices.Concat([][2]string{{"enter", "answer"}}, choose, [][2]string{{"ctrl+p", "commands"}, {"?", "help"}})
	}
	keys := [][2]string{{"enter", "send"}, {"ctrl+p", "commands"}, {"?", "help"}}
	if m.screen.size > sizeSmall {
		newline := "ctrl+j"
		if m.panes.shiftEnter {
			newline = "shift+enter"
		}
		keys = [][2]string{{"enter", "send"}, {newline, "newline"}, {"ctrl+p", "commands"}, {"ctrl+t", "detail"}, {"?", "help"}}
	}
	return append(choose, keys...)
}

// chatKeys are the keys that do something with what is chosen in the conversation.
func (m *model) chatKeys() [][2]string {
	keys := [][2]string{{"j k", "choose"}}
	if len(m.chosenPictures()) > 0 {
		keys = append(keys, [2]string{"enter", "look"})
	}
	a, _ := m.chat.chosen().(*answer)
	opens := (a == nil || !a.running()) && len(m.openable()) > 0
	if opens {
		keys = append(keys, [2]string{"o", "open"})
	}
	if _, ok := m.chat.folding(); ok {
		keys = append(keys, [2]string{"space", "fold"})
	}
	again := a != nil && a.failed() && m.pen.again != ""
	if again {
		keys = append(keys, [2]string{"r", "try again"})
	}
	keys = append(keys, [][2]string{{"y", "copy"}, {"/", "find"}}...)
	if !opens && !again {
		keys = append(keys, [2]string{"G", "end"})
	}
	return append(keys, [2]string{"esc", "back"})
}

// status is the right end of the last row.
func (m *model) status() string {
	p := m.pen
	if m.panes.look != nil {
		return ""
	}
	inspect := p.strong.on(paneKeys(m.keys.own)) + " " + p.dim.on("inspect") + " "
	if m.screen.size <= sizeSmall {
		return inspect
	}
	var parts []string
	if m.panes.tools > 0 {
		parts = append(parts, count(m.panes.tools, "tool"))
	}
	if m.panes.tokens > 0 && modelName(m.panes.model) != "" {
		parts = append(parts, short(m.panes.tokens)+" tokens")
	}
	if len(parts) == 0 {
		return inspect
	}
	return p.dim.on(strings.Join(parts, " "+p.dot+" ")+" "+p.dot+" ") + inspect
}

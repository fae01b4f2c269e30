package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/media"
	"github.com/yaap-chat/yaap/core/safe"
)

// paintAfter is when a picture is painted on the whole screen: the frame before is there.
const paintAfter = 60 * time.Millisecond

// pictureLook is the look at a picture on the whole screen.
type pictureLook struct {
	files []core.File // empty: nobody looks
	at    int
	fault string
	n     int // rises with each painting
}

// chosenFiles are the files of what is chosen in the conversation.
func (m *model) chosenFiles() []core.File {
	switch it := m.chat.chosen().(type) {
	case *answer:
		return filesOf(it.run)
	case *spoken:
		return it.files
	}
	return nil
}

// chosenPictures are those of the chosen files that can be shown.
func (m *model) chosenPictures() (pictures []core.File) {
	for _, f := range m.chosenFiles() {
		if isPicture(f) {
			pictures = append(pictures, f)
		}
	}
	return pictures
}

// lookAt shows the pictures of what is chosen on the whole screen, one at a time.
func (m *model) lookAt() tea.Cmd {
	files := m.chosenPictures()
	switch {
	case len(files) == 0:
		return m.say(toneAsk, "there is no picture to look at here")
	case m.pen.pictures.whole() == "":
		return m.say(toneAsk, "pictures are not shown here: o opens it")
	}
	m.panes.over = overlay{kind: overPicture, n: m.panes.over.n + 1}
	m.pen.pictures.look = pictureLook{files: files, at: len(files) - 1}
	return m.paint()
}

// paint paints the picture that is looked at, where the terminal paints over its cells.
func (m *model) paint() tea.Cmd {
	g := m.pen.pictures
	l, way, dot := &g.look, g.whole(), g.seen.dot
	l.n, l.fault = l.n+1, ""
	if m.panes.over.kind != overPicture || way != asITerm2 && way != asSixel {
		return nil
	}
	n, f := l.n, l.files[l.at]
	room := m.pictureRoom()
	size := fitted(f.Width, f.Height, room, dot)
	path := g.path(f.Name)
	job := m.jobs.command(func() tea.Msg {
		img, err := media.Picture(path)
		var send string
		switch {
		case err != nil:
		case way == asITerm2:
			send, err = toITerm2(img, size, dot)
		default:
			send = toSixel(img, size, dot)
		}
		return then(func() tea.Cmd {
			switch {
			case l.n != n || m.panes.over.kind != overPicture: // it is closed, or another one
				return nil
			case err != nil:
				l.fault = safe.Line(err.Error())
				return nil
			}
			at := fmt.Sprintf("\x1b7\x1b[%d;%dH", (room.rows-size.rows)/2+1, (room.cols-size.cols)/2+1)
			return tea.Raw(at + send + "\x1b8")
		})
	})
	return tea.Sequence(tea.ClearScreen, m.after(paintAfter, then(func() tea.Cmd { return job })))
}

// pictureRoom is where a picture is on the whole screen.
func (m *model) pictureRoom() cells { return cells{m.screen.w, max(m.screen.h-1, 1)} }

// keyPicture takes the keys while a picture is looked at.
func (m *model) keyPicture(name string) tea.Cmd {
	l := &m.pen.pictures.look
	switch name {
	case "esc", "q", "enter", "o":
		m.panes.over = overlay{n: m.panes.over.n}
		l.n++
		if name != "o" {
			return tea.ClearScreen
		}
		return tea.Batch(tea.ClearScreen, m.command("/open "+l.files[l.at].Name))
	case "left", "h", "up", "k":
		l.at = (l.at + len(l.files) - 1) % len(l.files)
	case "right", "l", "down", "j", "tab", "space":
		l.at = (l.at + 1) % len(l.files)
	default:
		return nil
	}
	return m.paint()
}

// drawLook draws the whole screen while a picture is looked at.
func (m *model) drawLook(rows []string) {
	g, room := m.pen.pictures, m.pictureRoom()
	l, way, fault := &g.look, g.whole(), g.look.fault
	for i := range rows {
		rows[i] = fit("", m.screen.w)
	}
	f := l.files[l.at]
	if way == asKitty || way == asBlocks {
		var drawn []string
		drawn, fault = g.rows(f, way, room)
		for i, row := range drawn {
			w := width(row)
			y := (room.rows-len(drawn))/2 + i
			rows[y] = fit(fit("", (room.cols-w)/2)+row, m.screen.w)
		}
	}
	left := safe.Line(f.String())
	if fault != "" {
		left += ", not shown: " + fault
	}
	keys := "o opens it, esc closes"
	if len(l.files) > 1 {
		keys = itoa(l.at+1) + " of " + itoa(len(l.files)) + ", " + m.pen.into + " the next, " + keys
	}
	rows[len(rows)-1] = ends(" "+m.pen.dim.on(cut(left, m.screen.w-2, m.pen.ellipsis)), m.pen.dim.on(keys+" "), m.screen.w, "")
}

package tui

import (
	"net/url"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core/safe"
)

// drawForm lays the form that is filled in over the rows of a frame.
func (m *model) drawForm(rows []string) {
	f, sc, p := m.form(), &m.screen, m.pen
	if f == nil {
		return
	}
	w, h := min(sc.w-2, 76), sc.h-2
	if sc.h >= 20 {
		h = sc.h - 7
	}
	in := w - 4
	head := p.text.each(firstLines(f.message, in, min(6, max(h/3, 1)), p.ellipsis))
	var body []string
	at := -1 // the row of the blank that is filled in
	if f.url != "" {
		body = f.page(p, in)
	} else {
		body, at = f.rows(p, in, f.labels(in))
	}
	foot := []string{p.dim.on(cut("what you enter goes to "+named(f.expert)+", and is not stored here", in, p.ellipsis))}
	if f.url != "" {
		foot[0] = p.dim.on(cut("yaap does not open it, and sends nothing there", in, p.ellipsis))
	}
	if f.wrong != "" {
		foot[0] = p.bad.on(cut(visible(f.wrong), in, p.ellipsis))
	}
	room := max(h-len(head)-len(foot)-4, 1)
	from := 0
	if len(body) > room {
		from = min(max(at-room/2, 0), len(body)-room)
		body = body[from : from+room]
	}
	all := append(append([]string{""}, head...), "")
	top := len(all) + 1 // of the body, below the border
	all = append(append(append(all, body...), ""), foot...)
	for i, row := range all {
		all[i] = "  " + row
	}
	hint := f.keys()
	if time.Unix(0, p.now).Sub(f.since) < armAfter {
		hint = "the keys work " + inAMoment
	}
	box := boxed(p, named(f.expert)+" asks you", hint, all, w)
	x, y := max((sc.w-w-2)/2, 0), max((sc.h-len(box))/3, 0)
	if b := f.blank(); b != nil && b.edit != nil {
		b.edit.at = rect{x: x + 3 + f.labels(in), y: y + top + at - from, h: 1}
	}
	m.lay(rows, box, x, y)
}

// blank is the one that is filled in, nil where there is none.
func (f *form) blank() *formBlank {
	if f == nil || f.at >= len(f.blanks) {
		return nil
	}
	return f.blanks[f.at]
}

func (f *form) keys() string {
	switch b := f.blank(); {
	case f.url != "":
		return "enter I go there, esc decline"
	case b != nil && b.several:
		return "space choose, enter next, ctrl+s send, esc decline"
	case b != nil && b.edit == nil:
		return "left right choose, enter next, ctrl+s send, esc decline"
	}
	return "enter next, ctrl+s send, esc decline"
}

// page tells of the page that the user is to visit: its host first, as it is what
// counts.
func (f *form) page(p *pen, w int) []string {
	host := ""
	if at, err := url.Parse(f.url); err == nil {
		host = at.Host
	}
	rows := []string{p.dim.on(fit("host", 8)) + p.strong.on(cut(shownName(host), w-8, p.ellipsis))}
	return append(rows, hung(p.dim.on(fit("address", 8)), p.text.each(firstLines(safe.Cut(f.url, 2000), w-8, 12, p.ellipsis)))...)
}

// title is what a blank is called: with a star where it has to be filled in.
func (b *formBlank) title() string {
	if b.must {
		return safe.Cut(b.label, 60) + " *"
	}
	return safe.Cut(b.label, 60)
}

// labels is how wide the column of the labels is, of w cells.
func (f *form) labels(w int) int {
	most := 0
	for _, b := range f.blanks {
		most = max(most, width(b.title()))
	}
	return min(most+2, w*2/5)
}

// rows draws the blanks behind labels, and returns at which row the one is that is
// filled in.
func (f *form) rows(p *pen, w, label int) (rows []string, at int) {
	for i, b := range f.blanks {
		here := i == f.at
		style := p.dim
		if here {
			style, at = p.strong, len(rows)
		}
		rows = append(rows, style.on(fit(cut(b.title(), label-1, p.ellipsis), label))+b.draw(p, w-label, here))
		if here {
			rows = append(rows, hung(strings.Repeat(" ", label), p.dim.each(firstLines(safe.Cut(b.about, 300), w-label, 2, p.ellipsis)))...)
		}
	}
	return rows, at
}

// draw is what was filled in, in one row.
func (b *formBlank) draw(p *pen, w int, here bool) string {
	if b.edit != nil && here {
		b.edit.area.SetWidth(w)
		b.edit.area.SetHeight(1)
		row, _, _ := strings.Cut(b.edit.area.View(), "\n")
		return row
	}
	if b.edit != nil {
		return p.text.on(cut(visible(b.edit.area.Value()), w, p.ellipsis))
	}
	var shown []string
	for i, c := range b.choices {
		text := safe.Cut(c.label, 40)
		switch mark := b.chosen[i]; {
		case b.several && mark:
			text = "[x] " + text
		case b.several:
			text = "[ ] " + text
		case mark:
			text = "(" + text + ")"
		}
		if here && i == b.cursor {
			text = p.strong.on(text)
		} else {
			text = p.dim.on(text)
		}
		shown = append(shown, text)
	}
	// The one that the keys are at is seen.
	for len(shown) > 1 && width(strings.Join(shown, "  ")) > w && b.cursor > 0 && len(b.choices)-len(shown) < b.cursor {
		shown = shown[1:]
	}
	return cut(strings.Join(shown, "  "), w, p.ellipsis)
}

// cursor is where the user fills in.
func (f *form) cursor() *tea.Cursor {
	b := f.blank()
	if b == nil {
		return nil
	}
	return b.edit.cursor()
}

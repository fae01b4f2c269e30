package tui

import (
	"slices"
	"strings"
)

// menu is a list of choices with one chosen.
type menu struct {
	choices []choice
	cursor  int
	top     int
}

func (m *menu) set(choices []choice) {
	m.choices = choices
	m.cursor = min(m.cursor, max(len(choices)-1, 0))
}

func (m *menu) move(n int) {
	if len(m.choices) > 0 {
		m.cursor = (m.cursor + n + len(m.choices)) % len(m.choices)
	}
}

func (m *menu) chosen() (choice, bool) {
	if m.cursor >= len(m.choices) {
		return choice{}, false
	}
	return m.choices[m.cursor], true
}

// wide is how many cells the widest of some choices asks for.
func wide(choices []choice) (w int) {
	first, rest := 0, 0
	for _, c := range choices {
		first, rest = max(first, width(c.text)), max(rest, width(c.help)+width(c.right))
	}
	return first + rest + 8
}

// rows draws at most h choices, w cells wide.
func (m *menu) rows(p *pen, w, h int) []string {
	m.top = window(m.cursor, m.top, h, len(m.choices))
	first := 0
	for _, c := range m.choices {
		first = max(first, width(c.text))
	}
	first = min(first, max(w*3/5, 12))
	var rows []string
	for i := m.top; i < len(m.choices) && len(rows) < h; i++ {
		c := m.choices[i]
		name, sign := p.text, "  "
		if i == m.cursor {
			name, sign = p.title, p.prompt+" "
		}
		right := ""
		if c.right != "" {
			right = p.dim.on(c.right) + " "
		}
		first := min(first, max(w-width(right)-5, 0))
		left := " " + p.accent.on(sign) + name.on(fit(cut(c.text, first, p.ellipsis), first)) + "  "
		left += p.dim.on(cut(c.help, w-width(left)-width(right)-1, p.ellipsis))
		row := fit(ends(left, right, w, ""), w)
		if i == m.cursor {
			row = p.selected.under(row)
		}
		rows = append(rows, row)
	}
	return rows
}

// window returns the first of n entries to show in h rows so that the cursor is
// among them.
func window(cursor, top, h, n int) int {
	top = min(top, cursor)
	if cursor >= top+h {
		top = cursor - h + 1
	}
	return max(min(top, n-h), 0)
}

// narrow keeps the choices that hold every word of a filter, the commands first that it names.
func narrow(choices []choice, filter string) []choice {
	words := strings.Fields(strings.ToLower(filter))
	return nearest(slices.DeleteFunc(slices.Clone(choices), func(c choice) bool {
		return !holdsAll(strings.ToLower(c.text+" "+c.help+" "+c.right+" "+strings.Join(c.names, " ")), words)
	}), strings.TrimPrefix(filter, "/"))
}

func holdsAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// boxed puts a frame with a title around rows that are w cells wide.
func boxed(p *pen, title, hint string, rows []string, w int) []string {
	side := p.border.on(p.vertical)
	head := p.border.on(p.topLeft+p.horizontal) + " " + p.title.on(cut(title, max(w-3, 0), "")) + " "
	fill := w + 2 - width(head) - 1
	out := []string{head + p.border.on(strings.Repeat(p.horizontal, max(fill, 0))+p.topRight)}
	for _, row := range rows {
		out = append(out, side+fit(row, w)+side)
	}
	foot := p.border.on(p.bottomLeft + strings.Repeat(p.horizontal, w) + p.bottomRight)
	if hint != "" {
		hint = " " + cut(hint, w-4, "") + " "
		left := max(w-width(hint)-1, 0)
		foot = p.border.on(p.bottomLeft+strings.Repeat(p.horizontal, left)) + p.dim.on(hint) + p.border.on(strings.Repeat(p.horizontal, max(w-left-width(hint), 0))+p.bottomRight)
	}
	return append(out, foot)
}

package tui

import (
	"strings"

	"yaap/core"
	"yaap/core/safe"
)

const shownTools = 64 // of one expert

// changed tells what is new about an expert.
func (c *chat) changed(b core.ExpertChanged) {
	say := func(text string, t tone) {
		c.push(&remark{sign: c.canvas.dot, head: safe.Line(b.Name), text: safe.Cut(text, 300), tone: t})
	}
	if len(b.Hidden) > 0 {
		say("says other things of "+someOf(b.Hidden)+" than before: hidden until you have looked, with /trust "+b.Name, toneAsk)
	}
	var news []string
	if len(b.Added) > 0 {
		news = append(news, "can now do "+someOf(b.Added))
	}
	if len(b.Removed) > 0 {
		news = append(news, "cannot do "+someOf(b.Removed)+" any more")
	}
	if len(news) == 0 && len(b.Hidden) == 0 {
		news = append(news, "says other things of itself: its "+strings.Join(b.Changed, " and its "))
	}
	if len(news) > 0 {
		say(strings.Join(news, ", and "), toneQuiet)
	}
}

// someOf names the first of some tools.
func someOf(names []string) string {
	const most = 4
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + " and " + itoa(more) + " more"
	}
	return strings.Join(names, ", ")
}

// tools draws what an expert can do: each tool with what it takes, and what it
// claims of its effects.
func (p *pen) tools(e core.Expert, w int) []string {
	var rows []string
	head := fit("tools", 10)
	for i, t := range e.Tools {
		if i == shownTools {
			rows = append(rows, fit(" "+fit("", 10)+p.dim.on("and "+itoa(len(e.Tools)-i)+" more"), w))
			break
		}
		usage := safe.Line(t.Usage())
		line := p.text.on(safe.Cut(t.Name, 64))
		if usage != "" && t.Name != e.Name {
			line += "  " + p.accent.on(cut(usage, max(w-16-width(safe.Cut(t.Name, 64)), 10), p.ellipsis))
		}
		rows = append(rows, fit(" "+p.dim.on(head)+line, w))
		head = fit("", 10)
		if t.Name == e.Name && !t.Acts {
			continue
		}
		claim := t.Claims.String()
		if t.Acts {
			claim += "; you are asked first"
		}
		rows = append(rows, fit(" "+head+p.dim.on("  "+cut(claim, w-14, p.ellipsis)), w))
	}
	return rows
}

// changes draws what hidden tools said, beside what they say now.
func (p *pen) changes(e core.Expert, w int) []string {
	var rows []string
	column := max((w-24)/2, 12)
	for i, c := range e.Changes {
		if i == shownTools {
			break
		}
		rows = append(rows, fit(" "+p.warn.on(cut(safe.Line(c.Now.Name)+" has changed, and is hidden until you allow it with /trust "+e.Name, w-2, p.ellipsis)), w))
		for _, d := range c.Differences() {
			was, now := firstLines(safe.Text(d.Was), column, maxColumn, p.ellipsis), firstLines(safe.Text(d.Now), column, maxColumn, p.ellipsis)
			name := d.What
			for j := range max(len(was), len(now)) {
				row := " " + p.dim.on(fit("  "+name, 16))
				row += p.dim.on(fit(lineAt(was, j), column)) + "  " + p.text.on(fit(lineAt(now, j), column))
				rows, name = append(rows, fit(row, w)), ""
			}
		}
	}
	return rows
}

const maxColumn = 40 // lines of one difference

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

package tui

import (
	"strings"

	"yaap/core"
	"yaap/core/safe"
)

// changed tells what is new about an expert.
func (c *chat) changed(b core.ExpertChanged) {
	say := func(text string, t tone) {
		c.push(&remark{sign: c.canvas.dot, head: safe.Line(b.Name), text: safe.Cut(text, 300), tone: t})
	}
	if len(b.Hidden) > 0 {
		say("changed "+someOf(own(b.Name, b.Hidden))+": hidden until you have seen how, with /trust "+b.Name, toneAsk)
	}
	var news []string
	if len(b.Added) > 0 {
		news = append(news, "can now do "+someOf(own(b.Name, b.Added)))
	}
	if len(b.Removed) > 0 {
		news = append(news, "cannot do "+someOf(own(b.Name, b.Removed))+" any more")
	}
	if len(news) == 0 && len(b.Hidden) == 0 {
		news = append(news, "says other things of itself: its "+strings.Join(b.Changed, " and its "))
	}
	if len(news) > 0 {
		say(strings.Join(news, ", and "), toneQuiet)
	}
}

// own are the names of an expert's tools without its own.
func own(expert string, tools []string) []string {
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = strings.TrimPrefix(tool, expert+"__")
	}
	return names
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
	for _, t := range e.Tools {
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
			claim += "; you are asked, unless you allowed it"
		}
		rows = append(rows, fit(" "+head+p.dim.on("  "+cut(claim, w-14, p.ellipsis)), w))
	}
	return rows
}

// changes names the tools that are hidden. What they said stands beside what they
// say in the answer to /trust.
func (p *pen) changes(e core.Expert, w int) []string {
	var rows []string
	for _, c := range e.Changes[:min(len(e.Changes), maxTools)] {
		rows = append(rows, fit(" "+p.warn.on(cut(safe.Line(c.Now.Name)+" has changed, and is hidden until you have seen how, with /trust "+e.Name, w-2, p.ellipsis)), w))
	}
	return rows
}

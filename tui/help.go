package tui

import "strings"

// help is the key table and the commands, in rows of w cells.
func (m *model) help(w int) []string {
	p := m.pen
	var rows []string
	section := func(title string) {
		if len(rows) > 0 {
			rows = append(rows, "")
		}
		rows = append(rows, " "+p.title.on(title))
	}
	line := func(what, does string) {
		first := min(34, w*2/5)
		for i, part := range wrap(does, max(w-first-5, 8)) {
			if i > 0 {
				what = ""
			}
			rows = append(rows, "  "+p.strong.on(fit(cut(what, first, p.ellipsis), first))+"  "+p.dim.on(part))
		}
	}
	titles := map[place]string{everywhere: "Everywhere", inInput: "While typing", inChat: "In the chat (tab)", inInspector: "In an inspector (" + strings.NewReplacer(" ", ", ", "-", " to ").Replace(paneKeys(m.keys.own)) + ")", inReader: "In a table or code (o)", inApproval: "When something waits to be allowed", inShow: "While it is shown again"}
	places, commands := []place{inInput, everywhere, inChat, inReader, inInspector, inApproval}, m.commands
	if m.panes.show != nil {
		places, commands = []place{inShow, everywhere, inChat, inReader, inInspector}, nil
	}
	if m.panes.look != nil {
		places, commands = []place{inInspector}, nil
	}
	for _, at := range places {
		section(titles[at])
		for _, b := range m.keys.table {
			if b.where != at || (m.panes.show != nil || m.panes.look != nil) && asksForMore(b.do) {
				continue
			}
			keys := strings.Join(b.keys, ", ")
			switch {
			case m.panes.look != nil && b.do == actFull: // it is
				continue
			case m.panes.look != nil && b.do == actOpen:
				keys += ", o"
			}
			if b.leader != "" {
				keys += ", " + m.keys.own.named("ctrl+x") + " " + b.leader
			}
			line(keys, b.help)
		}
	}
	if len(commands) > 0 {
		section("Commands")
	}
	for _, c := range commands {
		name := "/" + c.Name
		for _, a := range c.Aliases {
			name += " /" + a
		}
		line(name, c.Does)
		if c.Args != "" {
			line("", c.Args)
		}
	}
	if m.panes.look != nil {
		line("tab, "+paneKeys(m.keys.own), "another inspector")
		line("q, esc", "leave")
		return rows
	}
	section("Good to know")
	line("@name text", "goes straight to that expert")
	line("click", "chooses a message, and opens or closes the line of facts of an answer")
	line("drag", "selects what is on the screen, and copies it; with shift the terminal does; /mouse leaves the mouse to it")
	return rows
}

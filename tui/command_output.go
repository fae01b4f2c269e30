package tui

import (
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// markdownOf is what a command says, as the chat shows it.
func markdownOf(d core.Doc) string {
	var parts []string
	for _, part := range d.Parts {
		switch part.Kind {
		case core.Block, core.Fault:
			parts = append(parts, "```\n"+strings.ReplaceAll(strings.TrimRight(part.Text, "\n"), "```", "'''")+"\n```")
		case core.Table:
			parts = append(parts, markdownTable(part))
		default:
			parts = append(parts, strings.Trim(part.Text, "\n"))
		}
	}
	return strings.Join(parts, "\n\n")
}

func markdownTable(t core.Part) string {
	var s strings.Builder
	row := func(cells []string) {
		for _, cell := range cells {
			s.WriteString("| " + strings.ReplaceAll(safe.Line(cell), "|", `\|`) + " ")
		}
		s.WriteString("|\n")
	}
	row(t.Head)
	s.WriteString(strings.Repeat("|---", len(t.Head)) + "|\n")
	for _, cells := range t.Rows {
		row(cells)
	}
	return s.String()
}

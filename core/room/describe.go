package room

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/yaap"
)

const (
	lastPrinted = 10 // lines
	blockWidth  = 66 // cells of a row of a drawing: a chat of 80 shows them
	proseWidth  = 62 // cells: a chat of 80 shows them
)

// describeExpert tells what an expert says of itself, and of each tool what it
// takes and what it claims of its effects. It reports false for nobody.
func describeExpert(experts []core.Expert, name string) (string, bool) {
	i := slices.IndexFunc(experts, func(e core.Expert) bool { return yaap.Canonical(e.Name) == yaap.Canonical(name) })
	if i < 0 {
		return "", false
	}
	e := experts[i]
	block := func(s string) string { return strings.ReplaceAll(safe.Line(s), "`", "'") } // nothing in it is markup
	var s strings.Builder
	prose := func(s, indent string) string {
		return indent + strings.Join(column(safe.Line(s), proseWidth), "\n"+indent)
	}
	fmt.Fprintf(&s, "**%s** (%s)\n\n```\n%s\n", safe.Line(e.Name), e.State, prose(e.Description, ""))
	if !e.Present() && e.Message != "" {
		fmt.Fprintf(&s, "%s\n", block(e.Message))
	}
	if len(e.Command) > 0 {
		fmt.Fprintf(&s, "runs as %s\n", block(strings.Join(e.Command, " ")))
	}
	if r := e.Bidding; r.Bids > 0 {
		fmt.Fprintf(&s, "bids %d, awarded %d, credit %.2f\n", r.Bids, r.Awards, r.Credit)
	}
	for _, t := range e.Tools {
		own := strings.TrimPrefix(t.Name, e.Name+"__")
		fmt.Fprintf(&s, "\n@%s\n", block(strings.TrimSpace(e.Name+" "+own+" "+t.Usage())))
		if t.Name != e.Name && t.Description != "" {
			fmt.Fprintf(&s, "%s\n", prose(safe.Cut(t.Description, 160), "  "))
		}
		asked := ""
		if t.Acts {
			asked = "; you are asked, unless you allowed it"
		}
		fmt.Fprintf(&s, "%s\n", prose(t.Claims.String()+asked, "  "))
	}
	if len(e.Bidding.Learned) > 0 {
		s.WriteString("\nit has answered\n")
	}
	for _, question := range e.Bidding.Learned {
		fmt.Fprintf(&s, "  %s\n", block(question))
	}
	if len(e.Stderr) > 0 {
		s.WriteString("\nwhat it printed last\n")
	}
	for _, line := range e.Stderr[max(0, len(e.Stderr)-lastPrinted):] {
		fmt.Fprintf(&s, "  %s\n", block(safe.Cut(line, 160)))
	}
	for _, c := range e.Changes {
		fmt.Fprintf(&s, "\n%s has changed and is hidden: /trust %s\n", block(c.Now.Name), safe.Line(e.Name))
	}
	s.WriteString("```")
	return s.String(), true
}

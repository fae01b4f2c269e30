package diagram

import (
	"fmt"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

// SequenceMermaid returns a run as a sequence diagram of Mermaid: who asked whom and
// what came back, between the user, yaap, the experts and the nodes of a chain.
// Of a run that is too long for one picture it shows the beginning and says how
// much is missing.
func SequenceMermaid(events []core.Event) string {
	q := readSequence(events)
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	for i, name := range q.people {
		word := "participant"
		if i == q.user {
			word = "actor"
		}
		fmt.Fprintf(&b, "  %s p%d as %s\n", word, i, mermaidText(name))
	}
	for _, s := range q.steps {
		if s.arrow == "" {
			fmt.Fprintf(&b, "  Note over p%d: %s\n", s.from, mermaidText(s.text))
			continue
		}
		fmt.Fprintf(&b, "  p%d%sp%d: %s\n", s.from, s.arrow, s.to, mermaidText(s.text))
	}
	return b.String()
}

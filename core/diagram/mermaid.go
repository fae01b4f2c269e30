package diagram

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode"

	"github.com/yaap-chat/yaap/core"
)

// maxLabel bounds a text in a picture, in cells.
const maxLabel = 80

// Mermaid returns g as a flowchart, with the states of a run as signs and
// classes and the edges taken as thick lines.
func Mermaid(g Graph) string {
	p, signs := newPlan(g), newGlyphs(false)
	var b strings.Builder
	if p.name != "" {
		b.WriteString("---\ntitle: " + yamlString(cut(p.name, maxLabel, "…")) + "\n---\n")
	}
	b.WriteString("flowchart TD\n")
	for i, n := range p.nodes {
		open, end := "[", "]"
		switch n.shape() {
		case decision:
			open, end = "{", "}"
		case terminal:
			open, end = "([", "])"
		}
		lines := signs.words(n)
		for i := range lines {
			lines[i] = mermaidText(lines[i])
		}
		fmt.Fprintf(&b, "  n%d%s\"%s\"%s\n", i, open, strings.Join(lines, "<br/>"), end)
	}
	for _, e := range p.edges {
		arrow := "-->"
		switch {
		case e.taken:
			arrow = "==>"
		case e.back:
			arrow = "-.->"
		}
		if e.label != "" {
			arrow += `|"` + mermaidText(cut(e.label, maxLabel, "…")) + `"|`
		}
		fmt.Fprintf(&b, "  n%d %s n%d\n", e.from, arrow, e.to)
	}
	for _, look := range looks() {
		var ids []string
		for i, n := range p.nodes {
			if n.State == look.state {
				ids = append(ids, "n"+strconv.Itoa(i))
			}
		}
		if len(ids) > 0 {
			fmt.Fprintf(&b, "  classDef %s stroke:%s,stroke-width:2px\n  class %s %[1]s\n",
				look.state, look.colour, strings.Join(ids, ","))
		}
	}
	return b.String()
}

// DOT returns g as a digraph of Graphviz.
func DOT(g Graph) string {
	p, signs := newPlan(g), newGlyphs(false)
	var b strings.Builder
	b.WriteString("digraph " + dotString(cut(p.name, maxLabel, "…")) + " {\n" +
		"  rankdir=TB\n  node [shape=box, style=rounded]\n")
	colours := map[core.NodeState]string{}
	for _, look := range looks() {
		colours[look.state] = look.colour
	}
	for i, n := range p.nodes {
		attr := "label=" + dotString(signs.words(n)...)
		switch n.shape() {
		case decision:
			attr += ", shape=diamond, style=solid"
		case terminal:
			attr += ", shape=oval, style=solid"
		}
		if colour, ok := colours[n.State]; ok {
			attr += `, color="` + colour + `"`
		}
		fmt.Fprintf(&b, "  n%d [%s]\n", i, attr)
	}
	for _, e := range p.edges {
		var attrs []string
		if e.label != "" {
			attrs = append(attrs, "label="+dotString(cut(e.label, maxLabel, "…")))
		}
		if e.taken {
			attrs = append(attrs, "penwidth=2")
		}
		if e.back {
			attrs = append(attrs, "style=dashed", "constraint=false")
		}
		fmt.Fprintf(&b, "  n%d -> n%d", e.from, e.to)
		if len(attrs) > 0 {
			fmt.Fprintf(&b, " [%s]", strings.Join(attrs, ", "))
		}
		b.WriteByte('\n')
	}
	b.WriteString("}\n")
	return b.String()
}

type shape int

const (
	box shape = iota
	decision
	terminal // where it begins and ends
)

func (n *place) shape() shape {
	switch n.Kind {
	case "":
		return terminal
	case "condition":
		return decision
	}
	return box
}

// look is the colour of a state; all can be seen on a light and on a dark ground.
type look struct {
	state  core.NodeState
	colour string
}

func looks() []look {
	return []look{
		{core.NodeRunning, "#0969da"},
		{core.NodeCompleted, "#2da44e"},
		{core.NodeFailed, "#cf222e"},
		{core.NodePaused, "#bf8700"},
		{core.NodePending, "#848d97"},
		{core.NodeSkipped, "#848d97"},
		{core.NodeCancelled, "#848d97"},
	}
}

// words are the lines of a node's label.
func (g *glyphs) words(n place) []string {
	first := n.name
	if n.shown != "" {
		first = g.sign(n) + " " + first
	}
	lines := []string{cut(first, maxLabel, "…")}
	for _, s := range []string{n.what, g.tail(n), n.note} {
		if s != "" {
			lines = append(lines, cut(s, maxLabel, "…"))
		}
	}
	return lines
}

// mermaidText escapes clean text. Letters, digits and the spaces between them
// stay, and so does what joins a word: data.score. Everything else becomes an
// entity, for nothing else is safe everywhere: quotes, markup, comments and
// directives (%%{), styles, formulas ($$), lists of Markdown.
func mermaidText(s string) string {
	var b strings.Builder
	for escape, r := range escapable(s) {
		if escape {
			fmt.Fprintf(&b, "#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// yamlString is clean text as a string in double quotes.
func yamlString(s string) string {
	var b strings.Builder
	for escape, r := range escapable(s) {
		if escape && r < 0x80 {
			fmt.Fprintf(&b, `\x%02x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// escapable gives the runes of s, and for each whether it may mean something to
// a parser.
func escapable(s string) iter.Seq2[bool, rune] {
	return func(yield func(bool, rune) bool) {
		word := func(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.Nd) }
		rs := []rune(s)
		for i, r := range rs {
			plain := word(r) || r == ' '
			if strings.ContainsRune(".-_", r) {
				plain = i > 0 && i < len(rs)-1 && word(rs[i-1]) && word(rs[i+1])
			}
			if !yield(!plain, r) {
				return
			}
		}
	}
}

// dotString is clean lines as one string of DOT, which knows the escapes of C,
// some of its own, and the entities of HTML.
func dotString(lines ...string) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;")
	for i := range lines {
		lines[i] = escape.Replace(lines[i])
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}

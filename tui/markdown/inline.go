package markdown

import (
	"fmt"
	"html"
	"net/url"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	xansi "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/yaap-chat/yaap/core/safe"
)

// ink is how a run of running text looks.
type ink struct{ bold, italic, struck, link bool }

// inline rewrites running text for glamour: a flat row of runs whose text is
// safe after its entities are resolved, and that glamour does not read again.
// Targets and markup are written out, as glamour would hide some of them.
type inline struct {
	*layout
	into  ast.Node        // takes the runs
	shown strings.Builder // what will be seen of them
	// notes takes the targets of links, to be listed below a table; nil: a
	// target stands behind its link.
	notes *[]string
	lines *text.Segments // of the block that is rewritten; nil: it has none
	wide  int            // cells of the widest of them
	bare  bool           // code has no marks
}

// rewrite fills a new block with the running text within n.
func (l *layout) rewrite(n, into ast.Node, notes *[]string) {
	w := inline{layout: l, into: into, notes: notes, lines: n.Lines()}
	for i := range w.lines.Len() {
		w.wide = max(w.wide, xansi.StringWidth(w.line(i)))
	}
	w.children(n, ink{})
}

// line is a line of the block as it was written.
func (w *inline) line(i int) string {
	segment := w.lines.At(i)
	return strings.TrimSpace(string(segment.Value(w.source)))
}

// wrapped is how long a line is at least that was broken because it was full.
const wrapped = 40

// breaks reports whether the writer broke the line that ends behind a place of
// the source: it is short, the next word had fitted into the widest line, a
// sentence ends there or a number follows, as in a list of dates. Other lines are
// full, and the text flows on.
func (w *inline) breaks(stop int) bool {
	i := sort.Search(w.lines.Len(), func(i int) bool { return w.lines.At(i).Stop >= stop })
	if i+1 >= w.lines.Len() {
		return false
	}
	line := w.line(i)
	next, _, _ := strings.Cut(w.line(i+1), " ")
	n := xansi.StringWidth(line)
	end, _ := utf8.DecodeLastRuneInString(strings.TrimRight(line, "*_`\"'”’»)"))
	number := next != "" && next[0] >= '0' && next[0] <= '9'
	return number || n < wrapped || n+1+xansi.StringWidth(next) <= w.wide || strings.ContainsRune(".!?:…。！？", end)
}

func (w *inline) children(n ast.Node, in ink) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, in)
	}
}

func (w *inline) node(n ast.Node, in ink) {
	switch n := n.(type) {
	case *ast.Text:
		w.text(resolve(string(n.Segment.Value(w.source))), in)
		switch {
		case n.HardLineBreak(), n.SoftLineBreak() && w.breaks(n.Segment.Stop):
			w.lineBreak()
		case n.SoftLineBreak():
			w.text(" ", ink{})
		}
	case *ast.CodeSpan:
		w.code(n, in)
	case *ast.Emphasis:
		if n.Level > 1 {
			in.bold = true
		} else {
			in.italic = true
		}
		w.children(n, in)
	case *extast.Strikethrough:
		in.struck = true
		w.children(n, in)
	case *ast.Link:
		w.link(n, string(n.Destination), in)
	case *ast.Image:
		w.text("image: ", in)
		w.link(n, string(n.Destination), in)
	case *ast.AutoLink:
		w.address(string(n.URL(w.source)))
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			w.html(string(segment.Value(w.source)))
		}
	case *extast.TaskCheckBox: // the list shows it
	default:
		w.children(n, in)
	}
}

func (w *inline) code(n ast.Node, in ink) {
	var code strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			code.Write(t.Segment.Value(w.source))
		}
	}
	mark := w.style.codeMark()
	if w.bare {
		mark = ""
	}
	if in.struck { // glamour strikes no code
		w.text(mark+code.String()+mark, in)
		return
	}
	w.shown.WriteString(mark)
	w.run(code.String(), ast.NewCodeSpan())
	w.shown.WriteString(mark)
}

// link writes the text of a link and shows where it leads, unless its text says
// exactly that.
func (w *inline) link(n ast.Node, target string, in ink) {
	begin := w.shown.Len()
	in.link = true
	w.children(n, in)
	target = safe.Line(resolve(target))
	switch {
	case target == "" || target == w.shown.String()[begin:]:
	case w.notes == nil:
		w.text(" ", ink{})
		w.address(target)
	default:
		i := slices.Index(*w.notes, target)
		if i < 0 {
			i = len(*w.notes)
			*w.notes = append(*w.notes, target)
		}
		w.text(fmt.Sprintf("[%d]", i+1), ink{link: true})
	}
}

// followable matches the targets that a terminal may follow.
//
//nolint:gochecknoglobals // never changes; see pattern
var followable = pattern(`(?i)^(?:https?://|mailto:)[!-\[\]-~]+$`)

// address shows a target. What is shown is what is opened: glamour hides what
// net/url cannot parse, so that is shown as quiet text.
func (w *inline) address(target string) {
	target = safe.Line(target)
	if _, err := url.Parse(target); err != nil || !w.style.Color || !followable().MatchString(target) {
		w.run(target, ast.NewRawHTML())
		return
	}
	w.shown.WriteString(target)
	w.into.AppendChild(w.into, ast.NewAutoLink(ast.AutoLinkURL, ast.NewTextSegment(w.segment(target))))
}

//nolint:gochecknoglobals // never change; see pattern
var (
	htmlBreak = pattern(`(?i)<br\s*/?>`)
	// bareTag is a tag that says nothing which is not seen without it.
	bareTag = pattern(`</?[A-Za-z][A-Za-z0-9-]*\s*/?>`)
)

// html shows markup as it is written, comments included, but for bare tags.
func (w *inline) html(source string) {
	source = htmlBreak().ReplaceAllString(source, " ")
	for source != "" {
		tag := bareTag().FindStringIndex(source)
		if tag == nil {
			tag = []int{len(source), len(source)}
		}
		markup := strings.TrimSpace(source[:tag[0]]) // as glamour does
		before, after, _ := strings.Cut(source[:tag[0]], markup)
		w.text(before, ink{})
		w.run(markup, ast.NewRawHTML())
		w.text(after, ink{})
		source = source[tag[1]:]
	}
}

func (w *inline) lineBreak() {
	w.into.AppendChild(w.into, ast.NewTextSegment(w.segment("\n")))
}

// text writes text.
func (w *inline) text(s string, in ink) {
	var around []ast.Node
	if in.link { // glamour gives no link to a part of a page
		link := ast.NewLink()
		link.Destination = []byte("#")
		around = append(around, link)
	}
	if in.bold {
		around = append(around, ast.NewEmphasis(2))
	}
	if in.italic {
		around = append(around, ast.NewEmphasis(1))
	}
	if in.struck {
		around = append(around, extast.NewStrikethrough())
	}
	w.run(s, around...)
}

// backslash stands for a backslash while glamour has the text: it takes those
// before marks away, in tables and links twice. No safe text holds it.
const backslash = "\ue05c"

// run writes text within nodes, the outer ones first. It escapes what glamour
// unescapes, so that what is seen is the safe text.
func (w *inline) run(s string, around ...ast.Node) {
	s = strings.ReplaceAll(safe.Text(s), "\n", " ")
	if s == "" {
		return
	}
	w.shown.WriteString(s)
	segment := w.segment(strings.ReplaceAll(html.EscapeString(s), `\`, backslash))
	parent := w.into
	for _, n := range around {
		parent.AppendChild(parent, n)
		parent = n
	}
	if raw, ok := parent.(*ast.RawHTML); ok {
		raw.Segments.Append(segment)
		return
	}
	parent.AppendChild(parent, ast.NewTextSegment(segment))
}

// segment adds text to the source that glamour reads.
func (w *inline) segment(s string) text.Segment {
	begin := len(w.source)
	w.source = append(w.source, s...)
	return text.NewSegment(begin, len(w.source))
}

// entity matches a character reference, or an escaped mark.
//
//nolint:gochecknoglobals // never changes; see pattern
var entity = pattern("&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});|\\\\[!-/:-@\\[-`{-~]")

// resolve returns markdown's text without escapes and character references.
// What a reference may not stand for on a terminal is left out alone: of an
// escape sequence that is written with one, the rest is seen.
func resolve(source string) string {
	return entity().ReplaceAllStringFunc(source, func(s string) string {
		if s[0] == '\\' {
			return s[1:]
		}
		return safe.Text(html.UnescapeString(s))
	})
}

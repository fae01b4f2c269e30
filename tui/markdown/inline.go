package markdown

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"html"
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
type ink struct {
	color                            string
	underlined, bold, italic, struck bool
}

// look are the parameters of its SGR sequence.
func (in ink) look() string {
	look := in.color
	for _, one := range []struct {
		on   bool
		code string
	}{{in.underlined, ";4"}, {in.bold, ";1"}, {in.italic, ";3"}, {in.struck, ";9"}} {
		if one.on {
			look += one.code
		}
	}
	return strings.TrimPrefix(look, ";")
}

// inline writes running text: its words are safe after its entities are resolved, and
// the targets of links and markup are written out.
type inline struct {
	*layout
	out   strings.Builder // styled
	shown strings.Builder // what will be seen of it
	// notes takes the targets of links, to be listed below a table; nil: a
	// target stands behind its link.
	notes *[]string
	lines *text.Segments // of the block that is written; nil: it has none
	wide  int            // cells of the widest of them
	bare  bool           // code has no marks
}

// rows are the rows of what was written.
func (w *inline) rows(width int) []string { return trimRows(wrap(w.out.String(), width)) }

// block writes the running text within n.
func (w *inline) block(n ast.Node, in ink) {
	w.lines = n.Lines()
	for i := range w.lines.Len() {
		w.wide = max(w.wide, xansi.StringWidth(w.line(i)))
	}
	w.children(n, in)
}

// line is a line of the block as it was written.
func (w *inline) line(i int) string {
	segment := w.lines.At(i)
	return strings.TrimSpace(string(segment.Value(w.source)))
}

// wrapped is how long a line is at least that was broken because it was full.
const wrapped = 40

// end ends the line whose last text is n. The next one stands as deep below the first
// as it was written.
func (w *inline) end(n *ast.Text) {
	i := sort.Search(w.lines.Len(), func(i int) bool { return w.lines.At(i).Stop >= n.Segment.Stop })
	last := i+1 >= w.lines.Len()
	switch {
	case !last && (n.HardLineBreak() || w.breaks(i)):
		w.out.WriteString("\n" + strings.Repeat(" ", w.depth(i+1)))
	case n.HardLineBreak():
		w.out.WriteByte('\n')
	default:
		w.run(" ", ink{})
	}
}

// depth is by how many cells a line is indented more than the first one.
func (w *inline) depth(i int) int { return max(w.column(i)-w.column(0), 0) }

// column is where the text of a line begins.
func (w *inline) column(i int) int {
	start := w.lines.At(i).Start
	return xansi.StringWidth(string(w.source[bytes.LastIndexByte(w.source[:start], '\n')+1 : start]))
}

// breaks reports whether the writer broke a line that is not the last: it is short,
// the next word had fitted into the widest line, a sentence ends there, a number
// follows, as in a list of dates, or one of both is indented. Other
// lines are full, and the text flows on.
func (w *inline) breaks(i int) bool {
	line := w.line(i)
	next, _, _ := strings.Cut(w.line(i+1), " ")
	n := xansi.StringWidth(line)
	end, _ := utf8.DecodeLastRuneInString(strings.TrimRight(line, "*_`\"'”’»)"))
	number := next != "" && next[0] >= '0' && next[0] <= '9'
	return number || w.depth(i)+w.depth(i+1) > 0 || n < wrapped || n+1+xansi.StringWidth(next) <= w.wide || strings.ContainsRune(".!?:…。！？", end)
}

func (w *inline) children(n ast.Node, in ink) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, in)
	}
}

func (w *inline) node(n ast.Node, in ink) {
	switch n := n.(type) {
	case *ast.Text:
		w.run(resolve(string(n.Segment.Value(w.source))), in)
		if n.HardLineBreak() || n.SoftLineBreak() {
			w.end(n)
		}
	case *ast.CodeSpan:
		w.code(n, in)
	case *ast.Emphasis:
		changed := in
		if n.Level > 1 {
			changed.bold = true
		} else {
			changed.italic = true
		}
		w.marked(n, in, changed)
	case *extast.Strikethrough:
		changed := in
		changed.struck = true
		w.marked(n, in, changed)
	case *ast.Link:
		w.link(n, string(n.Destination), in)
	case *ast.Image:
		w.run("image: ", in)
		w.link(n, string(n.Destination), in)
	case *ast.AutoLink:
		w.address(string(n.URL(w.source)), in)
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

// marked writes what stands between marks: changed, or in ink and with its marks where
// they belong to a name, a glob or a formula.
func (w *inline) marked(n ast.Node, in, changed ink) {
	mark := w.ownMark(n)
	if mark == "" {
		w.children(n, changed)
		return
	}
	w.run(mark, in)
	w.children(n, in)
	w.run(mark, in)
}

// ownMark is the mark of n that is a part of what is written, as in __init__.py, 2*3*4 and
// src/*/doc/*; "" is one of Markdown.
func (w *inline) ownMark(n ast.Node) string {
	first, ok := n.FirstChild().(*ast.Text)
	last, isText := n.LastChild().(*ast.Text)
	if !ok || !isText || first.Segment.Start == 0 || last.Segment.Stop >= len(w.source) {
		return ""
	}
	start, end := first.Segment.Start, last.Segment.Stop
	before := bytes.TrimRight(w.source[:start], string(w.source[start-1]))
	after := bytes.TrimLeft(w.source[end:], string(w.source[end]))
	mark := string(w.source[len(before):start])
	opens, closes := len(before) > 0 && ofName(before[len(before)-1]), len(after) > 0 && ofName(after[0])
	goesOn := closes || len(after) > 1 && (strings.ContainsRune("([", rune(after[0])) || after[0] == '.' && ofName(after[1]))
	switch mark {
	case "__":
		if name := w.source[start:end]; !bytes.ContainsFunc(name, func(r rune) bool { return !isLower(r) }) || opens || goesOn {
			return mark
		}
	case "**":
		if opens && closes && isDigit(before[len(before)-1]) && isDigit(after[0]) {
			return mark
		}
	case "_", "*", "~":
		if opens || goesOn {
			return mark
		}
	}
	return ""
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// isLower reports whether r may stand in an identifier in small letters.
func isLower(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' }

// ofName reports whether b may stand in a name, a path or a number.
func ofName(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || isDigit(b) || strings.IndexByte(`_/\`, b) >= 0
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
	in.color = w.style.palette().warn
	w.run(mark+code.String()+mark, in)
}

// link writes the text of a link and shows where it leads, unless its text says
// exactly that.
func (w *inline) link(n ast.Node, target string, in ink) {
	begin := w.shown.Len()
	linked := in
	linked.color = w.style.palette().accent
	w.children(n, linked)
	target = safe.Line(resolve(target))
	switch {
	case target == "" || target == w.shown.String()[begin:]:
	case w.notes == nil:
		w.run(" ", ink{})
		w.address(target, in)
	default:
		i := slices.Index(*w.notes, target)
		if i < 0 {
			i = len(*w.notes)
			*w.notes = append(*w.notes, target)
		}
		w.run(fmt.Sprintf("[%d]", i+1), linked)
	}
}

// followable matches the targets that a terminal may follow.
//
//nolint:gochecknoglobals // never changes; see pattern
var followable = pattern(`(?i)^(?:https?://|mailto:)[!-\[\]-~]+$`)

// address shows a target, quietly where it cannot be followed. What is shown is what is
// opened.
func (w *inline) address(target string, in ink) {
	target = safe.Line(target)
	in = ink{color: w.style.palette().dim, bold: in.bold}
	if !w.style.Color || !followable().MatchString(target) {
		w.run(target, in)
		return
	}
	id := fnv.New32a() // the parts of a link that is broken over rows are one
	_, _ = id.Write([]byte(target))
	in.underlined = true
	w.out.WriteString(xansi.SetHyperlink(target, fmt.Sprintf("id=%d", id.Sum32())))
	w.run(target, in)
	w.out.WriteString(xansi.ResetHyperlink())
}

//nolint:gochecknoglobals // never change; see pattern
var (
	htmlBreak = pattern(`(?i)<br\s*/?>`)
	// bareTag is a tag that says nothing which is not seen without it.
	bareTag = pattern(`</?[A-Za-z][A-Za-z0-9-]*\s*/?>`)
)

// html shows markup as it is written, comments included, but for bare tags.
func (w *inline) html(source string) {
	for source != "" {
		tag := bareTag().FindStringIndex(source)
		if tag == nil {
			tag = []int{len(source), len(source)}
		}
		w.run(source[:tag[0]], ink{color: w.style.palette().dim})
		if htmlBreak().MatchString(source[tag[0]:tag[1]]) {
			w.run(" ", ink{})
		}
		source = source[tag[1]:]
	}
}

// run writes text.
func (w *inline) run(s string, in ink) {
	s = strings.ReplaceAll(safe.Text(s), "\n", " ")
	w.shown.WriteString(s)
	w.out.WriteString(w.style.paint(in.look(), s))
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

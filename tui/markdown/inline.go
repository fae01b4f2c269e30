package markdown

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	xansi "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"yaap/core/safe"
)

// ink is how a piece of running text looks.
type ink struct {
	color                           string // "#rrggbb"; "": that of the text
	bold, italic, underline, struck bool
}

// inline writes the running text of one block. Text goes through [inline.put]
// only, which makes it safe after its entities are resolved: every escape
// sequence in the result is one that the style asked for.
type inline struct {
	style  Style
	source []byte
	out    strings.Builder
	// notes takes the targets of links, to be listed below a table; nil: a
	// target stands behind its link.
	notes *[]string
}

// inlineText returns the running text within a block, with its line breaks.
func (l *layout) inlineText(n ast.Node, in ink, notes *[]string) string {
	w := inline{style: l.style, source: l.source, notes: notes}
	w.children(n, in)
	return w.out.String()
}

func (w *inline) children(n ast.Node, in ink) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, in)
	}
}

func (w *inline) node(n ast.Node, in ink) {
	p := w.style.palette()
	switch n := n.(type) {
	case *ast.Text:
		w.put(resolve(string(n.Segment.Value(w.source))), in)
		switch {
		case n.HardLineBreak():
			w.out.WriteByte('\n')
		case n.SoftLineBreak():
			w.out.WriteByte(' ')
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
		begin := w.out.Len()
		in.color = p.accent
		w.children(n, in)
		w.target(resolve(string(n.Destination)), xansi.Strip(w.out.String()[begin:]))
	case *ast.Image:
		w.put("image: ", in)
		begin := w.out.Len()
		in.color = p.accent
		w.children(n, in)
		w.target(resolve(string(n.Destination)), xansi.Strip(w.out.String()[begin:]))
	case *ast.AutoLink:
		url := string(n.URL(w.source))
		if n.AutoLinkType == ast.AutoLinkEmail {
			w.put(url, ink{color: p.dim, underline: true})
			return
		}
		w.address(url)
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
	in.color = w.style.palette().warn
	mark := ""
	if !w.style.Color {
		mark = "`"
	}
	w.put(mark, in)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			w.put(string(t.Segment.Value(w.source)), in)
		}
	}
	w.put(mark, in)
}

// target shows where a link leads, unless its text says exactly that.
func (w *inline) target(url, shown string) {
	url = safe.Line(url)
	switch {
	case url == "":
	case shown == url:
	case w.notes == nil:
		w.put(" ", ink{})
		w.address(url)
	default:
		i := slices.Index(*w.notes, url)
		if i < 0 {
			i = len(*w.notes)
			*w.notes = append(*w.notes, url)
		}
		w.put(fmt.Sprintf("[%d]", i+1), ink{color: w.style.palette().accent})
	}
}

// address shows a target, which the terminal may follow: what is shown is what
// is opened.
func (w *inline) address(url string) {
	url = safe.Line(url)
	if w.style.Color {
		w.out.WriteString("\x1b]8;;" + url + "\x1b\\")
		defer w.out.WriteString("\x1b]8;;\x1b\\")
	}
	w.put(url, ink{color: w.style.palette().dim, underline: true})
}

var (
	lineBreak = regexp.MustCompile(`(?i)<br\s*/?>`)
	// bareTag is a tag that says nothing which is not seen without it.
	bareTag = regexp.MustCompile(`</?[A-Za-z][A-Za-z0-9-]*\s*/?>`)
)

// html shows markup as it is written, comments included, but for bare tags.
func (w *inline) html(source string) {
	source = lineBreak.ReplaceAllString(source, " ")
	for source != "" {
		tag := bareTag.FindStringIndex(source)
		if tag == nil {
			tag = []int{len(source), len(source)}
		}
		w.put(source[:tag[0]], ink{color: w.style.palette().dim})
		source = source[tag[1]:]
	}
}

// put writes text.
func (w *inline) put(text string, in ink) {
	text = strings.ReplaceAll(safe.Text(text), "\n", " ")
	if text == "" || !w.style.Color || in == (ink{}) {
		w.out.WriteString(text)
		return
	}
	sgr := ""
	for _, attribute := range []struct {
		set  bool
		code string
	}{{in.bold, "1;"}, {in.italic, "3;"}, {in.underline, "4;"}, {in.struck, "9;"}} {
		if attribute.set {
			sgr += attribute.code
		}
	}
	w.out.WriteString("\x1b[" + strings.TrimSuffix(sgr+rgb(in.color), ";") + "m" + text + "\x1b[m")
}

// entity matches a character reference, or an escaped mark.
var entity = regexp.MustCompile("&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});|\\\\[!-/:-@\\[-`{-~]")

// resolve returns markdown's text without escapes and character references.
// What a reference may not stand for on a terminal is left out alone: of an
// escape sequence that is written with one, the rest is seen.
func resolve(source string) string {
	return entity.ReplaceAllStringFunc(source, func(s string) string {
		if s[0] == '\\' {
			return s[1:]
		}
		return safe.Text(html.UnescapeString(s))
	})
}

package markdown

import (
	"strings"

	xansi "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/yaap-chat/yaap/core/safe"
)

const (
	// maxMarkdown is how much of a text is rendered; what begins after it is
	// shown plain.
	maxMarkdown = 256 << 10
	// maxDepth is how deep lists and quotes, and maxColumns how wide tables may
	// be: what they cost grows faster than they do.
	maxDepth   = 16
	maxColumns = 64
	// minWidth is what indents leave for the text.
	minWidth = 12
)

// engine renders the blocks of one text. It is not safe for concurrent use.
type engine struct {
	width  int
	style  Style
	refs   []parser.Reference // the link definitions of the whole text
	budget int                // bytes of code that may still be coloured
	parts  []Part             // that were drawn short
	table  bool               // the block that was rendered last ends with a table

	parser parser.Parser
}

func newEngine(width int, style Style) *engine {
	return &engine{
		width:  max(width, 1),
		style:  style,
		budget: maxColored,
		parser: goldmark.New(goldmark.WithExtensions(extension.GFM, extension.DefinitionList)).Parser(),
	}
}

// render returns the rows of a block, without empty rows at its ends.
func (e *engine) render(b block) []string {
	e.table = false
	switch {
	case b.fence != nil:
		before := len(e.parts)
		rows := trimRows(e.coloredCode(b.fence.content(b.text), b.fence.lang, e.width))
		if len(e.parts) > before {
			e.parts[before].Code = strings.TrimRight(b.fence.content(b.tabs), "\n")
		}
		return rows
	case strings.TrimSpace(b.text) == "":
		return nil
	case b.start >= maxMarkdown || !moderate(b.text):
		return trimRows(e.fit(e.plain(b.text)))
	}
	return trimRows(e.fit(e.markdown(b.text)))
}

// markdown renders a block. What the parser panics of is shown plain.
func (e *engine) markdown(src string) (rows []string) {
	defer func() {
		if recover() != nil {
			rows = e.plain(src)
		}
	}()
	l := layout{engine: e, source: []byte(src)}
	known := parser.NewContext()
	for _, ref := range e.refs {
		known.AddReference(ref)
	}
	doc := e.parser.Parse(text.NewReader(l.source), parser.WithContext(known))
	rows = l.blocks(doc, e.width, true)
	_, e.table = doc.LastChild().(*extast.Table)
	return rows
}

// plain returns a text as it is, wrapped.
func (e *engine) plain(s string) []string { return wrap(strings.TrimRight(s, "\n"), e.width) }

// wrap breaks styled text into rows, at blanks where there are any.
func wrap(s string, width int) []string {
	return strings.Split(safe.Styled(xansi.Wrap(s, width, "")), "\n")
}

// fit makes rows fit the width, whatever they hold.
func (e *engine) fit(rows []string) []string {
	out := make([]string, 0, len(rows))
	for _, row := range rows {
		if xansi.StringWidth(row) <= e.width {
			out = append(out, row)
		} else {
			out = append(out, strings.Split(hardWrap(row, e.width), "\n")...)
		}
	}
	if !e.style.Color {
		for i, row := range out {
			out[i] = strings.TrimRight(xansi.Strip(row), " ")
		}
	}
	return out
}

// hardWrap breaks lines, coloured or not, wherever they reach the width. It
// measures characters as ansi.StringWidth does; ansi.Hardwrap takes the digit of
// a keycap for a character of its own. A character that is wider than the width
// is left out.
func hardWrap(s string, width int) string {
	var b strings.Builder
	at := 0
	for len(s) > 0 {
		if s[0] == '\n' || s[0] == '\x1b' {
			seq, _, n, _ := xansi.DecodeSequence(s, xansi.NormalState, nil)
			if b.WriteString(seq); seq == "\n" {
				at = 0
			}
			s = s[n:]
			continue
		}
		cluster, w := xansi.FirstGraphemeCluster(s, xansi.GraphemeWidth)
		if at+w > width && at > 0 {
			b.WriteByte('\n')
			at = 0
		}
		if w <= width {
			b.WriteString(cluster)
			at += w
		}
		s = s[len(cluster):]
	}
	return safe.Styled(b.String())
}

// moderate reports whether nothing in a text is nested deeper or wider than what
// is rendered.
func moderate(s string) bool {
	for line := range strings.Lines(s) {
		if strings.Count(line, "|") > maxColumns || depth(line) > maxDepth {
			return false
		}
	}
	return true
}

// depth returns how many lists and quotes a line may be in.
func depth(line string) int {
	if strings.Trim(line, " -*_\n") == "" {
		return 0 // a rule
	}
	markers, blanks := 0, 0
	for _, c := range []byte(line) {
		switch c {
		case ' ':
			blanks++
		case '>', '-', '+', '*', '.', ')':
			markers++
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		default:
			return max(markers, blanks/6)
		}
	}
	return max(markers, blanks/6)
}

// trimRows drops the empty rows at both ends.
func trimRows(rows []string) []string {
	for len(rows) > 0 && rows[0] == "" {
		rows = rows[1:]
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

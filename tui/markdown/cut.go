package markdown

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/yaap-chat/yaap/core/safe"
)

const (
	// maxLine is where a line without end is broken, at a blank if it has one.
	maxLine = 4 << 10
	// maxBlock is how much of one block other than code and tables is rendered together.
	maxBlock = 32 << 10
	// maxRefs bounds the lines that are looked at as link definitions.
	maxRefs = 256
)

// liner breaks written text into lines.
type liner struct{ open []byte }

// write hands every line that text completes to line, with its newline; a line
// of maxLine bytes counts as complete.
func (l *liner) write(text string, line func(string)) {
	for len(text) > 0 {
		n := strings.IndexByte(text, '\n') + 1
		if room := maxLine - len(l.open); n == 0 && len(text) >= room || n > room {
			l.open = append(l.open, text[:room]...)
			text = text[room:]
			end := bytes.LastIndexByte(l.open, ' ') + 1
			if end == 0 {
				end = len(l.open) - len(unfinished(l.open))
			}
			line(string(l.open[:end]) + "\n")
			l.open = append(l.open[:0], l.open[end:]...)
			continue
		}
		if n == 0 {
			l.open = append(l.open, text...)
			return
		}
		if len(l.open) == 0 {
			line(text[:n])
		} else {
			line(string(l.open) + text[:n])
			l.open = l.open[:0]
		}
		text = text[n:]
	}
}

// rest returns the line that is not complete yet.
func (l *liner) rest() string { return string(l.open) }

// unfinished returns the bytes at the end of b that may begin a rune.
func unfinished(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[i:]
			}
			break
		}
	}
	return nil
}

// block is a part of a text that can be rendered alone.
type block struct {
	text  string
	fence *fence // set when the block is fenced code, with text its content
	tabs  string // fenced code with its tabs, safe otherwise
	start int    // where in the text it begins, in bytes
}

// cutter finds where a text can be cut: where a top-level block is closed
// whatever follows. A wrong "not yet" costs time only.
type cutter struct {
	refs  []parser.Reference // the link definitions so far
	tried int                // lines that looked like one

	kind   kind
	open   strings.Builder
	tabs   strings.Builder // of code, with its tabs
	start  int
	fence  fence          // of a code block
	ends   *regexp.Regexp // of an HTML block; nil: a blank line ends it
	indent int            // of the text of the last list item
	blank  bool           // the line before was blank
	def    bool           // the line before was a link definition
	lines  int            // of the block
	table  bool           // it is one
}

type kind int

const (
	inNothing kind = iota
	inText
	inList
	inCode
	inHTML
)

// pattern returns an expression that is compiled when it is used first: most
// processes never use it.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

//nolint:gochecknoglobals // never change; see pattern
var (
	listMarker = pattern(`^( {0,3}(?:[-+*]|\d{1,9}[.)]))( +|$)`)
	fenceOpen  = pattern("^( {0,3})(`{3,}|~{3,})[ ]*(.*)$")
	tableRule  = pattern(`^ {0,3}[|:]?[-|: ]*-[-|: ]*$`)
	definition = pattern(`^ {0,3}\[[^\[\]]{1,200}\]: *\S`)
	htmlTag    = pattern(`^ {0,3}</?[A-Za-z][A-Za-z0-9-]*(?: [^<>]*)?/?>`)
	htmlRaw    = pattern(`(?i)^ {0,3}<(?:script|pre|style|textarea)(?:[ >]|$)`)
	htmlRawEnd = pattern(`(?i)</(?:script|pre|style|textarea)>`)
	htmlNote   = pattern(`^ {0,3}<!--`)
	htmlNotEnd = pattern(`-->`)
)

// add takes the next line, with its newline, makes it safe, and returns the blocks
// that it closes.
func (c *cutter) add(raw string) []block {
	var closed []block
	line := safe.Text(raw)
	bare := strings.TrimSuffix(line, "\n")
	most := maxBlock
	if c.table {
		most = maxMarkdown
	}
	if c.cutsBefore(bare) || c.kind != inCode && c.open.Len()+len(line) > most {
		if b, ok := c.end(); ok {
			closed = append(closed, b)
		}
	}
	last := c.kind == inCode && c.fence.closedBy(bare)
	if c.kind == inCode {
		if !last {
			c.open.WriteString(line)
			c.tabs.WriteString(safe.Tabbed(raw))
		}
	} else if c.note(bare); c.kind != inCode {
		c.open.WriteString(line)
		c.lines++
		c.table = c.kind == inText && (c.table || c.lines == 2 && strings.Contains(bare, "|") && tableRule().MatchString(bare))
	}
	if last {
		b, _ := c.end()
		closed = append(closed, b)
	}
	c.start += len(line)
	return closed
}

// end closes the open block.
func (c *cutter) end() (b block, ok bool) {
	b = block{text: c.open.String(), start: c.start - c.open.Len()}
	if c.kind == inCode {
		f := c.fence
		b.fence, b.tabs = &f, c.tabs.String()
	}
	ok = c.kind != inNothing
	*c = cutter{refs: c.refs, tried: c.tried, start: c.start}
	return b, ok
}

// cutsBefore reports whether a line begins a new block.
func (c *cutter) cutsBefore(line string) bool {
	switch c.kind {
	case inNothing, inCode:
		return false
	case inHTML:
		if c.ends != nil || !c.blank {
			return false
		}
	}
	if _, ok := c.opensFence(line); ok {
		return true
	}
	if !c.blank || line == "" || line[0] == ' ' || line[0] == ':' {
		return false
	}
	return c.kind != inList || !listMarker().MatchString(line)
}

// note takes a line that is no code into the state.
func (c *cutter) note(line string) {
	if strings.TrimSpace(line) == "" {
		c.blank, c.def = true, false
		if c.kind == inHTML && c.ends == nil {
			c.kind = inText
		}
		return
	}
	fresh := c.blank || c.kind == inNothing
	c.blank = false
	if c.kind == inHTML {
		if c.ends != nil && c.ends.MatchString(line) {
			c.kind = inText
		}
		return
	}
	if f, ok := c.opensFence(line); ok && c.kind == inNothing {
		c.kind, c.fence = inCode, f
		return
	}
	c.define(line, fresh)
	if c.opensHTML(line, fresh) || c.opensItem(line, fresh) {
		return
	}
	if c.kind == inNothing {
		c.kind = inText
	}
}

func (c *cutter) opensFence(line string) (fence, bool) {
	m := fenceOpen().FindStringSubmatch(line)
	if m == nil || m[2][0] == '`' && strings.Contains(m[3], "`") {
		return fence{}, false
	}
	if c.kind == inList && len(m[1]) >= c.indent {
		return fence{}, false // code in a list item
	}
	lang, _, _ := strings.Cut(m[3], " ")
	return fence{mark: m[2], indent: len(m[1]), lang: lang}, true
}

func (c *cutter) opensHTML(line string, fresh bool) bool {
	switch {
	case c.kind == inList && len(line)-len(strings.TrimLeft(line, " ")) >= c.indent:
		return false
	case htmlRaw().MatchString(line):
		c.kind, c.ends = inHTML, htmlRawEnd()
	case htmlNote().MatchString(line):
		c.kind, c.ends = inHTML, htmlNotEnd()
	case fresh && htmlTag().MatchString(line):
		c.kind, c.ends = inHTML, nil
	default:
		return false
	}
	if c.ends != nil && c.ends.MatchString(line) {
		c.kind = inText
	}
	return true
}

func (c *cutter) opensItem(line string, fresh bool) bool {
	m := listMarker().FindStringSubmatch(line)
	if m == nil {
		return false
	}
	marker := strings.TrimLeft(m[1], " ")
	if c.kind == inText && !fresh && (len(line) == len(m[0]) || marker[0] >= '0' && marker[:len(marker)-1] != "1") {
		return false // only 1. with a text may interrupt a paragraph
	}
	space := len(m[2])
	if space == 0 || space > 4 {
		space = 1
	}
	c.kind, c.indent = inList, len(m[1])+space
	return true
}

// define remembers a link definition.
func (c *cutter) define(line string, fresh bool) {
	c.def = (fresh || c.def) && definition().MatchString(line)
	if !c.def || c.tried == maxRefs {
		return
	}
	c.tried++
	found := parser.NewContext()
	goldmark.DefaultParser().Parse(text.NewReader([]byte(line)), parser.WithContext(found))
	c.refs = append(c.refs, found.References()...)
}

// fence is the first line of fenced code.
type fence struct {
	mark   string // the run of ` or ~
	indent int
	lang   string
}

func (f fence) closedBy(line string) bool {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 {
		return false
	}
	rest = strings.TrimRight(rest, " ")
	return len(rest) >= len(f.mark) && strings.Trim(rest, f.mark[:1]) == ""
}

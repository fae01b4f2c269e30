package markdown

import (
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core/safe"
)

// eager is how large an open block may be to be rendered whenever it grows. A
// larger one is rendered again when it is an eighth larger than the last time,
// and the few words that have come since are shown plain below.
const eager = 2 << 10

// Stream renders a text while it is being written. It belongs to one goroutine
// at a time.
type Stream struct {
	width int
	style Style
	text  strings.Builder // all that was written

	lines  liner
	cut    cutter
	engine *engine
	rows   []string // of the closed blocks

	open openRows
}

// openRows are the rows of the first part of the block that is being written.
type openRows struct {
	part  string
	rows  []string
	table bool // they end with a table
}

// NewStream returns a stream of rows of at most width cells.
func NewStream(width int, style Style) *Stream {
	return &Stream{width: width, style: style, engine: newEngine(width, style)}
}

// Write appends text, which may end in the middle of a rune or of an escape
// sequence. It costs in proportion to text, plus one rendering of each block
// that text closes.
func (s *Stream) Write(text string) {
	s.text.WriteString(text)
	s.lines.write(text, func(line string) {
		wasCode := s.cut.kind == inCode
		closed := s.cut.add(line)
		if isCode := s.cut.kind == inCode; len(closed) > 0 || isCode != wasCode {
			s.open = openRows{}
		}
		s.engine.refs = s.cut.refs
		for _, b := range closed {
			s.rows = s.engine.join(s.rows, s.engine.render(b), b.fence != nil)
		}
	})
}

// Lines returns the rows of what was written so far. Code that is still open is
// shown without colours; a line that so far is only the beginning of a marker is
// held back, as "-" would make a heading of the line before for a moment.
func (s *Stream) Lines() []string {
	open := s.textSoFar
	if s.cut.kind == inCode {
		open = s.codeSoFar
	}
	return s.engine.join(slices.Clone(s.rows), trimRows(open()), s.cut.kind == inCode)
}

// marker matches a line that may become something else with the next character.
//
//nolint:gochecknoglobals // never changes; see pattern
var marker = pattern("^ {0,3}(?:[-=+*_#>~|:]{1,3}|`{1,4}|[|:]?-[-|: ]*)$")

// line returns what is to be shown of the incomplete line.
func (s *Stream) line() string {
	b := s.lines.open
	line := safe.Text(string(b[:len(b)-len(unfinished(b))]))
	if marker().MatchString(line) {
		return ""
	}
	return line
}

func (s *Stream) codeSoFar() []string {
	code, line, o := s.cut.open.String(), s.line(), &s.open
	if s.style.Short.Rows > 0 {
		return s.engine.openCode(code+line, s.cut.fence)
	}
	if fresh := code[len(o.part):]; fresh != "" {
		o.part, o.rows = code, append(o.rows, s.cut.fence.rows(fresh, s.width)...)
	}
	if line == "" {
		return o.rows
	}
	return append(slices.Clip(o.rows), s.cut.fence.rows(line, s.width)...)
}

func (s *Stream) textSoFar() []string {
	text, o := s.cut.open.String()+s.line(), &s.open
	rest, grown := strings.CutPrefix(text, o.part)
	if !grown || len(text) <= eager && rest != "" || len(rest) > len(o.part)/8 {
		end := len(text)
		if end > eager {
			if i := strings.LastIndexAny(text, " \n"); i > 0 {
				end = i + 1
			}
		}
		rest = text[end:]
		*o = openRows{part: text[:end], rows: s.peek(text[:end]), table: s.engine.table}
	}
	if strings.TrimSpace(rest) == "" || s.style.Short.Rows > 0 && o.table { // no row of a table is shown before it is one
		return o.rows
	}
	return append(slices.Clip(o.rows), s.engine.fit(s.engine.plain(rest))...)
}

// peek renders a block that is not closed yet.
func (s *Stream) peek(text string) []string {
	budget, parts := s.engine.budget, s.engine.parts
	rows := s.engine.render(block{text: text, start: s.cut.start - s.cut.open.Len()})
	s.engine.budget, s.engine.parts = budget, parts
	return rows
}

// Close returns the rows of the whole text, as Render does. The stream cannot
// be used after it.
func (s *Stream) Close() []string {
	s.finish()
	if refs := s.cut.refs; len(refs) > 0 { // links may stand before their definitions
		text := s.text.String()
		*s = *NewStream(s.width, s.style)
		s.cut = cutter{refs: refs, tried: maxRefs}
		s.Write(text)
		s.finish()
	}
	return s.rows
}

// finish closes the line and the block that are open.
func (s *Stream) finish() {
	if s.lines.rest() != "" {
		s.Write("\n")
	}
	if b, ok := s.cut.end(); ok {
		s.rows = s.engine.join(s.rows, s.engine.render(b), b.fence != nil)
	}
}

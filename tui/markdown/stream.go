package markdown

import (
	"regexp"
	"slices"
	"strings"

	"yaap/core/safe"
)

// eager is how large an open block may be to be rendered whenever it grows. A
// larger one is rendered again when it is an eighth larger than the last time,
// and what has come since is shown plain.
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
	rows []string
	upTo int    // how many bytes of the block's complete lines they show
	line string // the incomplete line that they show after these
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
		closed := s.cut.add(safe.Text(line))
		if len(closed) == 0 {
			return
		}
		s.engine.refs = s.cut.refs
		s.open = openRows{}
		for _, b := range closed {
			s.rows = joinRows(s.rows, s.engine.render(b))
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
	return joinRows(slices.Clone(s.rows), trimRows(open()))
}

// marker matches a line that may become something else with the next character.
var marker = regexp.MustCompile("^ {0,3}(?:[-=+*_#>~|:]{1,3}|`{1,4})$")

// line returns what is to be shown of the incomplete line.
func (s *Stream) line() string {
	b := s.lines.open
	line := safe.Text(string(b[:len(b)-len(unfinished(b))]))
	if marker.MatchString(line) {
		return ""
	}
	return line
}

func (s *Stream) codeSoFar() []string {
	done, line := s.cut.open.String(), s.line()
	if fresh := done[s.open.upTo:]; fresh != "" {
		s.open.rows = append(s.open.rows, s.cut.fence.rows(fresh, s.width)...)
		s.open.upTo = len(done)
	}
	if line == "" {
		return s.open.rows
	}
	return append(slices.Clip(s.open.rows), s.cut.fence.rows(line, s.width)...)
}

func (s *Stream) textSoFar() []string {
	done, line := s.cut.open.String(), s.line()
	size := len(done) + len(line)
	switch o := &s.open; {
	case size > eager && size < o.upTo+o.upTo/8:
	case size > eager:
		*o = openRows{rows: s.peek(done), upTo: len(done)}
	case o.upTo != len(done) || o.line != line:
		*o = openRows{rows: s.peek(done + line), upTo: len(done), line: line}
	}
	rest := strings.TrimPrefix(done[s.open.upTo:]+line, s.open.line)
	if strings.TrimSpace(rest) == "" {
		return s.open.rows
	}
	return append(slices.Clip(s.open.rows), s.engine.fit(s.engine.plain(rest))...)
}

// peek renders a block that is not closed yet.
func (s *Stream) peek(text string) []string {
	budget := s.engine.budget
	rows := s.engine.render(block{text: text, start: s.cut.start - s.cut.open.Len()})
	s.engine.budget = budget
	return rows
}

// Close returns the rows of the whole text, as Render does. The stream cannot
// be used after it.
func (s *Stream) Close() []string {
	if len(s.cut.refs) > 0 { // links may come before their definitions
		return Render(s.text.String(), s.width, s.style)
	}
	if rest := s.lines.rest(); rest != "" {
		s.lines.open = nil
		for _, b := range s.cut.add(safe.Text(rest)) {
			s.rows = joinRows(s.rows, s.engine.render(b))
		}
	}
	if b, ok := s.cut.end(); ok {
		s.rows = joinRows(s.rows, s.engine.render(b))
	}
	return s.rows
}

package tui

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/tui/markdown"
)

// cleaner makes text safe that arrives in pieces. A rune or an escape sequence
// may be split over two of them, so the end of a piece may wait for the next.
type cleaner struct{ held string }

// maxHeld bounds what waits; a longer escape sequence ends with its line.
const maxHeld = 256

func (c *cleaner) write(s string) string {
	s = c.held + s
	end := len(s)
	for i := max(0, end-utf8.UTFMax); i < end; i++ {
		if utf8.RuneStart(s[i]) && !utf8.FullRuneInString(s[i:]) {
			end = i
			break
		}
	}
	line := strings.LastIndexByte(s[:end], '\n') + 1
	if i := strings.LastIndexAny(s[line:end], "\x1b\u0090\u009b\u009d\u009e\u009f"); i >= 0 && end-line-i < maxHeld {
		end = line + i
	}
	c.held = s[end:]
	return safe.Text(s[:end])
}

// draft is what a turn streams: a thought, and then an answer.
type draft struct {
	turn          int
	thought       prose
	thinks        cleaner
	stream, field string
	clean         cleaner
	text          strings.Builder
	since         time.Time // the answer's first piece came
	md            *markdown.Stream
	made          drawn // what md was made for
	parts         []markdown.Part
	read          drawn // what parts were read for
}

// reset makes what was streamed of the answer void.
func (d *draft) reset() {
	*d = draft{turn: d.turn, thought: d.thought, thinks: d.thinks, stream: d.stream}
}

// think takes a piece of the thought.
func (d *draft) think(piece string) {
	if d.thought.text.Len() < maxDraft {
		d.thought.write(d.thinks.write(piece))
	}
}

// write takes a piece. Text that preceded the answer proper is void when that
// begins.
func (d *draft) write(field, piece string) {
	if d.field == core.FieldText && field == core.FieldMessage {
		d.reset()
	}
	d.field = field
	if d.text.Len() > maxDraft {
		return
	}
	piece = d.clean.write(piece)
	d.text.WriteString(piece)
	if d.md != nil {
		d.md.Write(piece)
	}
}

// lines returns the draft as markdown, w cells wide.
func (d *draft) lines(c *canvas, w int) []string {
	if d.text.Len() == 0 {
		return nil
	}
	if key := (drawn{w: w, compact: c.compact, look: c.look}); d.md == nil || d.made != key {
		d.md, d.made = markdown.NewStream(w, c.brief()), key
		d.md.Write(d.text.String())
	}
	return d.md.Lines()
}

package tui

import (
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/tui/markdown"
)

// draft is what a turn streams: a thought, and then an answer.
type draft struct {
	turn          int
	thought       []byte
	stream, field string
	text          strings.Builder
	since         time.Time // the answer's first piece came
	md            *markdown.Stream
	made          drawn // what md was made for
}

// reset makes what was streamed of the answer void.
func (d *draft) reset() {
	*d = draft{turn: d.turn, thought: d.thought, stream: d.stream}
}

// think takes a piece of the thought.
func (d *draft) think(piece string) {
	if len(d.thought) < maxDraft {
		d.thought = append(d.thought, piece...)
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

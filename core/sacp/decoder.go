package sacp

import (
	"strings"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
)

// Decoder reads a reply while it is being written and gives its thought and
// message piece by piece. The zero value is ready; it is for one text and one
// goroutine.
//
// A text that is not SACP comes out as core.FieldText, the reasoning between
// <think> tags as core.FieldThought. Text is void when a message begins. Whatever
// the text and however it is split, the message that is there in the end is the
// one that [Parse] returns, if it returns one: where the pieces came to another,
// as with several replies in a text, Close resets it. A thought is never reset.
//
// The text is read again by the reader of [Parse] whenever it has grown by a
// share of itself, without what is settled: up to where the reader is in a
// string that is shown, in reasoning or in prose. Until something ends these,
// the pieces are given as they are. So the time is linear, and what is held back
// is a few hundred bytes, or that share. A reply in a JSON string comes out at
// the end.
type Decoder struct {
	all    strings.Builder // the text so far
	from   int             // all[:from] is settled
	head   string          // stands for what is settled when the rest is read
	field  string          // what the rest belongs to up to the first of stops; "" where that is not known
	stops  string
	looked int // the length of the rest when it was read last
	over   bool
	given  map[string]*given // by field
	deltas []core.Delta
	work   int // bytes read, for the proof that time is linear
}

// given is what has been given of a field; text[:base] belongs to what is settled.
type given struct {
	text []byte
	base int
}

const (
	share   = 32  // the rest is read again when it has grown by this part of it
	maxHold = 256 // bytes of text held back, because a reply may begin there
	proseOn = "." // the head of text that has begun as prose

	gaps = ", \t\r\n" // what tells, before a quote, that the string lacks its end
)

// Write takes the next piece of the text, split anywhere, and returns what it
// completes. The deltas are of no stream.
func (d *Decoder) Write(piece string) []core.Delta {
	d.all.WriteString(piece)
	if d.over {
		return nil
	}
	text := d.all.String()
	rest := text[d.from : len(text)-partialRune(text[d.from:])]
	if d.field != "" {
		plain, n := d.plain(rest)
		d.give(d.field, validUTF8(plain), false)
		d.settle(n)
		rest = rest[n:]
		if strings.HasPrefix(rest, `\`) || strings.Trim(rest, gaps) == "" {
			return d.take() // more is to come: of an escape, or after a comma or a space
		}
	}
	if rest != "" && len(rest)-d.looked >= len(rest)/share {
		d.look(rest)
	}
	return d.take()
}

// plain is what of the rest belongs to the field whatever follows, and how long
// that is.
func (d *Decoder) plain(rest string) (string, int) {
	if strings.HasPrefix(d.head, "{") {
		text, n := unescape(rest, d.stops)
		if strings.HasPrefix(rest[n:], `\`) {
			return text, n
		}
		kept := strings.TrimRight(rest[:n], gaps)
		return text[:len(text)-(n-len(kept))], len(kept)
	}
	n := strings.IndexAny(rest, d.stops)
	if n < 0 {
		n = len(rest)
	}
	return rest[:n], n
}

// look reads what is not settled.
func (d *Decoder) look(rest string) {
	d.looked = len(rest)
	d.work += len(rest)
	v := glance(d.head, rest, true)
	d.show(v, false)
	d.over = v.over
	if d.field = v.field; d.field != "" {
		d.head, d.stops = v.head, v.stops
		d.settle(len(rest) - v.held)
	}
}

// settle says that the next n bytes need not be read again.
func (d *Decoder) settle(n int) {
	if n == 0 {
		return
	}
	d.from += n
	d.looked = 0
	for _, g := range d.given {
		g.base = len(g.text)
	}
}

// Close ends the text and returns what was held back, and the message as it was
// meant.
func (d *Decoder) Close() []core.Delta {
	d.over = true
	text := d.all.String()
	if text == "" {
		return nil
	}
	v := glance("", text, false)
	if res, err := Parse(text); err == nil {
		v.message = res.Reply.Message
	} else if v.quoted {
		v.text = text
	}
	for _, g := range d.given {
		g.base = 0
	}
	d.show(v, true)
	return d.take()
}

// show gives what a look at the text has shown. Text is void once there is a
// message, and given anew when that turns out to be none.
func (d *Decoder) show(v view, last bool) {
	d.give(core.FieldThought, v.thought, last)
	d.give(core.FieldMessage, v.message, last)
	if m := d.given[core.FieldMessage]; m != nil && len(m.text) > 0 {
		delete(d.given, core.FieldText)
	} else {
		d.give(core.FieldText, v.text, last)
	}
}

// give gives what is new of a field, whose unsettled part is now this. What was
// given is taken back only when the text cannot become that again.
func (d *Decoder) give(field, now string, last bool) {
	g := d.given[field]
	if g == nil {
		if now == "" {
			return
		}
		if d.given == nil {
			d.given = map[string]*given{}
		}
		g = new(given)
		d.given[field] = g
	}
	before := string(g.text[g.base:])
	piece, grows := strings.CutPrefix(now, before)
	switch {
	case grows:
		g.text = append(g.text, piece...)
		if piece != "" {
			d.deltas = append(d.deltas, core.Delta{Field: field, Text: piece})
		}
	case field == core.FieldThought, !last && strings.HasPrefix(before, now):
	default:
		g.text = append(g.text[:g.base], now...)
		d.deltas = append(d.deltas, core.Delta{Field: field, Text: string(g.text), Reset: true})
	}
}

func (d *Decoder) take() []core.Delta {
	deltas := d.deltas
	d.deltas = nil
	return deltas
}

// view is what a text shows that may go on.
type view struct {
	text, thought, message string

	over     bool // the reply is complete
	quoted   bool // it is a JSON string that may hold the reply
	reasoned bool // it begins with reasoning

	field string // what goes on: all but the last held bytes is settled, and head stands for it
	head  string
	stops string
	held  int
}

// glance reads a text behind a head. growing says that it may go on.
func glance(head, rest string, growing bool) (v view) {
	body := rest
	if head != proseOn {
		body = trimLeft(head + rest)
		thought, after, open := reasoning(body)
		if open != "" {
			v.field, v.head, v.stops = core.FieldThought, open, "<"
			if growing {
				v.held = partialTag(thought, closeTags)
			}
			v.thought = validUTF8(thought[:len(thought)-v.held])
			return v
		}
		v.thought, v.reasoned = validUTF8(thought), len(after) < len(body)
		body = after
		v.quoted = wraps(body)
		if growing && (v.quoted || partialTag(body, openTags) == len(body)) {
			return v
		}
	}
	found, end, _ := scan(body, growing)
	from := 0
	for _, c := range found {
		before := body[from:c.start]
		if c.fenced {
			before = before[:fenceAt(before)]
		}
		v.text += validUTF8(before)
		v.fill(c)
		from = c.end
		if v.over = c.has(keyStatus) && !c.cut; c.cut || v.over {
			v.held = len(body) - c.sure
			return v
		}
	}
	if growing {
		v.held = undecided(body[from:])
	}
	v.text += validUTF8(body[from : len(body)-v.held])
	if len(found) == 0 && end == len(body) && (head == proseOn || v.text != "") {
		v.field, v.head, v.stops = core.FieldText, proseOn, "{`"
	}
	return v
}

// wraps reports whether a text begins as a JSON string that may hold a reply.
func wraps(body string) bool {
	inner, quoted := strings.CutPrefix(body, `"`)
	inner = strings.TrimLeft(inner, " \t\r\n")
	return quoted && (inner == "" || inner[0] == '{' || inner[0] == '\\')
}

// undecided is the length of the end of a text with which a reply may begin.
func undecided(text string) int {
	at := len(strings.TrimRight(text, "`"))
	if brace := strings.LastIndexByte(text, '{'); brace >= 0 {
		key, value, _ := strings.Cut(text[brace:], ":")
		if !strings.Contains(key, "}") && strings.TrimLeft(value, " \t\r\n") == "" { // its first value is to come
			at = brace
		}
	}
	if fence := fenceAt(text[:at]); fence >= 0 {
		at = fence
	}
	if len(text)-at > maxHold {
		return 0
	}
	return len(text) - at
}

// partialTag is the length of the end of a text with which one of the tags may begin.
func partialTag(text, tags string) int {
	at := strings.LastIndexByte(text, '<')
	for tag := range strings.FieldsSeq(tags) {
		if part := text[max(at, 0):]; at >= 0 && len(part) < len(tag) && strings.EqualFold(part, tag[:len(part)]) {
			return len(part)
		}
	}
	return 0
}

// partialRune is the length of the rune that s ends within.
func partialRune(s string) int {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if tail := s[len(s)-n:]; utf8.RuneStart(tail[0]) && !utf8.FullRuneInString(tail) {
			return n
		}
	}
	return 0
}

// fill takes the thought and the message of an object, and says where the text
// ends when that is in one of these.
func (v *view) fill(c candidate) {
	thought, _ := c.object[keyThought].(string)
	if v.reasoned && thought != "" {
		thought = "\n" + thought
	}
	v.thought += thought
	if message, ok := c.object[keyMessage].(string); ok {
		v.message = message
	}
	if c.open != keyThought && c.open != keyMessage {
		return
	}
	v.head, v.stops = `{"`+c.open+`":`+c.quote, c.quote
	if c.has(keyStatus) {
		v.head = `{"status":"","` + c.open + `":` + c.quote
	}
	v.field = core.FieldMessage
	if c.open == keyThought {
		v.field = core.FieldThought
	}
}

package sacp

import (
	"strings"
	"unicode/utf8"

	"yaap/core"
)

// Delta is a piece of a reply as it is being written.
type Delta struct {
	Field string // core.FieldThought, core.FieldMessage or core.FieldText
	Text  string
	Reset bool // what came of the field before is void
}

// Decoder reads a reply while it is being written and gives its thought and
// message piece by piece. The zero value is ready; it is for one text and one
// goroutine.
//
// A text that is not SACP comes out as core.FieldText, the reasoning between
// <think> tags as core.FieldThought. Text is void when a message begins. Whatever
// the text and however it is split, the message that is there in the end is the
// one that [Parse] returns, if it returns one: where the pieces came to another,
// as with several replies in a text, Close resets it.
//
// Every byte is looked at a constant number of times. What is held back is
// bounded by a few hundred bytes, but for a reply in a JSON string, which comes
// out at the end.
type Decoder struct {
	all      strings.Builder // the text so far
	shown    strings.Builder // the message so far, or the text where there is none
	message  bool            // shown is the message
	state    state
	back     state  // where a comment returns to
	depth    int    // brackets open
	quote    byte   // ends the current key or string; 0 for a key without quotes
	escaped  bool   // the last byte of a key was a backslash
	field    string // where the current string goes, "" for nowhere
	echo     bool   // the object is not known to be a reply: it is text
	talked   bool   // text has been given
	reasoned bool   // reasoning has been given, and no thought after it
	status   bool   // the object has a status: it is the reply
	hold     []byte // may be the beginning of a reply, or text
	word     []byte // the key, the digits or the tag that is being read
	high     rune   // the first half of a surrogate pair
	rest     string // the beginning of a rune
	out      output
}

// output collects the deltas of one Write.
type output struct {
	deltas  []Delta
	field   string
	reset   bool // the piece that is being collected is a new beginning
	text    strings.Builder
	scanned int // bytes looked at, for the proof that time is linear
}

// state says what the next byte may be.
type state uint8

const (
	atStart        state = iota // nothing but space yet
	inWrap                      // after a quote that may begin a JSON string with the reply in it
	inWrapped                   // in such a string
	inText                      // prose
	inTag                       // after <
	inFence                     // in or after ```
	inThink                     // the model's reasoning
	inThinkTag                  // after < in the reasoning
	atFirstKey                  // after the brace that may begin a reply
	inFirstKey                  // in the key after it
	atFirstColon                // before the colon after that
	atKey                       // before a key of the reply
	inKey                       // in a key
	atColon                     // after a key
	atValue                     // before a value
	inString                    // in a string that is a member of the reply
	inEscape                    // after \ there
	inHex                       // after \u there
	afterQuote                  // after a quote that may end the string
	afterNewline                // the same, on another line
	afterValue                  // before a comma
	inNested                    // among brackets within the reply
	inNestedText                // in a string there
	inNestedEscape              // after \ there
	atSlash                     // after / where a comment may begin
	inLineComment               // after //
	inBlock                     // after /*
	inBlockStar                 // after * there
	atEnd                       // after the reply
)

const (
	maxHold = 256 // bytes held back before a reply
	maxWord = 128 // bytes of a key; no key of the protocol is longer, all escaped
)

// Write takes the next piece of the text, split anywhere, and returns what it
// completes, in order. Neighbours in the result are of different fields.
func (d *Decoder) Write(piece string) []Delta {
	d.all.WriteString(piece)
	if d.rest != "" {
		piece = d.rest + piece
	}
	whole := len(piece) - partialRune(piece)
	d.rest = piece[whole:]
	d.scan(piece[:whole])
	return d.out.take()
}

// Close ends the text and returns what was held back.
func (d *Decoder) Close() []Delta {
	d.scan(d.rest)
	d.rest = ""
	switch d.state {
	case inWrap, inTag, inFence, atFirstKey, inFirstKey, atFirstColon:
		d.release(core.FieldText)
	case inThinkTag:
		d.release(core.FieldThought)
	case inString, inEscape, inHex:
		d.flushHigh()
	}
	d.settle()
	d.state = atEnd
	return d.out.take()
}

// settle gives the message as it was meant, where the pieces came to another.
func (d *Decoder) settle() {
	res, err := Parse(d.all.String())
	switch {
	case err != nil && d.state == inWrapped: // it was no reply
		d.emit(core.FieldText, d.all.String())
	case err == nil && (d.message || res.Reply.Message != "") && (!d.message || d.shown.String() != res.Reply.Message):
		d.reset(core.FieldMessage)
		d.emit(core.FieldMessage, res.Reply.Message)
	}
}

// partialRune is the length of the rune that s ends within.
func partialRune(s string) int {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		tail := s[len(s)-n:]
		if !utf8.RuneStart(tail[0]) {
			continue
		}
		if utf8.FullRuneInString(tail) {
			return 0
		}
		return n
	}
	return 0
}

// scan goes over whole runes.
func (d *Decoder) scan(s string) {
	for s != "" {
		n := d.run(s)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(s)
			if d.echo {
				d.emit(core.FieldText, s[:n])
			}
			d.step(s[:n])
		}
		d.out.scanned += n
		s = s[n:]
	}
}

// run takes the bytes at the beginning of s that mean nothing but themselves
// and returns how many they are.
func (d *Decoder) run(s string) int {
	stops, field := "", ""
	switch d.state {
	case inText:
		stops, field = "{<`", core.FieldText
	case inThink:
		stops, field = "<", core.FieldThought
	case inString, inNestedText:
		stops = `"\`
		if d.quote == '\'' {
			stops = `'\`
		}
		if d.state == inString {
			field = d.field
			if s[0] != '\\' {
				d.flushHigh()
			}
		}
	case atEnd, inWrapped:
		return len(s)
	default:
		return 0
	}
	if d.echo {
		field = core.FieldText
	}
	n := strings.IndexAny(s, stops)
	if n < 0 {
		n = len(s)
	}
	d.emit(field, s[:n])
	return n
}

// step takes one rune.
func (d *Decoder) step(s string) {
	switch c := s[0]; d.state {
	case atStart, inWrap, inText, inTag, inFence, inThink, inThinkTag:
		d.stepText(c, s)
	case atFirstKey, inFirstKey, atFirstColon:
		d.stepHead(c, s)
	case atKey, inKey, atColon, atValue, afterValue:
		d.stepMember(c, s)
	case inString, inEscape, inHex, afterQuote, afterNewline:
		d.stepString(c, s)
	case inNested, inNestedText, inNestedEscape:
		d.stepNested(c)
	case atSlash, inLineComment, inBlock, inBlockStar:
		d.stepComment(c, s)
	case atEnd, inWrapped:
	}
}

// again takes the rune once more, in another state.
func (d *Decoder) again(next state, s string) {
	d.out.scanned += len(s)
	d.state = next
	d.step(s)
}

// text gives what was held back as text and takes the rune as text, too.
func (d *Decoder) text(s string) {
	d.release(core.FieldText)
	d.again(inText, s)
}

// release gives what was held back.
func (d *Decoder) release(field string) {
	d.emit(field, string(d.hold))
	d.hold = d.hold[:0]
}

// keep holds s back. Space beyond the limit is dropped.
func (d *Decoder) keep(s string) {
	if len(d.hold) < maxHold {
		d.hold = append(d.hold, s...)
	}
}

func (d *Decoder) emit(field, text string) {
	if text == "" || field == "" {
		return
	}
	d.talked = d.talked || field == core.FieldText
	if message := field == core.FieldMessage; message || field == core.FieldText {
		if message && !d.message {
			d.message = true
			d.shown.Reset()
		}
		d.shown.WriteString(validUTF8(text))
	}
	d.out.emit(field, text)
}

// reset makes void what was given of a field.
func (d *Decoder) reset(field string) {
	if field == core.FieldMessage {
		d.message = true
		d.shown.Reset()
	}
	d.out.flush()
	d.out.field, d.out.reset = field, true
}

func (o *output) emit(field, text string) {
	if field != o.field {
		o.flush()
		o.field = field
	}
	o.text.WriteString(validUTF8(text))
}

func (o *output) flush() {
	if o.text.Len() == 0 && !o.reset {
		return
	}
	o.deltas = append(o.deltas, Delta{o.field, o.text.String(), o.reset})
	o.text, o.reset = strings.Builder{}, false
}

func (o *output) take() []Delta {
	o.flush()
	deltas := o.deltas
	o.deltas = nil
	return deltas
}

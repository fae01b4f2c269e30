package sacp

import (
	"encoding/json"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"yaap/core"
)

// stepText reads prose, tags and fences, up to a brace.
func (d *Decoder) stepText(c byte, s string) {
	switch d.state {
	case atStart:
		switch {
		case c == '"' && !d.talked:
			d.hold = append(d.hold[:0], c)
			d.state = inWrap
		case !isSpace(c) && s != "\ufeff":
			d.again(inText, s)
		}
	case inWrap:
		switch {
		case isSpace(c):
			d.keep(s)
		case c == '{', c == '\\':
			d.state = inWrapped
		default:
			d.text(s)
		}
	case inText:
		d.hold = append(d.hold[:0], s...)
		d.word = append(d.word[:0], s...)
		switch c {
		case '{':
			d.state = atFirstKey
		case '<':
			d.state = inTag
		case '`':
			d.state = inFence
		default:
			d.release(core.FieldText)
		}
	case inThink:
		d.hold = append(d.hold[:0], s...)
		d.word = append(d.word[:0], s...)
		d.state = inThinkTag
	case inTag, inThinkTag:
		d.stepTag(s)
	case inFence:
		d.stepFence(c, s)
	}
}

// stepTag reads a tag around reasoning.
func (d *Decoder) stepTag(s string) {
	d.word = append(d.word, asciiLower(s)...)
	word := string(d.word)
	opens, closes := strings.Contains(openTags, word), strings.Contains(closeTags, word)
	switch {
	case d.state == inThinkTag && !closes:
		d.release(core.FieldThought)
		d.state = inThink
		if n := d.run(s); n == 0 {
			d.again(inThink, s)
		}
	case d.state == inTag && !closes && (!opens || d.talked):
		d.text(s)
	case !strings.HasSuffix(word, ">"):
		d.hold = append(d.hold, s...)
	case opens:
		d.state, d.reasoned = inThink, true
	default:
		d.state = atStart
	}
}

// stepFence reads the opening of a code block: three backticks, its language,
// space. word is the backticks, and one more byte when the language is over.
func (d *Decoder) stepFence(c byte, s string) {
	switch n := len(d.word); {
	case n < 3 && c == '`':
		d.word = append(d.word, c)
		d.hold = append(d.hold, c)
	case n >= 3 && c == '{':
		d.hold = append(d.hold, c)
		d.state = atFirstKey
	case n >= 3 && isSpace(c):
		d.word = append(d.word[:3], ' ')
		d.keep(s)
	case n == 3 && wordLen("_"+s) == 2 && len(d.hold) < maxWord:
		d.hold = append(d.hold, c)
	default:
		d.text(s)
	}
}

// stepHead reads from a brace to the colon after the first key, which decides
// whether this is an object at all.
func (d *Decoder) stepHead(c byte, s string) {
	switch {
	case len(d.hold) > maxHold && !isSpace(c):
		d.text(s)
	case d.state == inFirstKey:
		switch d.readKey(c, s) {
		case keyGoesOn:
			d.hold = append(d.hold, s...)
		case keyEnds:
			d.hold = append(d.hold, s...)
			d.state = atFirstColon
		case keyEndsBefore:
			d.again(atFirstColon, s)
		}
	case isSpace(c):
		d.keep(s)
	case d.state == atFirstKey && d.beginKey(c):
		d.hold = append(d.hold, s...)
		d.state = inFirstKey
	case d.state == atFirstColon && c == ':':
		d.hold = append(d.hold, c)
		d.depth, d.status, d.echo = 1, false, true
		d.endKey()
		if d.echo {
			d.release(core.FieldText)
		}
		d.hold = d.hold[:0]
		d.state = atValue
	default:
		d.text(s)
	}
}

// What a byte means to a key.
const (
	keyGoesOn = iota
	keyEnds
	keyEndsBefore
)

// beginKey begins a key with c, if it can.
func (d *Decoder) beginKey(c byte) bool {
	d.word, d.escaped, d.quote = d.word[:0], false, 0
	switch {
	case c == '"' || c == '\'':
		d.quote = c
	case wordLen(string(c)) == 1:
		d.word = append(d.word, c)
	default:
		return false
	}
	return true
}

func (d *Decoder) readKey(c byte, s string) int {
	switch {
	case d.quote == 0 && wordLen("_"+s) < 2:
		return keyEndsBefore
	case d.quote != 0 && c == d.quote && !d.escaped:
		return keyEnds
	}
	d.escaped = d.quote != 0 && c == '\\' && !d.escaped
	if len(d.word) < maxWord {
		d.word = append(d.word, s...)
	}
	return keyGoesOn
}

// endKey says where the value of the key goes.
func (d *Decoder) endKey() {
	key := string(d.word)
	if d.quote == '"' && strings.Contains(key, `\`) && json.Unmarshal([]byte(`"`+key+`"`), &key) != nil {
		key = ""
	}
	d.field = ""
	switch known(key) {
	case "":
		return
	case keyThought:
		d.field = core.FieldThought
	case keyMessage:
		d.field = core.FieldMessage
		if d.message { // a second one counts
			d.reset(core.FieldMessage)
		}
	case keyStatus:
		d.status = true
	}
	d.echo = false
}

// stepMember reads the members of the object, but for what is in strings.
func (d *Decoder) stepMember(c byte, s string) {
	switch {
	case d.state == inKey:
		switch d.readKey(c, s) {
		case keyEnds:
			d.state = atColon
		case keyEndsBefore:
			d.again(atColon, s)
		}
	case isSpace(c):
	case c == '/':
		d.back, d.state = d.state, atSlash
	case c == '}':
		d.finish()
	case c == ',':
		d.state = atKey
	case d.state == atKey:
		if d.beginKey(c) {
			d.state = inKey
		}
	case d.state == atColon:
		if c != '=' {
			d.endKey()
			d.state = atValue
		}
		if c != ':' && c != '=' {
			d.step(s)
		}
	case c == '{' || c == '[':
		d.depth++
		d.state = inNested
	case d.state == atValue:
		d.beginValue(c)
	case c == '"':
		d.again(atKey, s)
	}
}

func (d *Decoder) beginValue(c byte) {
	d.state = afterValue
	if c != '"' && c != '\'' {
		return
	}
	d.state, d.quote = inString, c
	if d.reasoned && d.field == core.FieldThought {
		d.reasoned = false
		d.emit(core.FieldThought, "\n")
	}
}

// finish ends the object. Without a status it was not the reply.
func (d *Decoder) finish() {
	d.depth, d.echo = 0, false
	d.state = inText
	if d.status {
		d.state = atEnd
	}
}

// stepString reads what is special in a string of the object, and what follows
// it: a quote that is not followed by the end of the member belongs to the
// string.
func (d *Decoder) stepString(c byte, s string) {
	switch d.state {
	case inString:
		d.state = inEscape
		if c == d.quote {
			d.state = afterQuote
			d.hold = append(d.hold[:0], c)
		}
	case inEscape:
		d.stepEscape(c, s)
	case inHex:
		d.stepHex(s)
	default:
		closed := d.state == afterNewline && (c == '"' || c == '\'')
		switch {
		case isSpace(c):
			d.keep(s)
			if c == '\n' {
				d.state = afterNewline
			}
		case closed, c == ',', c == '}', c == ']', c == '/', len(d.hold) >= maxHold:
			d.hold = d.hold[:0]
			d.again(afterValue, s)
		default:
			d.release(d.field)
			d.state = inString
			if d.run(s) == 0 {
				d.again(inString, s)
			}
		}
	}
}

func (d *Decoder) stepEscape(c byte, s string) {
	d.state = inString
	if c == 'u' {
		d.state = inHex
		d.word = d.word[:0]
		return
	}
	d.flushHigh()
	if out, ok := unescaped(c); ok {
		d.emit(d.field, string(out))
		return
	}
	if c != '\'' && c != '`' && c != '\n' {
		s = `\` + s
	}
	d.emit(d.field, s)
}

func (d *Decoder) stepHex(s string) {
	if !isHex(s[0]) {
		d.flushHigh()
		d.emit(d.field, `\u`+string(d.word))
		d.state = inString
		if d.run(s) == 0 {
			d.again(inString, s)
		}
		return
	}
	d.word = append(d.word, s...)
	if len(d.word) < 4 {
		return
	}
	d.state = inString
	c, _ := hex4(string(d.word))
	if pair := utf16.DecodeRune(d.high, c); pair != utf8.RuneError {
		d.high = 0
		d.emit(d.field, string(pair))
		return
	}
	d.flushHigh()
	if c >= 0xd800 && c < 0xdc00 {
		d.high = c
		return
	}
	d.emit(d.field, string(c)) // half a pair becomes U+FFFD
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// flushHigh gives U+FFFD for half a pair whose other half does not come.
func (d *Decoder) flushHigh() {
	if d.high != 0 {
		d.high = 0
		d.emit(d.field, string(utf8.RuneError))
	}
}

// stepNested goes over the objects and lists in the reply's values.
func (d *Decoder) stepNested(c byte) {
	switch {
	case d.state == inNestedEscape:
		d.state = inNestedText
	case d.state == inNestedText:
		d.state = inNestedEscape
		if c == d.quote {
			d.state = inNested
		}
	case c == '"' || c == '\'':
		d.state, d.quote = inNestedText, c
	case c == '/':
		d.back, d.state = inNested, atSlash
	case c == '{' || c == '[':
		d.depth++
	case c == '}' || c == ']':
		d.depth--
		if d.depth == 1 {
			d.state = afterValue
		}
	}
}

func (d *Decoder) stepComment(c byte, s string) {
	switch d.state {
	case atSlash:
		switch c {
		case '/':
			d.state = inLineComment
		case '*':
			d.state = inBlock
		default:
			d.again(d.back, s)
		}
	case inLineComment:
		if c == '\n' {
			d.state = d.back
		}
	default:
		switch {
		case d.state == inBlockStar && c == '/':
			d.state = d.back
		case c == '*':
			d.state = inBlockStar
		default:
			d.state = inBlock
		}
	}
}

func asciiLower(s string) string {
	if len(s) == 1 && s[0] >= 'A' && s[0] <= 'Z' {
		return string(s[0] | 0x20)
	}
	return s
}

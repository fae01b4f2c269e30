package expr

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SyntaxError says where a condition or a template is wrong and what to write
// instead.
type SyntaxError struct {
	Offset        int // in bytes, from 0
	Message, Hint string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s (at byte %d)", e.Message, e.Offset)
}

type tokenKind int

const (
	tokEnd     tokenKind = iota
	tokPath              // also every word
	tokLiteral           // a number or a text
	tokSymbol
)

type token struct {
	kind    tokenKind
	at, end int
	text    string // as it is written
	path    Path
	literal any
}

// word returns the text of a token that is one name, "" for others.
func (t token) word() string {
	if t.kind == tokPath && len(t.path.Steps) == 0 {
		return t.text
	}
	return ""
}

// is reports whether the token is one of these symbols or words, which are separated
// by spaces.
func (t token) is(list string) bool {
	return (t.kind == tokSymbol || t.word() != "") && listed(list, t.text)
}

// parser reads the source token by token. The first fault ends the source, so
// that no rule need look at err.
type parser struct {
	src   string
	pos   int // behind tok
	tok   token
	last  int // the end of the token before tok
	depth int
	paths []Path
	err   *SyntaxError

	inTemplate bool
}

func (p *parser) fail(offset int, message, hint string) {
	p.err = cmp.Or(p.err, &SyntaxError{Offset: offset, Message: message, Hint: hint})
	p.pos = len(p.src)
	p.tok = token{at: p.pos, end: p.pos}
}

// next reads a token into tok.
func (p *parser) next() {
	p.last = p.tok.end
	p.spaces()
	at := p.pos
	tok := token{at: at}
	switch c := p.peek(); {
	case at == len(p.src):
	case c == '"' || c == '\'':
		tok.kind, tok.literal = tokLiteral, p.text()
	case digit(c), c == '-' && at+1 < len(p.src) && digit(p.src[at+1]):
		tok.kind, tok.literal = tokLiteral, p.number()
	case nameLen(p.src[at:]) > 0:
		tok.kind, tok.path = tokPath, p.path()
	default:
		tok.kind = tokSymbol
		p.pos += symbolLen(p.src[at:])
	}
	if p.err != nil {
		return
	}
	tok.end = p.pos
	tok.text = p.src[at:p.pos]
	p.tok = tok
}

func (p *parser) spaces() {
	for p.pos < len(p.src) {
		r, n := utf8.DecodeRuneInString(p.src[p.pos:])
		if !unicode.IsSpace(r) {
			return
		}
		p.pos += n
	}
}

// peek returns the byte that is read next, 0 at the end.
func (p *parser) peek() byte {
	if p.pos == len(p.src) {
		return 0
	}
	return p.src[p.pos]
}

// symbolLen knows more symbols than the language has: the parser says what to
// write instead of the others.
func symbolLen(s string) int {
	for symbol := range strings.FieldsSeq("=== !== == != >= <= && || => =< <> =~ ~= {{ }}") {
		if strings.HasPrefix(s, symbol) {
			return len(symbol)
		}
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// text reads a text in quotes of either kind, with the escapes of Go.
func (p *parser) text() string {
	at, quote := p.pos, p.src[p.pos]
	var b strings.Builder
	for rest := p.src[at+1:]; rest != ""; {
		if rest[0] == quote {
			p.pos = len(p.src) - len(rest) + 1
			return b.String()
		}
		if rest == `\` {
			break
		}
		if strings.HasPrefix(rest, `\'`) || strings.HasPrefix(rest, `\"`) {
			b.WriteByte(rest[1])
			rest = rest[2:]
			continue
		}
		r, multibyte, tail, err := strconv.UnquoteChar(rest, quote)
		if err != nil {
			p.fail(len(p.src)-len(rest), "unknown escape in a text", `write \\ for a backslash`)
			return ""
		}
		if multibyte {
			b.WriteRune(r)
		} else {
			b.WriteByte(byte(r))
		}
		rest = tail
	}
	p.fail(at, "the text that begins here does not end", "add "+string(quote)+" at its end")
	return ""
}

// number reads a number as JSON writes it: an int64, a json.Number for greater
// integers, or a float64.
func (p *parser) number() any {
	at := p.pos
	for p.pos < len(p.src) && (digit(p.src[p.pos]) || strings.IndexByte("+-._", p.src[p.pos]) >= 0 || letter(p.src[p.pos])) {
		p.pos++
	}
	s := p.src[at:p.pos]
	const hint = "numbers are written like 3, -0.8 or 1e6; text stands in quotes, and there is no arithmetic"
	if !json.Valid([]byte(s)) {
		p.fail(at, strconv.Quote(s)+" is not a number", hint)
		return nil
	}
	if strings.ContainsAny(s, ".eE") {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			p.fail(at, strconv.Quote(s)+" is too great a number", hint)
		}
		return f
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i
	}
	return json.Number(s)
}

// path reads a path, of which no part is apart from the others.
func (p *parser) path() Path {
	path := Path{Offset: p.pos}
	n := nameLen(p.src[p.pos:])
	path.Root = p.src[p.pos : p.pos+n]
	p.pos += n
	for {
		switch c := p.peek(); {
		case c == '.':
			n := nameLen(p.src[p.pos+1:])
			if n == 0 {
				p.fail(p.pos, "a key is missing behind the dot", `write keys that are not plain names like this: data["a key"]`)
				return path
			}
			path.Steps = append(path.Steps, Step{Key: p.src[p.pos+1 : p.pos+1+n]})
			p.pos += 1 + n
		case c == '[' && (len(path.Steps) > 0 || !listed(words, path.Root)):
			path.Steps = append(path.Steps, p.bracket())
		default:
			return path
		}
	}
}

func (p *parser) bracket() (s Step) {
	open := p.pos
	p.pos++
	p.spaces()
	if c := p.peek(); c == '"' || c == '\'' {
		s.Key = p.text()
	} else {
		at := p.pos
		for digit(p.peek()) {
			p.pos++
		}
		i, err := strconv.Atoi(p.src[at:p.pos])
		if err != nil {
			p.fail(at, "this is neither an index nor a key", `write [0] for the first of a list, or ["a key"]`)
			return s
		}
		s.Index, s.IsIndex = i, true
	}
	p.spaces()
	if p.err == nil && p.peek() != ']' {
		p.fail(open, "the [ that stands here is not closed", "add ] behind the index or key")
		return s
	}
	if p.err == nil {
		p.pos++
	}
	return s
}

func digit(c byte) bool  { return '0' <= c && c <= '9' }
func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

package chain

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// places says where in a file the texts of a Spec are. The key is the path to
// one: nodes.researcher.prompt, edges.3.when.
type places map[string]place

// place is a text in a file. Its value is not always what is written there:
// quotes, escapes and line breaks make the difference.
type place struct {
	pos    Pos
	value  string
	source string // from pos on
	quote  byte   // what it is between, or 0
	bad    bool   // it is no text
}

// at returns where the byte at offset of the value is written. White space is
// folded in many ways; any of it stands for any other.
func (p place) at(offset int) Pos {
	pos, src := p.pos, p.source
	next := func() rune {
		r, size := utf8.DecodeRuneInString(src)
		src = src[size:]
		if r == '\n' {
			pos = Pos{pos.Line + 1, 1}
		} else if size > 0 {
			pos.Col++
		}
		return r
	}
	skip := func() {
		for src != "" {
			r, _ := utf8.DecodeRuneInString(src)
			if !unicode.IsSpace(r) {
				return
			}
			next()
		}
	}
	for _, r := range p.value[:min(max(offset, 0), len(p.value))] {
		for p.quote == '"' && strings.HasPrefix(src, "\\\n") {
			next()
			skip()
		}
		switch {
		case p.quote == '"' && strings.HasPrefix(src, `\`):
			if escape(next) == 'u' && r > 0xFFFF {
				escape(next) // the other half of it
			}
		case unicode.IsSpace(r):
			skip()
		default:
			skip()
			if next() == '\'' && p.quote == '\'' {
				next()
			}
		}
	}
	if offset >= 0 && offset < len(p.value) && !unicode.IsSpace(rune(p.value[offset])) {
		skip()
	}
	return pos
}

// escape steps over an escape sequence of a text in double quotes.
func escape(next func() rune) (kind rune) {
	next()
	kind = next()
	for range map[rune]int{'x': 2, 'u': 4, 'U': 8}[kind] {
		next()
	}
	return kind
}

// source is the text of a file by lines.
type source struct {
	text  string
	lines []int // where they begin
}

func newSource(text string) source {
	s := source{text: text, lines: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// line returns a line of the text without its end; lines count from 1.
func (s source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	line, _, _ := strings.Cut(s.text[s.lines[n-1]:], "\n")
	return line
}

// byteAt returns the offset of a place in the text.
func (s source) byteAt(p Pos) int {
	if p.Line < 1 || p.Line > len(s.lines) {
		return len(s.text)
	}
	at := s.lines[p.Line-1]
	for range p.Col - 1 {
		_, size := utf8.DecodeRuneInString(s.text[at:])
		at += size
	}
	return at
}

// pos returns the place of an offset.
func (s source) pos(at int) Pos {
	line := sort.SearchInts(s.lines, at+1)
	return Pos{line, utf8.RuneCountInString(s.text[s.lines[line-1]:at]) + 1}
}

// place describes the place of a text.
func (s source) place(n ast.Node) place {
	t := n.GetToken()
	if l, ok := n.(*ast.LiteralNode); ok {
		at := s.byteAt(Pos{tokenPos(l.Start).Line + 1, 1})
		for at < len(s.text) && unicode.IsSpace(rune(s.text[at])) {
			at++
		}
		return place{pos: s.pos(at), value: l.Value.Value, source: s.text[at:]}
	}
	p := place{pos: tokenPos(t), value: t.Value}
	at := s.byteAt(p.pos)
	if t.Type == token.DoubleQuoteType || t.Type == token.SingleQuoteType {
		p.quote = s.text[min(at, len(s.text)-1)]
		p.pos.Col++
		at++
	}
	p.source = s.text[min(at, len(s.text)):]
	return p
}

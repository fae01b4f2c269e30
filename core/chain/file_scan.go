package chain

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"
)

// What a file may hold. The parser takes time and memory with the square of
// some of these, so they are counted before it sees anything.
const (
	maxSource  = 1 << 20
	maxTokens  = 200_000
	maxNesting = 64
	maxKeys    = 2000 // of one mapping
	maxEmpty   = 2000 // values that are not there
)

// parseYAML reads one document. No anchor, alias or tag gets through, so that
// nothing in it is larger than it looks.
func parseYAML(src string) (root ast.Node, fault *Fault) {
	tokens, fault := scan(src)
	if fault != nil {
		return nil, fault
	}
	defer func() { // a parser of somebody else with the file of somebody else
		if p := recover(); p != nil {
			root, fault = nil, &Fault{Pos: Pos{1, 1}, Message: "this cannot be read as YAML", Hint: "write it in a simpler way"}
		}
	}()
	doc, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, notYAML(src, err)
	}
	for _, d := range doc.Docs {
		switch {
		case d.Body == nil:
		case root != nil:
			return nil, &Fault{Pos: tokenPos(d.Start), Message: "a second document begins here", Hint: "put each chain in a file of its own"}
		default:
			root = d.Body
		}
	}
	return root, nil
}

// notYAML puts what the parser says in our words.
func notYAML(src string, err error) *Fault {
	f := &Fault{Pos: Pos{1, 1}, Message: "this is not YAML"}
	var where yaml.Error
	if !errors.As(err, &where) {
		return f
	}
	f.Message += ": " + where.GetMessage()
	if t := where.GetToken(); t != nil && t.Position != nil {
		f.Pos = tokenPos(t)
	}
	line := newSource(src).line(f.Pos.Line)
	_, value, _ := strings.Cut(line, ":")
	switch {
	case strings.HasPrefix(strings.TrimSpace(value), "{{"):
		f.Hint = `put a text that begins with {{ in quotes: "{{…}}"`
	case strings.Contains(line, "when:"):
		f.Hint = `put the condition in quotes: when: '…'`
	case strings.Contains(line, "\t"):
		f.Hint = "indent with spaces, not with tabs"
	case strings.Count(value, ": ") > 0:
		f.Hint = "put a text that holds a colon in quotes"
	}
	return f
}

func tokenPos(t *token.Token) Pos { return Pos{max(t.Position.Line, 1), max(t.Position.Column, 1)} }

// scan splits the source into tokens as far as its limits allow.
func scan(src string) (token.Tokens, *Fault) {
	var s scanner.Scanner
	s.Init(src)
	var tokens token.Tokens
	m := meter{}
	for {
		some, err := s.Scan()
		if errors.Is(err, io.EOF) {
			break
		}
		for _, t := range some {
			if t.Type == token.CommentType {
				continue
			}
			tokens.Add(t)
			if message, hint := m.count(t); message != "" {
				return nil, &Fault{Pos: tokenPos(t), Message: message, Hint: hint}
			}
		}
	}
	return tokens, nil
}

// meter counts what the parser would choke on.
type meter struct {
	tokens, flow, dashes, empty int
	last, before                *token.Token
	maps                        []struct{ col, keys int } // the block mappings that are open
}

func (m *meter) count(t *token.Token) (message, hint string) {
	defer func() { m.before, m.last = m.last, t }()
	if m.tokens++; m.tokens > maxTokens {
		return "the file is too large from here on", "split it into several chains"
	}
	if message, hint := forbidden(t); message != "" {
		return message, hint
	}
	if m.noValue(t) {
		if m.empty++; m.empty > maxEmpty {
			return fmt.Sprintf("more than %d values are empty", maxEmpty), "leave the keys out"
		}
	}
	return m.nest(t)
}

// forbidden refuses what could make a file mean something other than what is
// there to be read.
func forbidden(t *token.Token) (message, hint string) {
	switch t.Type {
	case token.AnchorType, token.AliasType, token.MergeKeyType:
		return "anchors and aliases (&, *, <<) are not allowed", "write it out, or put a text that begins with & or * in quotes"
	case token.TagType:
		return "tags (!) are not allowed", "leave it out, or put a text that begins with ! in quotes"
	case token.DirectiveType:
		return "directives (%) are not allowed", "leave the line out"
	case token.MappingKeyType:
		return "keys with ? are not allowed", "write key: value"
	case token.InvalidType:
		return "this is not YAML: " + t.Error, ""
	}
	return "", ""
}

// noValue reports whether t shows that the key or list entry before it has no
// value.
func (m *meter) noValue(t *token.Token) bool {
	if m.last == nil || m.flow > 0 || t.Position.Line == m.last.Position.Line {
		return false
	}
	switch m.last.Type {
	case token.SequenceEntryType:
		return t.Position.Column <= m.last.Position.Column
	case token.MappingValueType:
		return m.before != nil && t.Position.Column <= m.before.Position.Column && t.Type != token.SequenceEntryType
	}
	return false
}

// nest follows how deep t is and how many keys its mapping has.
func (m *meter) nest(t *token.Token) (message, hint string) {
	if m.last != nil && t.Position.Line != m.last.Position.Line {
		m.dashes = 0
	}
	switch t.Type {
	case token.MappingStartType, token.SequenceStartType:
		m.flow++
	case token.MappingEndType, token.SequenceEndType:
		m.flow--
	case token.SequenceEntryType:
		m.dashes++
		m.closeMaps(t.Position.Column)
	case token.MappingValueType:
		if m.flow <= 0 && m.last != nil {
			col := m.last.Position.Column
			m.closeMaps(col)
			if n := len(m.maps); n == 0 || m.maps[n-1].col < col {
				m.maps = append(m.maps, struct{ col, keys int }{col: col})
			}
			top := &m.maps[len(m.maps)-1]
			if top.keys++; top.keys > maxKeys {
				return fmt.Sprintf("more than %d keys in one mapping", maxKeys), "split it into several chains"
			}
		}
	}
	if max(m.flow, m.dashes, len(m.maps)) > maxNesting {
		return fmt.Sprintf("this is nested deeper than %d levels", maxNesting), ""
	}
	return "", ""
}

func (m *meter) closeMaps(col int) {
	for n := len(m.maps); n > 0 && m.maps[n-1].col > col; n-- {
		m.maps = m.maps[:n-1]
	}
}

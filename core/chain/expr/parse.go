package expr

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxCond     = 4 << 10
	maxTemplate = 256 << 10
	maxDepth    = 50
	maxList     = 1000
)

// check refuses what is too long or no text at all.
func check(what, src string, limit int) *SyntaxError {
	if len(src) > limit {
		return &SyntaxError{Offset: limit, Message: fmt.Sprintf("the %s is longer than %d KiB", what, limit>>10), Hint: "make it shorter"}
	}
	if !utf8.ValidString(src) {
		at := 0
		for r, n := utf8.DecodeRuneInString(src); r != utf8.RuneError || n > 1; r, n = utf8.DecodeRuneInString(src[at:]) {
			at += n
		}
		return &SyntaxError{Offset: at, Message: "the " + what + " is not valid UTF-8", Hint: "save the file as UTF-8"}
	}
	return nil
}

// node is a condition or a part of one. Its op is and, or, not (of kids),
// exists (of a), a comparison of a with b, or "": a alone. There is no in: its
// sides change places.
type node struct {
	op   string
	kids []node
	a, b operand
	re   *regexp.Regexp // matches
	text string         // as it is written
}

// operand is a path or a literal.
type operand struct {
	path    Path
	name    string // of the path; "": a literal
	literal any
}

func (p *parser) or() node  { return p.chain(p.and, "or", "||") }
func (p *parser) and() node { return p.chain(p.not, "and", "&&") }

func (p *parser) chain(part func() node, word, symbol string) node {
	n := part()
	if !p.tok.is(word, symbol) {
		return n
	}
	n = node{op: word, kids: []node{n}}
	for p.tok.is(word, symbol) {
		p.next()
		n.kids = append(n.kids, part())
	}
	return n
}

func (p *parser) not() node {
	if !p.tok.is("not", "!") {
		return p.single()
	}
	if !p.enter() {
		return node{}
	}
	p.next()
	n := node{op: "not", kids: []node{p.not()}}
	p.depth--
	return n
}

func (p *parser) single() node {
	switch at := p.tok.at; {
	case p.tok.is("("):
		if !p.enter() {
			return node{}
		}
		p.next()
		n := p.or()
		p.close(at, ")")
		p.depth--
		p.noComparison()
		return n
	case p.tok.is("exists") && p.isCall():
		return p.exists()
	}
	return p.comparison()
}

// isCall reports whether a parenthesis is opened behind tok.
func (p *parser) isCall() bool {
	return strings.HasPrefix(strings.TrimSpace(p.src[p.pos:]), "(")
}

func (p *parser) exists() node {
	p.next()
	open := p.tok.at
	p.next()
	if p.tok.kind != tokPath {
		p.unexpected("write a path between the parentheses: exists(response.data.name)")
	}
	n := node{op: "exists", a: p.operand()}
	p.close(open, ")")
	p.noComparison()
	return n
}

func (p *parser) comparison() node {
	start := p.tok.at
	n := node{a: p.operand()}
	negate := p.tok.is("not")
	if negate {
		p.next()
	}
	switch {
	case isComparison(p.tok) && (!negate || p.tok.kind == tokPath):
		n.op = p.tok.text
		p.next()
		right := p.tok.at
		n.b = p.operand()
		n.text = p.src[start:p.last]
		p.pattern(&n, right)
		if n.op == "in" {
			n.op, n.a, n.b = "contains", n.b, n.a
		}
		if isComparison(p.tok) {
			p.fail(p.tok.at, "a comparison has two sides", "write 0 < x and x < 1 instead of 0 < x < 1")
		}
	case negate:
		p.unexpected("write not in front of what it denies, or x not in y")
	case n.a.name == "":
		if _, ok := n.a.literal.(bool); !ok {
			p.fail(start, "a value alone is not a condition", `compare it with something: response.status == "success"`)
		}
	}
	if negate {
		return node{op: "not", kids: []node{n}}
	}
	return n
}

// pattern compiles the right side of matches.
func (p *parser) pattern(n *node, at int) {
	if n.op != "matches" || p.err != nil {
		return
	}
	pattern, ok := n.b.literal.(string)
	if !ok {
		p.fail(at, "the pattern of matches is not a text", `write it in quotes: matches "^[a-z]+$"`)
		return
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		p.fail(at, "the pattern is wrong: "+strings.TrimPrefix(err.Error(), "error parsing regexp: "), "patterns are regular expressions of RE2")
		return
	}
	n.re = re
}

func (p *parser) noComparison() {
	if isComparison(p.tok) {
		p.fail(p.tok.at, "a condition cannot be compared", "take the parentheses away, or join conditions with and, or, not")
	}
}

// operand reads a path or a literal.
func (p *parser) operand() operand {
	tok := p.tok
	if tok.kind != tokPath || isLiteral(tok) {
		return operand{literal: p.literal()}
	}
	if w := tok.word(); isWord(w) || meant(w) != "" {
		p.unexpected("")
		return operand{}
	}
	if p.isCall() {
		p.fail(tok.at, fmt.Sprintf("there is no function %q", tok.text), `exists(path) is the only one; compare with == != > >= < <= in contains startsWith endsWith matches: response.message contains "x"`)
		return operand{}
	}
	p.next()
	p.paths = append(p.paths, tok.path)
	return operand{path: tok.path, name: tok.path.String()}
}

// literal reads a number, a text, true, false, null or a list of these.
func (p *parser) literal() any {
	tok := p.tok
	switch {
	case tok.kind == tokLiteral:
		p.next()
		return tok.literal
	case isLiteral(tok):
		p.next()
		if tok.text == "null" {
			return nil
		}
		return tok.text == "true"
	case tok.is("["):
		return p.list()
	case tok.kind == tokPath:
		p.unexpected("text stands in quotes; a path cannot stand here")
	default:
		p.unexpected("")
	}
	return nil
}

func (p *parser) list() any {
	open := p.tok.at
	if !p.enter() {
		return nil
	}
	list := []any{}
	for p.next(); !p.tok.is("]") && p.err == nil; {
		if len(list) == maxList {
			p.fail(p.tok.at, fmt.Sprintf("the list is longer than %d", maxList), "make it shorter")
		}
		list = append(list, p.literal())
		if !p.tok.is(",") {
			break
		}
		p.next()
	}
	p.close(open, "]")
	p.depth--
	return list
}

// enter goes one level down; the caller comes up again.
func (p *parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.tok.at, fmt.Sprintf("more than %d levels", maxDepth), "make it simpler")
		return false
	}
	return true
}

// close reads what closes the bracket at open.
func (p *parser) close(open int, bracket string) {
	switch {
	case p.tok.is(bracket):
		p.next()
	case p.tok.kind == tokEnd:
		p.fail(open, fmt.Sprintf("the %c that stands here is not closed", p.src[min(open, len(p.src)-1)]), "add "+bracket+" where it ends")
	default:
		p.unexpected("")
	}
}

// unexpected fails at tok, with a hint where the language has another word for
// what was written.
func (p *parser) unexpected(hint string) {
	tok := p.tok
	if m := meant(tok.text); m != "" && !p.inTemplate && (tok.kind == tokSymbol || tok.word() != "") {
		hint = m
	}
	switch {
	case hint != "":
	case p.inTemplate:
		hint = `write {{ path }} or {{ path | default: "value" }}, and \{{ for braces that are text`
	case tok.is(")"):
		hint = "it closes nothing: take it away, or open it before"
	case tok.kind == tokLiteral && strings.HasPrefix(tok.text, "-"):
		hint = meant("-")
	case tok.kind == tokEnd:
		hint = `a value is missing at the end: a path, a number, a text in quotes, true, false, null or a list`
	default:
		hint = `conditions look like this: response.status == "success" and response.data.score > 0.8`
	}
	if tok.kind == tokEnd {
		p.fail(tok.at, "the end comes too early", hint)
		return
	}
	text := tok.text
	if len(text) > 40 {
		text = strings.ToValidUTF8(text[:40], "") + "…"
	}
	if tok.kind != tokLiteral {
		text = strconv.Quote(text)
	}
	p.fail(tok.at, "unexpected "+text, hint)
}

func isLiteral(t token) bool { return t.is("true", "false", "null") }

func isComparison(t token) bool {
	return t.is("==", "!=", ">", ">=", "<", "<=", "in", "contains", "startsWith", "endsWith", "matches")
}

// isWord reports whether the language has this word; as the root of a path it
// counts only before a dot.
func isWord(s string) bool {
	switch s {
	case "and", "or", "not", "in", "contains", "startsWith", "endsWith", "matches", "true", "false", "null":
		return true
	}
	return false
}

// meant says what to write instead of a word or symbol of another language; ""
// for what may mean anything.
func meant(text string) string {
	switch strings.ToLower(text) {
	case "=", "===", "eq", "equals":
		return "write == to compare"
	case "is":
		return "write == to compare, or != for is not"
	case "!==", "<>", "ne", "isnt":
		return "write !="
	case "=>", "gte":
		return "write >="
	case "=<", "lte":
		return "write <="
	case "=~", "~=", "~", "like":
		return "write matches for a pattern, or contains"
	case "&":
		return "write and"
	case "|":
		return "write or"
	case "+", "-", "*", "/", "%", "^":
		return "there is no arithmetic: let the node before work it out, and compare the result"
	case "“", "”", "„", "‘", "’", "«", "»", "`":
		return `use straight quotes, " or '`
	case "{{", "}}", "{", "}", "$":
		return "a condition needs no braces: write the path alone"
	case "none", "nil", "undefined":
		return "write null"
	}
	for _, w := range []string{"and", "or", "not", "in", "contains", "startsWith", "endsWith", "matches", "true", "false", "null"} {
		if w != text && strings.EqualFold(w, text) {
			return "write " + w
		}
	}
	return ""
}

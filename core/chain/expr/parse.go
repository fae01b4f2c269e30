package expr

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core/text"
)

const (
	maxCond     = 4 << 10
	maxTemplate = 256 << 10
	maxDepth    = 50
	maxList     = 1000
)

// The words and symbols of the language, separated by spaces.
const (
	words       = "and or not in contains startsWith endsWith matches true false null"
	comparisons = "== != > >= < <= in contains startsWith endsWith matches"
	literals    = "true false null"
)

// otherWords says what to write instead of the words and symbols of other
// languages.
const otherWords = `
= === eq equals → write == to compare
is → write == to compare, or != for is not
!== <> ne isnt → write !=
=> gte → write >=
=< lte → write <=
=~ ~= ~ like → write matches for a pattern, or contains
& → write and
| → write or
+ - * / % ^ → there is no arithmetic: let the node before work it out, and compare the result
“ ” „ ‘ ’ « » ` + "`" + ` → use straight quotes, " or '
{{ }} { } $ → a condition needs no braces: write the path alone
none nil undefined → write null`

// meant says what to write instead of a word or symbol; "" for what may mean
// anything.
func meant(text string) string {
	for line := range strings.Lines(otherWords) {
		if others, hint, _ := strings.Cut(strings.TrimSpace(line), " → "); listed(others, strings.ToLower(text)) {
			return hint
		}
	}
	for word := range strings.FieldsSeq(words) {
		if word != text && strings.EqualFold(word, text) {
			return "write " + word
		}
	}
	return ""
}

func listed(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

// check refuses what is too long or no text at all.
func check(what, src string, limit int) *SyntaxError {
	if len(src) > limit {
		return &SyntaxError{Offset: limit, Message: fmt.Sprintf("the %s is longer than %d KiB", what, limit>>10), Hint: "make it shorter"}
	}
	for at, c := range src {
		if c == utf8.RuneError && !strings.HasPrefix(src[at:], "\ufffd") {
			return &SyntaxError{Offset: at, Message: "the " + what + " is not valid UTF-8", Hint: "save the file as UTF-8"}
		}
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

// condition reads conditions that are joined by or, at the level 0, or by and,
// at the level 1; at the level 2, one that is not joined.
func (p *parser) condition(level int) node {
	if level == 2 {
		return p.single()
	}
	word, joins := "or", "or ||"
	if level == 1 {
		word, joins = "and", "and &&"
	}
	kids := []node{p.condition(level + 1)}
	for p.tok.is(joins) {
		p.next()
		kids = append(kids, p.condition(level+1))
	}
	if len(kids) == 1 {
		return kids[0]
	}
	return node{op: word, kids: kids}
}

func (p *parser) single() (n node) {
	at := p.tok.at
	if p.tok.is("not ! (") {
		p.enter()
		defer p.leave()
	}
	switch {
	case p.tok.is("not !"):
		p.next()
		return node{op: "not", kids: []node{p.single()}}
	case p.tok.is("("):
		p.next()
		n = p.condition(0)
		p.close(at, ")")
	case p.tok.is("exists") && p.isCall():
		p.next()
		open := p.tok.at
		if p.next(); p.tok.kind != tokPath {
			p.unexpected("write a path between the parentheses: exists(response.data.name)")
		}
		n = node{op: "exists", a: p.operand()}
		p.close(open, ")")
	default:
		return p.comparison()
	}
	if p.tok.is(comparisons) {
		p.fail(p.tok.at, "a condition cannot be compared", "take the parentheses away, or join conditions with and, or, not")
	}
	return n
}

// isCall reports whether a parenthesis is opened behind tok.
func (p *parser) isCall() bool {
	return strings.HasPrefix(strings.TrimSpace(p.src[p.pos:]), "(")
}

func (p *parser) comparison() node {
	start := p.tok.at
	n := node{a: p.operand()}
	negate := p.tok.is("not")
	if negate {
		p.next()
	}
	_, truth := n.a.literal.(bool)
	switch {
	case p.tok.is(comparisons) && (!negate || p.tok.kind == tokPath):
		n.op = p.tok.text
		p.next()
		right := p.tok.at
		n.b = p.operand()
		n.text = p.src[start:p.last]
		if n.op == "matches" {
			n.re = p.pattern(n.b.literal, right)
		}
		if n.op == "in" {
			n.op, n.a, n.b = "contains", n.b, n.a
		}
		if p.tok.is(comparisons) {
			p.fail(p.tok.at, "a comparison has two sides", "write 0 < x and x < 1 instead of 0 < x < 1")
		}
	case negate:
		p.unexpected("write not in front of what it denies, or x not in y")
	case n.a.name == "" && !truth:
		p.fail(start, "a value alone is not a condition", `compare it with something: response.status == "success"`)
	}
	if negate {
		return node{op: "not", kids: []node{n}}
	}
	return n
}

// pattern compiles the right side of matches.
func (p *parser) pattern(literal any, at int) *regexp.Regexp {
	pattern, ok := literal.(string)
	if !ok {
		p.fail(at, "the pattern of matches is not a text", `write it in quotes: matches "^[a-z]+$"`)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		p.fail(at, "the pattern is wrong: "+strings.TrimPrefix(err.Error(), "error parsing regexp: "), "patterns are regular expressions of RE2")
	}
	return re
}

// operand reads a path or a literal.
func (p *parser) operand() operand {
	tok := p.tok
	switch w := tok.word(); {
	case tok.kind != tokPath || tok.is(literals):
		return operand{literal: p.literal()}
	case listed(words, w) || meant(w) != "":
		p.unexpected("")
		return operand{}
	case p.isCall():
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
	case tok.is("["):
		return p.list()
	case tok.kind == tokLiteral:
		p.next()
		return tok.literal
	case tok.is("null"):
		p.next()
		return nil
	case tok.is(literals):
		p.next()
		return tok.text == "true"
	case tok.kind == tokPath:
		p.unexpected("text stands in quotes; a path cannot stand here")
	default:
		p.unexpected("")
	}
	return nil
}

func (p *parser) list() any {
	open := p.tok.at
	p.enter()
	defer p.leave()
	list := []any{}
	for p.next(); !p.tok.is("]") && p.err == nil; p.next() {
		if len(list) == maxList {
			p.fail(p.tok.at, fmt.Sprintf("the list is longer than %d", maxList), "make it shorter")
		}
		if list = append(list, p.literal()); !p.tok.is(",") {
			break
		}
	}
	p.close(open, "]")
	return list
}

// enter goes one level down.
func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.tok.at, fmt.Sprintf("more than %d levels", maxDepth), "make it simpler")
	}
}

func (p *parser) leave() { p.depth-- }

// close reads what closes the bracket at open.
func (p *parser) close(open int, bracket string) {
	switch {
	case p.tok.is(bracket):
		p.next()
	case p.tok.kind == tokEnd && p.err == nil:
		p.fail(open, fmt.Sprintf("the %c that stands here is not closed", p.src[open]), "add "+bracket+" where it ends")
	default:
		p.unexpected("")
	}
}

// unexpected fails at tok, with a hint where the language has another word for
// what was written.
func (p *parser) unexpected(hint string) {
	tok := p.tok
	if m := meant(tok.text); m != "" && !p.inTemplate && tok.kind != tokLiteral {
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
	written := text.CutBytes(tok.text, 40, "…")
	switch tok.kind {
	case tokEnd:
		p.fail(tok.at, "the end comes too early", hint)
	case tokLiteral:
		p.fail(tok.at, "unexpected "+written, hint)
	default:
		p.fail(tok.at, "unexpected "+strconv.Quote(written), hint)
	}
}

package expr

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const (
	maxCond  = 4 << 10
	maxDepth = 50
	maxList  = 1000
)

// parser reads a condition, or the inside of a reference.
type parser struct {
	tokens []token
	at     int
	depth  int
	paths  []Path
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) take() token {
	t := p.tokens[p.at]
	if t.kind != tokEnd {
		p.at++
	}
	return t
}

// is takes a token that is one of the texts.
func (p *parser) is(texts ...string) (string, bool) {
	t := p.peek()
	if t.kind != tokSign && t.kind != tokName {
		return "", false
	}
	for _, text := range texts {
		if t.text == text {
			p.at++
			return text, true
		}
	}
	return "", false
}

func (p *parser) fail(t token, message, hint string) error {
	return &SyntaxError{Offset: t.at, Message: message, Hint: hint}
}

func (p *parser) wants(what string) error {
	t := p.peek()
	found := fmt.Sprintf("and not %q", t.text)
	if t.kind == tokEnd {
		found = "and not the end"
	}
	return p.fail(t, "here should be "+what+", "+found, "")
}

// ParseCond reads a condition. Its error is a *SyntaxError.
func ParseCond(src string) (*Cond, error) {
	if len(src) > maxCond {
		return nil, &SyntaxError{Message: fmt.Sprintf("the condition is longer than %d bytes", maxCond), Hint: "let a node decide, and ask for its answer"}
	}
	tokens, err := lex(src, 0)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	n, err := p.or()
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind != tokEnd {
		hint := "join conditions with and, or"
		if t.text == "is" || t.text == "equals" {
			hint = "equal is written =="
		} else if t.text == "-" {
			hint = "there is no arithmetic: let a node calculate"
		}
		return nil, p.fail(t, fmt.Sprintf("the condition is over before %q", t.text), hint)
	}
	return &Cond{source: src, root: n, paths: p.paths}, nil
}

func (p *parser) or() (node, error) {
	return p.chain(p.and, func(l []node) node { return anyOf(l) }, "or", "||")
}

func (p *parser) and() (node, error) {
	return p.chain(p.not, func(l []node) node { return allOf(l) }, "and", "&&")
}

func (p *parser) chain(next func() (node, error), join func([]node) node, signs ...string) (node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.fail(p.peek(), "this is nested too deep", "")
	}
	defer func() { p.depth-- }()
	n, err := next()
	if err != nil {
		return nil, err
	}
	list := []node{n}
	for {
		if _, ok := p.is(signs...); !ok {
			break
		}
		if n, err = next(); err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	if len(list) == 1 {
		return list[0], nil
	}
	return join(list), nil
}

func (p *parser) not() (node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.fail(p.peek(), "this is nested too deep", "")
	}
	defer func() { p.depth-- }()
	if _, ok := p.is("not", "!"); ok {
		n, err := p.not()
		return negation{n}, err
	}
	if _, ok := p.is("("); ok {
		n, err := p.or()
		if err != nil {
			return nil, err
		}
		if _, ok := p.is(")"); !ok {
			return nil, p.wants("a closing parenthesis")
		}
		return n, nil
	}
	return p.comparison()
}

func (p *parser) comparison() (node, error) {
	if t := p.peek(); t.kind == tokName && t.text == "exists" && p.tokens[p.at+1].text == "(" {
		p.at += 2
		path, err := p.path()
		if err != nil {
			return nil, err
		}
		if _, ok := p.is(")"); !ok {
			return nil, p.wants("a closing parenthesis")
		}
		return existence{path}, nil
	}
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	op, ok := p.is("==", "!=", ">=", "<=", ">", "<", "in", "contains", "startsWith", "endsWith", "matches")
	if !ok {
		if p.peek().text == "not" && p.tokens[p.at+1].text == "in" {
			p.at += 2
			right, err := p.operand()
			return negation{comparison{op: "in", left: left, right: right}}, err
		}
		return truth{left}, nil
	}
	at := p.peek()
	right, err := p.operand()
	if err != nil {
		return nil, err
	}
	c := comparison{op: op, left: left, right: right}
	if op == "matches" {
		pattern, ok := right.value.(string)
		if right.path != nil || !ok {
			return nil, p.fail(at, "what matches compares with must be a pattern in quotes", "")
		}
		if c.pattern, err = regexp.Compile(pattern); err != nil {
			return nil, p.fail(at, "the pattern cannot be read: "+strings.TrimPrefix(err.Error(), "error parsing regexp: "), "patterns are those of RE2")
		}
	}
	return c, nil
}

// operand is a path or a literal.
func (p *parser) operand() (operand, error) {
	t := p.peek()
	if t.kind == tokName {
		switch t.text {
		case "true", "false", "null":
		default:
			path, err := p.path()
			return operand{path: &path}, err
		}
	}
	v, err := p.literal()
	return operand{value: v}, err
}

func (p *parser) literal() (any, error) {
	switch t := p.take(); {
	case t.kind == tokText:
		return t.text, nil
	case t.kind == tokNumber:
		return json.Number(t.text), nil
	case t.kind == tokName && t.text == "true":
		return true, nil
	case t.kind == tokName && t.text == "false":
		return false, nil
	case t.kind == tokName && t.text == "null":
		return nil, nil
	case t.text == "[":
		return p.list()
	default:
		if t.kind != tokEnd {
			p.at--
		}
		return nil, p.wants("a value")
	}
}

func (p *parser) list() (any, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.fail(p.peek(), "this is nested too deep", "")
	}
	defer func() { p.depth-- }()
	list := []any{}
	if _, ok := p.is("]"); ok {
		return list, nil
	}
	for {
		v, err := p.literal()
		if err != nil {
			return nil, err
		}
		if list = append(list, v); len(list) > maxList {
			return nil, p.fail(p.peek(), fmt.Sprintf("the list has more than %d elements", maxList), "")
		}
		if _, ok := p.is("]"); ok {
			return list, nil
		}
		if _, ok := p.is(","); !ok {
			return nil, p.wants("a comma or a closing bracket")
		}
	}
}

func (p *parser) path() (Path, error) {
	t := p.take()
	if t.kind != tokName {
		if t.kind != tokEnd {
			p.at--
		}
		return Path{}, p.wants("a path such as response.data.score")
	}
	path := Path{Root: t.text, Offset: t.at}
	if next := p.peek(); next.text == "(" && next.kind == tokSign {
		return Path{}, p.fail(t, fmt.Sprintf("there is no function %q", t.text), "there is exists(path) alone")
	}
	for {
		if next := p.peek(); next.kind != tokSign || !next.glue {
			break
		}
		if _, ok := p.is("."); ok {
			t := p.take()
			if t.kind == tokNumber && !strings.ContainsAny(t.text, ".eE-") { // a key that is digits
				t.kind = tokName
			}
			if t.kind != tokName {
				p.at--
				return Path{}, p.wants("a key")
			}
			path.Steps = append(path.Steps, Step{Key: t.text})
			continue
		}
		if _, ok := p.is("["); !ok {
			break
		}
		switch t := p.take(); t.kind {
		case tokText:
			path.Steps = append(path.Steps, Step{Key: t.text})
		case tokNumber:
			i, err := strconv.Atoi(t.text)
			if err != nil || i < 0 {
				return Path{}, p.fail(t, "an index is a whole number from 0", "")
			}
			path.Steps = append(path.Steps, Step{Index: i, IsIndex: true})
		default:
			return Path{}, p.fail(t, "here should be an index or a key in quotes", "")
		}
		if _, ok := p.is("]"); !ok {
			return Path{}, p.wants("a closing bracket")
		}
	}
	p.paths = append(p.paths, path)
	return path, nil
}

package expr

import (
	"fmt"
	"regexp"
	"strings"
)

const (
	maxValues = 32
	maxShown  = 200 // bytes of a value in a Verdict
)

// Cond is a condition. It may be judged from any goroutine.
type Cond struct {
	source string
	root   node
	paths  []Path
}

// String returns the condition as it was written.
func (c *Cond) String() string { return c.source }

// Paths returns every path that the condition reads.
func (c *Cond) Paths() []Path { return c.paths }

// Verdict is what a condition came to.
type Verdict struct {
	True     bool
	Values   map[string]any // by path: what the condition saw, nil where nothing is; long texts are cut
	Problems []string       // parts that could not be judged: they count as false
}

// Eval judges the condition. A path that leads nowhere is null.
func (c *Cond) Eval(l Lookup) Verdict {
	j := judge{look: l}
	v := Verdict{True: c.root.judge(&j), Problems: j.problems}
	for _, p := range c.paths[:min(len(c.paths), maxValues)] {
		if v.Values == nil {
			v.Values = make(map[string]any, len(c.paths))
		}
		value, _ := p.get(l)
		if s, ok := value.(string); ok && len(s) > maxShown {
			value = strings.ToValidUTF8(s[:maxShown], "") + "…"
		}
		v.Values[p.String()] = value
	}
	return v
}

// Test judges the condition and tells nothing else.
func (c *Cond) Test(l Lookup) bool { return c.root.judge(&judge{look: l, quiet: true}) }

// judge is one evaluation.
type judge struct {
	look     Lookup
	quiet    bool
	problems []string
}

func (j *judge) problem(format string, args ...any) {
	if !j.quiet && len(j.problems) < maxValues {
		j.problems = append(j.problems, fmt.Sprintf(format, args...))
	}
}

type node interface{ judge(*judge) bool }

type (
	anyOf      []node
	allOf      []node
	negation   struct{ node }
	existence  struct{ path Path }
	truth      struct{ operand }
	comparison struct {
		op          string
		left, right operand
		pattern     *regexp.Regexp
	}
	operand struct {
		path  *Path
		value any
	}
)

func (n anyOf) judge(j *judge) bool {
	for _, n := range n {
		if n.judge(j) {
			return true
		}
	}
	return false
}

func (n allOf) judge(j *judge) bool {
	for _, n := range n {
		if !n.judge(j) {
			return false
		}
	}
	return true
}

func (n negation) judge(j *judge) bool { return !n.node.judge(j) }

func (n existence) judge(j *judge) bool {
	v, ok := n.path.get(j.look)
	return ok && v != nil
}

func (n truth) judge(j *judge) bool {
	v, _ := n.get(j)
	b, ok := v.(bool)
	if !ok && v != nil {
		j.problem("%s is %s and not true or false", n, TypeName(v))
	}
	return b
}

func (o operand) get(j *judge) (any, bool) {
	if o.path == nil {
		return o.value, true
	}
	return o.path.get(j.look)
}

func (o operand) String() string {
	if o.path == nil {
		return fmt.Sprint(o.value)
	}
	return o.path.String()
}

func (n comparison) judge(j *judge) bool {
	a, _ := n.left.get(j)
	b, _ := n.right.get(j)
	switch n.op {
	case "==":
		return equal(a, b)
	case "!=":
		return !equal(a, b)
	}
	for _, side := range []struct {
		operand
		v any
	}{{n.left, a}, {n.right, b}} {
		if side.v == nil && n.op != "in" && n.op != "contains" {
			j.problem("%s is missing", side.operand)
			return false
		}
	}
	switch n.op {
	case "in":
		return n.member(j, b, a, n.right)
	case "contains":
		return n.member(j, a, b, n.left)
	case "matches", "startsWith", "endsWith":
		return n.text(j, a, b)
	}
	return n.order(j, a, b)
}

func (n comparison) member(j *judge, in, what any, where operand) bool {
	yes, ok := holds(in, what)
	switch {
	case ok:
	case in == nil:
		j.problem("%s is missing", where)
	default:
		j.problem("%s is %s: it cannot hold %s", where, TypeName(in), TypeName(what))
	}
	return yes
}

func (n comparison) text(j *judge, a, b any) bool {
	s, ok := a.(string)
	t, also := b.(string)
	if !ok || !also {
		j.problem("%s compares %s with %s", n.op, TypeName(a), TypeName(b))
		return false
	}
	switch n.op {
	case "startsWith":
		return strings.HasPrefix(s, t)
	case "endsWith":
		return strings.HasSuffix(s, t)
	}
	return n.pattern.MatchString(s)
}

func (n comparison) order(j *judge, a, b any) bool {
	var c int
	x, isNumber := number(a)
	y, also := number(b)
	s, isText := a.(string)
	t, alsoText := b.(string)
	switch {
	case isNumber && also:
		c = x.compare(y)
	case isText && alsoText:
		c = strings.Compare(s, t)
	default:
		j.problem("%s compares %s with %s", n.op, TypeName(a), TypeName(b))
		return false
	}
	switch n.op {
	case ">":
		return c > 0
	case "<":
		return c < 0
	case ">=":
		return c >= 0
	}
	return c <= 0
}

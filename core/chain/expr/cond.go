// Package expr is the language of chains: the conditions of their edges and the
// {{references}} in their prompts and inputs.
//
// A condition compares what nodes have answered:
//
//	response.data.score > 0.8 or response.status == "failure"
//
// It knows == != > >= < <= in contains startsWith endsWith matches (RE2, the
// pattern in quotes), exists(path), and/or/not (also && || !) and parentheses;
// numbers, "texts" and 'texts' with the escapes of Go, true, false, null and
// lists [1, "a"]. Paths go through objects and lists with .key, ["a key"] and
// [0]. A minus inside a name belongs to it: there is no arithmetic.
//
// Values are typed: values of different types are never equal, and what cannot
// be compared makes the comparison false and is told, never an error. What is
// missing is null; null is not greater or less than anything and does not exist.
//
// A template is text with {{ path }} or {{ path | default: literal }}. Written
// \{{ the braces are text; \\{{ is a backslash before a reference. What a
// reference stands for is data: it is never read as a template again.
//
// Values are those that decoders of JSON and YAML make: nil, bool, string,
// numbers of any type, []any and map[string]any. Everything here is immutable
// once parsed and may be used by several goroutines.
package expr

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core/text"
)

// Cond is a condition.
type Cond struct {
	src   string
	root  node
	paths []Path
	names []string // of the paths
}

// ParseCond reads a condition of at most 4 KiB. The error is a *SyntaxError.
func ParseCond(src string) (*Cond, error) {
	if err := check("condition", src, maxCond); err != nil {
		return nil, err
	}
	p := parser{src: src}
	p.next()
	if p.tok.kind == tokEnd && p.err == nil {
		p.fail(0, "the condition is empty", `write one like response.status == "success"`)
	}
	c := &Cond{src: src, root: p.condition(0), paths: p.paths}
	if p.tok.kind != tokEnd {
		p.unexpected("")
	}
	if p.err != nil {
		return nil, p.err
	}
	for _, path := range c.paths {
		c.names = append(c.names, path.String())
	}
	return c, nil
}

// String returns the condition as it was written.
func (c *Cond) String() string { return c.src }

// Paths returns every path that the condition reads, in the order of the source.
func (c *Cond) Paths() []Path { return slices.Clone(c.paths) }

// Verdict is the value of a condition, and why.
type Verdict struct {
	True     bool
	Values   map[string]any // by Path.String, what the paths stood for, shortened; nil: missing or null
	Problems []string       // why comparisons are false that cannot be made
}

const (
	maxValues   = 32
	maxProblems = 32
	maxElements = 32  // in a value of a Verdict, at all levels
	maxText     = 200 // bytes of a text in a Verdict
)

// Eval says whether the condition is true, and why. All paths are looked up,
// also those that did not matter; at most 32 are told.
func (c *Cond) Eval(l Lookup) Verdict {
	ev := eval{look: l}
	v := Verdict{True: c.root.test(&ev), Values: map[string]any{}, Problems: ev.problems}
	for i, name := range c.names {
		if _, seen := v.Values[name]; seen || len(v.Values) == maxValues {
			continue
		}
		value, _ := l.get(&c.paths[i])
		left := maxElements
		v.Values[name] = shorten(value, &left)
	}
	return v
}

// eval is one evaluation.
type eval struct {
	look     Lookup
	problems []string
}

func (o *operand) value(l Lookup) any {
	if o.name == "" {
		return o.literal
	}
	v, _ := l.get(&o.path)
	return v
}

func (n *node) test(ev *eval) bool {
	switch n.op {
	case "and", "or":
		for i := range n.kids {
			if n.kids[i].test(ev) == (n.op == "or") {
				return n.op == "or"
			}
		}
		return n.op == "and"
	case "not":
		return !n.kids[0].test(ev)
	}
	a, b := n.a.value(ev.look), n.b.value(ev.look)
	is, ok := n.judge(a, b)
	if !ok {
		ev.cannot(n, a, b)
	}
	return is
}

// judge makes the comparison; ok says whether it can be made.
func (n *node) judge(a, b any) (is, ok bool) {
	s, isText := a.(string)
	part, both := b.(string)
	texts := isText && both
	order := 0
	switch n.op {
	case "":
		is, ok = a.(bool)
		return is, ok || a == nil
	case "exists":
		return a != nil, true
	case "==":
		return equal(a, b, 0), true
	case "!=":
		return !equal(a, b, 0), true
	case "contains":
		return contains(a, b)
	case "startsWith":
		return texts && strings.HasPrefix(s, part), texts
	case "endsWith":
		return texts && strings.HasSuffix(s, part), texts
	case "matches":
		return texts && n.re.MatchString(s), texts
	case "<":
		order, ok = compare(a, b)
		return ok && order < 0, ok
	case "<=":
		order, ok = compare(a, b)
		return ok && order <= 0, ok
	case ">":
		order, ok = compare(a, b)
		return ok && order > 0, ok
	}
	order, ok = compare(a, b)
	return ok && order >= 0, ok
}

// cannot tells why n cannot be judged.
func (ev *eval) cannot(n *node, a, b any) {
	told := false
	for _, o := range []*operand{&n.a, &n.b} {
		if v, there := ev.look.get(&o.path); o.name != "" && v == nil {
			ev.problem(o.name + map[bool]string{true: " is null", false: " is missing"}[there])
			told = true
		}
	}
	written, what, in := cut(n.text), TypeName(b), TypeName(a)
	switch {
	case told:
	case n.op == "":
		ev.problem(n.a.name + " is " + in + ", neither true nor false")
	case n.op == "contains":
		ev.problem(written + " looks for " + what + " in " + in)
	case n.op == "startsWith", n.op == "endsWith", n.op == "matches":
		ev.problem(written + " needs text, and this is " + in + " and " + what)
	default:
		ev.problem(written + " compares " + in + " with " + what)
	}
}

func (ev *eval) problem(s string) {
	if len(ev.problems) < maxProblems && !slices.Contains(ev.problems, s) {
		ev.problems = append(ev.problems, s)
	}
}

// shorten returns a copy of v that is fit to be kept: long texts are cut, and
// so are lists and objects when no more elements are left.
func shorten(v any, left *int) any {
	switch v := v.(type) {
	case string:
		return cut(v)
	case json.Number:
		if len(v) > maxText {
			return cut(string(v))
		}
		return v
	case []any:
		out := []any{}
		for _, e := range v {
			if *left--; *left < 0 {
				return append(out, "…")
			}
			out = append(out, shorten(e, left))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if *left--; *left < 0 {
				out["…"] = "…"
				return out
			}
			out[cut(key)] = shorten(v[key], left)
		}
		return out
	default:
		return v
	}
}

func cut(s string) string { return text.CutBytes(s, maxText, "…") }

package chain

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/yaap-chat/yaap/core/chain/expr"
)

// scope is where references stand: what they may read depends on it.
type scope struct {
	path string // of the text in the file
	pos  Pos    // of what it belongs to
	what string // in words
	at   int    // the node that is about to begin, or has just ended; else start or end
	cond bool   // a condition is judged after its node, and what is missing is null
	item bool   // each item of a list is in reach
}

// refs checks everything that reads what is known only when the chain runs.
func (c *checker) refs() {
	for i := range c.spec.Nodes {
		n := &c.spec.Nodes[i]
		if c.index[n.ID] != i {
			continue
		}
		path := "nodes." + n.ID
		s := scope{pos: n.Pos, at: i, item: n.Each != nil}
		if n.Kind == KindAgent || n.Kind == KindExpert {
			c.template(s.in(path+".prompt", "the prompt of "+n.ID), n.Prompt)
		}
		c.value(s.in(path+".input", "the input of "+n.ID), n.Input)
		if n.Each != nil {
			s.item = false
			c.over(s.in(path+".for_each.over", "for_each of "+n.ID), n.Each.Over)
		}
		if strings.Contains(n.System, "{{") {
			p := c.spec.places[path+".system"]
			pos := n.Pos
			if p.value != "" {
				pos = p.at(strings.Index(p.value, "{{"))
			}
			c.warn(pos, "put it into prompt", "system of %s is taken as it is: {{…}} means nothing there", n.ID)
		}
	}
	for i := range c.spec.Edges {
		e := &c.spec.Edges[i]
		from, ok := c.index[e.From]
		if e.From == Start {
			from, ok = c.graph.start, true
		}
		if e.When != "" && ok {
			c.condition(scope{
				path: "edges." + strconv.Itoa(i) + ".when", pos: cmp.Or(e.WhenPos, e.Pos), what: "the condition", at: from, cond: true,
			}, e.When)
		}
	}
	s := scope{pos: c.spec.Output.Pos, at: c.graph.end}
	c.template(s.in("output.message", "output.message"), c.spec.Output.Message)
	c.value(s.in("output.data", "output.data"), c.spec.Output.Data)
}

func (s scope) in(path, what string) scope {
	s.path, s.what = path, what
	return s
}

// place is the place of an offset in the text of a scope.
func (c *checker) place(s scope, offset int) Pos {
	if p, ok := c.spec.places[s.path]; ok && p.value != "" {
		return p.at(offset)
	}
	return c.at(s.path, s.pos)
}

// syntax tells what is wrong with an expression.
func (c *checker) syntax(s scope, err error) {
	var wrong *expr.SyntaxError
	if !errors.As(err, &wrong) {
		c.fault(c.place(s, 0), "", "%s: %v", s.what, err)
		return
	}
	c.fault(c.place(s, wrong.Offset), wrong.Hint, "%s: %s", s.what, wrong.Message)
}

func (c *checker) template(s scope, src string) []expr.Ref {
	t, err := expr.ParseTemplate(src)
	if err != nil {
		c.syntax(s, err)
		return nil
	}
	refs := t.Refs()
	for _, r := range refs {
		c.reference(s, r.Path, r.HasDefault)
	}
	return refs
}

// value checks the texts of a value at any depth.
func (c *checker) value(s scope, v any) {
	switch v := v.(type) {
	case string:
		c.template(s, v)
	case []any:
		for i, e := range v {
			c.value(s.in(s.path+"."+strconv.Itoa(i), s.what), e)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			c.value(s.in(s.path+"."+k, s.what), v[k])
		}
	}
}

// over checks what a node takes its items from.
func (c *checker) over(s scope, src string) {
	refs := c.template(s, src)
	if src == "" {
		return
	}
	text := strings.TrimSpace(src)
	if len(refs) != 1 || text != src || !strings.HasPrefix(text, "{{") || strings.Index(text, "}}") != len(text)-2 {
		if _, err := expr.ParseTemplate(src); err == nil {
			c.fault(c.place(s, 0), `write over: "{{node.data.list}}"`, "%s needs one reference to a list and nothing else", s.what)
		}
		return
	}
	if t := c.typeOf(s, refs[0].Path); t.name() != "" && t.name() != "array" {
		c.fault(c.place(s, refs[0].Offset), "", "%s needs a list, but %s is %s", s.what, refs[0].String(), t.words())
	}
}

func (c *checker) condition(s scope, src string) {
	cond, err := expr.ParseCond(src)
	if err != nil {
		c.syntax(s, err)
		return
	}
	asked := map[string]bool{} // roots that the condition asks for with exists()
	for _, p := range cond.Paths() {
		before := strings.TrimRight(src[:p.Offset], " \t\n")
		if name, ok := strings.CutSuffix(before, "("); ok && strings.HasSuffix(strings.TrimRight(name, " \t\n"), "exists") {
			asked[p.Root] = true
		}
	}
	for _, p := range cond.Paths() {
		c.reference(s, p, asked[p.Root])
		c.comparison(s, src, p)
	}
}

// reference checks one path: its root, whether that is there by then, and
// whether it has such a value. Who asks is prepared for what is missing.
func (c *checker) reference(s scope, p expr.Path, asks bool) {
	if n, ok := c.index[p.Root]; ok {
		c.order(s, p, n, asks)
		if !c.reply(s, p, p.Root) {
			return
		}
	} else {
		known, there := c.root(s, p, asks)
		if !known {
			c.unknownRoot(s, p)
			return
		}
		if !there {
			return
		}
	}
	c.typeOfTold(s, p)
}

// root checks the roots that are no nodes.
func (c *checker) root(s scope, p expr.Path, asks bool) (known, there bool) {
	switch pos := c.place(s, p.Offset); p.Root {
	case "input":
		if c.spec.Inputs == nil && len(p.Steps) > 0 {
			c.fault(pos, "declare it: inputs: {"+p.Steps[0].Key+": {type: string}}", "%s is not there: the chain declares no inputs", p.String())
			return true, false
		}
		return true, true
	case "vars":
		return true, true
	case "visits":
		if len(p.Steps) > 0 {
			c.fault(pos, "write visits, or node.visits for another one's", "visits is a number and has nothing in it")
			return true, false
		}
		return true, true
	case "instruction":
		if s.at >= len(c.spec.Nodes) || !asks && !s.cond {
			c.fault(pos, `write {{instruction | default: ""}}`, "%s reads instruction, which is there only when work was sent back", s.what)
			return true, false
		}
		return true, true
	case "response":
		return true, c.response(s, p, asks)
	case "error":
		return true, c.failure(s, p, asks)
	case "index":
		return s.item, s.item
	}
	return s.item && p.Root == c.itemName(s.at), true
}

func (c *checker) itemName(at int) string { return cmp.Or(c.spec.Nodes[at].Each.As, "item") }

func (c *checker) unknownRoot(s scope, p expr.Path) {
	pos := c.place(s, p.Offset)
	if p.Root == "item" || p.Root == "index" {
		hint := "only the prompt and the input of a node with for_each have one"
		if s.item {
			hint = "its items are called " + c.itemName(s.at)
		}
		c.fault(pos, hint, "there is no %s here", p.Root)
		return
	}
	more := []string{"input", "vars"}
	if s.at != c.graph.end {
		more = append(more, "response")
	}
	hint := c.nodeMeant(p.Root, more...)
	if c.declares(p.Root) {
		hint = "write input." + p.Root
	} else if _, ok := c.spec.Vars[p.Root]; ok {
		hint = "write vars." + p.Root
	}
	c.fault(pos, hint, "%s reads %s, but there is no node %s", s.what, p.String(), p.Root)
}

// order checks that a node has run by the time it is read.
func (c *checker) order(s scope, p expr.Path, node int, asks bool) {
	if s.cond && node == s.at {
		return
	}
	if c.paths == nil {
		c.paths = newPaths(c.spec, c.graph)
	}
	if c.paths.always(node, s.at) {
		return
	}
	pos, then := c.place(s, p.Offset), "the end"
	if s.at < len(c.spec.Nodes) {
		then = c.spec.Nodes[s.at].ID
	} else if s.at == c.graph.start {
		then = "the first node"
	}
	switch {
	case !c.paths.maybe(node, s.at):
		c.fault(pos, "lead an edge from it to here, through others if need be", "%s reads %s, but %s never runs before %s", s.what, p.String(), p.Root, then)
	case asks:
	case s.cond:
		c.warn(pos, "write exists("+p.Root+") and … where that is meant", "%s is null where work comes to %s without %s", p.String(), then, p.Root)
	default:
		c.fault(pos, fmt.Sprintf(`write {{%s | default: ""}}, or let every way pass %s`, p.String(), p.Root),
			"%s reads %s, but work can come to %s without %s", s.what, p.String(), then, p.Root)
	}
}

// response checks a reference to the reply that led here.
func (c *checker) response(s scope, p expr.Path, asks bool) bool {
	pos := c.place(s, p.Offset)
	if s.at == c.graph.end {
		c.fault(pos, "name the node whose reply is meant", "%s reads %s, but at the end there is no response", s.what, p.String())
		return false
	}
	if !s.cond {
		first, others := 0, 0
		for _, a := range c.graph.in[s.at] {
			if a.from == c.graph.start {
				first++
			} else {
				others++
			}
		}
		switch {
		case first > 0 && others == 0:
			c.fault(pos, "write {{input}}", "%s reads %s, but no node answers before it", s.what, p.String())
			return false
		case first > 0 && !asks:
			c.fault(pos, "write {{"+p.String()+` | default: ""}}`, "%s reads %s, but work also comes from start, where there is no response", s.what, p.String())
		}
	}
	if s.at == c.graph.start {
		return len(p.Steps) > 0 && c.fields(s, p, "response")
	}
	return c.reply(s, p, "response")
}

// failure checks a reference to the failure that a node handles.
func (c *checker) failure(s scope, p expr.Path, asks bool) bool {
	never, always := true, true
	if s.at < len(c.spec.Nodes) {
		for _, a := range c.graph.in[s.at] {
			handles := a.edge == implicit || c.spec.Edges[a.edge].OnError
			maybe := handles || c.spec.Edges[a.edge].When != ""
			never, always = never && !maybe, always && handles
		}
	}
	pos := c.place(s, p.Offset)
	switch {
	case never:
		c.fault(pos, "lead an edge with on_error: true to it", "%s reads %s, but no failure leads here", s.what, p.String())
		return false
	case !always && !asks && !s.cond:
		c.fault(pos, "write {{"+p.String()+` | default: ""}}`, "%s reads %s, but work also comes here without a failure", s.what, p.String())
	}
	if len(p.Steps) == 0 {
		return false
	}
	if names := []string{"node", "message", "input", "data"}; !slices.Contains(names, p.Steps[0].Key) {
		c.fault(pos, meantOr(p.Steps[0].Key, names), "a failure has no %s", stepWords(p.Steps[0]))
		return false
	}
	return true
}

// reply checks that a reference reads what a reply has.
func (c *checker) reply(s scope, p expr.Path, of string) bool {
	if len(p.Steps) == 0 {
		if !s.cond {
			c.fault(c.place(s, p.Offset), "write {{"+of+".message}} or {{"+of+".data.…}}", "%s does not say what of %s it reads", s.what, of)
		}
		return false
	}
	return c.fields(s, p, of)
}

func (c *checker) fields(s scope, p expr.Path, of string) bool {
	names := []string{"status", "message", "data", "next_step_hint", "visits"}
	if s.cond {
		names = append(names, "error")
	}
	pos, key := c.place(s, p.Offset), p.Steps[0].Key
	switch {
	case key == "thought":
		c.fault(pos, "let it put what matters into data", "%s.thought is for people to read: no node gets it", of)
		return false
	case !slices.Contains(names, key):
		c.fault(pos, cmp.Or(meant(key, names), "write "+of+".data"+p.Steps[0].String()), "a reply has no %s", stepWords(p.Steps[0]))
		return false
	}
	return true
}

func stepWords(s expr.Step) string {
	if s.IsIndex {
		return "element " + s.String()
	}
	return s.Key
}

func meantOr(word string, words []string) string {
	return cmp.Or(meant(word, words), "there are: "+strings.Join(words, ", "))
}

package chain

import (
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// kinds are the keys of which a node has exactly one.
func kinds() []Kind {
	return []Kind{KindAgent, KindExpert, KindFunction, KindAggregate, KindChain, KindCondition}
}

func (r *reader) nodes(n ast.Node, path string) (nodes []Node) {
	r.mapping(n, "nodes", func(key ast.Node, id string, value ast.Node) {
		node := Node{ID: id, Pos: r.posOf(key)}
		r.node(key, value, join(path, id), &node)
		nodes = append(nodes, node)
	})
	return nodes
}

func (r *reader) node(key, n ast.Node, path string, node *Node) {
	var condition bool
	var absent string
	known := map[string]field{
		"condition":    r.flag(&condition),
		"system":       r.text(&node.System),
		"prompt":       r.text(&node.Prompt),
		"tools":        func(n ast.Node, path string) { r.tools(n, path, &node.Tools) },
		"input":        r.object(&node.Input),
		"for_each":     func(n ast.Node, path string) { node.Each = r.each(n, path) },
		"join":         func(n ast.Node, path string) { r.join(n, path, &node.Join) },
		"fanout":       r.flag(&node.Fanout),
		"max_visits":   r.number(&node.MaxVisits, 1, 1_000_000),
		"retries":      func(n ast.Node, path string) { r.retries(n, path, &node.Attempts) },
		"timeout":      r.span(&node.Attempts.Timeout),
		"idle_timeout": r.span(&node.Attempts.Idle),
		"if_absent":    r.choice(&absent, string(AbsentFail), string(AbsentWait)),
		"data_schema":  r.rawSchema(&node.Schemas.Data),
		"input_schema": r.rawSchema(&node.Schemas.Input),
	}
	for _, k := range kinds() {
		switch k {
		case KindAggregate:
			known[string(k)] = r.choice(&node.Name, "merge", "concat", "first")
		case KindCondition:
		default:
			known[string(k)] = r.text(&node.Name)
		}
	}
	if _, ok := n.(*ast.NullNode); ok {
		r.fault(key, "say what does its work: "+or(kindWords()), "%s is empty", node.ID)
		return
	}
	has := r.fields(n, node.ID, path, known)
	if !isMapping(n) {
		return
	}
	node.Absent = Absent(absent)
	r.kind(key, has, condition, node)
}

// kind finds the one key that says what a node is. One that is several things
// is left without a kind.
func (r *reader) kind(key ast.Node, has map[string]ast.Node, condition bool, node *Node) {
	var said []Kind
	for _, k := range kinds() {
		if has[string(k)] != nil {
			said = append(said, k)
		}
	}
	switch {
	case len(said) == 0:
		r.fault(key, "say what does its work: "+or(kindWords()), "%s does nothing", node.ID)
	case len(said) > 1:
		r.fault(has[string(said[1])], "make two nodes of it", "%s is %s and %s at once", node.ID, article(said[0]), article(said[1]))
	case said[0] == KindCondition && !condition:
		r.fault(has[string(KindCondition)], "write condition: true", "%s is a condition that is not true", node.ID)
	default:
		node.Kind = said[0]
	}
}

func kindWords() (words []string) {
	for _, k := range kinds() {
		words = append(words, string(k))
	}
	return words
}

func article(k Kind) string {
	if strings.ContainsRune("aeiou", rune(k[0])) {
		return "an " + string(k)
	}
	return "a " + string(k)
}

func (r *reader) tools(n ast.Node, path string, to *[]string) {
	*to = []string{}
	r.places[path] = place{pos: r.posOf(n)}
	r.list(n, "tools", func(i int, n ast.Node) {
		var tool string
		r.text(&tool)(n, join(path, strconv.Itoa(i)))
		*to = append(*to, tool)
	})
}

func (r *reader) each(n ast.Node, path string) *Each {
	e := &Each{}
	r.places[path] = place{pos: r.posOf(n)}
	var failure string
	has := r.fields(n, "for_each", path, map[string]field{
		"over":       r.text(&e.Over),
		"as":         r.text(&e.As),
		"max_items":  r.number(&e.MaxItems, 1, 100_000),
		"parallel":   r.number(&e.Parallel, 1, 1000),
		"on_failure": r.choice(&failure, string(FailAll), string(Skip), string(Collect)),
	})
	e.Failure = OnFailure(failure)
	if has["over"] == nil {
		r.fault(n, `write over: "{{node.data.list}}"`, "for_each does not say over what")
		return nil
	}
	return e
}

func (r *reader) join(n ast.Node, path string, j *Join) {
	r.places[path] = place{pos: r.posOf(n)}
	if _, ok := whole(n); ok {
		r.number(&j.N, 1, maxNodes)(n, path)
		if j.N > 0 {
			j.Kind = JoinCount
		}
		return
	}
	word, _ := n.(*ast.StringNode)
	for _, k := range []JoinKind{JoinAll, JoinAny, JoinFirst} {
		if word != nil && word.Value == string(k) {
			j.Kind = k
			return
		}
	}
	r.fault(n, "", "join must be all, any, first_success or a number")
}

func (r *reader) retries(n ast.Node, path string, to *Attempts) {
	if _, ok := whole(n); ok {
		r.number(&to.Retries, 0, 100)(n, path)
		return
	}
	r.fields(n, "retries", path, map[string]field{
		"max":     r.number(&to.Retries, 0, 100),
		"backoff": r.span(&to.Backoff),
	})
}

package chain

import (
	"fmt"
	"slices"
	"sync"

	"github.com/yaap-chat/yaap/core/chain/expr"
	"github.com/yaap-chat/yaap/core/schema"
)

// Chain is a compiled chain. It is immutable and may be run any number of times
// at once.
type Chain struct {
	Spec Spec
	Hash string // of the source, as [Compile] was told it

	nodes   []node
	index   map[string]int
	first   []edge    // those that leave start
	onError int       // index of the chain's own handler, or none
	inputs  *declared // nil: any text
	message *expr.Template
	data    *expr.Value
}

const (
	atEnd = -1 // the end, as the target of an edge
	none  = -2
)

// node is a Node that can be run.
type node struct {
	*Node
	out    []edge
	in     int   // how many edges lead here
	from   []int // the nodes they leave
	prompt *expr.Template
	input  *expr.Value
	over   *expr.Template
	fits   *schema.Schema // of data
	takes  *schema.Schema // of the input
	before *upstream
	round  int // how often the cycle that it is in may be gone round; 0: none limits it

	instructed bool // its prompt or input says where an instruction goes
}

// edge is an Edge that can be judged.
type edge struct {
	*Edge
	pos      int // in the file
	from, to int
	when     *expr.Cond
}

// upstream are the nodes from which a node can be reached without passing
// through it. It is found when it is first asked for.
type upstream struct {
	once sync.Once
	set  numbers
}

// Compile makes a chain ready to run in which [Check] finds no faults. hash names
// the source that the Spec was read from.
func Compile(spec Spec, hash string) (_ *Chain, err error) {
	c := &Chain{Spec: spec, Hash: hash, index: map[string]int{}, onError: none}
	if spec.Inputs != nil {
		if c.inputs, err = readInputs(spec.Inputs); err != nil {
			return nil, fmt.Errorf("inputs: %w", err)
		}
	}
	for i := range spec.Nodes {
		c.index[spec.Nodes[i].ID] = i
	}
	c.nodes = make([]node, len(spec.Nodes))
	for i := range spec.Nodes {
		n, err := compileNode(&c.Spec.Nodes[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", spec.Nodes[i].ID, err)
		}
		c.nodes[i] = n
	}
	if at, ok := c.index[spec.OnError]; ok {
		c.onError = at
	}
	for i := range spec.Edges {
		if err := c.link(&c.Spec.Edges[i], i); err != nil {
			return nil, err
		}
	}
	c.goRound()
	return c, c.compileOutput()
}

func (c *Chain) compileOutput() (err error) {
	if m := c.Spec.Output.Message; m != "" {
		if c.message, err = expr.ParseTemplate(m); err != nil {
			return fmt.Errorf("output.message: %w", err)
		}
	}
	if d := c.Spec.Output.Data; d != nil {
		if c.data, err = expr.ParseValue(d); err != nil {
			return fmt.Errorf("output.data: %w", err)
		}
	}
	return nil
}

func compileNode(spec *Node) (n node, err error) {
	n = node{Node: spec, before: new(upstream)}
	if n.prompt, err = expr.ParseTemplate(spec.Prompt); err != nil {
		return n, fmt.Errorf("prompt: %w", err)
	}
	if spec.Input != nil {
		if n.input, err = expr.ParseValue(spec.Input); err != nil {
			return n, fmt.Errorf("input: %w", err)
		}
	}
	refs := n.prompt.Refs()
	if n.input != nil {
		refs = append(refs, n.input.Refs()...)
	}
	n.instructed = slices.ContainsFunc(refs, func(r expr.Ref) bool { return r.Root == "instruction" })
	if spec.Each != nil {
		if n.over, err = expr.ParseTemplate(spec.Each.Over); err != nil {
			return n, fmt.Errorf("for_each.over: %w", err)
		}
	}
	if spec.Schemas.Data != nil {
		if n.fits, err = schema.Compile(spec.Schemas.Data); err != nil {
			return n, fmt.Errorf("data_schema: %w", err)
		}
	}
	if spec.Schemas.Input != nil {
		if n.takes, err = schema.Compile(spec.Schemas.Input); err != nil {
			return n, fmt.Errorf("input_schema: %w", err)
		}
	}
	return n, nil
}

func (c *Chain) link(spec *Edge, pos int) (err error) {
	e := edge{Edge: spec, pos: pos, from: none, to: atEnd}
	if spec.When != "" {
		if e.when, err = expr.ParseCond(spec.When); err != nil {
			return fmt.Errorf("the edge from %s to %s: %w", spec.From, spec.To, err)
		}
	}
	if spec.To != End {
		e.to = c.index[spec.To]
		c.nodes[e.to].in++
	}
	if spec.From == Start {
		c.first = append(c.first, e)
		return nil
	}
	e.from = c.index[spec.From]
	c.nodes[e.from].out = append(c.nodes[e.from].out, e)
	if e.to >= 0 {
		c.nodes[e.to].from = append(c.nodes[e.to].from, e.from)
	}
	return nil
}

// precedes reports whether node b can be reached from node a without passing
// through b on the way.
func (c *Chain) precedes(a, b int) bool {
	u := c.nodes[b].before
	u.once.Do(func() { u.set = c.findUpstream(b, true) })
	return u.set.has(a)
}

// findUpstream finds the nodes from which b can be reached; by way of the
// chain's own handler only where rescue is set.
func (c *Chain) findUpstream(b int, rescue bool) numbers {
	found := newNumbers(len(c.nodes))
	open := []int{b}
	add := func(from int) {
		if from != b && from >= 0 && !found.has(from) {
			found.add(from)
			open = append(open, from)
		}
	}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, from := range c.nodes[at].from {
			add(from)
		}
		if rescue && at == c.onError {
			for from := range c.nodes {
				add(from)
			}
		}
	}
	return found
}

// visits is how often a node may be reached.
func (n *node) visits() int { return max(n.MaxVisits, n.round, 1) }

// goRound gives the nodes of a cycle that say nothing themselves the limit of
// those that do.
func (c *Chain) goRound() {
	g := newGraph(&c.Spec, c.index)
	for i := range c.nodes {
		limit := c.nodes[i].MaxVisits
		if limit < 2 {
			continue
		}
		circle := g.after(i)
		circle.intersect(g.before(i))
		for k := range c.nodes {
			if c.nodes[k].MaxVisits == 0 && circle.has(k) {
				c.nodes[k].round = max(c.nodes[k].round, limit)
			}
		}
	}
}

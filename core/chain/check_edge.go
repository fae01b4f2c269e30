package chain

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

func (c *checker) edgePos(i int, key string, otherwise Pos) Pos {
	return c.at("edges."+strconv.Itoa(i)+"."+key, otherwise)
}

// edges checks the edges: each for itself, those of a node together, and how
// nodes wait for them.
func (c *checker) edges() {
	type way struct {
		from, to, when, on string
		otherwise, failure bool
	}
	seen := map[way]int{}
	for i := range c.spec.Edges {
		e := &c.spec.Edges[i]
		c.edge(e, i)
		w := way{e.From, e.To, e.When, e.On, e.Default, e.OnError}
		if first, ok := seen[w]; ok {
			hint := "remove one of them"
			if line := c.spec.Edges[first].Pos.Line; line > 0 {
				hint = fmt.Sprintf("the other one is in line %d; remove one of them", line)
			}
			c.fault(e.Pos, hint, "there are two edges from %s to %s", e.From, e.To)
			continue
		}
		seen[w] = i
	}
	for at, out := range c.graph.out {
		c.leaving(at, out)
	}
	for i := range c.spec.Nodes {
		c.joining(i)
	}
}

func (c *checker) edge(e *Edge, i int) {
	_, from := c.index[e.From]
	switch pos := c.edgePos(i, "from", e.Pos); {
	case e.From == End:
		c.fault(pos, "remove the edge", "nothing comes after end")
	case e.From == Start:
		if e.OnError || e.On != "" {
			c.fault(e.Pos, "write {from: start, to: "+e.To+"}", "start neither fails nor asks")
		}
	case !from && e.From != "":
		c.fault(pos, c.nodeMeant(e.From, Start), "there is no node %s", e.From)
	}
	_, to := c.index[e.To]
	switch pos := c.edgePos(i, "to", e.Pos); {
	case e.To == Start:
		c.fault(pos, "lead it to the first node and give that a max_visits", "nothing leads back to start")
	case !to && e.To != End && e.To != "":
		c.fault(pos, c.nodeMeant(e.To, End), "there is no node %s", e.To)
	}
	said := 0
	for _, has := range []bool{e.When != "", e.Default, e.OnError, e.On != ""} {
		if has {
			said++
		}
	}
	if said > 1 {
		c.fault(e.Pos, "make two edges of it", "an edge has at most one of when, default, on_error and on")
	}
}

// leaving checks the edges that leave a node together.
func (c *checker) leaving(at int, out []arc) {
	follows := at == c.graph.start || at < len(c.spec.Nodes) && c.spec.Nodes[at].Fanout
	name := Start
	if at < len(c.spec.Nodes) {
		name = c.spec.Nodes[at].ID
	}
	var plain, otherwise, failure, asking, when []int
	for _, a := range out {
		if a.edge == implicit {
			continue
		}
		switch e := &c.spec.Edges[a.edge]; {
		case e.When != "":
			when = append(when, a.edge)
		case e.OnError:
			failure = append(failure, a.edge)
		case e.On != "":
			asking = append(asking, a.edge)
		case e.Default:
			otherwise = append(otherwise, a.edge)
		default:
			plain = append(plain, a.edge)
		}
	}
	c.atMostOne(failure, "", "%s has two edges for failures")
	c.atMostOne(asking, "", "%s has two edges for clarification")
	if !follows {
		hint := "give one of them a when"
		if len(otherwise) == 0 {
			hint += ", or say fanout: true to follow both"
		}
		c.atMostOne(append(plain, otherwise...), hint, "%s has two edges for when no condition is true")
		c.shadowed(when)
		return
	}
	c.atMostOne(otherwise, "", "%s has two edges for when no condition is true")
	if len(plain) > 0 && len(otherwise) > 0 {
		e := &c.spec.Edges[otherwise[0]]
		c.warn(e.Pos, "leave default out to follow it, too", "this is never followed: %s always follows the edge to %s", name, c.spec.Edges[plain[0]].To)
	}
}

func (c *checker) atMostOne(edges []int, hint, format string) {
	for n, i := range edges {
		e, first := &c.spec.Edges[i], &c.spec.Edges[edges[0]]
		if n == 0 || first.To == e.To && first.Default == e.Default {
			continue // edges that are the same are found as such
		}
		hint = cmp.Or(hint, "remove one of them")
		if line := first.Pos.Line; line > 0 {
			hint = fmt.Sprintf("the other one is in line %d; %s", line, hint)
		}
		c.fault(e.Pos, hint, format, e.From)
		return
	}
}

// shadowed finds conditions that another one before them makes useless.
func (c *checker) shadowed(when []int) {
	seen := map[string]string{}
	for _, i := range when {
		e := &c.spec.Edges[i]
		text := strings.Join(strings.Fields(e.When), " ")
		for _, same := range []string{text, "true"} {
			if to, ok := seen[same]; ok {
				c.warn(c.edgePos(i, "when", e.Pos), "an edge before it has the same condition, or one that is always true", "this is never followed: before it work goes to %s", to)
				break
			}
		}
		if _, ok := seen[text]; !ok {
			seen[text] = e.To
		}
	}
}

// joining checks how a node waits for the edges that lead to it.
func (c *checker) joining(i int) {
	n := &c.spec.Nodes[i]
	pos := c.at("nodes."+n.ID+".join", n.Pos)
	in := 0
	for _, a := range c.graph.in[i] {
		if a.edge != implicit {
			in++
		}
	}
	for _, a := range c.graph.in[i] {
		if n.sendsBack() && a.from < len(c.spec.Nodes) && c.spec.Nodes[a.from].MaxVisits < 2 {
			from := &c.spec.Nodes[a.from]
			c.fault(from.Pos, "give it a max_visits of 2 or more", "%s sends work back to %s, which may be visited only once", n.ID, from.ID)
		}
	}
	handles := n.ID == c.spec.OnError
	switch {
	case n.Join.Kind == "" || handles:
	case n.Join.Kind == JoinCount && n.Join.N > in && in > 0:
		c.fault(pos, "", "%s waits for %d edges, but only %d lead to it: it never begins", n.ID, n.Join.N, in)
	case in == 1:
		c.warn(pos, "leave join out", "%s has nothing to wait for: one edge leads to it", n.ID)
	}
}

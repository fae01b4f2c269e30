package chain

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core/rank"
)

// Fault is something wrong with a chain, where it is, and what to do about it.
// A chain with warnings only can be run.
type Fault struct {
	Pos     Pos
	Message string
	Hint    string
	Warning bool
}

// Known are the names that a chain may use. What is nil is not known, and names
// of that kind are not checked.
type Known struct {
	Agents, Experts map[string]bool
	Self            string // the chain that is checked, as others name it
	// Chain returns the chain of a name, as far as it can be read, and whether there is one.
	Chain func(name string) (Spec, bool)
}

// Check returns what is wrong with a chain, all of it, in the order of the
// file. What [Parse] has found already is not found again.
func Check(spec Spec, known Known) []Fault {
	c := &checker{spec: &spec, known: known}
	c.chain()
	c.index = make(map[string]int, len(spec.Nodes))
	for i := range spec.Nodes {
		c.node(&spec.Nodes[i], i)
	}
	c.graph = newGraph(&spec, c.index)
	c.edges()
	c.reach()
	c.cycles()
	c.refs()
	sortFaults(c.faults)
	return c.faults
}

// checker is a check under way.
type checker struct {
	spec   *Spec
	known  Known
	index  map[string]int // of nodes
	graph  *graph
	paths  *paths      // once they are asked for
	types  map[int]typ // of data, by node, as they are asked for
	faults []Fault
}

func (c *checker) fault(pos Pos, hint, format string, args ...any) {
	c.faults = append(c.faults, Fault{Pos: pos, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (c *checker) warn(pos Pos, hint, format string, args ...any) {
	c.fault(pos, hint, format, args...)
	c.faults[len(c.faults)-1].Warning = true
}

// at is the place of the value at a path, as far as it is known.
func (c *checker) at(path string, otherwise Pos) Pos {
	if p, ok := c.spec.places[path]; ok {
		return p.pos
	}
	return otherwise
}

// bad reports whether Parse found a fault in the value at a path.
func (c *checker) bad(path string) bool { return c.spec.places[path].bad }

// nodeMeant is a hint for an id that no node has.
func (c *checker) nodeMeant(id string, more ...string) string {
	if len(c.faults) > maxHints {
		return ""
	}
	for i := range c.spec.Nodes {
		more = append(more, c.spec.Nodes[i].ID)
	}
	return oneOf(id, more)
}

// name checks that something of that name is known.
func (c *checker) name(pos Pos, what, name string, known map[string]bool, warning bool) {
	switch {
	case known == nil || known[name]:
		return
	case warning:
		c.warn(pos, "it must have come by the time the chain needs it, or say if_absent: wait", "no %s %s is in the room", what, name)
		return
	}
	c.fault(pos, oneOf(name, slices.Sorted(maps.Keys(known))), "there is no %s %s", what, name)
}

// oneOf is a hint for a word that has to be one of some: the one that is meant, or all
// where they are few.
func oneOf(word string, words []string) string {
	if hint := meant(word, words); hint != "" || len(words) == 0 || len(words) > 20 {
		return hint
	}
	return "there are: " + strings.Join(words, ", ")
}

const maxHints = 100 // faults after which nobody reads what could be meant

func sortFaults(faults []Fault) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
}

//nolint:gochecknoglobals // never change; see pattern
var (
	chainName = pattern(`^[a-z][a-z0-9_-]{1,47}$`)
	nodeName  = pattern(`^[A-Za-z][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*$`)
)

// pattern returns an expression that is compiled when it is used first: most
// processes never use it.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// isName reports whether references can name a thing so.
func isName(s string) bool { return len(s) <= 48 && nodeName().MatchString(s) }

// reserved are the words that mean something else where a node could be named.
func reserved() []string {
	return []string{Start, End, "input", "vars", "response", "item", "index", "visits", "error", "instruction"}
}

// meant is a hint for a word that is not among those it could be.
func meant(word string, words []string) string {
	best, least := "", 3
	for _, w := range words {
		if d := rank.Distance(word, w, 3); d < least || d == least && w < best {
			best, least = w, d
		}
	}
	if best == "" || least >= len(word) {
		return ""
	}
	return "did you mean " + best + "?"
}

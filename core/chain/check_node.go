package chain

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/yaap-chat/yaap/core/schema"
)

// chain checks what is said about the chain as a whole.
func (c *checker) chain() {
	s := c.spec
	first := Pos{1, 1}
	if !chainName().MatchString(s.Name) && s.Name != "" {
		c.fault(c.at("name", first), "2 to 48 of a-z, 0-9, _ and -, beginning with a letter", "%q cannot be the name of a chain", s.Name)
	}
	c.inputs()
	if s.OnError != "" && !slices.ContainsFunc(s.Nodes, func(n Node) bool { return n.ID == s.OnError }) {
		c.fault(c.at("on_error", first), c.nodeMeant(s.OnError), "on_error names %s, which is no node", s.OnError)
	}
}

func (c *checker) inputs() {
	if c.spec.Inputs == nil {
		return
	}
	var declared struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(c.spec.Inputs, &declared); err != nil {
		return // Parse has told why
	}
	for name, raw := range declared.Properties {
		pos := c.at("inputs."+name, Pos{1, 1})
		if !isName(name) {
			c.fault(pos, "at most 48 letters, digits, _ and -, beginning with a letter", "%q cannot be the name of an input", name)
		}
		s := c.compile(pos, "the input "+name, raw)
		var has struct {
			Default json.RawMessage `json:"default"`
		}
		if s == nil || json.Unmarshal(raw, &has) != nil || has.Default == nil {
			continue
		}
		if issues := s.Check(has.Default); len(issues) > 0 {
			c.fault(c.at("inputs."+name+".default", pos), "", "the default of %s does not fit its schema: %s", name, strings.Join(issues, "; "))
		}
	}
}

// compile checks a JSON Schema.
func (c *checker) compile(pos Pos, what string, raw json.RawMessage) *schema.Schema {
	if raw == nil {
		return nil
	}
	s, err := schema.Compile(raw)
	if err != nil {
		c.fault(pos, "see https://json-schema.org/understanding-json-schema", "%s is no JSON Schema: %s", what, reason(err))
		return nil
	}
	return s
}

// reason is the first cause that the compiler of schemas gives; it wraps it in
// a tree of lines that only repeat that there is one.
func reason(err error) string {
	lines := strings.Split(err.Error(), "\n")
	for _, line := range lines {
		if at, why, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "- at '"), "': "); ok && !strings.HasSuffix(why, "failed") {
			return strings.TrimPrefix(at+": ", ": ") + why
		}
	}
	return schemaFile().ReplaceAllString(lines[0], "$1")
}

//nolint:gochecknoglobals // never changes; see pattern
var schemaFile = pattern(`"file://[^"#]*(#[^"]*)"`)

// node checks one node for itself, and gives it its index.
func (c *checker) node(n *Node, i int) {
	path := "nodes." + n.ID
	switch _, twice := c.index[n.ID]; {
	case slices.Contains(reserved(), n.ID):
		c.fault(n.Pos, "call it something else", "%s cannot be the id of a node: it means something else", n.ID)
	case !isName(n.ID):
		c.fault(n.Pos, "at most 48 letters, digits, _ and -, beginning with a letter", "%q cannot be the id of a node", n.ID)
	case twice:
		c.fault(n.Pos, "call one of them something else", "there are two nodes %s", n.ID)
	}
	if _, ok := c.index[n.ID]; !ok {
		c.index[n.ID] = i
	}
	c.work(n, path)
	c.misplaced(n, path)
	c.compile(c.at(path+".data_schema", n.Pos), "data_schema of "+n.ID, n.Schemas.Data)
	c.compile(c.at(path+".input_schema", n.Pos), "input_schema of "+n.ID, n.Schemas.Input)
	if n.Each == nil {
		return
	}
	as := n.Each.As
	if as != "" && as != "item" && (!isName(as) || slices.Contains(reserved(), as) || slices.ContainsFunc(c.spec.Nodes, func(n Node) bool { return n.ID == as })) {
		c.fault(c.at(path+".for_each.as", n.Pos), "call it something else", "an item cannot be called %q: it means something else", as)
	}
}

// work checks who does a node's work.
func (c *checker) work(n *Node, path string) {
	pos := c.at(path+"."+string(n.Kind), n.Pos)
	if n.Kind != "" && n.Kind != KindCondition && n.Name == "" {
		if !c.bad(path + "." + string(n.Kind)) {
			c.fault(pos, "", "%s does not say which %s", n.ID, n.Kind)
		}
		return
	}
	switch n.Kind {
	case KindAgent:
		c.name(pos, "agent", n.Name, c.known.Agents, false)
		for i, tool := range n.Tools { // others may be of experts that come later
			if hint := meant(tool, slices.Collect(maps.Keys(c.known.Experts))); hint != "" && !c.known.Experts[tool] {
				c.warn(c.at(path+".tools."+strconv.Itoa(i), pos), hint, "no tool %s is in the room", tool)
			}
		}
	case KindExpert:
		if n.Absent != AbsentWait {
			c.name(pos, "expert", n.Name, c.known.Experts, true)
		}
	case KindFunction:
		c.name(pos, "function", n.Name, functionNames(), false)
		if key := neededKey(n.Name); key != "" && !c.bad(path+".input") {
			if _, err := neededText(n.Name, n.Input); err != nil {
				c.fault(c.at(path+".input", pos), fmt.Sprintf(`write input: {%s: "…"}`, key), "%s: %v", n.ID, err)
			}
		}
		if n.sendsBack() && n.MaxVisits == 0 {
			c.fault(pos, "give it a max_visits", "%s can send nothing back without max_visits", n.ID)
		}
	case KindChain:
		if n.Name == c.spec.Name {
			c.fault(pos, "use edges and max_visits to do something again", "%s runs the chain that it is in", n.ID)
			return
		}
		c.calls(pos, path, n)
	}
}

// calls checks the chain that a node runs: it is there, is given its inputs, and does not
// run a chain that is under way.
func (c *checker) calls(pos Pos, path string, n *Node) {
	if c.known.Chain == nil {
		return
	}
	called, ok := c.known.Chain(n.Name)
	if !ok {
		c.fault(pos, "yaap chain list shows those that there are; or give the path of a file", "there is no chain %s", n.Name)
		return
	}
	c.gives(pos, path, n, called)
	if circle := c.chainCycle([]string{c.known.Self}, n.Name, map[string]bool{}); circle != nil {
		for i, name := range circle {
			circle[i] = filepath.Base(name)
		}
		c.fault(pos, "use edges and max_visits to do something again", "%s runs chains that run each other without end: %s", n.ID, strings.Join(circle, " runs "))
	}
}

// gives checks the names of the inputs that a node gives to the chain that it runs.
func (c *checker) gives(pos Pos, path string, n *Node, called Spec) {
	if called.Inputs == nil || c.bad(path+".input") {
		return
	}
	inputs, err := readInputs(called.Inputs)
	if err != nil {
		return // it is told where that chain is checked
	}
	for _, name := range slices.Sorted(maps.Keys(n.Input)) {
		if _, ok := inputs.Properties[name]; !ok {
			c.fault(c.at(path+".input."+name, pos), oneOf(name, slices.Sorted(maps.Keys(inputs.Properties))), "the chain %s has no input %s", called.Name, name)
		}
	}
	for _, name := range inputs.Required {
		if _, ok := n.Input[name]; !ok {
			c.fault(c.at(path+".input", pos), "write input: {"+name+": …}", "%s does not give the chain %s its input %s", n.ID, called.Name, name)
		}
	}
}

// chainCycle returns the chains from the one that is reached twice, where a chain
// that is run below those under way is one of them.
func (c *checker) chainCycle(under []string, name string, done map[string]bool) []string {
	if i := slices.Index(under, name); i >= 0 {
		return append(slices.Clone(under[i:]), name)
	}
	if done[name] || len(done) > maxNodes {
		return nil
	}
	done[name] = true
	called, _ := c.known.Chain(name)
	for _, n := range called.Nodes {
		if n.Kind != KindChain {
			continue
		}
		if found := c.chainCycle(append(under[:len(under):len(under)], name), n.Name, done); found != nil {
			return found
		}
	}
	return nil
}

// sendsBack reports whether all that a node does is to send work back.
func (n *Node) sendsBack() bool { return n.Kind == KindFunction && n.Name == "retry" }

// neverSucceeds reports whether nothing can follow a node's success.
func (n *Node) neverSucceeds() bool {
	return n.sendsBack() || n.Kind == KindFunction && n.Name == "fail"
}

// misplaced finds what a node of its kind lacks or has no use for.
func (c *checker) misplaced(n *Node, path string) {
	if n.Kind == "" {
		return
	}
	asked := n.Kind == KindAgent || n.Kind == KindExpert
	called := n.Kind == KindFunction || n.Kind == KindChain
	for _, f := range []struct {
		key       string
		has, fits bool
		hint      string
	}{
		{"prompt", n.Prompt != "", asked, "only agents and experts are asked"},
		{"system", n.System != "", n.Kind == KindAgent, "only agents have instructions of their own"},
		{"tools", n.Tools != nil, n.Kind == KindAgent, "only agents use tools"},
		{"input", n.Input != nil, called, "only functions and chains have inputs; ask others with prompt"},
		{"input_schema", n.Schemas.Input != nil, called, "only functions and chains have inputs"},
		{"for_each", n.Each != nil, asked || called, "there is nothing to do for each item"},
		{"if_absent", n.Absent != "", n.Kind == KindExpert, "only experts come and go"},
	} {
		if f.has && !f.fits {
			c.fault(c.at(path+"."+f.key, n.Pos), f.hint, "%s is %s, so %s means nothing", n.ID, article(n.Kind), f.key)
		}
	}
	if asked && strings.TrimSpace(n.Prompt) == "" && !c.bad(path+".prompt") {
		c.fault(c.at(path+".prompt", n.Pos), `write prompt: "…"`, "%s is not told what to do: prompt is missing", n.ID)
	}
}

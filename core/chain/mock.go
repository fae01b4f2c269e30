package chain

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/yaap-chat/yaap/core"
)

const maxFixtures = 1 << 20 // bytes

// Fixtures are canned replies by node, for a dry run. The visits and items of a
// node take them in order; the last one is taken again and again.
type Fixtures struct {
	mu      sync.Mutex
	replies map[string][]core.Reply
	taken   map[string]int
}

// ReadFixtures reads YAML or JSON: a mapping from node to one reply, or to a
// list of them. A reply is an object as an agent answers it; its status is
// success where it says none.
func ReadFixtures(src []byte) (*Fixtures, error) {
	if len(src) > maxFixtures {
		return nil, fmt.Errorf("the fixtures have %d bytes, more than the %d that are read", len(src), maxFixtures)
	}
	raw, err := yaml.YAMLToJSON(src)
	if err != nil {
		return nil, fmt.Errorf("the fixtures are no YAML: %w", err)
	}
	var nodes map[string]json.RawMessage
	if err := core.DecodeJSON(raw, &nodes); err != nil {
		return nil, fmt.Errorf("the fixtures must be a mapping from node to reply: %w", err)
	}
	f := &Fixtures{replies: map[string][]core.Reply{}, taken: map[string]int{}}
	for node, raw := range nodes {
		if !strings.HasPrefix(string(raw), "[") {
			raw = json.RawMessage("[" + string(raw) + "]")
		}
		var list []core.Reply
		if err := core.DecodeJSON(raw, &list); err != nil {
			return nil, fmt.Errorf("%s: %w", node, err)
		}
		for i := range list {
			said := string(list[i].Status)
			status, ok := core.ParseStatus(cmp.Or(said, "success"))
			if !ok {
				return nil, fmt.Errorf("%s: reply %d: %q is no status", node, i+1, said)
			}
			list[i].Status = status
			list[i].MarkRetry(said)
		}
		f.replies[node] = list
	}
	return f, nil
}

// Fit says what is canned for a node that a chain does not have, or that does its own work
// in a dry run, too: all but agents, experts, chains and the function ask.
func (f *Fixtures) Fit(s Spec) error {
	for _, name := range slices.Sorted(maps.Keys(f.replies)) {
		at := slices.IndexFunc(s.Nodes, func(n Node) bool { return n.ID == name })
		if at < 0 {
			return fmt.Errorf("there is no node %s", name)
		}
		switch n := s.Nodes[at]; {
		case n.Kind == KindCondition, n.Kind == KindAggregate, n.Kind == KindFunction && n.Name != "ask":
			return fmt.Errorf("the node %s does its own work in a plan", name)
		}
	}
	return nil
}

// Answer is the canned reply to what a node asks the user: its data.answer, or its message.
// Where there is none, the reply is still what was asked.
func (f *Fixtures) Answer(node string, asked core.Reply) (core.Reply, error) {
	canned, ok := f.next(node)
	if !ok {
		return asked, nil
	}
	answer, ok := canned.Data["answer"]
	if !ok {
		answer = canned.Message
	}
	var labels []string
	for _, o := range options(asked.Data) {
		labels = append(labels, o.Label)
	}
	if len(labels) > 0 && !slices.Contains(labels, text(answer)) {
		return core.Reply{}, core.Fail(core.CodeInvalid, fmt.Sprintf("%s: %q is not one of the answers: %s", node, text(answer), strings.Join(labels, ", ")), "change it in the file of --mock")
	}
	return success(text(answer), map[string]any{"answer": answer}), nil
}

// next takes the next canned reply of a node.
func (f *Fixtures) next(node string) (core.Reply, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.replies[node]
	if len(list) == 0 {
		return core.Reply{}, false
	}
	i := min(f.taken[node], len(list)-1)
	f.taken[node]++
	return list[i], true
}

// Lookup finds Runners that answer with the canned replies. Where there is none
// for a node, that is no failure of the node: stop is told, and the run ends.
func (f *Fixtures) Lookup(stop context.CancelCauseFunc) core.Lookup {
	return func(string) (core.Runner, error) { return mock{f, stop}, nil }
}

type mock struct {
	*Fixtures
	stop context.CancelCauseFunc
}

// Run implements [core.Runner].
func (m mock) Run(_ context.Context, in core.Input) (core.Result, error) {
	reply, ok := m.next(in.Node)
	if !ok {
		missing := core.Fail(core.CodeInvalid, "there is no canned reply for the node "+in.Node,
			"add one to the file of --mock, such as: "+in.Node+": {message: done}")
		m.stop(missing)
		return core.Result{}, missing
	}
	return core.Result{Reply: reply}, nil
}

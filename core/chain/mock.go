package chain

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
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
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.replies[in.Node]
	if len(list) == 0 {
		missing := core.Fail(core.CodeInvalid, "there is no canned reply for the node "+in.Node,
			"add one to the file of --mock, such as: "+in.Node+": {message: done}")
		m.stop(missing)
		return core.Result{}, missing
	}
	i := min(m.taken[in.Node], len(list)-1)
	m.taken[in.Node]++
	return core.Result{Reply: list[i]}, nil
}

package hub

import (
	"context"
	"encoding/json"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/yaap"
)

// ResourceProvider is a [Link] whose expert has resources or prompts. All that
// it returns is as the expert sent it, up to the link's limits.
type ResourceProvider interface {
	Resources(ctx context.Context) ([]core.Resource, error)
	Read(ctx context.Context, uri string) (string, error)
	// Watch has the next change of a resource told, where the expert tells of changes.
	Watch(ctx context.Context, uri string) error
	Prompter
}

// Prompter has prompts ready.
type Prompter interface {
	Prompts(ctx context.Context) ([]core.PromptSpec, error)
	Prompt(ctx context.Context, name string, args map[string]string) (string, error)
	// Messages is the whole of a prompt, as a result of MCP's prompts/get.
	Messages(ctx context.Context, name string, args map[string]string) (json.RawMessage, error)
	// Complete is what an argument or a variable may be; nothing where the expert
	// does not say.
	Complete(ctx context.Context, c core.Completing) ([]string, error)
}

// ResourceProvider returns the resources and prompts of an expert in the room.
func (h *Hub) ResourceProvider(name string) (ResourceProvider, error) {
	h.mu.Lock()
	m := h.state.members[yaap.Canonical(name)]
	h.mu.Unlock()
	if m == nil {
		return nil, core.Fail(core.CodeNotFound, "no expert called "+safe.Line(name)+" is in the room", "type /experts")
	}
	l, ok := m.link.(ResourceProvider)
	if !ok {
		return nil, core.Fail(core.CodeNotFound, m.in.Name+" has nothing to read", "type /resources")
	}
	return l, nil
}

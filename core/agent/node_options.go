package agent

import (
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

// withNodeOptions applies the options of a node to the configuration of an agent, for one run.
func withNodeOptions(cfg Config, b *core.NodeOptions) Config {
	if b == nil {
		return cfg
	}
	cfg.Prompt = strings.TrimSpace(cfg.Prompt + "\n\n" + b.Instructions)
	if b.Tools != nil {
		cfg.Tools = namedTools{cfg.Tools, b.Tools}
	}
	return cfg
}

// namedTools is the part of a toolbox whose tools, or their owners, are named.
type namedTools struct {
	core.Toolbox
	names []string
}

// Tools implements [core.Toolbox].
func (s namedTools) Tools() core.Toolset {
	all := s.Toolbox.Tools()
	own := core.Toolset{Rev: all.Rev}
	for _, tool := range all.Tools {
		if spec := tool.Spec(); slices.Contains(s.names, spec.Name) || slices.Contains(s.names, spec.Owner) {
			own.Tools = append(own.Tools, tool)
		}
	}
	return own
}

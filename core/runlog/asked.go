package runlog

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const maxAsked = 400 // bytes

// Asked is what a call asks, from its arguments, on one line that may be shown: the
// prompt where that is all, else the arguments by name.
func Asked(args json.RawMessage) string {
	var m map[string]any
	if core.DecodeJSON(args, &m) != nil {
		return safe.Line(safe.Cut(string(args), maxAsked))
	}
	if s, ok := m["prompt"].(string); ok && len(m) == 1 {
		return safe.Line(safe.Cut(s, maxAsked))
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		v, ok := m[k].(string)
		if !ok {
			raw, err := json.Marshal(m[k])
			if err != nil {
				continue
			}
			v = string(raw)
		}
		parts = append(parts, k+": "+v)
	}
	return safe.Line(safe.Cut(strings.Join(parts, ", "), maxAsked))
}

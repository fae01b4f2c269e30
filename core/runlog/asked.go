package runlog

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const maxAsked = 400 // bytes

// Asked is what a call asks, from its arguments, on one line that may be shown: the
// prompt where that is all, else the arguments in their order.
func Asked(args json.RawMessage) string {
	all, ok := core.Members(args)
	if !ok && string(args) != "null" {
		return safe.Line(safe.Cut(string(args), maxAsked))
	}
	var parts []string
	for _, m := range all {
		text, isText := valueOf(m.Value)
		if isText && m.Name == "prompt" && len(all) == 1 {
			return safe.Line(safe.Cut(text, maxAsked))
		}
		parts = append(parts, m.Name+": "+text)
	}
	return safe.Line(safe.Cut(strings.Join(parts, ", "), maxAsked))
}

// valueOf is a text as it is, and anything else as JSON on one line.
func valueOf(raw json.RawMessage) (text string, isText bool) {
	if raw[0] == '"' {
		_ = json.Unmarshal(raw, &text) // it is valid
		return text, true
	}
	var flat bytes.Buffer
	_ = json.Compact(&flat, raw) // it is valid
	return flat.String(), false
}

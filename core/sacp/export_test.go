package sacp

import "github.com/yaap-chat/yaap/core"

// Marshal writes a reply as a model that keeps the protocol does.
func Marshal(r core.Reply) []byte {
	if r.Data == nil {
		r.Data = map[string]any{}
	}
	raw, err := core.EncodeJSON(r)
	if err != nil {
		panic(err)
	}
	return raw
}

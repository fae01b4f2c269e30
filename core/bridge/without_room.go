package bridge

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub/server"
)

// handshakeMCP is the last version of MCP that begins with initialize. Versions
// are dates.
const handshakeMCP = "2025-11-25"

// alone answers a request that no room takes, for the reason why: none can be opened
// here. A client gets through its handshake all the same, and its tools say what to
// do: a room that is opened later is found.
func (b *Bridge) alone(f frame, why error) error {
	text := strings.TrimSuffix(why.Error()+"; "+core.HintOf(why), "; ")
	if code := core.CodeOf(why); code == core.CodeUnreachable || code == "" {
		return b.fail(f.ID, -32000, text)
	}
	chat := server.ChatSpec()
	switch f.Method {
	case "initialize":
		return b.answer(f.ID, map[string]any{
			"protocolVersion": min(cmp.Or(f.Params.Version, handshakeMCP), handshakeMCP), "instructions": text,
			"capabilities": map[string]any{"tools": map[string]any{"listChanged": true}, "prompts": map[string]any{}},
			"serverInfo":   map[string]any{"name": "yaap", "version": b.Version},
		})
	case "ping":
		return b.answer(f.ID, map[string]any{})
	case "tools/list":
		return b.answer(f.ID, map[string]any{"tools": []any{map[string]any{
			"name": chat.Name, "description": chat.Description, "inputSchema": chat.Schema,
		}}})
	case "prompts/list":
		return b.answer(f.ID, map[string]any{"prompts": []any{}})
	case "tools/call":
		return b.answer(f.ID, map[string]any{"isError": true, "content": []any{map[string]any{"type": "text", "text": text}}})
	case "server/discover": // an older handshake follows
		return b.fail(f.ID, -32601, "Method not found")
	}
	return b.fail(f.ID, -32000, text)
}

func (b *Bridge) answer(id json.RawMessage, result any) error {
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
	if err != nil {
		return err
	}
	return b.write(answer)
}

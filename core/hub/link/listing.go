package link

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"yaap/core"
)

// lenientPipes are the pipes of a child, whose list of tools is mended on its
// way: the MCP library refuses a whole list for one annotation of a wrong type.
type lenientPipes struct{ *transport.Stdio }

// SendRequest implements [transport.Interface].
func (p lenientPipes) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	response, err := p.Stdio.SendRequest(ctx, request)
	if err == nil && request.Method == string(mcp.MethodToolsList) && response.Error == nil {
		response.Result = mendList(response.Result)
	}
	return response, err
}

// mendList leaves the annotations out that are of a wrong type or not written
// exactly as MCP has them, which the library would take: they count as not said.
// A list that is none stays as it is.
func mendList(result json.RawMessage) json.RawMessage {
	var page map[string]json.RawMessage
	var tools []map[string]json.RawMessage
	if json.Unmarshal(result, &page) != nil || json.Unmarshal(page["tools"], &tools) != nil {
		return result
	}
	for _, tool := range tools {
		if len(tool["annotations"]) == 0 {
			continue
		}
		claims, err := json.Marshal(core.ReadClaims(tool["annotations"]))
		if err != nil {
			return result
		}
		tool["annotations"] = claims
	}
	var err error
	if page["tools"], err = json.Marshal(tools); err != nil {
		return result
	}
	mended, err := json.Marshal(page)
	if err != nil {
		return result
	}
	return mended
}

func claims(a mcp.ToolAnnotation) core.Claims {
	return core.Claims{ReadOnly: a.ReadOnlyHint, Destructive: a.DestructiveHint, Idempotent: a.IdempotentHint, OpenWorld: a.OpenWorldHint}
}

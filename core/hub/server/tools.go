package server

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"yaap/core"
	"yaap/core/yaap"
)

const callIDBytes = 8

// Prompt is a text that programs may read as an MCP prompt.
type Prompt struct {
	Name        string
	Description string
	Text        string
}

// offered makes a tool of the server of one of the room. A program that goes
// away ends its calls.
func offered(t core.Tool) server.ServerTool {
	spec := t.Spec()
	return server.ServerTool{
		Tool: mcp.NewToolWithRawSchema(spec.Name, spec.Description, spec.Schema),
		Handler: func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			args, err := json.Marshal(req.Params.Arguments)
			if err != nil {
				return refused(yaap.Refuse(yaap.BadSchema, "the arguments are not JSON")), nil
			}
			id := secret(callIDBytes)
			got, err := t.Call(alive(ctx), core.Call{ID: id, Key: id, Tool: spec.Name, Args: args})
			if err != nil {
				return refused(err), nil
			}
			r := mcp.NewToolResultText(got.Text)
			if got.Data != nil {
				r = result(got.Data)
			}
			r.IsError = !got.OK()
			return r, nil
		},
	}
}

// prompts are the texts that the room offers.
func (s *Server) prompts() []server.ServerPrompt {
	list := make([]server.ServerPrompt, len(s.cfg.Prompts))
	for i, p := range s.cfg.Prompts {
		list[i] = server.ServerPrompt{
			Prompt: mcp.NewPrompt(p.Name, mcp.WithPromptDescription(p.Description)),
			Handler: func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				text := mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(p.Text))
				return mcp.NewGetPromptResult(p.Description, []mcp.PromptMessage{text}), nil
			},
		}
	}
	return list
}

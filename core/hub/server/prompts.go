package server

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Prompt is a text that programs may read as an MCP prompt.
type Prompt struct {
	Name        string
	Description string
	Text        string
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

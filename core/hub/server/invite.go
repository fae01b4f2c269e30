package server

import (
	"context"

	"github.com/mark3labs/mcp-go/server"

	"github.com/yaap-chat/yaap/core/yaap"
)

// Invitation is an MCP server of another terminal that is to be in the room for as
// long as the request lasts by which it is brought.
type Invitation struct {
	Name    string   `json:"name,omitempty"` // empty: one made of the command
	URL     string   `json:"url"`            // where it is reached: on loopback
	Token   string   `json:"token"`          // that it wants to see, as a bearer
	Command []string `json:"command"`        // what was started there, for people
	Dir     string   `json:"dir,omitempty"`
}

// inviteTool has an MCP server of another terminal in the room.
func (s *Server) inviteTool() server.ServerTool {
	return tool(yaap.ToolInvite, "Have an MCP server in the room for as long as this call lasts.",
		`{"type":"object","required":["url","token","command"],"properties":{"name":{"type":"string"},"url":{"type":"string"},
			"token":{"type":"string"},"command":{"type":"array","items":{"type":"string"}},"dir":{"type":"string"}}}`,
		func(ctx context.Context, i Invitation) (any, error) {
			joined := messagesTo(ctx)
			if joined == nil {
				joined = func(string) {}
			}
			return yaap.OK{OK: true}, s.cfg.Invite(alive(ctx), i, joined)
		})
}

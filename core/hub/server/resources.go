package server

import (
	"context"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Resource is something that programs may read as an MCP resource.
type Resource struct {
	URI         string // a template of RFC 6570 where it has {}
	Name        string
	Description string
	Type        string // MIME
	Graph       bool   // it is beside the tools of [Config.Graph], and not at /mcp
	// Read returns what is there now. It may be called from several goroutines.
	Read func(ctx context.Context, uri string) (string, error)
	// Names are what the only part of a template may be; nil: it is not known.
	Names func(ctx context.Context) ([]string, error)
}

// offerResources lets programs read what the room shows.
func (s *Server) offerResources() {
	for _, r := range s.cfg.Resources {
		read := func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			text, err := r.Read(ctx, req.Params.URI)
			if err != nil {
				return nil, err
			}
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: r.Type, Text: text}}, nil
		}
		if strings.Contains(r.URI, "{") {
			t := mcp.NewResourceTemplate(r.URI, r.Name, mcp.WithTemplateDescription(r.Description), mcp.WithTemplateMIMEType(r.Type))
			s.programs.AddResourceTemplates(server.ServerResourceTemplate{Template: t, Handler: read})
			continue
		}
		to := s.programs
		if r.Graph && s.graph != nil {
			to = s.graph
		}
		to.AddResources(server.ServerResource{
			Resource: mcp.NewResource(r.URI, r.Name, mcp.WithResourceDescription(r.Description), mcp.WithMIMEType(r.Type)), Handler: read,
		})
	}
}

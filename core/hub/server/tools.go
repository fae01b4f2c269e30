package server

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/yaap"
)

const (
	callIDBytes = 8
	offerAfter  = 50 * time.Millisecond // a change of the room, so that many are one
)

// offered makes a tool of the server of one of the room. A program that goes
// away ends its calls.
func offered(t core.Tool) server.ServerTool {
	spec := t.Spec()
	schema := spec.Schema
	if len(schema) == 0 {
		schema = core.PromptSchema()
	}
	tool := mcp.NewToolWithRawSchema(spec.Name, spec.Description, schema)
	tool.Annotations = annotations(spec)
	if spec.Owner == "" { // an expert's answer may be another one in the room
		tool.RawOutputSchema = spec.Output
	}
	return server.ServerTool{
		Tool: tool,
		Handler: func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			args, err := json.Marshal(req.Params.Arguments)
			if err != nil {
				return refused(yaap.Refuse(yaap.BadSchema, "the arguments are not JSON")), nil
			}
			id := Secret(callIDBytes)
			call := core.Call{ID: id, Key: id, Tool: spec.Name, Args: args, Scope: core.Scope{Depth: depthOf(req.Params.Meta)}}
			if tell := progressTo(ctx, req.Params.Meta); tell != nil {
				call.Progress = tell
			}
			call.Log = logTo(ctx, spec)
			got, err := t.Call(withProgramAsker(ctx), call)
			if err != nil {
				return refused(err), nil
			}
			r := mcp.NewToolResultText(got.Text)
			switch {
			case got.Reply != nil:
				reply := *got.Reply
				reply.Thought = "" // it stays in the room
				r = result(reply)
			case got.Data != nil && len(spec.Output) > 0 && spec.Owner == "":
				r = mcp.NewToolResultStructured(got.Data, got.Text)
			case got.Data != nil:
				r = result(got.Data)
			}
			r.Content = append(r.Content, media(got.Files)...)
			r.IsError = !got.OK()
			return r, nil
		},
	}
}

// media are the pictures, the sound and the other files of an answer, as far as a
// message holds them. Its text names them all.
func media(files []core.File) (list []mcp.Content) {
	room := maxBody / 2 // base64 is longer
	for _, f := range files {
		if room -= f.Size; room < 0 {
			break
		}
		data, err := os.ReadFile(f.Path)
		if err != nil {
			continue // it has made room for others
		}
		text := base64.StdEncoding.EncodeToString(data)
		switch kind, _, _ := strings.Cut(f.Type, "/"); kind {
		case "image":
			list = append(list, mcp.NewImageContent(text, f.Type))
		case "audio":
			list = append(list, mcp.NewAudioContent(text, f.Type))
		default:
			at := &url.URL{Scheme: "file", Path: filepath.ToSlash(f.Path)}
			list = append(list, mcp.NewEmbeddedResource(mcp.BlobResourceContents{URI: at.String(), MIMEType: f.Type, Blob: text}))
		}
	}
	return list
}

// annotations are what the owner of a tool says of its effects. What it does not
// say may be the worst.
func annotations(spec core.ToolSpec) mcp.ToolAnnotation {
	c := spec.Claims
	a := mcp.ToolAnnotation{Title: spec.Name, ReadOnlyHint: c.ReadOnly, DestructiveHint: c.Destructive, IdempotentHint: c.Idempotent, OpenWorldHint: c.OpenWorld}
	a.ReadOnlyHint = cmp.Or(a.ReadOnlyHint, mcp.ToBoolPtr(!spec.Acts))
	return a
}

// depthOf is how deep the caller of a tool is, where it is an expert that was
// called itself.
func depthOf(meta *mcp.Meta) int {
	if meta == nil {
		return 0
	}
	depth, _ := meta.AdditionalFields[yaap.MetaDepth].(float64)
	return max(int(depth), 0)
}

// offerExperts tells programs when the tools of those in the room change, until ctx
// ends.
func (s *Server) offerExperts(ctx context.Context) {
	if s.cfg.Experts == nil {
		return
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		changed := s.cfg.Hub.Changed()
		s.offer()
		s.offerPrompts(ctx)
		select {
		case <-changed:
			timer.Reset(offerAfter)
		case <-ctx.Done():
			return
		}
	}
}

// offer brings the tools for programs up to date. It is done before each request that
// concerns them, too: who has joined can be called at once.
func (s *Server) offer() {
	if s.cfg.Experts == nil {
		return
	}
	s.offering.Lock()
	defer s.offering.Unlock()
	rev := s.cfg.Hub.Tools().Rev
	if rev == s.offered && s.told != nil {
		return
	}
	all := s.mcpTools()
	if now := fingerprints(all); !slices.Equal(now, s.told) {
		s.told = now
		s.programs.SetTools(all...)
	}
	s.offered = rev
}

// fingerprints tell whether tools are the same.
func fingerprints(tools []server.ServerTool) []string {
	list := make([]string, len(tools))
	for i, t := range tools {
		raw, err := json.Marshal(t.Tool)
		if err != nil {
			continue // a tool that is not sent
		}
		list[i] = string(raw)
	}
	return list
}

// mcpTools is what anybody who may talk to the room can call. The room's own come
// first: no expert takes the name of one.
func (s *Server) mcpTools() []server.ServerTool {
	all := []server.ServerTool{s.chatTool()}
	taken := map[string]bool{yaap.ToolChat: true}
	var experts []core.Tool
	if s.cfg.Experts != nil {
		experts = s.cfg.Experts()
	}
	for _, t := range slices.Concat(s.cfg.Tools, experts) {
		if name := t.Spec().Name; !taken[name] {
			taken[name] = true
			all = append(all, offered(t))
		}
	}
	return all
}

// progressTo returns what tells the program that asked how far its call is, nil
// where it does not want to know. It may be called from several goroutines. What is
// told grows, as MCP has it: of 1 where the first one is a fraction, else by 1.
func progressTo(ctx context.Context, meta *mcp.Meta) func(core.ToolProgress) {
	m := server.ServerFromContext(ctx)
	if meta == nil || meta.ProgressToken == nil || m == nil {
		return nil
	}
	var mu sync.Mutex
	last, whole := -1.0, false
	return func(p core.ToolProgress) {
		mu.Lock()
		defer mu.Unlock()
		if last < 0 {
			whole = p.Fraction >= 0
		}
		fields := map[string]any{"progressToken": meta.ProgressToken}
		if whole {
			last = max(p.Fraction, math.Nextafter(max(last, 0), 1))
			fields["total"] = 1
		} else {
			last = max(last, 0) + 1
		}
		if fields["progress"] = last; p.Message != "" {
			fields["message"] = p.Message
		}
		_ = m.SendNotificationToClient(ctx, "notifications/progress", fields) // without it the call goes on
	}
}

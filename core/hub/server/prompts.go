package server

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	promptTime   = 5 * time.Second // for experts to list their prompts, or to answer
	maxCompleted = 100             // values, by MCP
	apart        = "__"            // between an expert and what is its own
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

// offerPrompts brings the prompts for programs up to date: those of the room, and
// those of its experts as expert__prompt. One that does not list them in time has
// none.
func (s *Server) offerPrompts(ctx context.Context) {
	if s.cfg.Experts == nil {
		return
	}
	s.prompting.Lock()
	defer s.prompting.Unlock()
	ctx, cancel := context.WithTimeout(ctx, promptTime)
	defer cancel()
	experts := s.cfg.Hub.Experts()
	found := make([][]core.PromptSpec, len(experts))
	var asked sync.WaitGroup
	for i, e := range experts {
		if l, err := s.cfg.Hub.ResourceProvider(e.Name); err == nil {
			asked.Go(func() { found[i], _ = l.Prompts(ctx) })
		}
	}
	asked.Wait()
	all := s.prompts()
	for i, e := range experts {
		for _, p := range found[i] {
			all = append(all, s.promptOf(e.Name, p))
		}
	}
	var now []string
	for _, p := range all {
		raw, err := json.Marshal(p.Prompt)
		if err != nil {
			continue // one that is not sent
		}
		now = append(now, string(raw))
	}
	if !slices.Equal(now, s.prompted) {
		s.prompted = now
		s.programs.SetPrompts(all...)
	}
}

// promptOf passes on a prompt of an expert with all that it holds.
func (s *Server) promptOf(expert string, spec core.PromptSpec) server.ServerPrompt {
	p := mcp.Prompt{Name: safe.Line(expert + apart + spec.Name), Description: safe.Text(spec.Description)}
	for _, a := range spec.Args {
		p.Arguments = append(p.Arguments, mcp.PromptArgument{Name: safe.Line(a.Name), Description: safe.Text(a.Description), Required: a.Required})
	}
	return server.ServerPrompt{Prompt: p, Handler: func(ctx context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		l, err := s.cfg.Hub.ResourceProvider(expert)
		if err != nil {
			return nil, err
		}
		raw, err := l.Messages(ctx, spec.Name, r.Params.Arguments)
		if err != nil {
			return nil, err
		}
		raw = json.RawMessage(safe.JSON(string(raw)))
		return mcp.ParseGetPromptResult(&raw)
	}}
}

// completes answers what the arguments of prompts and the addresses of resources may
// go on with.
type completes struct{ *Server }

// CompletePromptArgument implements [server.PromptCompletionProvider].
func (c completes) CompletePromptArgument(ctx context.Context, prompt string, a mcp.CompleteArgument, typed mcp.CompleteContext) (*mcp.Completion, error) {
	expert, name, ok := strings.Cut(prompt, apart)
	if !ok {
		return completion(nil), nil
	}
	l, err := c.cfg.Hub.ResourceProvider(expert)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, promptTime)
	defer cancel()
	values, err := l.Complete(ctx, core.Completing{Prompt: name, Arg: a.Name, Typed: a.Value, Known: typed.Arguments})
	return completion(values), err
}

// CompleteResourceArgument implements [server.ResourceCompletionProvider].
func (c completes) CompleteResourceArgument(ctx context.Context, uri string, a mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	for _, r := range c.cfg.Resources {
		if r.URI != uri || r.Names == nil {
			continue
		}
		names, err := r.Names(ctx)
		if err != nil {
			return nil, err
		}
		return completion(slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, a.Value) })), nil
	}
	return completion(nil), nil
}

func completion(values []string) *mcp.Completion {
	c := &mcp.Completion{Values: []string{}, Total: len(values), HasMore: len(values) > maxCompleted}
	for _, v := range values[:min(len(values), maxCompleted)] {
		c.Values = append(c.Values, safe.Line(v))
	}
	return c
}

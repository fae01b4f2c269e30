package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
)

const (
	maxAsked  = 4 << 10  // bytes of the message of an expert that asks for something
	maxSchema = 64 << 10 // bytes of what it wants to be filled in
)

// serves is what the room does for an expert that asks it.
func (o *Opener) serves(l *childLink, spec hub.Spec) []client.ClientOption {
	var all []client.ClientOption
	if o.Ask != nil {
		all = append(all, client.WithElicitationHandler(elicits{l, o.Ask}), client.WithClientCapabilities(mcp.ClientCapabilities{
			Elicitation: &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}},
		}))
	}
	if o.Sample != nil && spec.Samples {
		all = append(all, client.WithSamplingHandler(samples{l, o.Sample}))
	}
	if len(spec.Roots) > 0 {
		all = append(all, client.WithRootsHandler(roots(spec.Roots)))
	}
	return all
}

// unserved is why the room does not do what an expert asks it for, with what lets it; nil: it does.
func unserved(spec hub.Spec, method string) error {
	switch {
	case method == string(mcp.MethodSamplingCreateMessage) && !spec.Samples:
		return errors.New("this expert may not use the model: sampling: TOKENS in its entry of the configuration lets it")
	case method == string(mcp.MethodListRoots) && len(spec.Roots) == 0:
		return errors.New("this expert is told no directories: roots: [DIRECTORY] in its entry of the configuration names them")
	}
	return nil
}

// roots are the directories that an expert may look into. It implements
// [client.RootsHandler].
type roots []string

// ListRoots implements [client.RootsHandler].
func (r roots) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	result := &mcp.ListRootsResult{}
	for _, dir := range r {
		result.Roots = append(result.Roots, mcp.Root{URI: (&url.URL{Scheme: "file", Path: dir}).String()})
	}
	return result, nil
}

// elicits asks the user on behalf of an expert. It implements
// [client.ElicitationHandler].
type elicits struct {
	*childLink
	ask func(context.Context, core.Pause) (core.Answer, error)
}

// Elicit implements [client.ElicitationHandler]. An expert may ask while it is
// called, in the conversation of its newest call; the time of its calls stands
// still meanwhile.
func (e elicits) Elicit(ctx context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	p, err := pauseOf(request.Params)
	if err != nil {
		return nil, err
	}
	newest, resume, ok := e.hold()
	if !ok {
		return nil, errors.New("an expert may ask the user while one of its tools is called")
	}
	defer resume()
	p.From, p.Thread, p.Run = e.name, newest.Scope.Thread, newest.Scope.Run
	ask := e.ask
	if newest.who != nil {
		ask = newest.who.Ask
	}
	answer, err := ask(ctx, p)
	result := &mcp.ElicitationResult{}
	switch {
	case core.CodeOf(err) == core.CodeInvalid:
		return nil, err
	case err != nil:
		result.Action = mcp.ElicitationResponseActionCancel
	case answer.ID != core.Accept:
		result.Action = mcp.ElicitationResponseActionDecline
	default:
		result.Action = mcp.ElicitationResponseActionAccept
		if len(p.Schema) > 0 {
			result.Content = answer.Data
		}
	}
	return result, nil
}

// pauseOf reads what an expert asks for.
func pauseOf(params mcp.ElicitationParams) (core.Pause, error) {
	p := core.Pause{Kind: core.PauseElicitation, Question: params.Message}
	if len(p.Question) > maxAsked {
		return p, fmt.Errorf("its message has more than %d bytes", maxAsked)
	}
	if params.Mode == mcp.ElicitationModeURL {
		page, err := url.Parse(params.URL)
		if err != nil || page.Host == "" || page.Scheme != "https" && page.Scheme != "http" || len(params.URL) > maxAsked {
			return p, errors.New("its address is none of the web")
		}
		p.URL = params.URL
		return p, nil
	}
	raw, err := json.Marshal(params.RequestedSchema)
	if err != nil || len(raw) > maxSchema {
		return p, fmt.Errorf("its schema is no JSON, or has more than %d bytes", maxSchema)
	}
	p.Schema = raw
	return p, nil
}

// hold stops the time of all calls that run, and returns the newest. It reports
// false when none does.
func (l *childLink) hold() (newest running, resume func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.calls) == 0 {
		return running{}, nil, false
	}
	held := make([]func(), 0, len(l.calls))
	for _, c := range l.calls {
		if c.Hold != nil {
			held = append(held, c.Hold())
		}
	}
	return l.calls[l.newest()], func() {
		for _, resume := range held {
			resume()
		}
	}, true
}

// Sampling is what an expert asks the room's model, in text.
type Sampling struct {
	Expert    string
	Scope     core.Scope // of its newest call
	System    string
	Messages  []core.Message
	MaxTokens int // that it wants at most; 0: it says nothing
}

// Sample is what the model answers.
type Sample struct {
	Text  string
	Model string
	Cut   bool // there is more
}

// samples lets an expert use the room's model. It implements
// [client.SamplingHandler].
type samples struct {
	*childLink
	ask func(context.Context, Sampling) (Sample, error)
}

// CreateMessage implements [client.SamplingHandler]. An expert may use the model
// while it is called; the time of its calls stands still meanwhile.
func (s samples) CreateMessage(ctx context.Context, request mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	asked := Sampling{Expert: s.name, System: request.SystemPrompt, MaxTokens: request.MaxTokens}
	if len(request.Tools) > 0 {
		return nil, errors.New("tools are not given to the model here")
	}
	for _, m := range request.Messages {
		text, err := sampledText(m.Content)
		if err != nil {
			return nil, err
		}
		asked.Messages = append(asked.Messages, core.Message{Role: core.Role(m.Role), Text: text})
	}
	newest, resume, ok := s.hold()
	if !ok {
		return nil, errors.New("an expert may use the model while one of its tools is called")
	}
	defer resume()
	asked.Scope = newest.Scope
	answer, err := s.ask(ctx, asked)
	if err != nil {
		return nil, err
	}
	result := &mcp.CreateMessageResult{Model: answer.Model, StopReason: "endTurn"}
	if answer.Cut {
		result.StopReason = "maxTokens"
	}
	result.Role, result.Content = mcp.RoleAssistant, mcp.NewTextContent(answer.Text)
	return result, nil
}

func sampledText(content any) (string, error) {
	switch c := content.(type) {
	case mcp.TextContent:
		return c.Text, nil
	case []mcp.Content:
		var texts []string
		for _, one := range c {
			text, err := sampledText(one)
			if err != nil {
				return "", err
			}
			texts = append(texts, text)
		}
		return strings.Join(texts, "\n"), nil
	}
	return "", errors.New("the model is given text alone here")
}

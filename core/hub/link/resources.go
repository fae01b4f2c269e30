package link

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
)

const (
	maxRead    = 256 << 10 // bytes of a resource or a prompt
	maxLibrary = 1000      // resources, or prompts, of one expert
	maxValues  = 100       // that an argument may have
	maxWatched = 32        // resources of one expert; the first is given up for another

	maxFollowed = 8               // links of an answer that are read
	followTime  = 5 * time.Second // for all of them
)

var _ hub.ResourceProvider = (*childLink)(nil)

// errNothing says that an expert has nothing of a kind.
var errNothing = errors.New("it has none")

// Resources implements [hub.ResourceProvider].
func (l *childLink) Resources(ctx context.Context) ([]core.Resource, error) {
	if l.client.GetServerCapabilities().Resources == nil {
		return nil, nil
	}
	found, err := l.client.ListResources(ctx, mcp.ListResourcesRequest{})
	if err != nil {
		return nil, err
	}
	var list []core.Resource
	for _, r := range found.Resources[:min(len(found.Resources), maxLibrary)] {
		list = append(list, core.Resource{URI: r.URI, Name: cmp.Or(r.Title, r.Name), Description: r.Description, Type: r.MIMEType})
	}
	templates, err := l.client.ListResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{})
	if err != nil {
		return list, nil //nolint:nilerr // many servers know of none
	}
	for _, r := range templates.ResourceTemplates[:min(len(templates.ResourceTemplates), maxLibrary)] {
		if r.URITemplate != nil {
			list = append(list, core.Resource{URI: r.URITemplate.Raw(), Name: cmp.Or(r.Title, r.Name), Description: r.Description, Type: r.MIMEType, Template: true})
		}
	}
	return list, nil
}

// Read implements [hub.ResourceProvider]. What is no text is put on disk, and named.
func (l *childLink) Read(ctx context.Context, uri string) (string, error) {
	if l.client.GetServerCapabilities().Resources == nil {
		return "", errNothing
	}
	var request mcp.ReadResourceRequest
	request.Params.URI = uri
	got, err := l.client.ReadResource(ctx, request)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, content := range got.Contents {
		switch c := content.(type) {
		case mcp.TextResourceContents:
			texts = append(texts, c.Text)
		case mcp.BlobResourceContents:
			_, text := piece{what: "a file", name: c.URI, kind: c.MIMEType, base64: c.Blob}.keep(l.keep)
			texts = append(texts, text)
		}
	}
	return within(strings.Join(texts, "\n")), nil
}

// follow returns what reads the resources that an answer links to: the first few that
// the expert has itself, and no page of the web. A link that cannot be read costs nothing.
func (l *childLink) follow(ctx context.Context) follower {
	if l.client.GetServerCapabilities().Resources == nil || l.keep == nil {
		return nil
	}
	left, until := maxFollowed, time.Now().Add(followTime)
	return func(uri string) string {
		if left--; left < 0 || strings.HasPrefix(uri, "http:") || strings.HasPrefix(uri, "https:") {
			return ""
		}
		reading, cancel := context.WithDeadline(ctx, until)
		defer cancel()
		var request mcp.ReadResourceRequest
		request.Params.URI = uri
		got, err := l.client.ReadResource(reading, request)
		if err != nil || len(got.Contents) == 0 {
			return ""
		}
		switch c := got.Contents[0].(type) {
		case mcp.TextResourceContents:
			return base64.StdEncoding.EncodeToString([]byte(c.Text))
		case mcp.BlobResourceContents:
			return c.Blob
		}
		return ""
	}
}

// watchlist are the resources of which an expert is to say that they change.
type watchlist struct {
	uris []string // guarded by the link's mu
	told func(expert, uri string)
}

// Watch implements [hub.ResourceProvider].
func (l *childLink) Watch(ctx context.Context, uri string) error {
	if can := l.client.GetServerCapabilities().Resources; can == nil || !can.Subscribe {
		return nil
	}
	l.mu.Lock()
	l.watch.uris = slices.DeleteFunc(l.watch.uris, func(other string) bool { return other == uri })
	l.watch.uris = append(l.watch.uris, uri)
	l.watch.uris = l.watch.uris[max(len(l.watch.uris)-maxWatched, 0):]
	l.mu.Unlock()
	if mcp.IsModernProtocol(l.client.ProtocolVersion()) {
		l.listen()
		return nil
	}
	var request mcp.SubscribeRequest
	request.Params.URI = uri
	return l.client.Subscribe(ctx, request) //nolint:staticcheck // the older era has nothing else
}

// updated takes word that a resource changed. It is passed on once.
func (l *childLink) updated(fields map[string]any) {
	uri, _ := fields["uri"].(string)
	l.mu.Lock()
	at := slices.Index(l.watch.uris, uri)
	if at >= 0 {
		l.watch.uris = slices.Delete(l.watch.uris, at, at+1)
	}
	l.mu.Unlock()
	if at >= 0 && l.watch.told != nil {
		l.watch.told(l.name, uri)
	}
}

// within is a text, or its beginning with how much of how much that is.
func within(text string) string {
	if len(text) <= maxRead {
		return text
	}
	return strings.ToValidUTF8(text[:maxRead], "") + fmt.Sprintf("\n[cut: these are %d of %d KB]", maxRead>>10, len(text)>>10)
}

// Prompts implements [hub.ResourceProvider].
func (l *childLink) Prompts(ctx context.Context) ([]core.PromptSpec, error) {
	if l.client.GetServerCapabilities().Prompts == nil {
		return nil, nil
	}
	found, err := l.client.ListPrompts(ctx, mcp.ListPromptsRequest{})
	if err != nil {
		return nil, err
	}
	var list []core.PromptSpec
	for _, p := range found.Prompts[:min(len(found.Prompts), maxLibrary)] {
		spec := core.PromptSpec{Name: p.Name, Description: p.Description}
		for _, a := range p.Arguments {
			spec.Args = append(spec.Args, core.PromptArg{Name: a.Name, Description: a.Description, Required: a.Required})
		}
		list = append(list, spec)
	}
	return list, nil
}

// Prompt implements [hub.ResourceProvider]. Messages that are the assistant's are left out:
// the user says the others.
func (l *childLink) Prompt(ctx context.Context, name string, args map[string]string) (string, error) {
	if l.client.GetServerCapabilities().Prompts == nil {
		return "", errNothing
	}
	var request mcp.GetPromptRequest
	request.Params.Name, request.Params.Arguments = name, args
	got, err := l.client.GetPrompt(ctx, request)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, m := range got.Messages {
		if m.Role != mcp.RoleUser {
			continue
		}
		switch c := m.Content.(type) {
		case mcp.TextContent:
			texts = append(texts, c.Text)
		case mcp.EmbeddedResource:
			if text, ok := c.Resource.(mcp.TextResourceContents); ok {
				texts = append(texts, text.Text)
			}
		}
	}
	return within(strings.Join(texts, "\n\n")), nil
}

// Messages implements [hub.ResourceProvider].
func (l *childLink) Messages(ctx context.Context, name string, args map[string]string) (json.RawMessage, error) {
	if l.client.GetServerCapabilities().Prompts == nil {
		return nil, errNothing
	}
	var request mcp.GetPromptRequest
	request.Params.Name, request.Params.Arguments = name, args
	asked, raw := withRaw(ctx)
	if _, err := l.client.GetPrompt(asked, request); err != nil {
		return nil, err
	}
	if len(*raw) > maxResult {
		return nil, fmt.Errorf("the prompt has more than %d MiB", maxResult>>20)
	}
	return *raw, nil
}

// Complete implements [hub.ResourceProvider].
func (l *childLink) Complete(ctx context.Context, c core.Completing) ([]string, error) {
	if l.client.GetServerCapabilities().Completions == nil {
		return nil, nil
	}
	var request mcp.CompleteRequest
	request.Params.Ref = mcp.ResourceReference{Type: "ref/resource", URI: c.Template}
	if c.Prompt != "" {
		request.Params.Ref = mcp.PromptReference{Type: "ref/prompt", Name: c.Prompt}
	}
	request.Params.Argument = mcp.CompleteArgument{Name: c.Arg, Value: c.Typed}
	request.Params.Context.Arguments = c.Known
	got, err := l.client.Complete(ctx, request)
	if err != nil {
		return nil, err
	}
	return got.Completion.Values[:min(len(got.Completion.Values), maxValues)], nil
}

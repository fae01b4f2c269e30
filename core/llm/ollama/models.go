package ollama

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/web"
)

const (
	listLimit = 10 * time.Second // for the server to tell about its models
	maxModels = 200

	hintHost = "set OLLAMA_HOST to where the server listens, such as 127.0.0.1:11434"
)

// BaseURL returns the address of the server that OLLAMA_HOST in env names, read
// as Ollama reads it: scheme and port may be missing. An address that stands
// for all of a machine's becomes the loopback.
func BaseURL(env func(string) string) (string, error) {
	s := strings.Trim(strings.TrimSpace(env("OLLAMA_HOST")), `"'`)
	if s == "" {
		return "http://127.0.0.1:11434", nil
	}
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		scheme, rest = "http", s
	}
	bad := core.Fail(core.CodeInvalid, "OLLAMA_HOST is not an address: "+web.Shorten(s), hintHost)
	port := "11434"
	switch scheme = strings.ToLower(scheme); {
	case scheme == "https":
		port = "443"
	case scheme == "http" && ok:
		port = "80"
	case scheme != "http":
		return "", bad
	}
	if ip, err := netip.ParseAddr(rest); err == nil && ip.Is6() {
		rest = "[" + rest + "]"
	}
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", bad
	}
	host := cmp.Or(u.Hostname(), "127.0.0.1")
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip.Is6() {
			host = "::1"
		}
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.ParseUint(p, 10, 16); err != nil || n == 0 {
			return "", bad
		}
		port = p
	}
	return scheme + "://" + net.JoinHostPort(host, port) + strings.TrimSuffix(u.EscapedPath(), "/"), nil
}

// Models lists what the server has on its disk and can chat with: those that
// can call tools first, otherwise in the server's order. The names are those
// of [Config]. It takes ten seconds at most; models that it could not ask about
// by then come without abilities.
func Models(ctx context.Context, baseURL string) ([]llm.Info, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, listLimit, errSilent)
	defer cancel()
	c := client{base: baseURL, http: NewHTTP(nil)}
	defer c.http.CloseIdleConnections()
	var list api.ListResponse
	if err := c.server().Get(ctx, "/api/tags", nil, &list); err != nil {
		return nil, c.server().TimeoutError(ctx, err)
	}
	known := make(map[string]details) // by digest: one model may have several names
	infos := []llm.Info{}
	for _, m := range list.Models[:min(maxModels, len(list.Models))] {
		if m.Name == "" || m.RemoteHost != "" { // it runs somewhere else
			continue
		}
		d, ok := known[m.Digest]
		if !ok || m.Digest == "" {
			var err error
			if d, err = (client{base: c.base, model: m.Name, http: c.http}).show(ctx); err != nil {
				if errors.Is(err, context.Canceled) {
					return nil, err
				}
				d = details{chat: true}
			}
			known[m.Digest] = d
		}
		if d.chat {
			infos = append(infos, llm.Info{Name: m.Name, Tools: d.tools, Sees: d.sees, Context: d.context})
		}
	}
	slices.SortStableFunc(infos, func(a, b llm.Info) int {
		switch {
		case a.Tools == b.Tools:
			return 0
		case a.Tools:
			return -1
		}
		return 1
	})
	return infos, nil
}

// details is what the server knows about a model.
type details struct {
	chat      bool
	tools     bool
	embedding bool // it makes vectors of texts
	thinks    bool
	sees      bool // pictures
	levels    bool // of thinking
	context   int  // tokens, 0 when it does not say
	perToken  int  // bytes of memory that a token of context takes, 0 when that is not known
}

// show asks about c.model.
func (c client) show(ctx context.Context) (details, error) {
	var v api.ShowResponse
	if err := c.server().Get(ctx, "/api/show", api.ShowRequest{Model: c.model}, &v); err != nil {
		return details{}, err
	}
	d := details{
		chat:      len(v.Capabilities) == 0 || slices.Contains(v.Capabilities, model.CapabilityCompletion),
		tools:     slices.Contains(v.Capabilities, model.CapabilityTools),
		embedding: slices.Contains(v.Capabilities, model.CapabilityEmbedding),
		thinks:    slices.Contains(v.Capabilities, model.CapabilityThinking),
		sees:      slices.Contains(v.Capabilities, model.CapabilityVision),
		levels:    v.ModelInfo["general.architecture"] == "gptoss",
	}
	for key, value := range v.ModelInfo {
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") && n >= 1 && n < 1<<40 {
			d.context = max(d.context, int(n))
		}
	}
	d.perToken = perToken(v.ModelInfo)
	return d, nil
}

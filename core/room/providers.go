package room

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/anthropic"
	"github.com/yaap-chat/yaap/core/llm/ollama"
	"github.com/yaap-chat/yaap/core/llm/openai"
	"github.com/yaap-chat/yaap/core/llm/web"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/wire"
)

// provider has models whose names begin with its own: ollama/qwen3.5:4b.
type provider struct {
	config.Provider
	name     string
	optional bool    // it need not have a key
	speaks   *speaks // nil: as its type says
}

// speaks is how the providers of one type are asked.
type speaks struct {
	ready func(*models, provider) error // why it cannot be asked, as far as can be told without asking it
	open  func(m *models, p provider, name string) (llm.Model, error)
	list  func(context.Context, *models, provider) ([]llm.Info, error)
	// version is that of a server, and what is wrong with it; nil: none says.
	version func(context.Context, *models, provider) (is, fault string)
	plain   bool // it may be reached over plain HTTP on another machine, as the user's own
	whole   bool // what it does not list is not there; a name without a tag means :latest
}

// providerTypes are what `type:` of a provider may say, as [config.ProviderTypes] lists them.
func providerTypes() map[string]*speaks {
	return map[string]*speaks{
		"ollama": {open: openOllama, plain: true, whole: true, ready: func(m *models, p provider) error {
			_, err := m.ollamaURL(p)
			return err
		}, list: func(ctx context.Context, m *models, p provider) ([]llm.Info, error) {
			url, err := m.ollamaURL(p)
			if err != nil {
				return nil, err
			}
			return ollama.Models(ctx, url)
		}, version: func(ctx context.Context, m *models, p provider) (is, fault string) {
			url, err := m.ollamaURL(p)
			if err != nil {
				return "", ""
			}
			return ollama.Version(ctx, url)
		}},
		"openai": {ready: keyReady, open: openWeb(openai.NewHTTP, openai.New), list: func(ctx context.Context, m *models, p provider) ([]llm.Info, error) {
			return openai.Models(ctx, m.webConfig(p, "", m.mayUnasked))
		}},
		"anthropic": {ready: keyReady, open: openWeb(anthropic.NewHTTP, anthropic.New), list: func(ctx context.Context, m *models, p provider) ([]llm.Info, error) {
			return anthropic.Models(ctx, m.webConfig(p, "", m.mayUnasked))
		}},
	}
}

// knownProviders are those that need no configuration but their keys. A new one has its
// row here.
func knownProviders() []provider {
	keyed := func(name, kind, url, key string) provider {
		return provider{name: name, Provider: config.Provider{Type: kind, URL: url, Key: key}}
	}
	local := func(name, url, key string) provider {
		return provider{name: name, optional: true, Provider: config.Provider{Type: "openai", URL: url, Key: key}}
	}
	return []provider{
		{name: "ollama", optional: true, Provider: config.Provider{Type: "ollama"}},
		keyed("openai", "openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
		keyed("anthropic", "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
		keyed("gemini", "openai", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
		keyed("openrouter", "openai", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
		keyed("groq", "openai", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
		keyed("mistral", "openai", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
		keyed("deepseek", "openai", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
		local("lmstudio", "http://127.0.0.1:1234/v1", "LMSTUDIO_API_KEY"),
		local("llamacpp", "http://127.0.0.1:8080/v1", "LLAMA_API_KEY"),
		local("vllm", "http://127.0.0.1:8000/v1", "VLLM_API_KEY"),
	}
}

// providers are those that are known, as the configuration changes them, and those that
// it adds. The variables OPENAI_BASE_URL and ANTHROPIC_BASE_URL count before it.
func (m *models) providers() []provider {
	all := knownProviders()
	for _, name := range slices.Sorted(maps.Keys(m.cfg.Providers.V)) {
		said := m.cfg.Providers.V[name]
		i := slices.IndexFunc(all, func(p provider) bool { return p.name == name })
		if i < 0 {
			all, i = append(all, provider{name: name, optional: said.Key == "" && len(said.KeyCommand) == 0}), len(all)
		}
		p := &all[i]
		p.Type, p.URL, p.Key = cmp.Or(said.Type, p.Type, "openai"), cmp.Or(said.URL, p.URL), cmp.Or(said.Key, p.Key)
		p.KeyCommand, p.Headers, p.Insecure = said.KeyCommand, said.Headers, said.Insecure
	}
	types := providerTypes()
	for i, p := range all {
		if elsewhere := m.env(strings.ToUpper(p.name) + "_BASE_URL"); elsewhere != "" && (p.name == "openai" || p.name == "anthropic") {
			all[i].URL, all[i].optional = elsewhere, true // a server of the user's own may want no key
		}
		all[i].speaks = cmp.Or(p.speaks, types[p.Type])
	}
	return all
}

// plainOrigin begins the origin of what stands for a provider among what is trusted.
const plainOrigin = "unencrypted:"

// trusted stands for a provider that is reached over plain HTTP.
func (p provider) trusted() core.ToolSpec {
	return core.ToolSpec{
		Name: p.name, Owner: p.name, Origin: plainOrigin + p.URL,
		Description: "it is a model on another machine: what you say, and its key, would go there unencrypted, for everybody on the way to read",
	}
}

// may reports whether a provider may be reached: over plain HTTP on another machine only
// where the configuration or the user says so. The user is asked.
func (m *models) may(ctx context.Context, p provider) bool {
	return m.mayUnasked(ctx, p) || m.trust.AdmitListed(ctx, p.trusted(), map[string]any{"address": p.URL}) == nil
}

// mayUnasked is may for what the user did not begin.
func (m *models) mayUnasked(_ context.Context, p provider) bool {
	u, err := url.Parse(p.URL)
	return p.Insecure || p.speaks.plain || err == nil && !web.Unencrypted(u) || m.trust.Admitted(p.trusted())
}

func keyReady(m *models, p provider) error {
	switch {
	case p.URL == "":
		return core.Fail(core.CodeInvalid, "the provider "+p.name+" has no address", "give it a url in "+m.cfg.File)
	case !p.optional && len(p.KeyCommand) == 0 && m.env(p.Key) == "":
		return core.Fail(core.CodeInvalid, p.name+" wants a key, and "+p.Key+" is not set",
			"set "+p.Key+" before you start yaap, or write `providers: {"+p.name+": {key_command: [...]}}` in "+m.cfg.File)
	}
	return nil
}

// provider is the one of that name.
func (m *models) provider(name string) (found provider) {
	for _, p := range m.providers() {
		if p.name == name {
			found = p
		}
	}
	return found
}

func (m *models) ollamaURL(p provider) (string, error) {
	env := m.env
	if p.URL != "" {
		env = func(string) string { return p.URL }
	}
	return ollama.BaseURL(env)
}

// open returns a model of a provider. It does not reach for it.
func (m *models) open(p provider, name string) (llm.Model, error) {
	if err := p.speaks.ready(m, p); err != nil {
		return nil, err
	}
	return p.speaks.open(m, p, name)
}

func openOllama(m *models, p provider, name string) (llm.Model, error) {
	url, err := m.ollamaURL(p)
	if err != nil {
		return nil, err
	}
	said := m.cfg.Models.V[p.name+"/"+name]
	return ollama.New(ollama.Config{Name: p.name, BaseURL: url, Model: name, NumCtx: said.Context, MaxTokens: said.MaxTokens, Temperature: said.Temperature, Effort: said.Effort, HTTP: m.web}), nil
}

func openWeb[M llm.Model](client func(*wire.Tap, string) *http.Client, model func(web.Config) M) func(*models, provider, string) (llm.Model, error) {
	return func(m *models, p provider, name string) (llm.Model, error) {
		cfg := m.webConfig(p, name, m.may)
		cfg.HTTP = client(m.tap, p.name)
		reads := m.listedContext(p, name)
		if said := m.cfg.Models.V[p.name+"/"+name].Context; said > 0 {
			reads = func(context.Context) int { return said }
		}
		return sized{model(cfg), reads}, nil
	}
}

func (m *models) webConfig(p provider, name string, may func(context.Context, provider) bool) web.Config {
	said := m.cfg.Models.V[p.name+"/"+name]
	return web.Config{
		Name: p.name, BaseURL: p.URL, Model: name, Key: m.key(p), KeyName: p.Key, AllowPlainHTTP: func(ctx context.Context) bool { return may(ctx, p) },
		Options: web.Options{Temperature: said.Temperature, MaxTokens: said.MaxTokens, Effort: said.Effort, Budget: said.Budget, Header: p.Headers},
	}
}

// sized is a model with how many tokens it reads.
type sized struct {
	llm.Model
	reads func(context.Context) int
}

// ContextWindow implements [llm.Sized].
func (s sized) ContextWindow(ctx context.Context) int { return s.reads(ctx) }

// AcceptsImages implements [llm.ImageModel].
func (s sized) AcceptsImages(ctx context.Context) bool { return llm.AcceptsImages(ctx, s.Model) }

const (
	listTime = 2 * time.Second  // for a provider to say what a model reads
	keyTime  = 20 * time.Second // for a program to print a key: it may ask the user
	maxKey   = 16 << 10
)

// listedContext asks the provider once how many tokens a model reads. Where it does not
// say so soon, nothing is known.
func (m *models) listedContext(p provider, name string) func(context.Context) int {
	var once sync.Once
	reads := 0
	return func(ctx context.Context) int {
		if !m.mayUnasked(ctx, p) {
			return 0 // it is asked when it may be
		}
		once.Do(func() {
			ctx, cancel := context.WithTimeout(ctx, listTime)
			defer cancel()
			infos, err := m.list(ctx, p)
			if i := slices.IndexFunc(infos, func(info llm.Info) bool { return info.Name == name }); err == nil && i >= 0 {
				reads = infos[i].Context
			}
		})
		return reads
	}
}

// list are the models that a provider has.
func (m *models) list(ctx context.Context, p provider) ([]llm.Info, error) {
	if err := p.speaks.ready(m, p); err != nil {
		return nil, err
	}
	return p.speaks.list(ctx, m, p)
}

// key is how the key of a provider is found: in a variable, or by a program that is run
// once in a while. Its value is told to nobody but the provider.
func (m *models) key(p provider) func(context.Context) (string, error) {
	if len(p.KeyCommand) == 0 {
		return func(context.Context) (string, error) { return m.env(p.Key), nil }
	}
	return func(ctx context.Context) (string, error) {
		m.printing.Lock()
		defer m.printing.Unlock()
		if key := m.keys[p.name]; key != "" {
			return key, nil
		}
		ctx, cancel := context.WithTimeout(ctx, keyTime)
		defer cancel()
		out, err := exec.CommandContext(ctx, p.KeyCommand[0], p.KeyCommand[1:]...).Output() //nolint:gosec // the user's own, of the configuration
		key := strings.TrimSpace(string(out))
		if err != nil || key == "" || len(key) > maxKey || strings.ContainsAny(key, "\r\n") {
			return "", core.Fail(core.CodeInvalid, fmt.Sprintf("%s printed no key for %s", safe.Line(p.KeyCommand[0]), p.name),
				"run it by itself: it has to print the key in one line").Because(err)
		}
		m.keys[p.name] = key
		return key, nil
	}
}

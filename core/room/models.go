package room

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/offline"
	"github.com/yaap-chat/yaap/core/llm/ollama"
	"github.com/yaap-chat/yaap/core/trust"
	"github.com/yaap-chat/yaap/core/wire"
)

const (
	offlineName = "offline"
	goodModel   = "qwen3.5:4b" // of Ollama, which calls experts well and fits most machines
	maxListed   = 60           // models
	listedFor   = time.Minute  // that a list of models is good for completing a name
)

// models holds the model in use. A run keeps the one it began with.
type models struct {
	cfg       config.Config
	env       func(string) string
	trust     *trust.Store
	fallbacks []llm.Model // in order, when the model in use fails
	judge     *agent.Judge
	embedded  *offline.Model
	web       *http.Client // to Ollama
	tap       *wire.Tap

	wanted chan llm.Model // that are loaded when there is time, the last one

	mu    sync.Mutex
	model llm.Model
	known []offered // when they were last listed
	at    time.Time

	printing sync.Mutex
	keys     map[string]string // that programs have printed, by the names of providers
}

func newModels(cfg config.Config, env func(string) string, tap *wire.Tap, keeper *trust.Store) (*models, error) {
	m := &models{cfg: cfg, env: env, trust: keeper, web: ollama.NewHTTP(tap), tap: tap, keys: map[string]string{}, wanted: make(chan llm.Model, 1)}
	m.embedded = &offline.Model{Exists: m.exists}
	var err error
	if m.model, err = m.named(cfg.Model.V, cfg.Model.From); err != nil {
		return nil, err
	}
	for _, name := range cfg.Fallback.V {
		model, err := m.named(name, cfg.Fallback.From)
		if err != nil {
			return nil, err
		}
		m.fallbacks = append(m.fallbacks, model)
	}
	if j := cfg.Judge.V; j.Model != "" || j.Rules != "" {
		model, err := m.named(cmp.Or(j.Model, offlineName), cfg.Judge.From)
		if err == nil && (j.Model == "" || j.Model == offlineName || strings.TrimSpace(j.Rules) == "") {
			err = core.Fail(core.CodeInvalid, "the judge needs rules, and a model that can read them", "write judge: {model: ollama/NAME, rules: ...} into "+cfg.File)
		}
		if err != nil {
			return nil, err
		}
		m.judge = &agent.Judge{Model: model, Rules: j.Rules, Open: j.Open}
	}
	return m, nil
}

// Exists reports whether a path is there, from the room's directory on.
func (r *Room) Exists(path string) bool { return r.models.exists(path) }

// exists reports whether a path that the user wrote is there.
func (m *models) exists(path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.cfg.Dir, path)
	}
	_, err := os.Lstat(path)
	return err == nil
}

func (m *models) current() llm.Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.model
}

// offline reports whether the embedded model is in use.
func (m *models) offline() bool { return m.current().Name() == offlineName }

// named returns the model of a name that was said somewhere: in a file, by a flag.
func (m *models) named(name, from string) (llm.Model, error) {
	prefix, model, _ := strings.Cut(name, "/")
	if name == offlineName {
		return m.embedded, nil
	}
	var names []string
	for _, p := range m.providers() {
		if p.name == prefix && model != "" {
			return m.open(p, model)
		}
		names = append(names, p.name)
	}
	return nil, core.Fail(core.CodeInvalid, fmt.Sprintf("there is no model %q (%s)", name, from),
		"use offline, or PROVIDER/NAME such as ollama/qwen3.5:4b; the providers are "+strings.Join(names, ", "))
}

// use chooses the model of the runs to come. Its provider is asked whether it has it: a
// remark is what it says against that without being sure.
func (m *models) use(ctx context.Context, name string) (remark string, err error) {
	model, err := m.named(name, "/model")
	if err != nil {
		return "", err
	}
	prefix, _, _ := strings.Cut(name, "/")
	if p := m.provider(prefix); p.speaks != nil {
		m.may(ctx, p) // the error of its list tells a no
	}
	if remark, err = m.check(ctx, name); err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.model = model
	m.load(model)
	return remark, nil
}

// loads is a model that a server loads before it can answer.
type loads interface {
	Load(ctx context.Context) error
}

// load has a model be loaded, in place of one that waits for it.
func (m *models) load(model llm.Model) {
	select {
	case <-m.wanted:
	default:
	}
	select {
	case m.wanted <- model:
	default: // somebody else was quicker
	}
}

// preload has servers load models until ctx ends. What cannot be loaded the next prompt
// tells.
func (m *models) preload(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case model := <-m.wanted:
			if model, ok := model.(loads); ok {
				_ = model.Load(ctx)
			}
		}
	}
}

// check asks a provider whether it has a model.
func (m *models) check(ctx context.Context, name string) (remark string, err error) {
	prefix, model, _ := strings.Cut(name, "/")
	p := m.provider(prefix)
	if p.speaks == nil { // the embedded one
		return "", nil
	}
	infos, err := m.list(ctx, p)
	if err != nil {
		return "", err
	}
	has := func(info llm.Info) bool {
		return info.Name == model || p.speaks.whole && info.Name == model+":latest"
	}
	i := slices.IndexFunc(infos, has)
	switch {
	case i >= 0 && !infos[i].Tools:
		return "It cannot call experts.", nil
	case i >= 0 && p.speaks.version != nil:
		_, remark = p.speaks.version(ctx, m, p)
		return remark, nil
	case i >= 0:
		return "", nil
	case p.speaks.whole:
		return "", core.Fail(core.CodeNoModel, p.name+" has no model called "+model, "get it with /model pull "+model+", or choose one that /model lists")
	}
	return p.name + " does not list it; the next prompt shows whether it is there.", nil
}

// offered is a model that can be chosen now.
type offered struct {
	name string
	llm.Info
	price *config.Price
}

// available lists the models that can be used now, the embedded one first. Providers are
// asked at the same time; one that has no key is left out, one that does not answer is
// named in words, but for those on this machine that need not be there.
func (m *models) available(ctx context.Context) (all []offered, silent []string) {
	all = []offered{{name: offlineName, Info: llm.Info{Tools: true}}}
	providers := m.providers()
	lists, errs := make([][]llm.Info, len(providers)), make([]error, len(providers))
	var asked sync.WaitGroup
	for i, p := range providers {
		if p.speaks.ready(m, p) != nil {
			continue
		}
		asked.Go(func() { lists[i], errs[i] = m.list(ctx, p) })
	}
	asked.Wait()
	for i, p := range providers {
		if _, configured := m.cfg.Providers.V[p.name]; errs[i] != nil && (configured || !p.optional) {
			silent = append(silent, p.name+": "+errs[i].Error())
		}
		for _, info := range lists[i] {
			name := p.name + "/" + info.Name
			said := m.cfg.Models.V[name]
			if said.Context > 0 {
				info.Context = said.Context
			}
			all = append(all, offered{name: name, Info: info, price: said.Price})
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known, m.at = all, time.Now()
	return all, silent
}

// suggest are the models that a part of a name may become, the one in use last.
func (m *models) suggest(ctx context.Context, typed string) (list []core.Suggestion) {
	m.mu.Lock()
	all, at := m.known, m.at
	m.mu.Unlock()
	var silent []string
	if time.Since(at) > listedFor || typed == "" {
		all, silent = m.available(ctx)
	}
	current := m.current().Name()
	var used []core.Suggestion
	for _, one := range all {
		if !strings.Contains(strings.ToLower(one.name), strings.ToLower(typed)) {
			continue
		}
		s := core.Suggestion{Text: one.name, Help: one.about(), Insert: one.name, At: -len(typed), Last: true}
		if one.name == current {
			s.Help = strings.TrimPrefix(s.Help+", in use", ", ")
			used = append(used, s)
			continue
		}
		list = append(list, s)
	}
	if typed == "" && len(list) == 0 && len(all) == 1 {
		used = append(used, core.Suggestion{Text: "pull " + goodModel, Help: "Ollama gets it; or set a key, such as OPENAI_API_KEY", Insert: "pull " + goodModel}) // not first: enter would begin it
	}
	for _, text := range silent {
		name, why, _ := strings.Cut(text, ": ")
		list = append(list, core.Suggestion{Text: name, Help: why, Insert: name + "/"})
	}
	return append(list, used...)
}

// about is what a model can do and costs.
func (o offered) about() string {
	var list []string
	if !o.Tools {
		list = append(list, "only chats")
	}
	if o.Sees {
		list = append(list, "sees pictures")
	}
	if o.Context > 0 {
		list = append(list, "reads "+strconv.Itoa((o.Context+512)>>10)+" k tokens")
	}
	if cost := o.cost(); cost != "" {
		list = append(list, "$ "+cost)
	}
	return strings.Join(list, ", ")
}

// cost is the price of a model, empty where it is not known.
func (o offered) cost() string {
	if o.price == nil {
		return ""
	}
	return fmt.Sprintf("%g / %g", o.price.Input, o.price.Output)
}

package room

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/userfile"
	"github.com/yaap-chat/yaap/core/yaap"
)

const (
	maxAgentFile = 64 << 10 // bytes
	maxAgents    = 64
)

// agentHead is what stands above the prompt in an agent's file.
type agentHead struct {
	Description string   `yaml:"description"`
	Model       string   `yaml:"model"`
	Tools       []string `yaml:"tools"`
	Handoffs    []string `yaml:"handoffs"`
	Format      string   `yaml:"response_format"`       // json_standard, or text
	Standard    *bool    `yaml:"use_standard_protocol"` // false says the same as text
	DataSchema  any      `yaml:"data_schema"`           // of the data of its answers

	// Of one that others call.
	MaxTurns int               `yaml:"max_turns"`
	Events   agent.EventDetail `yaml:"events"` // all, summary or none
	Answer   string            `yaml:"answer"` // the key of its data that is its answer
}

func agentDir(cfg config.Config) string { return filepath.Join(filepath.Dir(cfg.File), "agents") }

// readAgents reads the agents of the user: NAME.md in the directory agents
// beside the configuration file, a prompt with a head in YAML.
func readAgents(cfg config.Config, models *models) ([]agent.Peer, error) {
	paths := agentFiles(cfg)
	if len(paths) > maxAgents {
		return nil, agentFault(agentDir(cfg), fmt.Sprintf("it holds more than %d agents", maxAgents), nil)
	}
	var list []agent.Peer
	for _, path := range paths {
		p, err := readAgent(path, models)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	experts := map[string]bool{}
	for _, name := range cfg.Builtin.V {
		experts[yaap.Canonical(name)] = true
	}
	for _, e := range cfg.Experts {
		experts[yaap.Canonical(e.Name)] = true
	}
	for i, p := range list {
		if experts[yaap.Canonical(p.Name)] {
			return nil, core.Fail(core.CodeInvalid, "the agent "+paths[i]+" is called like an expert, and @"+p.Name+" would ask that one",
				"give the file another name, or leave the expert out")
		}
		for _, name := range p.Handoffs {
			if !slices.ContainsFunc(list, func(p agent.Peer) bool { return p.Name == name }) {
				return nil, agentFault(paths[i], "it hands over to "+name+", and there is no such agent", nil)
			}
		}
	}
	return list, nil
}

// agentNames are the names of the user's agents.
func agentNames(cfg config.Config) []string {
	paths := agentFiles(cfg)
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = strings.TrimSuffix(filepath.Base(path), ".md")
	}
	return names
}

// agentFiles are the files of the user's agents. What is neither a file nor a
// link is none: reading it could last for ever.
func agentFiles(cfg config.Config) []string {
	if cfg.File == "" {
		return nil
	}
	return promptFiles(agentDir(cfg))
}

func readAgent(path string, models *models) (p agent.Peer, err error) {
	p.Name = strings.TrimSuffix(filepath.Base(path), ".md")
	if err := yaap.CheckName(p.Name); err != nil {
		return p, agentFault(path, err.Error(), nil)
	}
	text, err := userfile.Read(path, maxAgentFile)
	if err != nil {
		return p, agentFault(path, "it cannot be read", err)
	}
	if !utf8.Valid(text) {
		return p, agentFault(path, "it is not UTF-8 text", nil)
	}
	head, prompt, ok := frontMatter(text)
	var said agentHead
	if err := yaml.NewDecoder(bytes.NewReader(head), yaml.Strict()).Decode(&said); err != nil && !errors.Is(err, io.EOF) {
		return p, agentFault(path, "its head cannot be understood: "+yaml.FormatError(err, false, true), nil)
	}
	if !ok || said.Description == "" || strings.TrimSpace(prompt) == "" {
		return p, agentFault(path, "it needs a head with a description, and a prompt", nil)
	}
	p.Description, p.Prompt, p.Tools, p.Handoffs = said.Description, prompt, said.Tools, said.Handoffs
	switch said.Format {
	case "", "json_standard":
		p.Plain = said.Format == "" && said.Standard != nil && !*said.Standard
	case "text":
		p.Plain = true
	default:
		return p, agentFault(path, "response_format is json_standard or text", nil)
	}
	p.MaxTurns, p.Tells, p.Answer = said.MaxTurns, said.Events, said.Answer
	if said.DataSchema != nil {
		if p.DataSchema, err = json.Marshal(said.DataSchema); err != nil {
			return p, agentFault(path, "data_schema is no JSON", err)
		}
	}
	if err := p.Check(); err != nil {
		return p, agentFault(path, err.Error(), nil)
	}
	if said.Model != "" {
		if p.Model, err = models.named(said.Model, "model"); err != nil {
			return p, agentFault(path, err.Error(), nil)
		}
	}
	return p, nil
}

// frontMatter splits a file at its head, which stands between lines of ---.
func frontMatter(text []byte) (head []byte, rest string, ok bool) {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	body, ok := bytes.CutPrefix(text, []byte("---\n"))
	if !ok {
		return nil, string(text), false
	}
	head, after, ok := bytes.Cut(body, []byte("\n---\n"))
	return head, string(after), ok
}

func agentFault(path, what string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		what += "; check its permissions"
	}
	return core.Fail(core.CodeInvalid, "the agent "+path+": "+what, "write it as ---, description: WHAT IT DOES, ---, and its prompt below").Because(err)
}

// team are the agent that answers in the room and those it may hand over to.
type team struct {
	room   agent.Config
	agent  *agent.Agent // answers what is not for one expert
	all    []agent.Peer
	models *models
}

func newTeam(room agent.Config, all []agent.Peer, models *models) *team {
	t := &team{all: all, models: models}
	room.Peers = func() []agent.Peer { return t.now(all) }
	t.room, t.agent = room, agent.New(room)
	return t
}

// own are the tools of the room itself.
func (t *team) own() []core.Tool {
	box, _ := t.room.Tools.(tools) // it is made so
	return box.own
}

// now is who may be handed the conversation now. The offline model follows no
// prompt: there it is nobody.
func (t *team) now(peers []agent.Peer) []agent.Peer {
	if t.models.offline() {
		return nil
	}
	return peers
}

// named makes a Runner of one of the user's agents.
func (t *team) named(name string) (core.Runner, bool) {
	i := slices.IndexFunc(t.all, func(p agent.Peer) bool { return p.Name == name })
	if i < 0 {
		return nil, false
	}
	cfg := t.room.As(t.all[i])
	var peers []agent.Peer
	for _, p := range t.all {
		if slices.Contains(t.all[i].Handoffs, p.Name) {
			peers = append(peers, p)
		}
	}
	cfg.Peers = func() []agent.Peer { return t.now(peers) }
	return agent.New(cfg), true
}

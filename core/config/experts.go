package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/servers"
	"github.com/yaap-chat/yaap/core/yaap"
)

// fileExpert is an expert of the configuration file.
type fileExpert struct {
	Command []string  `yaml:"command"`
	URL     string    `yaml:"url"`
	Env     variables `yaml:"env"`
	Dir     string    `yaml:"dir"`
	Roots   []string  `yaml:"roots"`
	Tokens  int       `yaml:"sampling"`
	Log     string    `yaml:"log"`
	Trust   bool      `yaml:"trust"`
}

// variables are names of those that are handed on, and NAME=VALUE or NAME: VALUE
// of those that are set.
type variables struct {
	pass []string
	set  map[string]string
}

// names are a list, or what is written for one on the command line.
type names []string

// UnmarshalYAML is called by the YAML library.
func (n *names) UnmarshalYAML(decode func(any) error) error {
	var text string
	if decode(&text) == nil {
		*n = names{text}
		return nil
	}
	return decode((*[]string)(n))
}

// UnmarshalYAML is called by the YAML library.
func (v *variables) UnmarshalYAML(decode func(any) error) error {
	var list []string
	if decode(&list) != nil {
		return decode(&v.set)
	}
	v.set = map[string]string{}
	for _, one := range list {
		if name, value, ok := strings.Cut(one, "="); ok {
			v.set[name] = value
		} else {
			v.pass = append(v.pass, one)
		}
	}
	return nil
}

// readExperts reads the experts of the file, and the lists of servers that were
// written for other programs.
func (c *Config) readExperts(said *file, env func(string) string) error {
	for _, name := range slices.Sorted(maps.Keys(said.Experts)) {
		e := said.Experts[name]
		if e.Dir != "" {
			e.Dir = c.beside(e.Dir)
		}
		for i, root := range e.Roots {
			e.Roots[i] = c.beside(root)
		}
		c.Experts = append(c.Experts, Expert{
			Server: servers.Server{Name: name, Written: name, File: c.File, Command: e.Command, URL: e.URL, Env: e.Env.set, Dir: e.Dir},
			Pass:   e.Env.pass, Roots: e.Roots, Sampling: max(e.Tokens, 0), Log: e.Log, Trust: e.Trust, From: c.File,
		})
	}
	lists := map[string]any{}
	for i, list := range []map[string]any{said.MCPServers, said.Servers, said.MCP} {
		if list != nil {
			lists[servers.Keys()[i]] = list
		}
	}
	if len(lists) == 0 {
		return nil
	}
	raw, err := json.Marshal(lists)
	if err != nil {
		return invalid(c.File+" cannot be understood", "write its servers as JSON has them", err)
	}
	list, err := servers.Read(c.Place(c.File, env), raw)
	if err != nil {
		return err
	}
	c.Faults = append(c.Faults, list.Faults...)
	for _, s := range list.Servers {
		c.Experts = append(c.Experts, Expert{Server: s, From: c.File})
	}
	return nil
}

// beside returns a path of the file, which begins where the file is.
func (c *Config) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(c.File), path)
}

// ListedExperts reads the experts anew that the configuration file lists, those of flags
// apart.
func (c Config) ListedExperts(env func(string) string) ([]Expert, []servers.Fault, error) {
	c.Experts, c.Faults = nil, nil
	said, _, err := c.parse()
	if err == nil {
		err = c.readExperts(said, env)
	}
	if err == nil {
		err = c.checkExperts()
	}
	return c.Experts, c.Faults, err
}

// Place is what a list of servers is read with.
func (c *Config) Place(file string, env func(string) string) servers.Place {
	return servers.Place{File: file, Dir: c.Dir, Home: env("HOME"), Lookup: func(name string) (string, bool) {
		value := env(name)
		return value, value != ""
	}}
}

// checkExperts takes out what cannot be an expert: a flag is refused for it, an
// entry of a file is a fault.
func (c *Config) checkExperts() error {
	taken := map[string]bool{}
	for _, name := range c.Builtin.V {
		taken[yaap.Canonical(name)] = true
	}
	var good []Expert
	for _, e := range c.Experts {
		err := c.checkExpert(e, taken)
		switch {
		case err == nil:
			taken[yaap.Canonical(e.Name)] = true
			good = append(good, e)
		case e.File == "":
			return err
		default:
			c.Faults = append(c.Faults, servers.Fault{Written: e.Written, File: e.File, Err: err})
		}
	}
	c.Experts = good
	return nil
}

func (c *Config) checkExpert(e Expert, taken map[string]bool) *core.Error {
	wrong := func(message, hint string) *core.Error {
		return core.Fail(core.CodeInvalid, message, hint)
	}
	if err := yaap.CheckName(e.Name); err != nil {
		return wrong(err.Error(), "choose another name for this expert")
	}
	switch {
	case len(e.Command) == 0 && e.URL == "":
		return wrong("the expert "+e.Name+" has neither a command nor a url", "give it one in "+c.File)
	case len(e.Command) > 0 && e.URL != "":
		return wrong("the expert "+e.Name+" has a command and a url", "leave one of them out in "+c.File)
	case e.Log != "" && !slices.Contains(core.LogLevels(), e.Log):
		return wrong(fmt.Sprintf("the expert %s cannot log from %q on", e.Name, e.Log), "write log: "+strings.Join(core.LogLevels(), ", or "))
	case taken[yaap.Canonical(e.Name)]:
		return wrong(fmt.Sprintf("two experts are called %s", e.Name), "choose another name for one of them, or leave a built-in one out with --builtin")
	}
	return nil
}

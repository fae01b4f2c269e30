// Package servers reads the lists of MCP servers that people have written for
// other programs. It starts nothing, and runs nothing that a list says.
package servers

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/yaap"
)

// MaxFile is how many bytes of a file are read.
const MaxFile = 1 << 20

const maxServers = 128 // of a file

// Server is an entry of a list: a program to start, or an address.
type Server struct {
	Name    string            // a valid name of an expert
	Written string            // the name in the file
	File    string            // the list
	Command []string          // the program and its arguments; nil: it has an address
	Env     map[string]string // variables that the program is given, filled in
	Dir     string            // where it runs; empty: where the list says nothing
	URL     string
	Headers map[string]string // filled in
	SSE     bool              // it is reached by the transport of 2024
	OAuth   core.OAuthClient  // filled in
	Timeout time.Duration     // of a call; 0: the list says nothing
	Only    []string          // the tools that are offered; nil: all
	Without []string          // tools that are not offered

	List string          // the key of its list in the file
	Raw  json.RawMessage // as it is written there, nothing filled in
}

// Fault is an entry that cannot be used, and why.
type Fault struct {
	Written string // the name in the file
	File    string
	Err     *core.Error
}

// List is what a file holds.
type List struct {
	Servers []Server // by their names
	Off     []string // names of entries that their file turns off
	Faults  []Fault
}

// Place is what the entries of a file are read with.
type Place struct {
	File   string
	Dir    string                      // of the project; relative paths begin there
	Home   string                      // ~
	Lookup func(string) (string, bool) // looks a variable up

	list string // the key of what is read
}

// Keys are the names of lists in a file: those of Claude Code, Claude Desktop,
// Cursor, Windsurf and Gemini CLI, of VS Code, and of opencode and crush.
func Keys() []string { return []string{"mcpServers", "servers", "mcp"} }

// KnownFiles returns the files in a home directory where other programs keep their lists.
func KnownFiles(home string) (files []string) {
	for _, name := range []string{
		".claude.json",
		".config/Claude/claude_desktop_config.json", "Library/Application Support/Claude/claude_desktop_config.json",
		".cursor/mcp.json", ".codeium/windsurf/mcp_config.json", ".gemini/settings.json",
		".config/Code/User/mcp.json", ".config/Code/User/settings.json",
		"Library/Application Support/Code/User/mcp.json", "Library/Application Support/Code/User/settings.json",
		".config/opencode/opencode.json", ".config/crush/crush.json",
	} {
		files = append(files, filepath.Join(home, filepath.FromSlash(name)))
	}
	return files
}

// Read reads a file. It fails where it is no JSON with a list; JSON may have
// comments and commas at the end. A fault of an entry is told beside the others.
func Read(p Place, raw []byte) (List, error) {
	standard, err := hujson.Standardize(raw)
	if err != nil {
		return List{}, fault("%s is no JSON: %s", p.File, strings.TrimPrefix(err.Error(), "hujson: "))
	}
	var file map[string]json.RawMessage
	if err := json.Unmarshal(standard, &file); err != nil {
		return List{}, fault("%s is no JSON object: %v", p.File, err)
	}
	var list List
	found, err := list.addAll(p, file)
	var projects map[string]map[string]json.RawMessage // of Claude Code: those of the project alone
	if json.Unmarshal(file["projects"], &projects) == nil && err == nil && projects[p.Dir] != nil {
		found = true
		_, err = list.addAll(p, projects[p.Dir])
	}
	if err == nil && !found {
		err = fault("%s lists no servers: it has none of %s", p.File, strings.Join(Keys(), ", "))
	}
	return list, err
}

// addAll reads the lists of an object, and reports whether it has any.
func (l *List) addAll(p Place, file map[string]json.RawMessage) (found bool, err error) {
	for _, key := range Keys() {
		entries, ok := file[key]
		if !ok {
			continue
		}
		found = true
		var said map[string]json.RawMessage
		if err := json.Unmarshal(entries, &said); err != nil {
			return found, fault("%s in %s is no object of servers by their names", key, p.File)
		}
		var inner map[string]json.RawMessage // the settings of VS Code have a list within
		if key == "mcp" && json.Unmarshal(said["servers"], &inner) == nil {
			key, said = "servers", inner
		}
		p.list = key
		l.add(p, said)
	}
	return found, nil
}

// add reads the entries of one list.
func (l *List) add(p Place, said map[string]json.RawMessage) {
	for _, written := range slices.Sorted(maps.Keys(said)) {
		s, on, err := p.server(said[written])
		s.Written, s.File, s.List, s.Raw = written, p.File, p.list, said[written]
		if err == nil && len(l.Servers) == maxServers {
			err = fault("a file may list %d servers", maxServers)
		}
		if err == nil {
			s.Name, err = l.name(written)
		}
		var wrong *core.Error
		switch {
		case errors.As(err, &wrong):
			l.Faults = append(l.Faults, Fault{Written: written, File: p.File, Err: wrong})
		case !on:
			l.Off = append(l.Off, written)
		default:
			l.Servers = append(l.Servers, s)
		}
	}
}

// name makes the name of an expert of one that is written, and of none that is
// taken.
func (l *List) name(written string) (string, error) {
	name := strings.ToLower(written)
	if yaap.CheckName(name) != nil {
		name = yaap.MakeName(strings.Join(strings.FieldsFunc(written, func(r rune) bool { return !isName(r) }), "-"))
	}
	for from := name; ; name = from + "-mcp" {
		err := yaap.CheckName(name)
		taken := slices.ContainsFunc(l.Servers, func(s Server) bool { return yaap.Canonical(s.Name) == yaap.Canonical(name) })
		switch {
		case err == nil && !taken:
			return name, nil
		case name != from:
			return "", fault("no name for an expert can be made of %q", written)
		}
	}
}

func isName(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// entry is what any of the programs writes of a server. What they write beside it
// says nothing about how it is reached.
type entry struct {
	Type        string            `json:"type"`
	Transport   string            `json:"transport"` // of some
	Command     words             `json:"command"`
	Args        []string          `json:"args"`
	Env         variables         `json:"env"`
	Environment variables         `json:"environment"` // opencode
	EnvFile     string            `json:"envFile"`     // VS Code, Cursor
	Dir         string            `json:"cwd"`
	URL         string            `json:"url"`
	HTTPURL     string            `json:"httpUrl"`   // Gemini CLI, whose url is for SSE
	ServerURL   string            `json:"serverUrl"` // Windsurf
	Headers     map[string]string `json:"headers"`
	OAuth       registered        `json:"oauth"`
	Auth        registered        `json:"auth"` // Cursor
	limits
}

// limits are what an entry leaves out.
type limits struct {
	Disabled bool     `json:"disabled"`
	Enabled  *bool    `json:"enabled"`
	Timeout  float64  `json:"timeout"`
	Include  []string `json:"includeTools"`   // Gemini CLI
	Exclude  []string `json:"excludeTools"`   // Gemini CLI
	Without  []string `json:"disabledTools"`  // Windsurf
	Only     []string `json:"enabled_tools"`  // crush
	Hidden   []string `json:"disabled_tools"` // crush
}

// registered is what the user has registered the program as with those who sign users
// in at a server.
type registered struct {
	ID        string `json:"clientId"`
	Secret    string `json:"clientSecret"`
	CursorID  string `json:"CLIENT_ID"`
	CursorKey string `json:"CLIENT_SECRET"`
	Scope     scopes `json:"scope"`        // opencode
	Scopes    scopes `json:"scopes"`       // Claude Code, Gemini CLI, Cursor
	Port      int    `json:"callbackPort"` // Claude Code
	Redirect  string `json:"redirectUri"`  // Gemini CLI
}

// UnmarshalJSON implements [json.Unmarshaler]. Some write false, or the kind of a key,
// for a server that nobody signs in to so.
func (r *registered) UnmarshalJSON(raw []byte) error {
	if raw[0] != '{' {
		return nil
	}
	type plain registered
	return json.Unmarshal(raw, (*plain)(r))
}

// scopes are a list, or words.
type scopes []string

// UnmarshalJSON implements [json.Unmarshaler].
func (s *scopes) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*s = strings.Fields(one)
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(s))
}

// words are a command: with its arguments, or alone.
type words []string

// UnmarshalJSON implements [json.Unmarshaler].
func (w *words) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*w = words{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(w))
}

// variables are NAME: VALUE, or a list of NAME=VALUE.
type variables map[string]string

// UnmarshalJSON implements [json.Unmarshaler].
func (v *variables) UnmarshalJSON(raw []byte) error {
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		*v = variables{}
		for _, one := range list {
			name, value, ok := strings.Cut(one, "=")
			if !ok { // it is handed on
				value = "${" + name + "}"
			}
			(*v)[name] = value
		}
		return nil
	}
	var values map[string]any
	if err := json.Unmarshal(raw, &values); err != nil {
		return err
	}
	*v = variables{}
	for name, value := range values {
		(*v)[name] = fmt.Sprint(value)
	}
	return nil
}

func fault(format string, args ...any) *core.Error {
	return core.Fail(core.CodeInvalid, fmt.Sprintf(format, args...), "")
}

package servers

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/userfile"
)

// server reads an entry, and whether it is turned on.
func (p Place) server(raw json.RawMessage) (s Server, on bool, err error) {
	var e entry
	if err := json.Unmarshal(raw, &e); err != nil {
		return s, true, fault("it is not written as a server is: %v", err)
	}
	if on = !e.Disabled && (e.Enabled == nil || *e.Enabled); !on {
		return s, false, nil
	}
	x := expander{Place: p}
	switch {
	case len(e.Command) > 0:
		s.Env = x.variables(e)
		x.given = s.Env
		s.Command = x.all(slices.Concat(e.Command, e.Args))
		x.given = nil
		s.Dir = p.path(x.text(e.Dir))
	default:
		s.URL, s.SSE = e.address()
		s.URL = x.text(s.URL)
		s.Headers = map[string]string{}
		for name, value := range e.Headers {
			s.Headers[name] = x.text(value)
		}
		s.OAuth = x.client(e.OAuth)
		if s.OAuth.ID == "" {
			s.OAuth = x.client(e.Auth)
		}
		if !IsAddress(s.URL) {
			x.fail(fault("it has neither a command nor an http address"))
		}
	}
	s.Timeout = e.wait()
	s.Only = slices.Concat(e.Include, e.Only)
	s.Without = slices.Concat(e.Exclude, e.Without, e.Hidden)
	return s, true, x.err
}

// client fills in what a program is registered as; without an id it is not.
func (x *expander) client(r registered) (c core.OAuthClient) {
	if c.ID = x.text(cmp.Or(r.ID, r.CursorID)); c.ID == "" {
		return core.OAuthClient{}
	}
	c.Secret, c.Scopes, c.Redirect = x.text(cmp.Or(r.Secret, r.CursorKey)), slices.Concat(r.Scopes, r.Scope), x.text(r.Redirect)
	if r.Port != 0 && c.Redirect == "" {
		c.Redirect = fmt.Sprintf("http://localhost:%d/callback", r.Port)
	}
	return c
}

// IsAddress reports whether a word is the address of a server, and no command.
func IsAddress(word string) bool {
	return strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://")
}

// address is where an entry says that the server is, and whether that is SSE.
func (e entry) address() (url string, sse bool) {
	kind := strings.ToLower(e.Type + e.Transport)
	switch {
	case e.HTTPURL != "":
		return e.HTTPURL, false
	case e.ServerURL != "":
		return e.ServerURL, kind == "sse" || strings.HasSuffix(e.ServerURL, "/sse")
	}
	return e.URL, kind == "sse" || kind == "" && strings.HasSuffix(e.URL, "/sse")
}

// wait is the time limit of an entry: seconds, and milliseconds from a thousand on.
func (l limits) wait() time.Duration {
	unit := time.Second
	if l.Timeout >= 1000 {
		unit = time.Millisecond
	}
	return time.Duration(min(max(l.Timeout, 0), 1e8)) * unit
}

// path is one of the project's where it is relative.
func (p Place) path(said string) string {
	if said == "" || filepath.IsAbs(said) {
		return said
	}
	return filepath.Join(p.Dir, said)
}

// expander fills in variables. It keeps the first error.
type expander struct {
	Place
	given map[string]string // what the program finds in its environment, and may fill in itself
	err   error
}

// bare reports whether $NAME is a variable too, as crush has it.
func (x *expander) bare() bool { return x.list == "mcp" }

func (x *expander) fail(err error) {
	x.err = cmp.Or(x.err, err)
}

var (
	placeholder = regexp.MustCompile(`\$\{[^{}]*\}|\{(?:env|file):[^{}]*\}|\$\(|\$[A-Za-z_]\w*`)
	variable    = regexp.MustCompile(`^(?:env:)?([A-Za-z_]\w*)(?::?-(.*))?$`)
)

// text fills in ${NAME}, ${NAME:-default}, ${env:NAME}, {env:NAME}, the places that
// editors name, and ~ at the beginning. ${input:api-key} is ${API_KEY}. In the lists of crush $NAME is a variable.
func (x *expander) text(said string) string {
	if said == "~" || strings.HasPrefix(said, "~/") {
		said = x.Home + said[1:]
	}
	return placeholder.ReplaceAllStringFunc(said, func(found string) string {
		name := strings.Trim(found, "${}")
		switch {
		case found == "$(":
			if x.bare() {
				x.fail(fault("%q runs a command: yaap runs none of a file", said))
			}
			return found
		case !strings.HasSuffix(found, "}") && !x.bare():
			return found
		case name == "workspaceFolder", name == "workspaceRoot":
			return x.Dir
		case name == "workspaceFolderBasename":
			return filepath.Base(x.Dir)
		case name == "userHome":
			return x.Home
		case name == "pathSeparator", name == "/":
			return string(filepath.Separator)
		}
		if id, ok := strings.CutPrefix(name, "input:"); ok { // VS Code asks for it
			name = strings.ToUpper(strings.Map(func(r rune) rune {
				if isName(r) {
					return r
				}
				return '_'
			}, id))
		}
		m := variable.FindStringSubmatch(name)
		if m == nil {
			wrong := fault("%s cannot be filled in here", found)
			wrong.Hint = "write ${NAME} in its place, and set that variable"
			x.fail(wrong)
			return found
		}
		value, ok := x.Lookup(m[1])
		switch {
		case ok && value != "":
			return value
		case strings.Contains(name, "-"):
			return m[2]
		case !ok && x.given[m[1]] != "":
			return found
		case !ok:
			missing := fault("it needs the variable %s, which is not set", m[1])
			missing.Hint = "export " + m[1] + "=..., and start yaap again"
			x.fail(missing)
		}
		return value
	})
}

func (x *expander) all(said []string) []string {
	list := make([]string, len(said))
	for i, one := range said {
		list[i] = x.text(one)
	}
	return list
}

// variables are what an entry gives its program: those of its file of variables,
// and over them its own.
func (x *expander) variables(e entry) map[string]string {
	env := map[string]string{}
	if e.EnvFile != "" {
		raw, err := userfile.Read(x.path(x.text(e.EnvFile)), MaxFile)
		if err != nil {
			x.fail(fault("its file of variables %s cannot be read: %v", e.EnvFile, errors.Unwrap(err)))
		}
		for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
			name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(lines.Text()), "export "), "=")
			if ok && !strings.HasPrefix(name, "#") {
				env[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), `"'`)
			}
		}
	}
	for _, said := range []variables{e.Env, e.Environment} {
		for name, value := range said {
			env[name] = x.text(value)
		}
	}
	for name, value := range env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
			x.fail(fault("%q is no variable", name))
		}
	}
	return env
}

package room

import (
	"cmp"
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/login"
	"github.com/yaap-chat/yaap/core/processes"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/servers"
	"github.com/yaap-chat/yaap/core/userfile"
	"github.com/yaap-chat/yaap/core/yaap"
)

// loginExpert signs the user in to the server that an expert runs on. It blocks while
// the user is at it.
func loginExpert(ctx context.Context, c *Call) (core.Doc, error) {
	spec, err := c.elsewhere()
	if err != nil {
		return core.Doc{}, err
	}
	if spec.HasKey() {
		return core.Doc{}, core.Fail(core.CodeConflict, c.named()+" is given an Authorization header, and that counts",
			"take the header out of the configuration to sign in, or put a key that holds into it")
	}
	show := func(address, short string) {
		first, _, _ := strings.Cut(c.Getenv("BROWSER"), ":")                      // there may be several
		_ = openBeside(cmp.Or(strings.TrimSpace(first), desktopOpens()), address) // it is shown, too
		c.Tell(core.Notice{Level: "info", Text: "sign in to " + c.named() + " at\n" + short + "\nwhich leads to\n" + address, Hint: c.stop()})
	}
	if err := c.logins().Login(ctx, spec.URL, spec.OAuth, show); err != nil {
		return core.Doc{}, err
	}
	return c.again("You are signed in to **" + c.named() + "**.")
}

func logoutExpert(_ context.Context, c *Call) (core.Doc, error) {
	spec, err := c.elsewhere()
	if err != nil {
		return core.Doc{}, err
	}
	forgotten, err := c.logins().Forget(spec.URL)
	if err != nil {
		return core.Doc{}, err
	}
	if !forgotten {
		return core.Doc{}, core.Fail(core.CodeNotFound, "you are not signed in to "+c.named(), "sign in with "+c.typed("experts login "+c.named()))
	}
	return c.again("The login at **" + c.named() + "** is forgotten.")
}

// again says that a login has changed, and has the expert come anew.
func (c *Call) again(said string) (core.Doc, error) {
	if !c.inChat() {
		return core.Say(core.Block, strings.ReplaceAll(said, "**", "")), nil
	}
	if !servers.IsAddress(c.Args[0]) {
		if err := c.Room.hub.Restart(c.expert()); err != nil {
			return core.Doc{}, err
		}
	}
	return core.Say(core.Markdown, said), nil
}

func (c *Call) stop() string {
	if c.inChat() {
		return "esc gives it up"
	}
	return "ctrl+c gives it up"
}

func (c *Call) named() string { return safe.Line(c.expert()) }

func (c *Call) logins() *login.TokenStore { return login.New(c.Config.StateDir) }

// elsewhere is the expert that the call names, which runs on a server: one of the
// room or of the configuration, or any by its address.
func (c *Call) elsewhere() (hub.Spec, error) {
	name := c.expert()
	if servers.IsAddress(name) {
		return hub.Spec{URL: name}, nil
	}
	spec, found := hub.Spec{}, false
	if c.Room != nil {
		spec, found = c.Room.hub.Spec(name)
	} else {
		var listed []servers.Server
		for _, e := range c.Config.Experts {
			listed = append(listed, e.Server)
		}
		listed = append(listed, c.fromProject()...)
		if i := slices.IndexFunc(listed, func(s servers.Server) bool { return yaap.Canonical(s.Name) == yaap.Canonical(name) }); i >= 0 {
			spec, found = hub.Spec{Command: listed[i].Command, URL: listed[i].URL, Headers: listed[i].Headers, OAuth: listed[i].OAuth}, true
		}
	}
	switch {
	case !found:
		return spec, core.Fail(core.CodeNotFound, "there is no expert called "+c.named(), "name one that has a url in the configuration, or its address")
	case spec.URL == "":
		return spec, core.Fail(core.CodeInvalid, c.named()+" runs here: nobody signs in to it", "name an expert that has a url")
	}
	return spec, nil
}

// fromProject are the servers that files of the project list.
func (c *Call) fromProject() (all []servers.Server) {
	for _, name := range projectFiles() {
		raw, err := userfile.Read(filepath.Join(c.Config.Dir, filepath.FromSlash(name)), servers.MaxFile)
		if err != nil {
			continue // mostly there is none
		}
		if list, err := servers.Read(c.Config.Place(name, c.Getenv), raw); err == nil {
			all = append(all, list.Servers...)
		}
	}
	return all
}

// desktopOpens is what opens anything with the program that the desktop has for it.
func desktopOpens() string {
	return cmp.Or(map[string]string{"darwin": "open", "windows": "rundll32 url.dll,FileProtocolHandler"}[runtime.GOOS], "xdg-open")
}

// desktop reports whether there is a screen with windows.
func desktop(env func(string) string) bool {
	return runtime.GOOS == "darwin" || runtime.GOOS == "windows" || env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != ""
}

// openBeside has a command of the user's open something. It does not wait for it.
func openBeside(command, what string) error {
	words := strings.Fields(command)
	opener := exec.Command(words[0], append(words[1:], what)...) //nolint:gosec,noctx // the user's own; it outlives us
	processes.Detach(opener)                                     // ctrl+c does not end it
	if err := opener.Start(); err != nil {
		return err
	}
	go func() { _ = opener.Wait() }() // else a zombie is left
	return nil
}

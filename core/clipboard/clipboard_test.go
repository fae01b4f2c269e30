package clipboard_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/clipboard"
	"github.com/yaap-chat/yaap/core/must"
)

func of(set map[string]string) func(string) string {
	return func(name string) string { return set[name] }
}

func TestTheProgramIsTheOneOfWhereTheUserSits(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT RUN: what there is for a clipboard on " + runtime.GOOS + " does not depend on variables")
	}
	all := []string{"wl-copy", "xclip", "xsel", "tmux"}
	for _, row := range []struct {
		env     map[string]string
		has     []string
		want    string
		missing []string
	}{
		{env: map[string]string{"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, has: all, want: "wl-copy"},
		{env: map[string]string{"DISPLAY": ":0"}, has: []string{"xsel"}, want: "xsel"},
		{env: map[string]string{"DISPLAY": ":0"}, missing: []string{"xclip", "xsel"}},
		{env: map[string]string{"DISPLAY": ":0", "SSH_TTY": "/dev/pts/1"}, has: all},
		{env: map[string]string{"DISPLAY": ":0", "SSH_TTY": "/dev/pts/1", "TMUX": "t"}, has: all, want: "tmux"},
		{env: map[string]string{"TMUX": "t"}, has: all, want: "tmux"},
		{has: all},
	} {
		words, missing := clipboard.Command(of(row.env), func(program string) bool { return slices.Contains(row.has, program) })
		got := ""
		if len(words) > 0 {
			got = words[0]
		}
		must.Equal(t, row.want, got)
		must.Equal(t, row.missing, missing)
	}
}

func TestTheProgramIsGivenTheTextAndItsFailureIsTold(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT RUN: the programs of a clipboard are those of the system on " + runtime.GOOS)
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	kept := filepath.Join(dir, "kept")
	program := func(body string) {
		must.Do(t, os.WriteFile(filepath.Join(dir, "wl-copy"), []byte("#!/bin/sh\n"+body), 0o700))
	}
	env := of(map[string]string{"WAYLAND_DISPLAY": "w"})
	program("cat > " + kept)
	with := must.Get(clipboard.Copy(t.Context(), env, "zwölf\n"))(t)
	must.Equal(t, "wl-copy", with)
	must.Equal(t, "zwölf\n", string(must.Get(os.ReadFile(kept))(t)))
	program("echo no display >&2; exit 3")
	with, err := clipboard.Copy(t.Context(), env, "x")
	if with != "wl-copy" || err == nil || err.Error() != "wl-copy: exit status 3 no display" {
		t.Errorf("%s: %v", with, err)
	}
	if _, err := clipboard.Copy(t.Context(), of(nil), "x"); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("without one: %v", err)
	}
}

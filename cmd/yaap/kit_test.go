package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
)

// The program of docs/experts.md is built as its reader does: in a module of its own,
// with nothing of the room but what the kit needs.
func TestAnExpertInGoIsWrittenInAModuleOfItsOwn(t *testing.T) {
	root := must.Get(filepath.Abs("../.."))(t)
	module := modulePath(t)
	document := must.Get(os.ReadFile(filepath.Join(root, "docs", "experts.md")))(t)
	program := regexp.MustCompile("(?s)```go toad/main.go\n(.*?)```").FindSubmatch(document)
	if program == nil {
		t.Fatal("docs/experts.md has no toad/main.go")
	}
	dir := t.TempDir()
	sums := must.Get(os.ReadFile(filepath.Join(root, "go.sum")))(t)
	for name, text := range map[string]string{
		"main.go": string(program[1]), "go.sum": string(sums),
		"go.mod": "module example.org/toad\n\ngo 1.26.0\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + root + "\n",
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off", "HOME="+dir, "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	run("go", "build", "-o", "toad", ".")
	for dep := range strings.Lines(run("go", "list", "-deps", ".")) {
		for _, room := range []string{"charm.land/", "modernc.org/", "github.com/ollama/", "yaap/tui", "yaap/core/store", "yaap/core/room", "yaap/core/hub"} {
			if strings.Contains(dep, room) {
				t.Errorf("the kit needs %s", strings.TrimSpace(dep))
			}
		}
	}
	if out := run("yaap", "expert", "check", "--", "./toad"); !strings.Contains(out, "toad") {
		t.Errorf("yaap expert check says\n%s", out)
	}
	info := must.Get(os.Stat(filepath.Join(dir, "toad")))(t)
	t.Logf("a finished expert has %.1f MB", float64(info.Size())/(1<<20))
}

// modulePath is that of go.mod: the one place where it is chosen.
func modulePath(t *testing.T) string {
	t.Helper()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("the build says nothing of itself")
	}
	return strings.TrimSuffix(info.Main.Path, "/cmd/yaap")
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out := must.Get(exec.CommandContext(t.Context(), "go", "env", name).Output())(t)
	return strings.TrimSpace(string(out))
}

package prompts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/prompts"
)

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, "default", "chat", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAFileReplacesThePromptOfItsNameAndNoOther(t *testing.T) {
	builtIn, err := prompts.LoadChat("")
	if err != nil || builtIn.EntryCapture == "" || builtIn.Summary == "" || builtIn.Context == "" {
		t.Fatalf("got %+v, %v", builtIn, err)
	}
	dir := t.TempDir()
	write(t, dir, "summary_prompt.md", "Say it in Latin.\n")
	got, err := prompts.LoadChat(dir)
	want := prompts.Chat{EntryCapture: builtIn.EntryCapture, Summary: "Say it in Latin.\n", Context: builtIn.Context}
	if err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAPromptThatCannotBeUsedIsNamed(t *testing.T) {
	for problem, make := range map[string]func(t *testing.T, path string){
		"it is empty":             func(t *testing.T, path string) { rewrite(t, path, " \n\t") },
		"it has more than 64 KiB": func(t *testing.T, path string) { rewrite(t, path, strings.Repeat("x", 64<<10+1)) },
		"it is not UTF-8 text":    func(t *testing.T, path string) { rewrite(t, path, "caf\xe9") },
		"it is not a regular file": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			must.Fifo(t, path)
		},
	} {
		dir := t.TempDir()
		path := write(t, dir, "context_prompt.md", "")
		make(t, path)
		_, err := prompts.LoadChat(dir)
		if err == nil || err.Error() != path+": "+problem {
			t.Errorf("%s: got %v", problem, err)
		}
	}
	dir := t.TempDir()
	write(t, dir, "context_prompt.md", strings.Repeat("x", 64<<10))
	if _, err := prompts.LoadChat(dir); err != nil {
		t.Errorf("64 KiB: %v", err)
	}
}

func rewrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

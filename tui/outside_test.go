package tui

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// editor is a program that adds a line to the file that it is given.
func scriptedEditor(t *testing.T, does string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+does+"\n"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	return path
}

func TestAPromptIsWrittenInTheEditorOfTheUser(t *testing.T) {
	x := start(t, setup{w: 100, h: 30, env: map[string]string{"EDITOR": scriptedEditor(t, `printf ' of herons\n' >> "$2"`) + " -w"}}, settled())
	x.press("the food", "\x07")
	x.see("❯ the food of herons")
}

func TestAnEditorThatFailsChangesNothing(t *testing.T) {
	x := start(t, setup{w: 100, h: 30, env: map[string]string{"EDITOR": scriptedEditor(t, `echo gone > "$1"; exit 1`)}}, settled())
	x.press("the food", "\x07")
	x.see("nothing came back from the editor")
	x.see("❯ the food")
	x = start(t, setup{w: 100, h: 30, env: map[string]string{"VISUAL": "no-such-editor"}}, settled())
	x.press("\x07")
	x.see("there is no editor no-such-editor")
}

func TestAUserWhoLooksElsewhereIsToldThatItIsDone(t *testing.T) {
	f := settled()
	x := start(t, setup{w: 100, h: 30}, f)
	told := make(chan string, 8)
	x.mu.Lock()
	x.emu.RegisterOscHandler(9, func(data []byte) bool {
		told <- string(data)
		return true
	})
	x.mu.Unlock()
	x.press("first", "enter")
	x.see("09:12")
	_, _ = io.WriteString(x.in, "\x1b[O") // the terminal is not in front any more
	x.press("second", "enter")
	select {
	case got := <-told:
		if !strings.Contains(got, "yaap has answered") {
			t.Error(got)
		}
	case <-time.After(30 * time.Second):
		t.Error("nothing was told")
	}
	if len(told) > 0 {
		t.Error("it was told more than once")
	}
}

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

func TestWhatWasPastedIsChangedInTheEditorAndTakenBackByABackspace(t *testing.T) {
	x := start(t, setup{w: 100, h: 30, env: map[string]string{"EDITOR": scriptedEditor(t, `grep -q 'line of a log' "$1" && printf ' and why?\n' >> "$1"`)}}, settled())
	x.press("see ", "\x1b[200~"+strings.Repeat("a line of a log\n", 12)+"end\x1b[201~", "\x07")
	x.see("❯ see [pasted 13 lines #1] and why?")
	x = start(t, setup{w: 100, h: 30, env: map[string]string{"EDITOR": scriptedEditor(t, `printf 'only the end' > "$1"`)}}, settled())
	x.press("see ", "\x1b[200~"+strings.Repeat("a line of a log\n", 12)+"end\x1b[201~")
	x.see("❯ see [pasted 13 lines #1]")
	x.press("backspace", "nothing")
	x.see("❯ see nothing")
	x.press("\x1b[200~"+strings.Repeat("a line of a log\n", 12)+"end\x1b[201~", "\x07")
	x.see("❯ only the end")
}

func TestAPictureThatIsDroppedOnTheTerminalIsAttached(t *testing.T) {
	for pasted, want := range map[string]string{
		"/home/u/heron.png":           "@/home/u/heron.png ",
		"'/home/u/my heron.PNG' ":     `@"/home/u/my heron.PNG" `,
		`/home/u/my\ heron.jpeg`:      `@"/home/u/my heron.jpeg" `,
		"file:///home/u/heron.webp\n": "@/home/u/heron.webp ",
		"./heron.gif":                 "@./heron.gif ",
		"/home/u/notes.md":            "/home/u/notes.md",
		"see /home/u/heron.png":       "see /home/u/heron.png",
		"a/b.png":                     "a/b.png",
	} {
		p := newPen(func(string) string { return "" })
		in := newInput(&p)
		if err := in.paste(pasted); err != nil || in.value() != want {
			t.Errorf("%q became %q, want %q (%v)", pasted, in.value(), want, err)
		}
	}
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
	x.ask("first", "09:12")
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

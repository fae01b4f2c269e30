package tui

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// maxWritten is the bytes of a text that comes back from an editor.
const maxWritten = 1 << 20

// edit has the user write what stands in the input in an editor of theirs.
func (m *model) edit() tea.Cmd {
	fallback := "vi"
	if runtime.GOOS == "windows" {
		fallback = "notepad"
	}
	words := strings.Fields(cmp.Or(strings.TrimSpace(m.o.Env("VISUAL")), strings.TrimSpace(m.o.Env("EDITOR")), fallback))
	if _, err := exec.LookPath(words[0]); err != nil {
		m.chat.fail(core.Fail(core.CodeInvalid, "there is no editor "+safe.Line(words[0]), "set VISUAL or EDITOR to one before you start yaap"))
		return nil
	}
	dir, err := os.MkdirTemp("", "yaap-prompt-")
	file := filepath.Join(dir, "prompt.md")
	if err == nil {
		err = os.WriteFile(file, []byte(m.input.whole()), 0o600)
	}
	if err != nil {
		m.chat.fail(core.Fail(core.CodeInternal, "the editor cannot be given the prompt", "look after the disk").Because(err))
		return nil
	}
	run := exec.CommandContext(m.ctx, words[0], append(words[1:], file)...) //nolint:gosec // the user's own editor
	if m.o.Input != nil {                                                   // it is no terminal, and the editor would wait for its end
		run.Stdin = strings.NewReader("")
	}
	return tea.ExecProcess(run, func(err error) tea.Msg {
		defer os.RemoveAll(dir)           //nolint:errcheck // it is a temporary one
		raw, readErr := os.ReadFile(file) //nolint:gosec // written above
		return then(func() tea.Cmd { return m.written(string(raw), errors.Join(err, readErr)) })
	})
}

// written takes what was written in the editor into the input. Nothing is sent.
func (m *model) written(text string, err error) tea.Cmd {
	text = strings.TrimRight(text, "\n")
	switch {
	case err != nil:
		m.chat.fail(core.Fail(core.CodeInternal, "nothing came back from the editor", "the input is as it was").Because(err))
		return nil
	case len(text) > maxWritten || !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		m.chat.fail(core.Fail(core.CodeInvalid, "what was written is more than 1 MiB, or no text", "the input is as it was"))
		return nil
	}
	m.input.rewrite(text)
	m.panes.focus = inInput
	return nil
}

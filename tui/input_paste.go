package tui

import (
	"fmt"
	"regexp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// Pasted text that is long is kept beside the input, where a chip stands for it.

const (
	chipOver  = 2000 // bytes of a paste, or
	chipLines = 10   // lines, that are kept beside the input
	maxPaste  = 1 << 20
)

// pastedPicture is the path of a picture, as terminals paste a file that is dropped on them.
var pastedPicture = regexp.MustCompile(`(?i)^(['"]?)(?:file://)?((?:~?/|\.{1,2}/)[^\n"]*\.(?:png|jpe?g|gif|webp))['"]?$`)

// paste takes pasted text; a long one is kept aside and a chip stands for it, and the path
// of a picture attaches it.
func (in *input) paste(s string) error {
	if len(s) > maxPaste {
		return core.Fail(core.CodeInvalid, "that is more than 1 MB", "put it into a file and ask for that")
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	text := safe.Text(s)
	lines := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
	if m := pastedPicture.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		path := m[2]
		if m[1] == "" {
			path = strings.ReplaceAll(path, `\ `, " ")
		}
		text = "@" + core.QuotePath(path) + " "
	} else if len(text) > chipOver || lines > chipLines {
		chip := fmt.Sprintf("[pasted %s #%d]", count(lines, "line"), len(in.chips)+1)
		in.chips[chip] = text
		text = chip
	}
	in.area.InsertString(text)
	in.stale = true
	return nil
}

// whole is what was typed, chips written out.
func (in *input) whole() string {
	text := in.value()
	for chip, whole := range in.chips {
		text = strings.ReplaceAll(text, chip, whole)
	}
	return text
}

// rewrite takes the place of what was typed; what was pasted and is in it as it was stays
// a chip.
func (in *input) rewrite(text string) {
	for chip, whole := range in.chips {
		text = strings.ReplaceAll(text, strings.TrimRight(whole, "\n"), chip)
	}
	in.set(text)
}

// erase is a backspace: before the cursor it takes a letter, or a chip.
func (in *input) erase(msg tea.KeyPressMsg) {
	n := 1
	for chip := range in.chips {
		if strings.HasSuffix(in.before(), chip) {
			n = len(chip)
		}
	}
	for range n {
		in.update(msg)
	}
}

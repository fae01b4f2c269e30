package tui

import (
	"io"
	"os"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/term"

	"github.com/yaap-chat/yaap/tui/markdown"
)

const widestPage = 100

// Page returns Markdown as the chat shows it where out is a terminal, and as it
// is elsewhere.
func Page(out io.Writer, env func(string) string, text string) string {
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return text
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil || width <= 0 {
		width = 80
	}
	var style markdown.Style
	if env("NO_COLOR") == "" && env("TERM") != "dumb" {
		style = markdown.Style{Color: true, Dark: lipgloss.HasDarkBackground(os.Stdin, f)}
	}
	return strings.Join(markdown.Render(text, min(width, widestPage), style), "\n")
}

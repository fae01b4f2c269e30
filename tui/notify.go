package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core/safe"
)

// ring tells a user who looks elsewhere that something is done, or waits for them: a bell,
// and a notice of the desktop where the terminal shows it (OSC 9).
func (m *model) ring(what string) tea.Cmd {
	if !m.panes.blurred {
		return nil
	}
	return tea.Raw("\x1b]9;yaap " + safe.Line(what) + "\x1b\\\a")
}

// progress is shown by the terminal itself, in its tab or in the task bar, where it is
// one that is known to (OSC 9;4).
func (m *model) progress() *tea.ProgressBar {
	known := m.env("WT_SESSION") != "" || m.env("ConEmuANSI") == "ON" || strings.EqualFold(m.env("TERM_PROGRAM"), "ghostty") || m.env("TERM_PROGRAM") == "WezTerm"
	switch {
	case !known:
		return nil
	case m.asks.first() != nil || m.form() != nil:
		return tea.NewProgressBar(tea.ProgressBarWarning, 100)
	case m.running():
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	}
	return nil
}

func (m *model) env(name string) string { return m.o.Env(name) }

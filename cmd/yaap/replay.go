package main

import (
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/yaap-chat/yaap/core/room"
	"github.com/yaap-chat/yaap/tui"
)

const transcriptWidth = 100 // cells of a row where there is no terminal

// showAgain has the command replay show a conversation where it is not to be run again: in the terminal, or as text where there is
// none.
func (p *program) showAgain(replay *cobra.Command) {
	rerun := replay.RunE
	replay.RunE = func(cmd *cobra.Command, args []string) error {
		call, err := p.call(cmd, args)
		if err != nil {
			return err
		}
		if again, _ := call.Values["rerun"].(bool); again {
			return rerun(cmd, args)
		}
		shown, err := room.LoadReplay(cmd.Context(), call)
		if err != nil {
			return err
		}
		width, terminal := p.widthOfTerminal()
		if atOnce, _ := call.Values["at-once"].(bool); atOnce || !terminal {
			return p.write(strings.Join(tui.Transcript(shown.Title, shown.Pages, width, p.env), "\n"))
		}
		show := showOf(shown)
		o := p.terminal
		o.Version, o.Env, o.Dir = version(), p.env, call.Config.Dir
		o.Files, o.Pictures = room.FilesDir(call.Config), call.Config.Pictures.V
		return tui.RunShow(cmd.Context(), o, show)
	}
}

func showOf(s room.Replay) *tui.Show {
	return &tui.Show{Thread: s.Thread, Title: s.Title, Pages: s.Pages, Speed: s.Speed, Graphs: s.Graph}
}

// cast implements [room.Cast].
func (p *program) cast(w io.Writer, s room.Replay, width, height int) error {
	return tui.WriteCast(w, showOf(s), width, height, p.env)
}

// widthOfTerminal is how many cells a row has, and whether there is a terminal.
func (p *program) widthOfTerminal() (cells int, terminal bool) {
	if p.terminal.Output != nil {
		return p.terminal.Width, true
	}
	f, ok := p.stdout.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return transcriptWidth, false
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil || width <= 0 {
		return transcriptWidth, true
	}
	return min(width, transcriptWidth), true
}

package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/yaap-chat/yaap/core/room"
	"github.com/yaap-chat/yaap/core/roomhelp"
	"github.com/yaap-chat/yaap/tui"
)

// guide is what the room can be asked about this program.
func (p *program) guide(keys tui.Rebound) (g roomhelp.Guide) {
	g.Keys, g.Commands = tui.Keys(keys), tui.Commands(room.InChat(), keys)
	root := (&program{}).command()
	for _, c := range root.Commands() {
		if !c.Hidden {
			g.Shell = append(g.Shell, shellCommands(c)...)
		}
	}
	for _, flags := range []*pflag.FlagSet{root.PersistentFlags(), root.Flags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			g.Flags = append(g.Flags, roomhelp.Command{Name: "--" + f.Name, Does: f.Usage})
		})
	}
	return g
}

// shellCommands are a command of the shell and those below it.
func shellCommands(c *cobra.Command) []roomhelp.Command {
	_, args, _ := strings.Cut(c.Use, " ")
	list := []roomhelp.Command{{Name: c.CommandPath(), Args: args, Does: c.Short}}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			list = append(list, shellCommands(sub)...)
		}
	}
	return list
}

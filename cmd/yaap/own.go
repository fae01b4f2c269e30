package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"yaap/core"
	"yaap/core/bidding"
	"yaap/core/config"
	"yaap/core/memory"
	"yaap/core/roomhelp"
	"yaap/tui"
)

// own are the tools of the room itself that bid: recall, where something is
// remembered, and help. Other programs are not offered them: recall tells in
// words what search_memories gives them, and help is about this terminal.
type own struct {
	recall *memory.Recaller // nil: nothing is remembered
	help   *roomhelp.Help
}

// openOwn makes the room's own bidders.
func (a *app) openOwn() (err error) {
	if a.memory != nil {
		a.own.recall = memory.NewRecaller(a.store, a.memory.memory.ID, nil)
	}
	a.own.help, err = roomhelp.New(a.guide())
	return err
}

// ownBidders are the tools of the room itself that bid.
func (a *app) ownBidders() []bidding.Own {
	list := []bidding.Own{{Tool: roomhelp.Name, Bid: a.own.help.Bid}}
	if a.own.recall != nil {
		list = append(list, bidding.Own{Tool: memory.RecallName, Bid: a.own.recall.Bid})
	}
	return list
}

// tools are called by the name that bids.
func (o own) tools() []core.Tool {
	list := []core.Tool{o.help.Tool()}
	if o.recall != nil {
		list = append(list, o.recall.Tool())
	}
	return list
}

// guide is what the room can be asked about itself, each from where it is
// defined.
func (a *app) guide() roomhelp.Guide {
	g := roomhelp.Guide{State: a.cfg.StateDir, Config: a.cfg.File, Experts: a.hub.Experts}
	for _, k := range tui.Keys() {
		g.Keys = append(g.Keys, roomhelp.Key(k))
	}
	for _, c := range tui.Commands() {
		g.Commands = append(g.Commands, roomhelp.Command(c))
	}
	for _, s := range config.Settings() {
		g.Settings = append(g.Settings, roomhelp.Setting(s))
	}
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

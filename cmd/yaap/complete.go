package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/yaap-chat/yaap/core/room"
)

// group puts the commands below what people want of them.
func group(root *cobra.Command) {
	for _, g := range []struct{ title, names string }{
		{"Conversations:", "run answer threads replay inspect export demo"},
		{"Experts:", "experts expert join"},
		{"Chains:", "chain"},
		{"Memory:", "memory"},
		{"Trust and audit:", "trust audit"},
		{"Other programs and rooms:", "mcp serve rooms wire"},
		{"Setup and diagnosis:", "doctor config logs help completion man bench version"},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		names := strings.Fields(g.names)
		for _, c := range root.Commands() {
			if slices.Contains(names, c.Name()) {
				c.GroupID = g.title
			}
		}
		if slices.Contains(names, "help") {
			root.SetHelpCommandGroupID(g.title)
			root.SetCompletionCommandGroupID(g.title)
		}
	}
}

// complete has shells complete what only this machine knows.
func (p *program) complete(root *cobra.Command) {
	values := func(of func(context.Context, *room.Call) []string) cobra.CompletionFunc {
		return func(cmd *cobra.Command, _ []string, _ string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
			if call, err := p.call(cmd, nil); err == nil {
				list = of(cmd.Context(), call) // without it nothing is completed
			}
			return list, cobra.ShellCompDirectiveNoFileComp
		}
	}
	flag := func(name string, of func(context.Context, *room.Call) []string) {
		_ = root.RegisterFlagCompletionFunc(name, values(of)) // the flag is there
	}
	flag("thread", room.ThreadNames)
	flag("model", room.ModelNames)
	flag("builtin", func(context.Context, *room.Call) []string { return append(builtinNames(), "all", "none") })
	flag("runner", func(_ context.Context, c *room.Call) (list []string) {
		list = []string{"agent/yaap"}
		for _, name := range room.ChainNames(c) {
			list = append(list, "chain/"+name)
		}
		return list
	})
	for _, c := range root.Commands() {
		switch c.Name() {
		case "replay":
			c.ValidArgsFunction = values(room.ThreadNames)
		case "chain":
			for _, below := range c.Commands() {
				if slices.Contains([]string{"run", "show", "check", "plan"}, below.Name()) {
					below.ValidArgsFunction = values(func(_ context.Context, c *room.Call) []string { return room.ChainNames(c) })
				}
			}
		}
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub/server"
	carry "github.com/yaap-chat/yaap/core/join"
	"github.com/yaap-chat/yaap/core/safe"
)

func (p *program) joinCommand() *cobra.Command {
	var name, into string
	cmd := &cobra.Command{
		Use: "join [flags] -- COMMAND ARGS", Short: "Bring an MCP server of this terminal into the open room",
		Long: "Run an MCP server of standard input and output here, in this terminal's directory and\n" +
			"with its environment, and have its tools in the room of this directory, or of the\n" +
			"nearest one above it, until it ends. ctrl+c is its goodbye.",
		Args: misuse(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return p.join(cmd.Context(), name, into, args) },
	}
	cmd.Flags().StringVar(&name, "name", "", "what it is called in the room (default: made of the command)")
	cmd.Flags().StringVar(&into, "room", "", "the directory of the room, or the last part of it: see yaap rooms")
	return cmd
}

// join has a command in a room until one of them goes.
func (p *program) join(ctx context.Context, name, into string, command []string) error {
	a, err := p.findRoom(into)
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	err = carry.Server{Room: a, Name: name, Command: command, Dir: dir, Stderr: p.stderr, Joined: func(text string) {
		say(p.stdout, "→ "+text+"; ctrl+c is goodbye")
	}}.Run(ctx)
	if err == nil {
		say(p.stdout, "← goodbye")
	}
	return err
}

// findRoom returns the room that is meant: see [server.Choose].
func (p *program) findRoom(name string) (server.Address, error) {
	cfg, err := p.config()
	if err != nil {
		return server.Address{}, err
	}
	return server.Choose(server.Rooms(cfg.RunDirs), cfg.Dir, name)
}

func (p *program) roomsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "rooms", Short: "List the rooms that are open", Args: misuse(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			cfg, err := p.config()
			if err != nil {
				return err
			}
			rooms := server.Rooms(cfg.RunDirs)
			list := core.Part{Kind: core.Table, Head: []string{"directory", "open for", ""}}
			for _, a := range rooms {
				list.Rows = append(list.Rows, []string{a.Dir, openFor(a.Since), fmt.Sprintf("process %d", a.PID)})
			}
			if len(rooms) == 0 {
				list = core.Part{Text: "No room is open. yaap opens one here, yaap serve one without a terminal."}
			}
			p.show(p.stdout, core.Doc{Parts: []core.Part{list}})
			return nil
		},
	}
}

func openFor(since time.Time) string {
	if since.IsZero() {
		return "?"
	}
	return time.Since(since).Round(time.Second).String()
}

func (p *program) serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "serve", Short: "Open a room without a terminal, for other programs and terminals",
		Long: "Open a room that nobody sits at, until ctrl+c: yaap join brings experts into it, yaap mcp\n" +
			"and /mcp use it. What happens is a line each. What may change something needs --allow.",
		Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context()) },
	}
	p.options.registerRoom(cmd.Flags())
	return cmd
}

// serve opens a room and tells what happens in it until ctx ends.
func (p *program) serve(ctx context.Context) error {
	r, err := p.open(ctx)
	if err != nil {
		return err
	}
	watch := &watcher{p: &program{stdout: p.stdout, stderr: p.stdout, env: p.env}, feed: r.Feed(), done: make(chan struct{})}
	err = r.Run(ctx, func(ctx context.Context) error {
		say(p.stdout, "the room of "+safe.Line(r.Config.Dir)+" is open: yaap join -- COMMAND brings an expert, yaap mcp uses it, ctrl+c closes it")
		watch.follow(ctx)
		return nil
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

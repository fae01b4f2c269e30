package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/yaap-chat/yaap/core/bridge"
	"github.com/yaap-chat/yaap/core/hub/server"
)

func (p *program) mcpCommand() *cobra.Command {
	var into string
	var readOnly, graph bool
	cmd := &cobra.Command{
		Use: "mcp", Short: "Let an MCP client on standard input and output use the room that is open",
		Long: "Pass MCP between standard input and output and the room of this directory, or of the\n" +
			"nearest one above it: its chat, its experts, its memory and its prompts. If none\n" +
			"is open, it opens one without a terminal until the client goes. An editor starts it as\n" +
			"any MCP server; the room of the directory may close and open meanwhile. With\n" +
			"--server-memory the client gets the tools of @modelcontextprotocol/server-memory and no\n" +
			"others; their entities are entries of the memory of this directory.",
		Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := p.config()
			if err != nil {
				return err
			}
			dir, open := cfg.Dir, p.openAside
			if into != "" {
				a, err := p.findRoom(into)
				if err != nil {
					return err
				}
				dir, open = a.Dir, nil
			}
			b := &bridge.Bridge{Dirs: cfg.RunDirs, Dir: dir, Version: version(), Out: p.stdout, Open: open}
			b.ReadOnly = readOnly
			if graph {
				b.Path = server.GraphPath
			}
			return b.Run(cmd.Context(), cmd.InOrStdin())
		},
	}
	cmd.Flags().StringVar(&into, "room", "", "the directory of an open room, or the last part of it: see yaap rooms")
	cmd.Flags().BoolVar(&readOnly, "read-only", false, "offer only tools that are said to change nothing")
	cmd.Flags().BoolVar(&graph, "server-memory", false, "offer the tools of @modelcontextprotocol/server-memory in place of all others")
	return cmd
}

// comeTime is how long a client waits for the experts of a room that was opened for
// it. It is told of those that come later.
const comeTime = 5 * time.Second

// openAside opens a room that nobody sits at, until ctx ends.
func (p *program) openAside(ctx context.Context, come func()) error {
	r, err := p.open(ctx)
	if err != nil {
		return err
	}
	return r.Run(ctx, func(ctx context.Context) error {
		coming, cancel := context.WithTimeout(ctx, comeTime)
		defer cancel()
		_ = r.Hub().WaitSettled(coming) // who is late comes later
		come()
		<-ctx.Done()
		return nil
	})
}

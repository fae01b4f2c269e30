package main

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/yaap-chat/yaap/core/wire"
)

// wireCommand stands between two programs that speak MCP.
func (p *program) wireCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "wire [flags] -- COMMAND ARGS",
		Short: "Show the frames between two programs that speak MCP",
		Long: "Stand between a program that speaks MCP over standard input and output and the COMMAND\n" +
			"that it would start: have it start this instead. Every byte passes unchanged and at\n" +
			"once. Each frame is shown on standard error as a line, → to the command and ← from it,\n" +
			"or written to FILE as a line of JSON that only you can read (0600), as by yaap --wire.\n" +
			"Secrets are masked there, and of a frame the first 64 KiB are kept. The exit code is\n" +
			"that of the command.",
		Example: "  yaap wire --file /tmp/frames.jsonl -- npx -y @modelcontextprotocol/server-everything",
		Args:    misuse(cobra.MinimumNArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.wire(cmd.Context(), file, args) },
	}
	cmd.Flags().StringVar(&file, "file", "", "write the frames to this file, as lines of JSON, and nothing to standard error")
	return cmd
}

func (p *program) wire(ctx context.Context, path string, command []string) error {
	tap := new(wire.Tap)
	closing := func() error { return nil }
	if path == "" {
		tap.Subscribe(func(f wire.Frame) { say(p.stderr, f.String()) })
	} else {
		file, err := wire.Create(path)
		if err != nil {
			return err
		}
		tap.Subscribe(file.Write)
		closing = file.Close
	}
	err := wire.Proxy(ctx, tap.Line(filepath.Base(command[0]), "stdio"), command, p.stdin, p.stdout, p.stderr)
	failed := closing()
	if ended := new(exec.ExitError); errors.As(err, &ended) {
		code := ended.ExitCode()
		if how, ok := ended.Sys().(syscall.WaitStatus); ok && how.Signaled() {
			code = 128 + int(how.Signal()) // as a shell has it
		}
		if failed != nil {
			p.complain(failed)
		}
		return exitStatus{code}
	}
	return errors.Join(err, failed)
}

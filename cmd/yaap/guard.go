package main

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"yaap/core/hub/link"
)

// guardCommand is the process that ends the room's experts when the room has
// been killed.
func (p *program) guardCommand() *cobra.Command {
	return &cobra.Command{
		Use: "guard", Hidden: true, Args: misuse(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
			link.ServeGuard(p.stdin)
			return nil
		},
	}
}

func startGuard() (*link.Guard, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	//nolint:noctx // it must outlive everything; the end of its input ends it
	return link.StartGuard(exec.Command(self, "guard"))
}

package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/yaap-chat/yaap/core/hub/link"
)

// guardCommand is the process that starts the room's experts, and ends them
// when the room is gone.
func (p *program) guardCommand() *cobra.Command {
	return &cobra.Command{
		Use: "guard", Hidden: true, Args: misuse(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			in, ok := p.stdin.(*os.File)
			if !ok {
				return usageHint(errors.New("it is started by the room itself"), "type yaap --help")
			}
			return link.ServeGuard(in)
		},
	}
}

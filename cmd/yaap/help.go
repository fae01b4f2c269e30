package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/docs"
	"github.com/yaap-chat/yaap/tui"
)

// helpCommand shows a document, or how a command is used.
func (p *program) helpCommand() *cobra.Command {
	topics := strings.Join(docs.Topics(), ", ")
	return &cobra.Command{
		Use: "help [TOPIC | COMMAND]", Short: "Show a document, or how a command is used",
		Long: "Show a document: " + topics + ";\nor how a command is used.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if text, ok := docs.Read(args[0]); ok {
					return p.write(strings.TrimRight(tui.Page(p.stdout, p.env, text), "\n"))
				}
			}
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 && found == cmd.Root() {
				return usageHint(errors.New("there is no document and no command "+safe.Line(strings.Join(args, " "))), "the documents are "+topics+"; yaap --help lists the commands")
			}
			found.InitDefaultHelpFlag()
			if err := found.Help(); err != nil || len(args) > 0 {
				return err
			}
			return p.write("\nThe documents are " + topics + ": yaap help TOPIC shows one.")
		},
	}
}

package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (p *program) manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man", Short: "The manual page, for man: yaap man >yaap.1", Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.write(manual(cmd.Root())) },
	}
}

// manual is one page of man (roff) about all commands.
func manual(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(".TH YAAP 1 \"\" \"yaap " + version() + "\" \"User Commands\"\n.SH NAME\nyaap \\- " + roff(root.Short) +
		"\n.SH SYNOPSIS\n.B yaap\n[\\fIPROMPT\\fR | \\fICOMMAND\\fR] [\\fIflags\\fR]\n.SH DESCRIPTION\n.nf\n" + roff(root.Long) + "\n.fi\n.SH OPTIONS\n")
	manFlags(&b, root.LocalFlags())
	b.WriteString(".SH COMMANDS\n")
	manCommands(&b, root)
	b.WriteString(".SH EXAMPLES\n.nf\n" + roff(root.Example) + "\n.fi\n")
	return strings.TrimRight(b.String(), "\n")
}

func manCommands(b *strings.Builder, parent *cobra.Command) {
	for _, c := range parent.Commands() {
		if c.Hidden {
			continue
		}
		if c.Runnable() && !c.HasSubCommands() || c.Long != "" {
			b.WriteString(".SS " + roff(strings.TrimSuffix(c.UseLine(), " [flags]")) + "\n" + roff(c.Short) + ".\n")
			if c.Long != "" {
				b.WriteString(".PP\n.nf\n" + roff(c.Long) + "\n.fi\n")
			}
			manFlags(b, c.LocalNonPersistentFlags())
		}
		manCommands(b, c)
	}
}

func manFlags(b *strings.Builder, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		long := "\\-\\-" + roff(f.Name)
		if f.Shorthand != "" {
			long = "\\-" + f.Shorthand + ", " + long
		}
		b.WriteString(".TP\n\\fB" + long + "\\fR \\fI" + roff(name) + "\\fR\n" + roff(usage) + "\n")
	})
}

// roff is text that has no meaning for roff.
func roff(text string) string {
	text = strings.NewReplacer("\\", "\\e", "-", "\\-").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = "\\&" + line
		}
	}
	return strings.Join(lines, "\n")
}

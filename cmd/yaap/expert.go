package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/calc"
	"github.com/yaap-chat/yaap/experts/clock"
	"github.com/yaap-chat/yaap/experts/data"
	"github.com/yaap-chat/yaap/experts/files"
	"github.com/yaap-chat/yaap/experts/git"
)

// builtins makes the built-in experts, which work in dir.
func builtins(dir string) map[string]func() experts.Expert {
	return map[string]func() experts.Expert{
		"calc":  calc.New,
		"clock": func() experts.Expert { return clock.New(time.Now, time.Local) },
		"data":  func() experts.Expert { return data.New(dir) },
		"files": func() experts.Expert { return files.New(dir) },
		"git":   func() experts.Expert { return git.New(dir) },
	}
}

func builtinNames() []string { return slices.Sorted(maps.Keys(builtins(""))) }

// beExpert has the command of the authors of experts be a built-in expert on standard
// input and output, where it is given the name of one: yaap expert calc.
func (p *program) beExpert(authors *cobra.Command) {
	list := authors.RunE
	var joins bool
	var into string
	authors.Flags().BoolVar(&joins, "join", false, "have the built-in expert in the room that is open: see yaap join")
	authors.Flags().StringVar(&into, "room", "", "with --join: the directory of the room, or the last part of it")
	authors.Long = authors.Short + ". With the NAME of a built-in expert this is that expert, on standard\ninput and output: yaap expert NAME --join has it in the room that is open."
	authors.Args = misuse(cobra.MaximumNArgs(1))
	authors.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return list(cmd, args)
		}
		if joins {
			return p.joinBuiltin(cmd.Context(), args[0], into)
		}
		return p.expert(cmd.Context(), args[0])
	}
}

// joinBuiltin has a built-in expert, for the directory of this terminal, in a room.
func (p *program) joinBuiltin(ctx context.Context, name, into string) error {
	if _, err := p.builtin(name); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return p.join(ctx, name, into, []string{self, "expert", name})
}

// builtin returns what makes a built-in expert.
func (p *program) builtin(name string) (func() experts.Expert, error) {
	dir := cmp.Or(p.options.Dir, ".")
	if name == "guestbook" { // comes with the demo only
		return func() experts.Expert { return guestbook(dir) }, nil
	}
	build, ok := builtins(dir)[name]
	if !ok {
		return nil, core.Fail(core.CodeInvalid, fmt.Sprintf("there is no built-in expert %q", name), "there are "+strings.Join(builtinNames(), ", "))
	}
	return build, nil
}

func (p *program) expert(ctx context.Context, name string) error {
	build, err := p.builtin(name)
	if err != nil {
		return err
	}
	// The room ends its experts itself; the terminal's interrupt is for the room.
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP)
	return experts.Serve(ctx, build())
}

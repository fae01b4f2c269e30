package main

import (
	"context"
	"fmt"
	"maps"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"yaap/core"
	"yaap/experts"
	"yaap/experts/calc"
	"yaap/experts/clock"
	"yaap/experts/data"
	"yaap/experts/files"
	"yaap/experts/git"
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
	authors.Args = misuse(cobra.MaximumNArgs(1))
	authors.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return list(cmd, args)
		}
		return p.expert(cmd.Context(), args[0])
	}
}

func (p *program) expert(ctx context.Context, name string) error {
	dir := p.options.Dir
	if dir == "" {
		dir = "."
	}
	build, ok := builtins(dir)[name]
	if !ok {
		return &core.Error{
			Code: core.CodeInvalid, Op: "expert", Message: fmt.Sprintf("there is no built-in expert %q", name),
			Hint: "there are " + strings.Join(builtinNames(), ", "),
		}
	}
	// The room ends its experts itself; the terminal's interrupt is for the room.
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP)
	return experts.Serve(ctx, build())
}

package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/room"
	"github.com/yaap-chat/yaap/core/safe"
)

// tableCommands are the rows of the command table as commands of the shell.
func (p *program) tableCommands() (list []*cobra.Command) {
	groups := map[string]*cobra.Command{}
	table := room.Commands()
	for _, c := range table {
		group, rest := c.Group()
		lists := rest == "" && slices.ContainsFunc(table, func(below room.Command) bool {
			name, rest := below.Group()
			return name == group && rest != "" && below.AtShell()
		})
		switch {
		case rest == "":
			groups[group] = p.tableCommand(c, group, lists)
		case c.AtShell():
			below := p.tableCommand(c, rest, false)
			groups[group].AddCommand(below)
		}
		if cmd := groups[group]; c.AtShell() && !slices.Contains(list, cmd) {
			list = append(list, cmd)
		}
	}
	return list
}

// tableCommand is one row. One that has others below it and does nothing itself lists them.
func (p *program) tableCommand(c room.Command, name string, lists bool) *cobra.Command {
	args := strings.Replace(c.Args, "-- ", "[flags] -- ", 1) // what follows two dashes is the command's own
	cmd := &cobra.Command{Use: strings.TrimSpace(name + " " + args), Short: strings.ToUpper(c.Does[:1]) + c.Does[1:], Long: c.Long}
	if lists {
		register(cmd.PersistentFlags(), c.Flags)
		for _, f := range c.Flags {
			if f.Name == "memory" {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, p.completeMemory) // the flag is there
			}
		}
		cmd.Use, cmd.Args = name, misuse(cobra.NoArgs)
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		if c.Run == nil {
			return cmd
		}
	} else {
		cmd.Args = misuse(between(c.Least, c.Most))
		register(cmd.Flags(), c.Flags)
	}
	var asJSON bool
	switch {
	case c.Asks != nil:
		cmd.Flags().BoolVar(&asJSON, "json", false, "print every event as one line of JSON; the last is run_end")
	case c.JSON:
		cmd.Flags().BoolVar(&asJSON, "json", false, "as one line of JSON")
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		call, err := p.call(cmd, args)
		if err != nil {
			return err
		}
		if c.Asks != nil && c.Asks(call) {
			return p.runCommandOfTable(cmd.Context(), c, call, asJSON)
		}
		return p.do(cmd.Context(), c, call, asJSON)
	}
	return cmd
}

func between(least, most int) cobra.PositionalArgs {
	switch {
	case most < 0:
		return cobra.MinimumNArgs(least)
	case most == 0:
		return func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("nothing belongs after it, and not %q", args[0])
			}
			return nil
		}
	}
	return cobra.RangeArgs(least, most)
}

func register(flags *pflag.FlagSet, list []core.Flag) {
	for _, f := range list {
		switch value := f.Default.(type) {
		case bool:
			flags.BoolP(f.Name, f.Letter, value, f.Does)
		case int:
			flags.IntP(f.Name, f.Letter, value, f.Does)
		case []string:
			flags.StringArrayP(f.Name, f.Letter, value, f.Does)
		case string:
			flags.StringP(f.Name, f.Letter, value, f.Does)
		}
	}
}

// call is a use of a command at the shell.
func (p *program) call(cmd *cobra.Command, args []string) (*room.Call, error) {
	cfg, err := p.config()
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		flags := cmd.Flags()
		switch f.Value.Type() {
		case "bool":
			values[f.Name], _ = flags.GetBool(f.Name)
		case "int":
			values[f.Name], _ = flags.GetInt(f.Name)
		case "stringArray":
			values[f.Name], _ = flags.GetStringArray(f.Name)
		default:
			values[f.Name] = f.Value.String()
		}
	})
	alone := func(ctx context.Context) (*room.Room, error) {
		p.options.Ephemeral = true
		return p.open(ctx)
	}
	return &room.Call{Config: cfg, Getenv: p.env, Args: args, Values: values, Thread: p.options.thread, Out: p.stdout, Alone: alone, Cast: p.cast, Tell: func(n core.Notice) {
		say(p.stderr, safe.Text(n.Text))
		p.advise(n.Hint)
	}}, nil
}

// do runs a command that needs no room, and prints what it says.
func (p *program) do(ctx context.Context, c room.Command, call *room.Call, asJSON bool) error {
	out := bufio.NewWriter(p.stdout)
	call.Out = out
	doc, err := c.Do(ctx, call)
	if asJSON && doc.Data != nil && err == nil {
		line, failed := json.Marshal(doc.Data)
		_, _ = fmt.Fprintln(out, safe.JSON(string(line))) // flushing tells
		err = failed
	} else {
		p.show(out, doc)
	}
	if failed := out.Flush(); failed != nil {
		return cmp.Or(err, unwritten(failed, "look where standard output leads: is the disk full?"))
	}
	switch {
	case err != nil:
		return err
	case doc.Failed:
		return exitStatus{exitFailed}
	case doc.Result != nil:
		return exitFor(*doc.Result)
	case c.Name == "config" || c.Name == "config list": // it shows them; what the chat refuses is said, too
		return looks(call.Config)
	}
	return nil
}

// show prints what a command says: remarks and faults to standard error.
func (p *program) show(out io.Writer, doc core.Doc) {
	for _, part := range doc.Parts {
		text := strings.TrimRight(safe.Text(part.Text), "\n")
		switch part.Kind {
		case core.Remark, core.Fault:
			say(p.stderr, p.atShell(text))
		case core.Table:
			for _, line := range columns(part.Rows) {
				say(out, line)
			}
		default:
			if rows, ok := p.asRows(text, ""); ok && part.Kind == core.Markdown && out == p.stdout {
				text = strings.Join(rows, "\n")
			}
			if text != "" {
				say(out, text)
			}
		}
	}
}

// columns are the rows of a table with aligned cells.
func columns(rows [][]string) (lines []string) {
	var widths []int
	cells := func(row []string, each func(i int, cell string)) {
		for i, cell := range row {
			each(i, safe.Line(cell))
		}
	}
	for _, row := range rows {
		cells(row, func(i int, cell string) {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		})
	}
	for _, row := range rows {
		var b strings.Builder
		cells(row, func(i int, cell string) {
			b.WriteString(cell + strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2))
		})
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}

// runCommandOfTable has a command answered that asks for an answer.
func (p *program) runCommandOfTable(ctx context.Context, c room.Command, call *room.Call, asJSON bool) error {
	if c.Check != nil {
		if err := c.Check(call); err != nil {
			return err
		}
	}
	if c.Goes != nil {
		p.options.run = c.Goes(call)
	}
	p.options.migrate, _ = call.Values["migrate"].(bool)
	p.options.record, _ = call.Values["record"].(string)
	return p.run(ctx, func(ctx context.Context, r *room.Room, thread string) (core.Result, error) {
		call.Thread = thread
		doc, err := c.In(ctx, r, call)
		if doc.Result == nil {
			doc.Result = new(core.Result)
		}
		return *doc.Result, err
	}, asJSON)
}

// completeMemory names the memories that there are.
func (p *program) completeMemory(cmd *cobra.Command, _ []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	call, err := p.call(cmd, nil)
	if err == nil {
		names, _ = room.MemoryNames(cmd.Context(), call) // without it nothing is completed
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

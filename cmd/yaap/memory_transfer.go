package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"yaap/core"
	"yaap/core/guard"
	"yaap/core/safe"
	"yaap/core/userfile"
)

func (p *program) memoryExport() *cobra.Command {
	var everything bool
	cmd := &cobra.Command{
		Use: "export [FILE]", Short: "Write a memory as lines of JSON", Args: misuse(cobra.MaximumNArgs(1)),
		Long: "Write a memory as lines of JSON, to a file that only you can read or to standard output.\n" +
			"yaap memory import takes it in, here or on another machine. What has expired or was\n" +
			"forgotten is not in it, nor are conversations.",
		RunE: func(cmd *cobra.Command, args []string) error {
			export := func(ctx context.Context, s shelf) error {
				var memories []string
				if !everything {
					memories = []string{s.memory.ID}
				}
				if len(args) == 0 {
					_, err := exportTo(ctx, p.stdout, s, memories)
					return err
				}
				lines, err := exportFile(ctx, args[0], s, memories)
				if err == nil {
					say(p.stderr, plural(lines, "line is", "lines are")+" in "+safe.Line(args[0]))
				}
				return err
			}
			if everything {
				return p.withShelf(cmd.Context(), export)
			}
			return p.withMemory(cmd.Context(), export)
		},
	}
	cmd.Flags().BoolVar(&everything, "all", false, "all memories")
	return cmd
}

// exportFile writes a file that only its owner can read. Where that fails there
// is none.
func exportFile(ctx context.Context, path string, s shelf, memories []string) (lines int, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		hint := "check the directory and its permissions"
		if errors.Is(err, fs.ErrExist) {
			hint = "choose another name, or remove the file first"
		}
		return 0, &core.Error{Code: core.CodeRefused, Op: "memory: export", Message: "cannot write " + safe.Line(path), Hint: hint, Err: err}
	}
	lines, err = exportTo(ctx, f, s, memories)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path) // the first error says more
	}
	return lines, err
}

func exportTo(ctx context.Context, w io.Writer, s shelf, memories []string) (lines int, err error) {
	out := bufio.NewWriter(w)
	for line, err := range s.store.Export(ctx, memories...) {
		if err != nil {
			return lines, err
		}
		lines++
		_, _ = fmt.Fprintln(out, safe.JSON(line)) // the writer keeps the error, and flushing it tells
	}
	if err := out.Flush(); err != nil {
		return lines, &core.Error{
			Code: core.CodeInternal, Op: "memory: export", Message: "the export cannot be written", Hint: "look after the disk, or after what reads it", Err: err,
		}
	}
	return lines, nil
}

func (p *program) memoryImport() *cobra.Command {
	return &cobra.Command{
		Use: "import FILE", Short: "Take in what export wrote", Args: misuse(cobra.ExactArgs(1)),
		Long: "Take in what export wrote: all of it, or nothing when it is damaged. It goes into the\n" +
			"memories that it comes from, by their ids or titles, or into the one that --memory names.\n" +
			"What is there already stays as it is, and what was forgotten here does not come back.\n" +
			"Other windows cannot write meanwhile: close them before ten thousands of entries.",
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := userfile.Open(args[0])
			if err != nil {
				return &core.Error{Code: core.CodeInvalid, Op: "memory: import", Message: "cannot read " + safe.Line(args[0]), Hint: "check the path", Err: err}
			}
			defer f.Close() //nolint:errcheck // it is only read
			return p.withShelf(cmd.Context(), func(ctx context.Context, s shelf) error {
				into := ""
				if s.strict {
					into = s.memory.ID
				}
				hidden := 0
				much, err := s.store.Import(ctx, f, into, func(text string) string {
					text, n := guard.Mask(text)
					hidden += n
					return text
				})
				if err != nil {
					return err
				}
				said := fmt.Sprintf("New are %s, %s and %s; %d are here already.", plural(much.Memories, "memory", "memories"), plural(much.Entries, "entry", "entries"),
					plural(much.Contexts, "version of a context", "versions of contexts"), much.Known)
				if much.Forgotten > 0 {
					said += fmt.Sprintf(" %d were forgotten here, and stay away.", much.Forgotten)
				}
				if hidden > 0 {
					said += " " + plural(hidden, "secret was", "secrets were") + " taken out."
				}
				return p.tell(said, nil)
			})
		},
	}
}

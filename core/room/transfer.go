package room

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/memory/foreign"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/text"
	"github.com/yaap-chat/yaap/core/userfile"
)

// exportMemory writes a memory to a file or, where none is named, as the answer.
func exportMemory(ctx context.Context, c *Call) (core.Doc, error) {
	s, doc, ok, err := c.filled(ctx)
	if err != nil || !ok {
		return doc, err
	}
	var memories []string
	if !c.is("all") {
		memories = []string{s.memory.ID}
	}
	if len(c.Args) == 0 {
		_, err := exportTo(ctx, c.Out, s, memories)
		return core.Doc{}, err
	}
	lines, err := exportFile(ctx, c.Args[0], s, memories)
	if err != nil {
		return core.Doc{}, err
	}
	return core.Say(core.Remark, text.Count(lines, "line is", "lines are")+" in "+safe.Line(c.Args[0])), nil
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

func importMemory(ctx context.Context, c *Call) (core.Doc, error) {
	form, said, err := foreign.Read(c.Args[0])
	if err != nil {
		return core.Doc{}, unreadable(c.Args[0], err)
	}
	if form != foreign.Yaap {
		return c.importForeign(ctx, form, said)
	}
	f, err := userfile.Open(c.Args[0])
	if err != nil {
		return core.Doc{}, unreadable(c.Args[0], err)
	}
	defer f.Close() //nolint:errcheck // it is only read
	s, err := c.shelf(ctx)
	if err != nil {
		return core.Doc{}, err
	}
	into := ""
	if s.strict {
		into = s.memory.ID
	}
	return takeIn(ctx, s, f, into)
}

func unreadable(file string, err error) error {
	return &core.Error{
		Code: core.CodeInvalid, Op: "memory: import", Message: "cannot read " + safe.Line(file),
		Hint: "name what yaap memory export wrote, an export of ChatGPT or Claude (conversations.json, or the .zip), notes in Markdown or their directory, or lines of JSON", Err: err,
	}
}

// takeIn stores lines of an export, without the secrets in them.
func takeIn(ctx context.Context, s shelf, lines io.Reader, into string) (core.Doc, error) {
	hidden := 0
	much, err := s.store.Import(ctx, lines, into, func(text string) string {
		text, n := guard.Mask(text)
		hidden += n
		return text
	})
	if err != nil {
		return core.Doc{}, err
	}
	said := fmt.Sprintf("New are %s, %s and %s; %d are here already.", text.Count(much.Memories, "memory", "memories"), text.Count(much.Entries, "entry", "entries"),
		text.Count(much.Contexts, "version of a context", "versions of contexts"), much.Known)
	if much.Forgotten > 0 {
		said += fmt.Sprintf(" %d were forgotten here, and stay away.", much.Forgotten)
	}
	if hidden > 0 {
		said += " " + text.Count(hidden, "secret was", "secrets were") + " taken out."
	}
	return core.Say(core.Markdown, said), nil
}

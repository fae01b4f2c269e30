package room

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
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
	all := safeLines(s.store.Export(ctx, memories...))
	if c.is("markdown") {
		all = asMarkdown(all)
	}
	if len(c.Args) == 0 {
		_, err := exportTo(c.Out, all)
		return core.Doc{}, err
	}
	lines, err := exportFile(c.Args[0], all)
	if err != nil {
		return core.Doc{}, err
	}
	what := text.Count(lines, "line is", "lines are")
	if c.is("markdown") {
		what = "the memory is"
	}
	return core.Say(core.Remark, what+" in "+safe.Line(c.Args[0])), nil
}

// exportFile writes a file that only its owner can read. Where that fails there
// is none.
func exportFile(path string, all iter.Seq2[string, error]) (lines int, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		hint := "check the directory and its permissions"
		if errors.Is(err, fs.ErrExist) {
			hint = "choose another name, or remove the file first"
		}
		return 0, core.Fail(core.CodeRefused, "cannot write "+safe.Line(path), hint).Because(err)
	}
	lines, err = exportTo(f, all)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path) // the first error says more
	}
	return lines, err
}

func exportTo(w io.Writer, all iter.Seq2[string, error]) (lines int, err error) {
	out := bufio.NewWriter(w)
	for line, err := range all {
		if err != nil {
			return lines, err
		}
		lines++
		_, _ = fmt.Fprintln(out, line) // the writer keeps the error, and flushing it tells
	}
	if err := out.Flush(); err != nil {
		return lines, core.Fail(core.CodeInternal, "the export cannot be written", "look after the disk, or after what reads it").Because(err)
	}
	return lines, nil
}

// safeLines are lines of JSON that a terminal can be shown.
func safeLines(all iter.Seq2[string, error]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for line, err := range all {
			if !yield(safe.JSON(line), err) {
				return
			}
		}
	}
}

func importMemory(ctx context.Context, c *Call) (core.Doc, error) {
	form, said, err := foreign.Read(c.Args[0])
	if err != nil {
		return core.Doc{}, unreadable(c.Args[0], err)
	}
	lines, done, err := openExport(form, c.Args[0])
	if err != nil {
		return core.Doc{}, unreadable(c.Args[0], err)
	}
	defer done()
	if lines == nil {
		return c.importForeign(ctx, form, said)
	}
	if c.is("dry-run") {
		return counted(lines, c.Args[0])
	}
	s, err := c.memoryAccess(ctx)
	if err != nil {
		return core.Doc{}, err
	}
	into := ""
	if s.named {
		into = s.memory.ID
	}
	return takeIn(ctx, s, lines, into)
}

// openExport opens what export wrote, as lines of JSON; lines is nil for another
// file. done ends the reading.
func openExport(form foreign.Form, name string) (lines io.Reader, done func(), err error) {
	info, err := os.Stat(name)
	if err != nil || info.IsDir() || form != foreign.Yaap && form != foreign.Markdown {
		return nil, func() {}, err
	}
	f, err := userfile.Open(name)
	if err != nil {
		return nil, nil, err
	}
	done = func() { _ = f.Close() } // it is only read
	if form == foreign.Yaap {
		return f, done, nil
	}
	whole := bufio.NewReader(f)
	if begin, _ := whole.Peek(len(markdownBegin)); string(begin) != markdownBegin {
		return nil, done, nil
	}
	from, to := io.Pipe()
	ended := make(chan struct{})
	go func() { defer close(ended); to.CloseWithError(fromMarkdown(whole, to)) }()
	return from, func() { _ = from.Close(); <-ended; _ = f.Close() }, nil
}

// counted says what an export holds.
func counted(lines io.Reader, file string) (core.Doc, error) {
	much := map[string]int{}
	scanner := bufio.NewScanner(lines)
	scanner.Buffer(nil, maxMarkdown)
	for scanner.Scan() {
		var x exported
		if err := json.Unmarshal(scanner.Bytes(), &x); err != nil {
			return core.Doc{}, unreadable(file, err)
		}
		much[x.T]++
	}
	if err := scanner.Err(); err != nil {
		return core.Doc{}, unreadable(file, err)
	}
	return core.Say(core.Markdown, fmt.Sprintf("It holds %s, %s and %s. Nothing was taken in.", text.Count(much["memory"], "memory", "memories"),
		text.Count(much["entry"], "entry", "entries"), text.Count(much["context"], "version of a context", "versions of contexts"))), nil
}

func unreadable(file string, err error) error {
	return core.Fail(core.CodeInvalid, "cannot read "+safe.Line(file),
		"name what yaap memory export wrote, an export of ChatGPT or Claude (conversations.json, or the .zip), notes in Markdown or their directory, or lines of JSON").Because(err)
}

// takeIn stores lines of an export, without the secrets in them.
func takeIn(ctx context.Context, s memoryAccess, lines io.Reader, into string) (core.Doc, error) {
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

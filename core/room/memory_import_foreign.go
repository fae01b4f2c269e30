package room

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory/extract"
	"github.com/yaap-chat/yaap/core/memory/foreign"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/text"
)

const toldOfImport = 2000 // messages, between two lines about how far it is

// importForeign takes in what another program remembers, into the memory of the
// directory or the one that is named.
func (c *Call) importForeign(ctx context.Context, form foreign.Form, said iter.Seq2[foreign.Message, error]) (core.Doc, error) {
	s, err := c.memoryAccess(ctx)
	if err != nil {
		return core.Doc{}, err
	}
	said = c.withoutLeftOut(said)
	if c.is("dry-run") {
		return importSummary(form, c.Args[0], said)
	}
	vault, here := memoryNames(c.Config.Dir)
	into := ""
	if s.named {
		here, into = s.memory, s.memory.ID
	}
	lines, w := io.Pipe()
	written := make(chan struct{})
	go func() { defer close(written); w.CloseWithError(writeLines(w, vault, here, said, c.Tell)) }()
	doc, err := takeIn(ctx, s, lines, into)
	_ = lines.Close() // which ends the writing
	<-written
	if err != nil && core.CodeOf(err) == core.CodeRefused {
		return core.Doc{}, unreadable(c.Args[0], err)
	}
	return doc, err
}

// withoutLeftOut tells of what is left out, and goes on with the rest.
func (c *Call) withoutLeftOut(said iter.Seq2[foreign.Message, error]) iter.Seq2[foreign.Message, error] {
	return func(yield func(foreign.Message, error) bool) {
		for one, err := range said {
			if left := (*foreign.LeftOut)(nil); errors.As(err, &left) {
				c.Tell(core.Notice{Level: "warn", Text: safe.Line(left.Error())})
			} else if !yield(one, err) {
				return
			}
		}
	}
}

// importSummary says what an import of a file would add.
func importSummary(form foreign.Form, file string, said iter.Seq2[foreign.Message, error]) (core.Doc, error) {
	threads, n := map[string]bool{}, 0
	var first, last time.Time
	for one, err := range said {
		if err != nil {
			return core.Doc{}, unreadable(file, err)
		}
		threads[one.Thread] = true
		n++
		if !one.Time.IsZero() && (first.IsZero() || one.Time.Before(first)) {
			first = one.Time
		}
		if one.Time.After(last) {
			last = one.Time
		}
	}
	line := fmt.Sprintf("%s: %s in %s", form, text.Count(n, "message", "messages"), text.Count(len(threads), "conversation or note", "conversations or notes"))
	if !first.IsZero() {
		line += ", from " + first.Local().Format("2 January 2006") + " to " + last.Local().Format("2 January 2006")
	}
	return core.Say(core.Markdown, line+". Nothing was taken in."), nil
}

// writeLines writes what was said as an export of the store.
func writeLines(w io.Writer, vault core.Vault, memory core.Memory, said iter.Seq2[foreign.Message, error], tell func(core.Notice)) error {
	n := 0
	put := func(line any) error {
		n++
		_, err := fmt.Fprintln(w, safe.JSON(asJSON(line)))
		return err
	}
	memory.Vault = vault.ID
	for _, line := range []any{
		map[string]int{"yaap_export": 1}, struct {
			T string `json:"t"`
			core.Vault
		}{"vault", vault}, struct {
			T string `json:"t"`
			core.Memory
		}{"memory", memory},
	} {
		if err := put(line); err != nil {
			return err
		}
	}
	for one, err := range said {
		if err != nil {
			return err
		}
		if one.Time.IsZero() || one.Time.After(time.Now()) {
			one.Time = time.Now()
		}
		for i, part := range parts(one.Text) {
			e := core.Entry{
				ID: fmt.Sprintf("%s/%d", one.ID, i+1), Memory: memory.ID, Thread: one.Thread, Message: one.ID, Part: i + 1, Role: one.Role,
				Raw: part, Summary: extract.Summary(string(one.Role), part, core.MaxSummary), Tags: one.Tags, Created: one.Time,
			}
			if err := put(struct {
				T string `json:"t"`
				core.Entry
			}{"entry", e}); err != nil {
				return err
			}
		}
		if n%toldOfImport == 0 {
			tell(core.Notice{Level: "info", Text: fmt.Sprintf("… %d messages", n), Progress: "import"})
		}
	}
	return put(map[string]any{"t": "end", "lines": n})
}

// parts are a text in pieces that an entry can hold.
func parts(text string) (list []string) {
	for text != "" {
		end := len(text)
		if utf8.RuneCountInString(text) > core.MaxRaw {
			end = 0
			for range core.MaxRaw {
				_, size := utf8.DecodeRuneInString(text[end:])
				end += size
			}
		}
		list, text = append(list, text[:end]), text[end:]
	}
	return list
}

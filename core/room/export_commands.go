package room

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/export"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
)

func exportCommand() Command {
	return Command{
		Command: core.Command{Name: "export", Args: "[FILE]", Does: "write a conversation down: as Markdown, HTML or its events", Flags: []core.Flag{
			{Name: "format", Default: "", Does: "markdown, html or jsonl; without it as FILE ends"},
			{Name: "force", Default: false, Does: "in place of a file that is there"},
		}},
		Long: "Write a conversation down: the one of --thread, else the last. FILE that ends in .md,\n" +
			".html or .jsonl says the form. HTML is one file that needs no network. Without FILE it\n" +
			"goes to the standard output.",
		Most: 1, Needs: aStore, Run: exportThread,
	}
}

// formats are the forms of an export, by the ends of files.
func formats() map[string]func(io.Writer, export.Conversation) error {
	return map[string]func(io.Writer, export.Conversation) error{
		"md": export.Markdown, "markdown": export.Markdown, "html": export.HTML, "jsonl": export.JSONL,
	}
}

func exportThread(ctx context.Context, c *Call) (core.Doc, error) {
	conversation, err := c.whole(ctx)
	if err != nil {
		return core.Doc{}, err
	}
	file := strings.Join(c.Args, "")
	if file == "" && c.inChat() {
		file = fileName(conversation.Title) + ".md"
	}
	format := c.text("format")
	if format == "" {
		format = strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), ".")
	}
	if format == "" {
		format = "markdown"
	}
	write, ok := formats()[format]
	if !ok {
		return core.Doc{}, &core.Error{Code: core.CodeInvalid, Op: "export", Message: safe.Line(format) + " is no form of an export", Hint: "name a FILE that ends in .md, .html or .jsonl"}
	}
	var b bytes.Buffer
	if err := write(&b, conversation); err != nil {
		return core.Doc{}, err
	}
	if file == "" {
		_, err := c.Out.Write(b.Bytes())
		return core.Doc{}, err
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(c.Config.Dir, file)
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if c.is("force") {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	if err := writeNew(file, flags, b.Bytes()); err != nil {
		hint := "choose another FILE"
		if errors.Is(err, fs.ErrExist) {
			hint = "choose another FILE, or say --force"
		}
		return core.Doc{}, &core.Error{Code: core.CodeInvalid, Op: "export", Message: "the conversation cannot be written to " + safe.Line(file), Hint: hint, Err: err}
	}
	return core.Say(core.Markdown, "It is in `"+safe.Line(file)+"`."), nil
}

// writeNew writes a file for the user alone: a conversation is private.
func writeNew(file string, flags int, content []byte) error {
	f, err := os.OpenFile(file, flags, 0o600) //nolint:gosec // the user names it
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// whole is what is written: the one that is named, else the last.
func (c *Call) whole(ctx context.Context) (export.Conversation, error) {
	id := c.Thread
	if id == "" {
		threads, err := c.store.Threads(ctx, 1)
		if err != nil {
			return export.Conversation{}, err
		}
		if len(threads) > 0 {
			id = threads[0].ID
		}
	}
	thread, err := c.store.Thread(ctx, id)
	if core.CodeOf(err) == core.CodeNotFound {
		return export.Conversation{}, &core.Error{Code: core.CodeNotFound, Op: "export", Message: "nothing has been said yet", Hint: "ask something first"}
	}
	if err != nil {
		return export.Conversation{}, err
	}
	messages, err := c.store.Messages(ctx, thread.ID)
	if err != nil {
		return export.Conversation{}, err
	}
	whole := export.Conversation{Title: thread.Title, ID: thread.ID}
	for _, m := range messages {
		last := len(whole.Turns) - 1
		if m.Role == core.RoleUser && (last < 0 || whole.Turns[last].Run == nil || whole.Turns[last].Run.ID != m.Run) {
			turn := export.Turn{Question: core.WithoutAttached(m.Text), At: m.Time}
			if turn.Events, err = c.store.RunEvents(ctx, m.Run); err != nil {
				return export.Conversation{}, err
			}
			turn.Run = runlog.Read(turn.Events, thinkingOf(messages, m.Run)).Run(m.Run)
			whole.Turns = append(whole.Turns, turn)
		}
		if last >= 0 && m.Reply != nil {
			whole.Turns[last].Reply = m.Reply
		}
	}
	return whole, nil
}

// thinkingOf is what the model thought before the messages of a run.
func thinkingOf(messages []core.Message, run string) map[string]string {
	thinking := map[string]string{}
	for _, m := range messages {
		if m.Run == run && m.Thinking != "" {
			thinking[m.ID] = m.Thinking
		}
	}
	return thinking
}

var noWord = regexp.MustCompile(`[^\p{L}\p{N}]+`)

// fileName is a name for the file of a conversation.
func fileName(title string) string {
	words := slices.DeleteFunc(strings.Split(noWord.ReplaceAllString(strings.ToLower(title), "-"), "-"), func(w string) bool { return w == "" })
	if len(words) == 0 {
		return "conversation"
	}
	return strings.Join(words[:min(len(words), 6)], "-")
}

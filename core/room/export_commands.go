package room

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/export"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/userfile"
)

func exportCommand() Command {
	return Command{
		Command: core.Command{Name: "export", Args: "[FILE]", Does: "write a conversation to a file: as Markdown, HTML, its events or an asciicast", Flags: []core.Flag{
			{Name: "format", Default: "", Does: "markdown, html, jsonl or asciicast; default: by the ending of FILE"},
			{Name: "size", Default: "100x30", Does: "columns and rows of an asciicast"},
			{Name: "force", Default: false, Does: "replace FILE if it exists"},
		}},
		Long: "Write a conversation to a file: the one of --thread, else the last. FILE that ends in .md,\n" +
			".html, .jsonl or .cast says the format. HTML is one file that needs no network; .cast is\n" +
			"the terminal as it was, for asciinema and its players. Without FILE it goes to the\n" +
			"standard output.",
		Most: 1, Stored: true, Run: exportThread,
	}
}

// format is a form of an export.
type format struct {
	names []string // the first is how files end
	what  string
	write func(ctx context.Context, c *Call, w io.Writer, thread core.Thread) error
}

// formats are the forms of an export. A new one is a row.
func formats() []format {
	return []format{
		{[]string{"md", "markdown"}, "Markdown", told(export.Markdown)},
		{[]string{"html"}, "a page for a browser", told(export.HTML)},
		{[]string{"jsonl"}, "its events, as lines of JSON", told(export.JSONL)},
		{[]string{"cast", "asciicast"}, "a recording for a player of terminals", writeCast},
	}
}

// told is a form of what was said.
func told(write func(io.Writer, export.Conversation) error) func(context.Context, *Call, io.Writer, core.Thread) error {
	return func(ctx context.Context, c *Call, w io.Writer, thread core.Thread) error {
		conversation, err := c.whole(ctx, thread)
		if err != nil {
			return err
		}
		return write(w, conversation)
	}
}

// writeCast writes what the terminal has shown.
func writeCast(ctx context.Context, c *Call, w io.Writer, thread core.Thread) error {
	var width, height int
	if n, err := fmt.Sscanf(c.text("size"), "%dx%d", &width, &height); err != nil || n != 2 || width < 20 || height < 5 || width > 400 || height > 200 {
		return c.misused("export", "a size is 100x30, from 20x5 to 400x200, and not "+safe.Line(c.text("size")))
	}
	if c.Cast == nil {
		return core.Fail(core.CodeInvalid, "nobody here can draw a terminal", "choose another form")
	}
	all, err := pages(ctx, c.store.Store, thread.ID)
	if err != nil {
		return err
	}
	return c.Cast(w, Replay{Thread: thread.ID, Title: thread.Title, Pages: all, Graph: c.written}, width, height)
}

func exportThread(ctx context.Context, c *Call) (core.Doc, error) {
	thread, err := c.exported(ctx)
	if err != nil {
		return core.Doc{}, err
	}
	file, name := strings.Join(c.Args, ""), c.text("format")
	if ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), "."); name == "" && ext == "" && file != "" {
		return core.Doc{}, core.Fail(core.CodeInvalid, safe.Line(file)+" does not say the form",
			"name a FILE that ends in .md, .html, .jsonl or .cast; --thread ID names another conversation")
	} else if name == "" {
		name = cmp.Or(ext, "md")
	}
	at := slices.IndexFunc(formats(), func(f format) bool { return slices.Contains(f.names, name) })
	if at < 0 {
		return core.Doc{}, core.Fail(core.CodeInvalid, safe.Line(name)+" is no form of an export", "name a FILE that ends in .md, .html, .jsonl or .cast")
	}
	form := formats()[at]
	if file == "" && c.inChat() {
		file = fileName(thread.Title) + "." + form.names[0]
	}
	var b bytes.Buffer
	if err := form.write(ctx, c, &b, thread); err != nil {
		return core.Doc{}, err
	}
	if file == "" {
		_, err := c.Out.Write(b.Bytes())
		return core.Doc{}, err
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(c.Config.Dir, file)
	}
	if _, err := os.Lstat(file); err == nil && !c.is("force") {
		return core.Doc{}, core.Fail(core.CodeInvalid, safe.Line(file)+" is there already", "choose another FILE, or say --force")
	}
	if err := userfile.Replace(file, b.Bytes()); err != nil {
		return core.Doc{}, core.Fail(core.CodeInternal, "the conversation cannot be written to "+safe.Line(file), "make room on the disk, or choose another FILE").Because(err)
	}
	return core.Say(core.Markdown, "It is in `"+safe.Line(file)+"`."), nil
}

// exported is the conversation that is written: the one that is named, else the last.
func (c *Call) exported(ctx context.Context) (core.Thread, error) {
	id := c.Thread
	if id == "" {
		threads, err := c.store.Threads(ctx, core.ThreadQuery{Dir: c.Config.Dir, Limit: 1})
		if err != nil {
			return core.Thread{}, err
		}
		if len(threads) > 0 {
			id = threads[0].ID
		}
	}
	thread, err := c.store.Thread(ctx, id)
	if core.CodeOf(err) == core.CodeNotFound && c.Thread != "" && !c.inChat() {
		return core.Thread{}, misnamed(err, "yaap threads list shows those that there are")
	}
	if core.CodeOf(err) == core.CodeNotFound {
		err = core.Fail(core.CodeNotFound, "nothing has been said yet", "ask something first")
	}
	return thread, err
}

// whole is all that was said in a conversation.
func (c *Call) whole(ctx context.Context, thread core.Thread) (export.Conversation, error) {
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
			if turn.Run = runlog.Read(turn.Events, thinkingOf(messages, m.Run)).Run(m.Run); turn.Run != nil {
				if name, chain := turn.Run.Chain(); chain {
					turn.Chain, _ = writtenGraph(c.Config, name) // else it is drawn as far as it was seen to run
				}
			}
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

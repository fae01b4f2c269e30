package room

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/ollama"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/text"
)

func memoryCommands() []Command {
	row := func(name, args, does string, flags ...core.Flag) core.Command {
		return core.Command{Name: strings.TrimSpace("memory " + name), Args: args, Does: does, Flags: flags}
	}
	limit := core.Flag{Name: "limit", Default: 10, Does: "how many entries, at most 50"}
	all := func(does string) core.Flag { return core.Flag{Name: "all", Default: false, Does: does} }
	return []Command{
		{
			Command: row("", "", "what the room remembers; correct it, or have it forgotten", core.Flag{
				Name: "memory", Default: "", Does: "the memory VAULT/TITLE (default: that of the working directory)",
			}),
			Long: "Look at what is remembered, and change it. Each directory has a memory of its own: entries,\n" +
				"which are what was said, and the context, a summary of them that questions are answered\n" +
				"with. Memories stand in vaults: VAULT/TITLE is the name of one. An ENTRY is one of this\n" +
				"memory, by its place, such as 12 or '#12', or its id: show and search tell both.",
		},
		{Command: row("list", "", "the memories of all vaults, as --memory takes them"), Stored: true, Run: listMemories},
		{
			Command: row("show", "[ENTRY]", "the context and the newest entries; or all about one entry",
				limit, core.Flag{Name: "raw", Default: false, Does: "what was said, word for word, instead of summaries"}),
			Most: 1, Stored: true, Run: showMemory,
		},
		{
			Command: row("search", "WORDS", "find what was said", core.Flag{Name: "limit", Default: 10, Does: "how many"}, all("in all memories")),
			Long: "Find what was said. A star stands for the rest of a word: 'boil*', in quotes for the shell.\n" +
				"from:ada, from:me, role:user, before:2026-03-01, after:march, tag:KEY, tag:VALUE and\n" +
				"tag:KEY=VALUE narrow it; what stands between quotes is no filter, and looked for in a row.",
			Least: 1, Most: anyNumber, Stored: true, Run: searchMemory,
		},
		{Command: row("stats", "", "count what is remembered", all("of all memories")), Stored: true, JSON: true, Run: memoryStats},
		{
			Command: row("correct", "ENTRY TEXT", "say what is right in place of an entry", core.Flag{Name: "reason", Default: "", Does: "why", Words: true}),
			Long: "Say what is right in place of an entry. The entry stays as it was said; the correction\n" +
				"is another one, linked to it, and is found first.",
			Least: 2, Most: anyNumber, Stored: true, Run: changeMemory(func(ctx context.Context, c *Call, s memoryAccess) (string, error) {
				return s.correct(ctx, c.Args[0], c.rest(1), c.text("reason"))
			}),
		},
		{
			Command: row("tag", "ENTRY KEY=VALUE...", "set tags of an entry; KEY= removes one"),
			Least:   2, Most: anyNumber, Stored: true, Run: changeMemory(func(ctx context.Context, c *Call, s memoryAccess) (string, error) {
				return s.tag(ctx, c.Args[0], c.Args[1:])
			}),
		},
		{
			Command: row("expire", "ENTRY DURATION|DATE|never", "say how long an entry is remembered"),
			Long: "Say how long an entry is remembered, with what it corrects and what corrects it: for\n" +
				"12h, 30d or 2w, until a date such as 2030-12-24, or never to let it expire. The message\n" +
				"that it was made of stays in its conversation.",
			Least: 2, Most: 2, Stored: true, Run: changeMemory(func(ctx context.Context, c *Call, s memoryAccess) (string, error) {
				return s.expire(ctx, c.Args[0], c.Args[1])
			}),
		},
		{
			Command: row("forget", "[ENTRY]", "remove the words of an entry, or of a conversation, from every file", core.Flag{
				Name: "of", Default: "", Does: "the id of a conversation",
			}),
			Long: "Remove the words of an entry, or of a conversation, from every file. This cannot be\n" +
				"undone. With an entry go the message that it was made of, what was answered to it, its\n" +
				"corrections, and answers that were given when it was found again. The places stay,\n" +
				"marked as redacted.\n" +
				"Other messages that say the same stay as they are: search for them afterwards.\n" +
				"Files that were exported are yours to remove.",
			Most: 1, Stored: true, Run: changeMemory(forget),
		},
		{
			Command: row("redact", "ENTRY", "the same as forget ENTRY: the words are removed, the place stays"),
			Least:   1, Most: 1, Stored: true, Run: changeMemory(forget),
		},
		{
			Command: row("purge", "", "remove the expired entries of all memories, as every start does"), Where: atShell,
			Stored: true, Run: func(ctx context.Context, c *Call) (core.Doc, error) {
				n, err := c.store.PurgeExpired(ctx)
				return core.Say(core.Markdown, text.Count(n, "entry was", "entries were")+" removed."), err
			},
		},
		{
			Command: row("export", "[FILE]", "write a memory to a file, as lines of JSON or Markdown", all("all memories"), core.Flag{
				Name: "markdown", Default: false, Does: "as Markdown, with dates, who said it and tags",
			}), Where: atShell,
			Long: "Write a memory as lines of JSON, or as Markdown, to a file that only you can read or to\n" +
				"standard output. Comments in the Markdown hold what import needs.\n" +
				"yaap memory import takes it in, here or on another machine. What has expired or was\n" +
				"forgotten is not in it, nor are conversations.",
			Most: 1, Stored: true, Run: exportMemory,
		},
		{
			Command: row("import", "FILE", "import what export wrote, or what other programs remember", core.Flag{Name: "dry-run", Default: false, Does: "only say what would be imported"}), Where: atShell,
			Long: "Import what export wrote: all of it, or nothing when it is damaged. It goes into the\n" +
				"memories that it comes from, by their ids or titles, or into the one that --memory names.\n" +
				"What is there already stays as it is, and what was forgotten here does not come back.\n" +
				"Exports of ChatGPT and Claude (conversations.json, or their .zip), notes in Markdown (a file\n" +
				"or a directory: Obsidian, basic-memory, CLAUDE.md) and lines of JSON with role, text and\n" +
				"time go into the memory of this directory; --dry-run says what they hold.\n" +
				"Other windows cannot write meanwhile: close them before ten thousands of entries.",
			Least: 1, Most: 1, Stored: true, Run: importMemory,
		},
		{Command: row("off", "", "remember nothing from the next prompt on"), Where: inChat, Run: recordingOff(true, "From the next prompt on nothing is remembered. `/memory on` remembers again.")},
		{Command: row("on", "", "remember from the next prompt on"), Where: inChat, Run: recordingOff(false, "What is said from the next prompt on is remembered.")},
	}
}

// memoryAccess is the memory that is named, or else that of the working directory, which
// may not be there yet: then it has no id.
func (c *Call) memoryAccess(ctx context.Context) (s memoryAccess, err error) {
	if c.inChat() {
		if c.Room.memory == nil {
			return s, core.Fail(core.CodeNotFound, "nothing is remembered in this room", "take memory: false out of "+c.Config.File)
		}
		return memoryAccess{store: c.store, memory: c.Room.memory.memory, meaning: c.Room.memory.meaning}, nil
	}
	s = memoryAccess{store: c.store, named: c.text("memory") != ""}
	_, s.memory = memoryNames(c.Config.Dir)
	id := s.memory.ID
	if s.named {
		vault, title, ok := strings.Cut(c.text("memory"), "/")
		if !ok {
			vault, title = defaultVault, vault
		}
		if s.memory, err = c.store.FindMemory(ctx, vault, title); err != nil {
			return s, asHint(err, "yaap memory list shows the memories that there are")
		}
		id = s.memory.ID
	} else if s.memory, err = c.store.Memory(ctx, id); core.CodeOf(err) == core.CodeNotFound {
		err = nil
	}
	s.meaning = newSemanticSearch(c.store, id, c.Config, func() string { return c.Config.Model.V }, c.Getenv, ollama.NewHTTP(nil))
	return s, err
}

// asHint gives a failure another hint.
func asHint(err error, hint string) error {
	if e, ok := errors.AsType[*core.Error](err); ok {
		told := *e
		told.Hint = hint
		return &told
	}
	return err
}

// changeMemory runs a command that changes the memory, and reports its result.
func changeMemory(do func(context.Context, *Call, memoryAccess) (string, error)) func(context.Context, *Call) (core.Doc, error) {
	return func(ctx context.Context, c *Call) (core.Doc, error) {
		s, err := c.memoryAccess(ctx)
		if err != nil {
			return core.Doc{}, err
		}
		text, err := do(ctx, c, s)
		if err != nil {
			return core.Doc{}, err
		}
		return core.Say(core.Markdown, text), nil
	}
}

// filled is the memory where something is remembered; ok is false, and doc says so,
// where nothing is.
func (c *Call) filled(ctx context.Context) (s memoryAccess, doc core.Doc, ok bool, err error) {
	s, err = c.memoryAccess(ctx)
	if err != nil || s.memory.ID != "" || c.is("all") {
		return s, doc, err == nil, err
	}
	return s, core.Say(core.Remark, "nothing is remembered for this directory yet; yaap memory list shows where something is"), false, nil
}

func listMemories(ctx context.Context, c *Call) (core.Doc, error) {
	paths, err := memoryAccess{store: c.store}.paths(ctx)
	_, here := memoryNames(c.Config.Dir)
	if c.inChat() && c.Room.memory != nil {
		here = c.Room.memory.memory
	}
	list := core.Part{Kind: core.Table, Head: []string{"memory", "", "id"}}
	for _, path := range paths {
		list.Rows = append(list.Rows, []string{path.name, map[bool]string{true: "here"}[path.memory.ID == here.ID], path.memory.ID})
	}
	if c.inChat() { // whose rows are too short for the ids, which no command takes
		list.Head = list.Head[:2]
		for i, row := range list.Rows {
			list.Rows[i] = row[:2]
		}
	}
	return core.Doc{Parts: []core.Part{list}}, err
}

func showMemory(ctx context.Context, c *Call) (core.Doc, error) {
	if len(c.Args) == 1 {
		return changeMemory(func(ctx context.Context, c *Call, s memoryAccess) (string, error) { return s.showEntry(ctx, c.Args[0]) })(ctx, c)
	}
	s, doc, ok, err := c.filled(ctx)
	if err != nil || !ok {
		return doc, err
	}
	text, err := s.show(ctx, c.number("limit"), c.is("raw"))
	if c.inChat() {
		text = c.Room.memory.line() + "\n\n" + text
	}
	return core.Say(core.Markdown, text), err
}

func searchMemory(ctx context.Context, c *Call) (core.Doc, error) {
	s, doc, ok, err := c.filled(ctx)
	if err != nil || !ok {
		return doc, err
	}
	q := core.SearchQuery{Text: c.rest(0), Limit: c.number("limit")}
	if !c.is("all") {
		q.Memories = []string{s.memory.ID}
	}
	found, err := s.meaning.Search(ctx, q)
	if err != nil {
		return core.Doc{}, err
	}
	if len(found) == 0 {
		doc = core.Say(core.Remark, "nothing that was said here holds these words; --all looks in all memories")
	}
	var lines []string
	for _, f := range found {
		if c.inChat() {
			lines = append(lines, "- "+safe.Line(s.found(ctx, f, "****")))
		} else {
			lines = append(lines, safe.Line(s.found(ctx, f, "[]")))
		}
	}
	if len(lines) > 0 {
		doc.Parts = append(doc.Parts, core.Part{Text: strings.Join(lines, "\n")})
	}
	doc.Remark("searched by " + safe.Line(s.meaning.Mode()))
	if err := s.meaning.WordsOnlyReason(); err != nil {
		doc.Remark(safe.Line("the search by meaning fails: " + strings.TrimSuffix(err.Error()+"; "+core.HintOf(err), "; ")))
	}
	return doc, nil
}

func memoryStats(ctx context.Context, c *Call) (core.Doc, error) {
	s, doc, ok, err := c.filled(ctx)
	if err != nil || !ok {
		return doc, err
	}
	if c.is("all") {
		s.memory.ID = ""
	}
	all, err := s.store.MemoryStats(ctx, s.memory.ID)
	if err != nil {
		return core.Doc{}, err
	}
	bytes, err := s.store.Size()
	doc = core.Say(core.Markdown, s.stats(all, bytes))
	doc.Data = struct {
		Bytes    int64              `json:"bytes"`
		Memories []core.MemoryStats `json:"memories"`
	}{bytes, append([]core.MemoryStats{}, all...)}
	return doc, err
}

// forget removes the words of an entry or of a conversation.
func forget(ctx context.Context, c *Call, s memoryAccess) (string, error) {
	q := core.ForgetQuery{Thread: c.text("of"), Entry: strings.Join(c.Args, "")}
	if (q.Entry == "") == (q.Thread == "") {
		return "", c.misused("memory forget ENTRY", "name an entry, or a conversation with --of")
	}
	return s.forget(ctx, q)
}

// recordingOff ends or begins the recording of the chat.
func recordingOff(off bool, said string) func(context.Context, *Call) (core.Doc, error) {
	return func(ctx context.Context, c *Call) (core.Doc, error) {
		if _, err := c.memoryAccess(ctx); err != nil {
			return core.Doc{}, err
		}
		c.Room.memory.off.Store(off)
		return core.Say(core.Markdown, said), nil
	}
}

// line is how far the recording is.
func (r *recording) line() string {
	s := r.Status()
	line := fmt.Sprintf("%d waiting, the context is written anew in %d messages", s.Waiting, s.NextFlush)
	if !s.Flushed.IsZero() {
		line += ", last at " + s.Flushed.Local().Format("15:04:05")
	}
	line += "; searches go by " + safe.Line(r.meaning.Mode())
	if s.Failure != "" {
		line += "; **" + safe.Line(s.Failure) + "**"
	}
	return line
}

// MemoryNames are the memories that there are, as --memory takes them.
func MemoryNames(ctx context.Context, c *Call) (names []string, err error) {
	list := Command{Stored: true, Run: listMemories}
	doc, err := list.Do(ctx, c)
	for _, part := range doc.Parts {
		for _, row := range part.Rows {
			names = append(names, row[0])
		}
	}
	return names, err
}

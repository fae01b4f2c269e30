package room

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/orchestrator"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/servers"
	"github.com/yaap-chat/yaap/core/text"
	"github.com/yaap-chat/yaap/core/wire"
	"github.com/yaap-chat/yaap/core/yaap"
	"github.com/yaap-chat/yaap/docs"
)

func helpCommands() []Command {
	return []Command{{
		Command: core.Command{Name: "help", Args: "[TOPIC]", Does: "keys and commands; or a document: " + strings.Join(docs.Topics(), ", ")},
		Least:   1, Most: 1, Where: inChat, Run: func(_ context.Context, c *Call) (core.Doc, error) {
			text, ok := docs.Read(c.Args[0])
			if !ok {
				return core.Doc{}, core.Fail(core.CodeNotFound, "there is no document "+safe.Line(c.Args[0]), "there are "+strings.Join(docs.Topics(), ", "))
			}
			return core.Say(core.Markdown, text), nil
		},
	}}
}

func configCommands() []Command {
	return []Command{
		{Command: core.Command{Name: "config", Does: "the settings that are not at their defaults, and where each comes from"}, Run: listSettings},
		{Command: core.Command{Name: "config list", Does: "each setting, its value, and where that comes from"}, Run: listAllSettings},
		{
			Command: core.Command{Name: "config schema", Does: "the JSON Schema of the configuration file, for editors"}, Where: atShell,
			Run: func(context.Context, *Call) (core.Doc, error) {
				return core.Say(core.Block, string(config.Schema())), nil
			},
		},
	}
}

// listSettings shows what somebody has set, and names the rest in one line.
func listSettings(ctx context.Context, c *Call) (core.Doc, error) {
	doc, err := listAllSettings(ctx, c)
	list := &doc.Parts[0]
	var left []string
	list.Rows = slices.DeleteFunc(list.Rows, func(row []string) bool {
		if row[2] == config.FromDefault {
			left = append(left, row[0])
		}
		return row[2] == config.FromDefault
	})
	if len(list.Rows) == 0 {
		doc.Parts = doc.Parts[1:]
	}
	doc.Remark(text.Count(len(left), "setting", "settings") + " at the default: " + strings.Join(left, ", ") + ". See them with " + c.typed("config list"))
	return doc, err
}

func listAllSettings(_ context.Context, c *Call) (core.Doc, error) {
	list := core.Part{Kind: core.Table, Head: []string{"setting", "value", "from"}}
	for _, s := range c.Config.SettingValues() {
		list.Rows = append(list.Rows, []string{s.Name, s.Value, s.From})
	}
	doc := core.Doc{Parts: []core.Part{list, {Kind: core.Remark, Text: "the configuration file is " + safe.Line(c.Config.File)}}}
	if _, err := newModels(c.Config, c.Getenv, new(wire.Tap), c.keeper()); err != nil {
		return doc, err
	}
	return doc, nil
}

func expertCommands() []Command {
	row := func(name, args, does string) core.Command { return core.Command{Name: name, Args: args, Does: does} }
	return []Command{
		{
			Command: core.Command{Name: "experts", Aliases: []string{"mcp", "tools"}, Args: "[EXPERT]", Does: "who is in the room"},
			Long:    "Who is in the room of this directory, or of the nearest one above it, while one is open.\nyaap inspect experts shows more of them, and what they do.",
			Most:    1, Run: listExperts,
		},
		{
			Command: core.Command{Name: "experts add", Args: "CMD ARGS", Does: "bring one in, by its command or its address", Flags: []core.Flag{{Name: "keep", Default: false, Does: "list it in the configuration, so that it is there from now on"}}},
			Least:   1, Most: anyNumber, Where: inChat, Run: addExpert,
		},
		{
			Command: core.Command{Name: "open", Args: "FILE", Does: "open a picture or another file that an expert answered with"},
			Least:   1, Most: 1, Where: inChat, Run: openAnswered,
		},
		{
			Command: core.Command{Name: "experts import", Args: "[FILE]", Does: "list the MCP servers that other programs know, and take some", Flags: []core.Flag{
				{Name: "take", Default: []string(nil), Does: "write the server NAME into the configuration; may be repeated"},
			}},
			Long: "Claude Code and Desktop, Cursor, Windsurf, Gemini CLI, VS Code, opencode and crush keep lists of MCP servers in the home directory. " +
				"They are read there, or in FILE; nothing is started. --take writes an entry, as it stands there, into yaap's own configuration.",
			Most: 1, Where: atShell, Run: importExperts,
		},
		{Command: row("experts stop", "EXPERT", "take one out"), Least: 1, Most: 1, Where: inChat, Run: stopExpert},
		{
			Command: row("experts restart", "EXPERT", "start one again"), Least: 1, Most: 1, Where: inChat,
			Run: func(_ context.Context, c *Call) (core.Doc, error) { return core.Doc{}, c.Room.hub.Restart(c.expert()) },
		},
		{
			Command: row("experts login", "EXPERT", "sign in to a server that wants it, in the browser"), Least: 1, Most: 1, Run: loginExpert,
			Long: "Shows the address at which you sign in, opens it in your browser (the command in BROWSER,\nor the one of your desktop), and waits for you to come back, five minutes at most; ctrl+c ends it.\nEXPERT is one of the configuration, or the address of a server.",
		},
		{Command: row("experts logout", "EXPERT", "forget the login at a server"), Least: 1, Most: 1, Run: logoutExpert},
		{Command: row("experts forget", "EXPERT", "forget its credit and the questions that it has answered"), Least: 1, Most: 1, Where: inChat, Run: forgetBids},
	}
}

func roomCommands() []Command {
	return []Command{
		{
			Command: core.Command{Name: "new", Aliases: []string{"clear"}, Does: "new session", Idle: true}, Where: inChat,
			Run: func(context.Context, *Call) (core.Doc, error) { return core.Doc{Thread: orchestrator.NewThread()}, nil },
		},
		{Command: core.Command{Name: "name", Args: "TITLE", Does: "name this session"}, Least: 1, Most: anyNumber, Where: inChat, Run: nameSession},
		{Command: core.Command{Name: "model", Args: "[NAME]", Does: "the model that answers", Idle: true, Picks: true, Flags: []core.Flag{
			{Name: "keep", Default: false, Does: "use it from every start on"},
		}}, Most: 1, Where: inChat, Run: useModel},
		{Command: core.Command{Name: "model pull", Args: "NAME", Does: "download a model with Ollama, and use it"}, Least: 1, Most: 1, Where: inChat, Run: pullModel},
		{
			Command: core.Command{Name: "status", Does: "what is running, and where things are"}, Where: inChat,
			Run: func(ctx context.Context, c *Call) (core.Doc, error) {
				return core.Say(core.Markdown, c.Room.status(ctx, c.Thread)), nil
			},
		},
	}
}

// nameSession gives the conversation a title.
func nameSession(ctx context.Context, c *Call) (core.Doc, error) {
	thread, err := c.store.Thread(ctx, c.Thread)
	if core.CodeOf(err) == core.CodeNotFound {
		err = core.Fail(core.CodeNotFound, "nothing has been said in this session yet", "ask something first, then type /name TITLE")
	}
	if err != nil {
		return core.Doc{}, err
	}
	thread.Title, thread.Updated = safe.Cut(safe.Line(strings.Join(c.Args, " ")), maxTitle), time.Now()
	doc := core.Say(core.Markdown, "This session is called **"+thread.Title+"**.")
	doc.Title = thread.Title
	return doc, c.Room.store.Put(ctx, thread)
}

// expert is the first argument as the name of an expert.
func (c *Call) expert() string { return strings.TrimPrefix(c.Args[0], "@") }

func useModel(ctx context.Context, c *Call) (core.Doc, error) {
	models := c.Room.models
	if len(c.Args) == 0 {
		return listModels(ctx, models), nil
	}
	remark, err := models.use(ctx, c.Args[0])
	if err != nil {
		return core.Doc{}, err
	}
	from := "From the next prompt on, "
	if c.is("keep") {
		if err := config.Set(c.Config.File, "model", models.current().Name()); err != nil {
			return core.Doc{}, err
		}
		from = "From now on, whenever yaap starts, "
	}
	doc := core.Say(core.Markdown, strings.TrimSpace(from+"**"+models.current().Name()+"** answers. "+remark))
	doc.Model = models.current().Name()
	return doc, nil
}

// listModels is what can be chosen now, with what each can do.
func listModels(ctx context.Context, m *models) core.Doc {
	all, silent := m.available(ctx)
	var rows [][]string
	for _, one := range all[:min(len(all), maxListed)] {
		reads := ""
		if one.Context > 0 {
			reads = fmt.Sprintf("%d k", (one.Context+512)>>10)
		}
		can := "calls experts"
		if !one.Tools {
			can = "only chats"
		}
		rows = append(rows, []string{safe.Cut(safe.Line(one.name), 80), reads, can, one.cost()})
	}
	doc := core.Doc{Parts: []core.Part{
		{Kind: core.Markdown, Text: "The model in use is **" + m.current().Name() + "**. These are here:"},
		{Kind: core.Table, Head: []string{"model", "reads", "", "$ in / out a million"}, Rows: rows},
		{Kind: core.Remark, Text: "choose one with /model NAME, which is completed"},
	}}
	if more := len(all) - maxListed; more > 0 {
		doc.Remark(fmt.Sprintf("and %d more: /model PART completes them", more))
	}
	for _, text := range silent {
		doc.Remark(safe.Line(text))
	}
	if len(all) == 1 {
		doc.Remark("for others, start Ollama and type `ollama pull qwen3.5:4b`, or set the key of a provider, such as OPENAI_API_KEY or ANTHROPIC_API_KEY, before you start yaap")
	}
	return doc
}

// listExperts lists who is in the room, or tells all of one.
func listExperts(ctx context.Context, c *Call) (core.Doc, error) {
	experts, err := c.experts(ctx)
	if err != nil {
		return core.Doc{}, err
	}
	if len(c.Args) == 0 {
		list := core.Part{Kind: core.Table}
		for _, e := range experts {
			list.Rows = append(list.Rows, []string{e.Name, string(e.State), safe.Cut(e.Description, 100)})
		}
		return core.Doc{Parts: []core.Part{list}}, nil
	}
	if text, ok := describeExpert(experts, c.expert()); ok {
		return core.Say(core.Markdown, text), nil
	}
	return core.Doc{}, core.Fail(core.CodeNotFound, "nobody called "+safe.Line(c.Args[0])+" is in the room",
		"/experts lists who is here; type /experts EXPERT, /experts add CMD ARGS, /experts stop EXPERT, /experts restart EXPERT, /experts login EXPERT or /experts forget EXPERT")
}

// experts are those in the room that is open in the directory.
func (c *Call) experts(ctx context.Context) ([]core.Expert, error) {
	if c.Room != nil {
		return c.Room.experts(), nil
	}
	in, err := Inspect(ctx, c)
	if err != nil {
		return nil, err
	}
	in.findRoom()
	in.askWho(ctx)
	if err := in.Close(); err != nil {
		return nil, err
	}
	if len(in.Experts()) == 0 {
		return nil, core.Fail(core.CodeNotFound, in.Missing("experts"), "")
	}
	return in.Experts(), nil
}

func addExpert(ctx context.Context, c *Call) (core.Doc, error) {
	spec, entry := hub.Spec{Command: c.Args, Dir: c.Config.Dir}, map[string]any{"command": c.Args, "dir": c.Config.Dir}
	if servers.IsAddress(c.Args[0]) {
		spec, entry = hub.Spec{URL: c.Args[0]}, map[string]any{"url": c.Args[0]}
	} else if _, err := exec.LookPath(c.Args[0]); err != nil && !strings.Contains(c.Args[0], "/") {
		return core.Doc{}, core.Fail(core.CodeInvalid, "there is no command "+safe.Line(c.Args[0]), "check how it is written")
	}
	if !c.is("keep") {
		return core.Doc{}, c.Room.hub.Add(ctx, spec)
	}
	spec.Name = spec.Title()
	if err := config.AddEntry(c.Config.File, "experts", spec.Name, entry); err != nil {
		return core.Doc{}, err
	}
	c.Room.listed.sync(ctx)
	return core.Say(core.Markdown, "**"+spec.Name+"** is listed in "+safe.Line(c.Config.File)+": it comes from now on."), nil
}

func stopExpert(ctx context.Context, c *Call) (core.Doc, error) {
	name := c.expert()
	guest := slices.ContainsFunc(c.Room.hub.Experts(), func(e core.Expert) bool {
		return e.Present() && e.Transport == hub.Peer && yaap.Canonical(e.Name) == yaap.Canonical(name)
	})
	if err := c.Room.hub.Stop(ctx, name); err != nil {
		return core.Doc{}, err
	}
	if guest {
		return core.Say(core.Markdown, "**"+safe.Line(name)+"** is out of the room. It had joined by itself, and may do so again."), nil
	}
	return core.Say(core.Markdown, "**"+safe.Line(name)+"** is stopped. `/experts restart "+safe.Line(name)+"` starts it again."), nil
}

// forgetBids removes what the room has learned about an expert.
func forgetBids(ctx context.Context, c *Call) (core.Doc, error) {
	name := c.expert()
	forgotten, err := c.Room.ledger.Forget(ctx, name)
	if err != nil {
		return core.Doc{}, err
	}
	if !forgotten {
		return core.Doc{}, core.Fail(core.CodeNotFound, "nothing was learned about "+safe.Line(name), "f2 shows who is here, and what each has answered")
	}
	return core.Say(core.Markdown, "What was learned about **"+safe.Line(name)+"** is forgotten: its credit, and the questions that it has answered. What was said is still in the conversations."), nil
}

// auditHead is the head of the audit log that is kept beside the database; where
// none is, that of the database, and that nothing shows whether it is all.
func (r *Room) auditHead(ctx context.Context) string {
	head, err := r.store.KeptHead()
	note := ""
	if err == nil && head.Rows == 0 {
		note = noHead
		head, err = r.store.AuditHead(ctx)
	}
	switch {
	case err != nil:
		return safe.Line(err.Error())
	case head.Rows == 0:
		return text.Count(0, "row", "rows") + note
	}
	return text.Count(int(head.Rows), "row", "rows") + ", head `" + head.String() + "`" + note
}

func (r *Room) status(ctx context.Context, thread string) string {
	here, known := 0, []string{}
	for _, e := range r.hub.Experts() {
		if e.Present() {
			here++
		}
		known = append(known, e.Name)
	}
	for _, t := range r.team.room.Tools.Tools().Tools {
		known = append(known, t.Spec().Name)
	}
	var s strings.Builder
	row := func(name, value string) { fmt.Fprintf(&s, "- **%s**: %s\n", name, value) }
	literal := func(value string) string { return "`" + strings.ReplaceAll(value, "`", "'") + "`" }
	row("model", r.models.current().Name()+" (at start: "+r.Config.Model.V+", from "+r.Config.Model.From+")")
	row("experts", fmt.Sprintf("%d in the room", here))
	row("turns", fmt.Sprintf("at most %d (%s)", r.Config.MaxTurns.V, r.Config.MaxTurns.From))
	asked, allowed := r.trustWords(known)
	if asked != "" {
		row("asked first", asked)
	}
	if allowed != "" {
		row("not asked about", allowed)
	}
	if hooks := r.Config.Hooks.V.String(); hooks != "" {
		row("hooks", literal(hooks))
	}
	row("directory", literal(r.Config.Dir))
	if file := projectFile(r.Config.Dir); file != nil {
		if r.Config.Project.V {
			row("instructions", "those of "+literal(file.Name())+" (agents_md: false leaves them out)")
		}
		_ = file.Close()
	}
	row("conversation", literal(thread))
	if r.Config.Ephemeral.V {
		row("kept in", "nowhere ("+r.Config.Ephemeral.From+"): "+literal(r.Config.StateDir)+" is removed at the end")
	} else {
		row("kept in", literal(r.Config.StateDir))
	}
	if !r.Config.Ephemeral.V {
		row("audit log", r.auditHead(ctx))
	}
	row("configuration", literal(r.Config.File))
	return s.String()
}

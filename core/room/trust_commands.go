package room

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/text"
	"github.com/yaap-chat/yaap/core/trust"
	"github.com/yaap-chat/yaap/core/yaap"
)

func trustCommands() []Command {
	long := "What may be called without asking you, and which experts may join by themselves,\n" +
		"because you answered so. It holds for one directory, and for a tool as it was then."
	return []Command{
		{
			Command: core.Command{Name: "trust", Aliases: []string{"permissions", "allow"}, Args: "[EXPERT]", Does: "what is called without asking you; see what an expert changed"}, Long: long, Most: 1,
			Run: func(ctx context.Context, c *Call) (core.Doc, error) {
				if len(c.Args) == 0 || !c.inChat() {
					return listTrust(ctx, c)
				}
				return c.Room.showChange(c.expert())
			},
		},
		{Command: core.Command{Name: "trust list", Does: "what is allowed: at a shell in all directories"}, Run: listTrust},
		{
			Command: core.Command{Name: "trust show", Args: "EXPERT", Does: "how an expert has changed its tools, which are hidden until you allow them"}, Least: 1, Most: 1, Where: atShell,
			Run: func(_ context.Context, c *Call) (core.Doc, error) { return showHeld(c.keeper(), c.expert()) },
		},
		{
			Command: core.Command{Name: "trust allow", Args: "EXPERT", Does: "allow the tools that an expert has changed, once you have seen how"}, Least: 1, Most: 1,
			Run: func(_ context.Context, c *Call) (core.Doc, error) {
				if c.inChat() {
					return c.Room.allowChange(c.expert())
				}
				return allowHeld(c.keeper(), c.expert())
			},
		},
		{
			Command: core.Command{Name: "trust revoke", Args: "NAME", Does: "take back what is allowed in this directory: a tool, or all of an expert and what it said"}, Least: 1, Most: 1,
			Run: func(_ context.Context, c *Call) (core.Doc, error) {
				return revokeTrust(c.keeper(), c.expert(), c.typed("trust list"))
			},
		},
	}
}

func (c *Call) keeper() *trust.Store {
	if c.Room != nil {
		return c.Room.trust
	}
	return trust.New(c.Config.StateDir, c.Config.Dir, trust.Rules{})
}

// listTrust lists what is allowed: in the chat in its directory, as seen from its
// conversation.
func listTrust(_ context.Context, c *Call) (core.Doc, error) {
	if !c.inChat() {
		text, err := trustLines(c.keeper(), "", "")
		return core.Say(core.Block, text), err
	}
	text, err := trustLines(c.keeper(), c.Config.Dir, c.Thread)
	doc := core.Say(core.Markdown, strings.ReplaceAll("\n"+text, "\n  ", "\n- ")) // the chat wraps it at words
	if strings.HasPrefix(text, "  ") {
		doc.Remark("/trust revoke NAME takes it back")
	}
	return doc, err
}

// trustLines lists the grants of one directory, as seen from a conversation, or
// those of all.
func trustLines(k *trust.Store, dir, thread string) (string, error) {
	grants, err := k.Grants()
	if err != nil {
		return "", err
	}
	var s strings.Builder
	last := ""
	for _, g := range slices.SortedStableFunc(slices.Values(append(grants, k.SessionGrants()...)), func(a, b trust.Grant) int { return strings.Compare(a.Dir, b.Dir) }) {
		if dir != "" && g.Dir != dir {
			continue
		}
		if dir == "" && g.Dir != last {
			fmt.Fprintf(&s, "%s\n", safe.Line(g.Dir))
			last = g.Dir
		}
		fmt.Fprintf(&s, "  %s  %s  %s\n", g.Since.Local().Format("2006-01-02 15:04"), safe.Line(g.Name()), granted(g, thread))
	}
	if s.Len() == 0 {
		s.WriteString("Nothing is allowed for good: you are asked about every tool that does not claim only to read.\n")
	}
	known, err := k.KnownExperts()
	for i, e := range known {
		if i == 0 {
			s.WriteString("\nWhat these said of their tools here is kept; you are shown what changes:\n")
		}
		much := text.Count(len(e.Tools), "tool is known", "tools are known")
		if n := len(e.Changed); n > 0 {
			much += ", " + text.Count(n, "has changed and is hidden", "have changed and are hidden")
		}
		fmt.Fprintf(&s, "  %s  %s  %s\n", e.Since.Local().Format("2006-01-02 15:04"), safe.Line(e.Expert), much)
	}
	return strings.TrimSuffix(s.String(), "\n"), err
}

// suggestRevoke are the names in a directory that may be taken back.
func suggestRevoke(k *trust.Store, dir string) (list []core.Suggestion) {
	grants, _ := k.Grants()
	known, _ := k.KnownExperts()
	add := func(name, help string) {
		if !slices.ContainsFunc(list, func(s core.Suggestion) bool { return s.Text == name }) {
			list = append(list, core.Suggestion{Text: name, Help: help, Insert: name})
		}
	}
	for _, g := range append(grants, k.SessionGrants()...) {
		if g.Dir == dir {
			g.Session = g.Session && g.Joins // in which conversation does not matter here
			add(safe.Line(g.Name()), granted(g, ""))
		}
	}
	for _, e := range known {
		add(safe.Line(e.Expert), "what it said of its tools is kept")
	}
	return list
}

// granted says what a grant allows, as seen from a conversation.
func granted(g trust.Grant, thread string) string {
	switch at, unencrypted := strings.CutPrefix(g.Tool.Origin, plainOrigin); {
	case g.Joins && unencrypted:
		return "may be reached unencrypted at " + safe.Line(at)
	case g.Joins && g.Session:
		return "may join until yaap is closed"
	case g.Joins:
		return "may join by itself"
	case !g.Session:
		return "may be called: " + g.Tool.Claims.String()
	case g.Thread == thread:
		return "may be called in this conversation: " + g.Tool.Claims.String()
	}
	return "may be called in another conversation: " + g.Tool.Claims.String()
}

func revokeTrust(k *trust.Store, name, list string) (doc core.Doc, err error) {
	revoked, err := k.Revoke(name)
	if err != nil {
		return doc, err
	}
	forgotten, err := k.Forget(name)
	if err != nil {
		return doc, err
	}
	var names, said []string
	for _, g := range revoked {
		if name := safe.Line(g.Name()); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		said = append(said, "You are asked again about "+strings.Join(names, ", ")+".")
	}
	if forgotten {
		said = append(said, "When "+safe.Line(name)+" is started again, it is new to this directory.")
	}
	if len(said) == 0 {
		return doc, core.Fail(core.CodeNotFound, "nothing is allowed by the name "+safe.Line(name)+" in this directory", list+" shows what is")
	}
	return core.Say(core.Markdown, strings.Join(said, " ")), nil
}

// showChange puts what an expert said of its tools side by side with what it
// says now. Only what was shown can be allowed.
func (r *Room) showChange(name string) (doc core.Doc, err error) {
	experts := r.experts()
	i := slices.IndexFunc(experts, func(e core.Expert) bool { return yaap.Canonical(e.Name) == yaap.Canonical(name) && len(e.Changes) > 0 })
	if i < 0 {
		return doc, core.Fail(core.CodeNotFound, "no tool of "+safe.Line(name)+" is hidden", "f2 shows who is here and what they can do")
	}
	e := experts[i]
	r.seen.Store(yaap.Canonical(e.Name), e.Changes)
	return core.Say(core.Markdown, compared(e.Name, e.Changes, "/trust allow "+e.Name)), nil
}

// compared puts what an expert said of its tools side by side with what it says now.
func compared(name string, changes []core.ToolChange, allow string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "**%s** says other things of itself than when it came. What changed is hidden until you type `%s`.\n\n```\n", name, allow)
	for _, c := range changes {
		fmt.Fprintf(&s, "%s\n", safe.Line(c.Now.Name))
		for _, row := range sideBySide(c.Differences(), columnWidth) {
			fmt.Fprintf(&s, "  %s\n", row)
		}
	}
	s.WriteString("```")
	return s.String()
}

// showHeld is showChange at a shell: it shows what the last room kept.
func showHeld(k *trust.Store, name string) (core.Doc, error) {
	changes, err := k.Show(name)
	if err == nil && len(changes) == 0 {
		err = core.Fail(core.CodeNotFound, "no tool of "+safe.Line(name)+" is hidden in this directory", "yaap trust list shows what is known here")
	}
	if err != nil {
		return core.Doc{}, err
	}
	return core.Say(core.Markdown, compared(safe.Line(name), changes, "yaap trust allow "+safe.Line(name))), nil
}

// allowHeld is allowChange at a shell.
func allowHeld(k *trust.Store, name string) (doc core.Doc, err error) {
	accepted, err := k.Accept(name)
	switch {
	case err != nil:
		return doc, err
	case len(accepted) == 0: // it was not shown
		return showHeld(k, name)
	}
	var names []string
	for _, tool := range accepted {
		names = append(names, safe.Line(tool.Name))
		if _, err := k.Revoke(tool.Name); err != nil {
			return doc, err
		}
	}
	return core.Say(core.Markdown, strings.Join(names, ", ")+" can be called again when "+safe.Line(name)+" is started."), nil
}

// allowChange lets changed tools be called that the user was shown. Whether they
// may be called unasked has to be said anew.
func (r *Room) allowChange(name string) (doc core.Doc, err error) {
	seen, ok := r.seen.LoadAndDelete(yaap.Canonical(name))
	if !ok {
		return r.showChange(name)
	}
	changes, _ := seen.([]core.ToolChange)
	if err := r.hub.Accept(name, changes); err != nil {
		return doc, err
	}
	var names []string
	for _, c := range changes {
		names = append(names, safe.Line(c.Now.Name))
		if _, err := r.trust.Revoke(c.Now.Name); err != nil {
			return doc, err
		}
	}
	return core.Say(core.Markdown, strings.Join(names, ", ")+" can be called again."), nil
}

const columnWidth = 26 // cells of a column of a comparison: a chat of 80 shows it

// sideBySide draws differences in two columns, was and now.
func sideBySide(differences []core.Difference, width int) []string {
	pad := func(s string, n int) string { return s + strings.Repeat(" ", max(n-ansi.StringWidth(s), 0)) }
	rows := []string{pad("", 12) + pad("was", width) + "  now"}
	for _, d := range differences {
		was, now := column(d.Was, width), column(d.Now, width)
		for i := range max(len(was), len(now)) {
			name, left, right := "", "", ""
			if i == 0 {
				name = d.What
			}
			if i < len(was) {
				left = was[i]
			}
			if i < len(now) {
				right = now[i]
			}
			rows = append(rows, strings.TrimRight(pad(name, 12)+pad(left, width)+"  "+right, " "))
		}
	}
	return rows
}

// column wraps a text that is not ours, for a block in which nothing is markup. It
// is all of it: what is not shown cannot be allowed.
func column(text string, width int) []string {
	text = strings.ReplaceAll(safe.Text(text), "`", "'")
	return strings.Split(ansi.Hardwrap(ansi.Wordwrap(text, width, ""), width, true), "\n")
}

// trustWords says who is asked about, and who is not, beside what tools claim.
func (r *Room) trustWords(known []string) (asked, allowed string) {
	say := func(names []string) string {
		list := slices.Clone(names)
		for i, name := range list {
			if name != "all" && !slices.Contains(known, name) {
				list[i] += " (nobody here has it)"
			}
		}
		return strings.Join(list, ", ")
	}
	return say(r.Config.Approve.V), say(r.Config.Allow)
}

// watchRules waits for those that come at the start and has told what is for none of them.
func (r *Room) watchRules(ctx context.Context) error {
	settling, stop := context.WithTimeout(ctx, settleTime)
	defer stop()
	_ = r.hub.WaitSettled(settling) // at worst one that is late is called unknown
	if ctx.Err() == nil {
		r.unmet()
	}
	return nil
}

// unmetRules tells which rules of approve are for nobody: a slip there would let a call
// pass unasked.
func (r *Room) unmetRules() {
	for _, name := range trust.UnknownNames(r.Config.Approve.V, r.Tools().Specs()) {
		r.notice("warn", safe.Sprintf("approve (%s) names %s, and nobody here is called so: nothing is asked for it", r.Config.Approve.From, name), "write the name of an expert, or EXPERT__TOOL, also with * for any letters; /experts and /tools list them")
	}
}

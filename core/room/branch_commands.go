package room

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/orchestrator"
	"github.com/yaap-chat/yaap/core/text"
)

func branchCommands() []Command {
	const back = "[N]"
	row := func(name, args, does string) core.Command {
		return core.Command{Name: name, Args: args, Does: does, Idle: true}
	}
	rewind := row("rewind", back, "go back to before the last question, or the Nth from the end")
	rewind.Aliases = []string{"undo"}
	return []Command{
		{Command: row("retry", "", "ask the last question again; the old answer stays in its session"), Where: inChat, Run: onBranch(func(doc *core.Doc, question string) { doc.Send = question })},
		{Command: row("edit", back, "change the last question, or the Nth from the end, and go on from there"), Most: 1, Where: inChat, Run: onBranch(func(doc *core.Doc, question string) { doc.Draft, doc.Trial = question, true })},
		{Command: rewind, Most: 1, Where: inChat, Run: onBranch(func(doc *core.Doc, question string) {
			doc.Draft = question
			doc.Remark("gone back: what was said since is in /sessions")
		})},
		compactCommand(),
		{Command: row("fork", "", "go on with this conversation in a session of its own"), Where: inChat, Run: forkThread},
	}
}

// onBranch begins a conversation with what was said before a question. The other one
// stays as it is.
func onBranch(then func(doc *core.Doc, question string)) func(context.Context, *Call) (core.Doc, error) {
	return func(ctx context.Context, c *Call) (core.Doc, error) {
		n := 1
		if len(c.Args) == 1 {
			var err error
			if n, err = strconv.Atoi(c.Args[0]); err != nil || n < 1 {
				return core.Doc{}, core.Fail(core.CodeInvalid, "it takes how many questions to go back, counted from the last", "type /rewind 2 for the last but one")
			}
		}
		asked, err := c.Room.asked(ctx, c.Thread)
		if err != nil {
			return core.Doc{}, err
		}
		if n > len(asked) {
			return core.Doc{}, core.Fail(core.CodeNotFound, "this conversation has "+text.Count(len(asked), "question", "questions"), "ask something first, or go back less far")
		}
		q := asked[len(asked)-n]
		doc, err := c.Room.branchOff(ctx, c.Thread, q.Run)
		if err == nil {
			then(&doc, core.Reattached(q.Text))
		}
		return doc, err
	}
}

func forkThread(ctx context.Context, c *Call) (core.Doc, error) {
	if asked, err := c.Room.asked(ctx, c.Thread); err != nil || len(asked) == 0 {
		return core.Doc{}, core.Fail(core.CodeNotFound, "nothing has been said yet", "ask something first").Because(err)
	}
	return c.Room.branchOff(ctx, c.Thread, "")
}

// asked are the questions of a conversation, each with the run that it began.
func (r *Room) asked(ctx context.Context, thread string) (list []core.Message, err error) {
	messages, err := r.store.Messages(ctx, thread)
	for _, m := range messages {
		if m.Role == core.RoleUser && m.Run != "" && (len(list) == 0 || list[len(list)-1].Run != m.Run) {
			list = append(list, m)
		}
	}
	return list, err
}

// branchOff begins a conversation that goes on from what was said in another one, before
// the question of a run where one is named.
func (r *Room) branchOff(ctx context.Context, from, run string) (to core.Doc, err error) {
	old, err := r.store.Thread(ctx, from)
	if err != nil {
		return to, err
	}
	if run != "" { // it may have been asked in what this one goes on from
		row, err := r.store.FindRun(ctx, run)
		if err != nil {
			return to, err
		}
		from = row.Thread
	}
	to = core.Doc{Thread: orchestrator.NewThread(), Title: branchTitle(old.Title)}
	now := time.Now()
	return to, r.store.Put(ctx,
		core.Thread{ID: to.Thread, Session: r.session.ID, Title: to.Title, Created: now, Updated: now},
		core.Branch{Thread: to.Thread, From: from, Before: run})
}

// branchTitle is the title of what goes on from a conversation: "herons (2)".
func branchTitle(old string) string {
	if old == "" {
		return ""
	}
	n := 1
	if m := numberedTitle.FindStringSubmatch(old); m != nil {
		old = m[1]
		n, _ = strconv.Atoi(m[2])
	}
	return fmt.Sprintf("%s (%d)", old, n+1)
}

var numberedTitle = regexp.MustCompile(`^(.+) \((\d{1,6})\)$`)

package room

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/text"
)

// threadCommands show what the memory agent knows of conversations: its
// checkpoints, which are how it goes on after a restart.
func threadCommands() []Command {
	return []Command{
		{
			Command: core.Command{Name: "threads", Does: "show the checkpoints of the memory agent, by conversation"},
			Long: "Show the checkpoints of the memory agent for the conversations of this directory. Every\n" +
				"step of the agent is one: after a restart it continues from the last one.",
			Where: atShell,
		},
		{
			Command: core.Command{Name: "threads list", Does: "the conversations, the newest first", Flags: []core.Flag{
				{Name: "limit", Default: 20, Does: "how many; 0: all"},
			}},
			Where: atShell, Stored: true, Run: onCheckpoints(listThreads),
		},
		{
			Command: core.Command{Name: "threads show", Args: "THREAD", Does: "the steps of a conversation, or the state after one of them", Flags: []core.Flag{
				{Name: "step", Default: -1, Does: "the state after this step; 0: after the last one"},
			}},
			Least: 1, Most: 1, Where: atShell, Stored: true, Run: onCheckpoints(showSteps),
		},
		{
			Command: core.Command{Name: "threads delete", Args: "THREAD", Does: "delete the checkpoints of a conversation"},
			Long: "Delete the checkpoints of a conversation: the memory agent begins a new session with\n" +
				"it. What was said and what is remembered stays; yaap memory forget --of THREAD\n" +
				"removes that.",
			Least: 1, Most: 1, Where: atShell, Stored: true, Run: onCheckpoints(func(ctx context.Context, c *Call, cp *memory.Checkpointer) (core.Doc, error) {
				return core.Doc{}, cp.Delete(ctx, c.Args[0])
			}),
		},
	}
}

// onCheckpoints runs a command on the checkpoints of the working directory.
func onCheckpoints(do func(context.Context, *Call, *memory.Checkpointer) (core.Doc, error)) func(context.Context, *Call) (core.Doc, error) {
	return func(ctx context.Context, c *Call) (core.Doc, error) {
		s, doc, ok, err := c.filled(ctx)
		if err != nil || !ok {
			return doc, err
		}
		return do(ctx, c, memory.NewCheckpointer(c.store, s.memory.ID))
	}
}

func listThreads(ctx context.Context, c *Call, cp *memory.Checkpointer) (core.Doc, error) {
	last, err := cp.List(ctx, c.number("limit"))
	list := core.Part{Kind: core.Table, Head: []string{"conversation", "at", "state", "steps", "title"}}
	for _, st := range last {
		var title string
		if thread, err := c.store.Thread(ctx, st.Thread); err == nil { // it may have been forgotten
			title = thread.Title
		}
		state := "open"
		if memory.Control(st.Control) == memory.EndSession {
			state = "ended"
		}
		list.Rows = append(list.Rows, []string{
			st.Thread, st.Time.Local().Format(minutes), state, text.Count(st.Step, "step", "steps") + ", " + text.Count(st.Count, "message", "messages"), title,
		})
	}
	return core.Doc{Parts: []core.Part{list}}, err
}

func showSteps(ctx context.Context, c *Call, cp *memory.Checkpointer) (core.Doc, error) {
	thread, step := c.Args[0], c.number("step")
	if step >= 0 {
		return showState(ctx, cp, thread, step)
	}
	steps, err := cp.Steps(ctx, thread)
	if err != nil {
		return core.Doc{}, err
	}
	if len(steps) == 0 {
		return core.Doc{}, noCheckpoint(thread, 0)
	}
	list := core.Part{Kind: core.Table, Head: []string{"step", "at", "control", "message", "tools"}}
	for _, st := range steps {
		list.Rows = append(list.Rows, []string{
			strconv.Itoa(st.Step), st.Time.Local().Format("2006-01-02 15:04:05"), st.Control, fmt.Sprint("message ", st.Count), strings.Join(st.Tools, ", "),
		})
	}
	return core.Doc{Parts: []core.Part{list}}, nil
}

// showState says what was known of a conversation after a step.
func showState(ctx context.Context, cp *memory.Checkpointer, thread string, step int) (core.Doc, error) {
	state, err := cp.Load(ctx, thread, step)
	if err != nil {
		return core.Doc{}, err
	}
	if state.Step == 0 || step > 0 && state.Step != step {
		return core.Doc{}, noCheckpoint(thread, step)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "step %d, %s, message %d of the session\ntools: %s\n", state.Step, state.Control, state.Count, strings.Join(state.ToolHistory, ", "))
	for _, part := range []struct {
		name     string
		messages []core.Message
	}{{"to process", state.ToProcess}, {"history", state.History}} {
		fmt.Fprintf(&b, "%s: %s\n", part.name, text.Count(len(part.messages), "message", "messages"))
		for _, m := range part.messages {
			fmt.Fprintf(&b, "  %s: %s\n", m.Role, strings.ReplaceAll(strings.TrimSpace(m.Text), "\n", "\n    "))
		}
	}
	return core.Say(core.Block, b.String()), nil
}

func noCheckpoint(thread string, step int) error {
	e := core.Fail(core.CodeNotFound, fmt.Sprintf("there are no checkpoints of a conversation %q here", thread), "yaap threads list shows the conversations of this directory")
	if step > 0 {
		e.Message = fmt.Sprintf("there is no step %d of this conversation", step)
		e.Hint = "yaap threads show " + safe.Line(thread) + " lists its steps"
	}
	return e
}

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"yaap/core"
	"yaap/core/memory"
	"yaap/core/safe"
	"yaap/core/store"
)

// threadsCommand shows what the memory agent knows of conversations: its
// checkpoints, which are how it goes on after a restart.
func (p *program) threadsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "threads", Short: "Look at the conversations of this directory as the memory agent knows them",
		Long: "Look at the conversations of this directory as the memory agent knows them. Every\n" +
			"step of the agent is a checkpoint: after a restart it goes on from the last one.",
		Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var limit, step int
	list := &cobra.Command{
		Use: "list", Short: "The conversations, the last recorded first", Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withCheckpoints(cmd.Context(), func(ctx context.Context, s *store.Store, cp *memory.Checkpointer) error {
				return p.listThreads(ctx, s, cp, limit)
			})
		},
	}
	list.Flags().IntVar(&limit, "limit", 20, "at most so many; 0: all")
	show := &cobra.Command{
		Use: "show THREAD", Short: "The steps of a conversation, or what was known after one of them", Args: misuse(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withCheckpoints(cmd.Context(), func(ctx context.Context, _ *store.Store, cp *memory.Checkpointer) error {
				if cmd.Flags().Changed("step") {
					return p.showState(ctx, cp, args[0], step)
				}
				return p.showSteps(ctx, cp, args[0])
			})
		},
	}
	show.Flags().IntVar(&step, "step", 0, "what was known after this step; 0: after the last one")
	cmd.AddCommand(list, show, &cobra.Command{
		Use: "delete THREAD", Short: "Let the memory agent begin anew with a conversation", Args: misuse(cobra.ExactArgs(1)),
		Long: "Delete the checkpoints of a conversation: the memory agent begins a new session with\n" +
			"it. What was said and what is remembered stays; yaap memory forget --of THREAD\n" +
			"removes that.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withCheckpoints(cmd.Context(), func(ctx context.Context, _ *store.Store, cp *memory.Checkpointer) error {
				return cp.Delete(ctx, args[0])
			})
		},
	})
	return cmd
}

// withCheckpoints does something with the checkpoints of the working directory.
func (p *program) withCheckpoints(ctx context.Context, do func(context.Context, *store.Store, *memory.Checkpointer) error) error {
	return p.withMemory(ctx, func(ctx context.Context, s shelf) error {
		return do(ctx, s.store.Store, memory.NewCheckpointer(s.store, s.memory.ID))
	})
}

func (p *program) listThreads(ctx context.Context, s *store.Store, cp *memory.Checkpointer, limit int) error {
	last, err := cp.List(ctx, limit)
	if err != nil {
		return err
	}
	for _, st := range last {
		var title string
		if thread, err := s.Thread(ctx, st.Thread); err == nil { // it may have been forgotten
			title = thread.Title
		}
		state := "open"
		if memory.Control(st.Control) == memory.EndSession {
			state = "ended"
		}
		line := fmt.Sprintf("%s  %s  %-5s  %s, %s  %s", safe.Line(st.Thread), st.Time.Local().Format("2006-01-02 15:04"), state,
			plural(st.Step, "step", "steps"), plural(st.Count, "message", "messages"), safe.Line(title))
		if err := p.write(strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) showSteps(ctx context.Context, cp *memory.Checkpointer, thread string) error {
	steps, err := cp.Steps(ctx, thread)
	if err != nil {
		return err
	}
	if len(steps) == 0 {
		return noCheckpoint(thread, 0)
	}
	for _, st := range steps {
		line := fmt.Sprintf("%4d  %s  %-25s  message %d  %s", st.Step, st.Time.Local().Format("2006-01-02 15:04:05"), safe.Line(st.Control),
			st.Count, safe.Line(strings.Join(st.Tools, ", ")))
		if err := p.write(line); err != nil {
			return err
		}
	}
	return nil
}

// showState prints what was known of a conversation after a step.
func (p *program) showState(ctx context.Context, cp *memory.Checkpointer, thread string, step int) error {
	state, err := cp.Load(ctx, thread, max(step, 0))
	if err != nil {
		return err
	}
	if state.Step == 0 || step > 0 && state.Step != step {
		return noCheckpoint(thread, step)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "step %d, %s, message %d of the session\ntools: %s\n", state.Step, state.Control, state.Count, strings.Join(state.ToolHistory, ", "))
	for _, part := range []struct {
		name     string
		messages []core.Message
	}{{"to process", state.ToProcess}, {"history", state.History}} {
		fmt.Fprintf(&b, "%s: %s\n", part.name, plural(len(part.messages), "message", "messages"))
		for _, m := range part.messages {
			fmt.Fprintf(&b, "  %s: %s\n", m.Role, strings.ReplaceAll(strings.TrimSpace(m.Text), "\n", "\n    "))
		}
	}
	return p.write(strings.TrimRight(safe.Text(b.String()), "\n"))
}

func noCheckpoint(thread string, step int) error {
	e := &core.Error{
		Code: core.CodeNotFound, Op: "threads", Message: fmt.Sprintf("there are no checkpoints of a conversation %q here", thread),
		Hint: "yaap threads list shows the conversations of this directory",
	}
	if step > 0 {
		e.Message = fmt.Sprintf("there is no step %d of this conversation", step)
		e.Hint = "yaap threads show " + safe.Line(thread) + " lists its steps"
	}
	return e
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"yaap/core"
	"yaap/core/llm"
	"yaap/core/memory"
	"yaap/core/safe"
	"yaap/core/store"
	"yaap/prompts"
)

const defaultVault = "default"

// memoryNames are the vault and the memory of a directory. Their ids follow
// from their names, so that every window comes to the same.
func memoryNames(dir string) (core.Vault, core.Memory) {
	id := func(what string) string { return uuid.NewSHA1(uuid.NameSpaceURL, []byte("yaap:"+what)).String() }
	now := time.Now()
	v := core.Vault{ID: id("vault:" + defaultVault), Title: defaultVault, Created: now}
	m := core.Memory{ID: id("memory:" + dir), Vault: v.ID, Kind: "chat", Created: now}
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
			return r
		}
		return '-'
	}, filepath.Base(dir))
	name = strings.Trim(name, "-")
	m.Title = cmp.Or(name[:min(len(name), 40)], "root") + "-" + m.ID[:6]
	return v, m
}

// recording is how the conversations of a room are remembered.
type recording struct {
	*memory.Recorder
	vault  core.Vault
	memory core.Memory
	off    atomic.Bool // nothing is, from the next prompt on
	models atomic.Bool // a model may write what is remembered: somebody sits here, and it does not have to be quick
}

// rows are what has to be there before something can be remembered.
func (r *recording) rows() []core.Row {
	if r == nil {
		return nil
	}
	return []core.Row{r.vault, r.memory}
}

// of says where a conversation is remembered: nowhere when that is off.
func (r *recording) of(thread core.Thread) core.Recording {
	rec := core.Recording{Thread: thread.ID, Memory: r.memory.ID, Time: thread.Created}
	if r.off.Load() {
		rec.Memory = ""
	}
	return rec
}

// newRecording makes the lane that remembers the conversations of a directory.
func (a *app) newRecording() *recording {
	vault, mem := memoryNames(a.cfg.Dir)
	r := &recording{vault: vault, memory: mem}
	r.Recorder = memory.NewRecorder(memory.Config{
		Store: a.store, Vault: vault, Memory: mem, Sink: a.bus, Log: a.log,
		Prompts: memory.Prompts{EntryCapture: prompts.Chat("entry_capture"), Summary: prompts.Chat("summary"), Context: prompts.Chat("context")},
		Model: func() llm.Model {
			if a.models.offline() || !r.models.Load() {
				return nil // what is written is an extract
			}
			return a.models.current()
		},
	})
	return r
}

func (p *program) memoryCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "memory", Short: "Look at what is remembered", Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(p.memoryList(), p.memoryShow(), p.memorySearch(), p.memoryForget())
	return cmd
}

// withMemory does something with the memory of the working directory.
func (p *program) withMemory(ctx context.Context, do func(context.Context, *store.Store, core.Memory) error) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	_, mem := memoryNames(cfg.Dir)
	return p.withStore(ctx, func(ctx context.Context, s *store.Store) error {
		if _, err := s.Memory(ctx, mem.ID); core.CodeOf(err) == core.CodeNotFound {
			say(p.stderr, "nothing is remembered for "+safe.Line(cfg.Dir)+" yet; yaap memory search --all looks everywhere")
			return nil
		}
		return do(ctx, s, mem)
	})
}

func (p *program) memoryList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "Vaults and their memories", Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withStore(cmd.Context(), func(ctx context.Context, s *store.Store) error {
				vaults, err := s.Vaults(ctx)
				if err != nil {
					return err
				}
				for _, v := range vaults {
					if err := p.write(safe.Line(v.Title)); err != nil {
						return err
					}
					memories, err := s.Memories(ctx, v.ID)
					if err != nil {
						return err
					}
					for _, m := range memories {
						if err := p.write(safe.Line(fmt.Sprintf("  %s  %s", m.Title, m.ID))); err != nil {
							return err
						}
					}
				}
				return nil
			})
		},
	}
}

func (p *program) memoryShow() *cobra.Command {
	var limit int
	var raw bool
	cmd := &cobra.Command{
		Use: "show", Short: "The context and the newest entries of this directory's memory", Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withMemory(cmd.Context(), func(ctx context.Context, s *store.Store, m core.Memory) error {
				text, err := showMemory(ctx, s, m, limit, raw)
				if err != nil {
					return err
				}
				return p.write(strings.TrimRight(safe.Text(text), "\n"))
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "how many entries, at most 50")
	cmd.Flags().BoolVar(&raw, "raw", false, "what was said, word for word, instead of summaries")
	return cmd
}

// showMemory is a memory as Markdown.
func showMemory(ctx context.Context, s *store.Store, m core.Memory, limit int, raw bool) (string, error) {
	contexts, err := s.Contexts(ctx, m.ID, 1)
	if err != nil {
		return "", err
	}
	entries, err := s.Entries(ctx, m.ID, core.EntryQuery{Limit: limit})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", m.Title)
	if len(contexts) > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(contexts[0].Content))
	}
	if len(entries) == 0 {
		b.WriteString("\nNothing is remembered here yet.\n")
	} else {
		b.WriteString("\n## Entries\n\n")
	}
	for _, e := range entries {
		text := e.Summary
		if raw {
			text = e.Raw
		}
		fmt.Fprintf(&b, "- %s %s: %s\n", e.Created.Local().Format("2006-01-02 15:04"), e.Role, text)
	}
	return b.String(), nil
}

func (p *program) memorySearch() *cobra.Command {
	var limit int
	var everywhere bool
	cmd := &cobra.Command{
		Use: "search WORDS", Short: "Find what was said", Args: misuse(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			search := func(ctx context.Context, s *store.Store, m core.Memory) error {
				q := core.SearchQuery{Text: strings.Join(args, " "), Limit: limit}
				if !everywhere {
					q.Memories = []string{m.ID}
				}
				found, err := s.Search(ctx, q)
				if err != nil {
					return err
				}
				if len(found) == 0 {
					say(p.stderr, "nothing that was said here holds these words; --all looks in all memories")
				}
				for _, f := range found {
					match := strings.NewReplacer("\x02", "[", "\x03", "]").Replace(f.Match)
					line := fmt.Sprintf("%5.2f  %s  %s: %s", f.Score, f.Entry.Created.Local().Format("2006-01-02 15:04"), f.Entry.Role, match)
					if err := p.write(safe.Line(line)); err != nil {
						return err
					}
				}
				return nil
			}
			if everywhere {
				return p.withStore(cmd.Context(), func(ctx context.Context, s *store.Store) error { return search(ctx, s, core.Memory{}) })
			}
			return p.withMemory(cmd.Context(), search)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "how many")
	cmd.Flags().BoolVar(&everywhere, "all", false, "in all memories")
	return cmd
}

func (p *program) memoryForget() *cobra.Command {
	var thread string
	cmd := &cobra.Command{
		Use: "forget [ENTRY]", Short: "Remove the words of an entry, or of a conversation, everywhere", Args: misuse(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			q := core.ForgetQuery{Thread: thread}
			if len(args) > 0 {
				q.Entry = args[0]
			}
			if (q.Entry == "") == (q.Thread == "") {
				return usage(fmt.Errorf("name an entry, or a conversation with --of"))
			}
			return p.withStore(cmd.Context(), func(ctx context.Context, s *store.Store) error { _, err := s.Forget(ctx, q); return err })
		},
	}
	cmd.Flags().StringVar(&thread, "of", "", "the id of a conversation")
	return cmd
}

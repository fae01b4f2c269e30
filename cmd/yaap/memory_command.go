package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"yaap/core"
	"yaap/core/safe"
	"yaap/core/store"
)

func (p *program) memoryCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "memory", Short: "Look at what is remembered, and change it",
		Long: "Look at what is remembered, and change it. An ENTRY is its place, such as 12 or '#12',\n" +
			"or its id: show and search tell both.",
		Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&p.options.memory, "memory", "", "the memory VAULT/TITLE (default: that of the working directory)")
	_ = cmd.RegisterFlagCompletionFunc("memory", p.completeMemory) // the flag is there
	cmd.AddCommand(p.memoryList(), p.memoryShow(), p.memorySearch(), p.memoryStats(),
		p.memoryCorrect(), p.memoryTag(), p.memoryExpire(), p.memoryForget(), p.memoryRedact(), p.memoryPurge(),
		p.memoryExport(), p.memoryImport())
	return cmd
}

// completeMemory names the memories that there are.
func (p *program) completeMemory(cmd *cobra.Command, _ []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	_ = p.withStore(cmd.Context(), func(ctx context.Context, s *store.Store) error { // without it nothing is completed
		paths, err := shelf{store: maskedStore{Store: s}}.paths(ctx)
		for _, path := range paths {
			names = append(names, path.name)
		}
		return err
	})
	return names, cobra.ShellCompDirectiveNoFileComp
}

// withShelf does something with the memory that is named, or else with that of
// the working directory, which may not be there yet.
func (p *program) withShelf(ctx context.Context, do func(context.Context, shelf) error) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	return p.withStore(ctx, func(ctx context.Context, s *store.Store) error {
		sh := shelf{store: maskedStore{Store: s}, strict: p.options.memory != ""}
		if sh.strict {
			vault, title, ok := strings.Cut(p.options.memory, "/")
			if !ok {
				vault, title = defaultVault, vault
			}
			if sh.memory, err = s.FindMemory(ctx, vault, title); err != nil {
				return asHint(err, "yaap memory list shows the memories that there are")
			}
			sh.meaning = newMeaning(maskedStore{Store: s}, sh.memory.ID, cfg, func() string { return cfg.Model.V }, p.env)
			return do(ctx, sh)
		}
		_, mem := memoryNames(cfg.Dir)
		sh.meaning = newMeaning(maskedStore{Store: s}, mem.ID, cfg, func() string { return cfg.Model.V }, p.env)
		switch sh.memory, err = s.Memory(ctx, mem.ID); core.CodeOf(err) {
		case "", core.CodeNotFound:
			return do(ctx, sh)
		}
		return err
	})
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

// withMemory is withShelf for what makes sense only where something is
// remembered.
func (p *program) withMemory(ctx context.Context, do func(context.Context, shelf) error) error {
	return p.withShelf(ctx, func(ctx context.Context, s shelf) error {
		if s.memory.ID == "" {
			say(p.stderr, "nothing is remembered for this directory yet; yaap memory list shows where something is")
			return nil
		}
		return do(ctx, s)
	})
}

// tell prints what a command says.
func (p *program) tell(text string, err error) error {
	if err != nil {
		return err
	}
	return p.write(strings.TrimRight(safe.Text(text), "\n"))
}

func (p *program) memoryList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "The memories of all vaults, as --memory takes them, with their ids", Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withStore(cmd.Context(), func(ctx context.Context, s *store.Store) error {
				paths, err := shelf{store: maskedStore{Store: s}}.paths(ctx)
				for _, path := range paths {
					if err := p.write(safe.Line(path.name + " " + path.memory.ID)); err != nil {
						return err
					}
				}
				return err
			})
		},
	}
}

func (p *program) memoryShow() *cobra.Command {
	var limit int
	var raw bool
	cmd := &cobra.Command{
		Use: "show [ENTRY]", Short: "The context and the newest entries; or all about one entry", Args: misuse(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return p.withShelf(cmd.Context(), func(ctx context.Context, s shelf) error { return p.tell(s.showEntry(ctx, args[0])) })
			}
			return p.withMemory(cmd.Context(), func(ctx context.Context, s shelf) error { return p.tell(s.show(ctx, limit, raw)) })
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "how many entries, at most 50")
	cmd.Flags().BoolVar(&raw, "raw", false, "what was said, word for word, instead of summaries")
	return cmd
}

func (p *program) memorySearch() *cobra.Command {
	var limit int
	var everywhere bool
	cmd := &cobra.Command{
		Use: "search WORDS", Short: "Find what was said", Args: misuse(cobra.MinimumNArgs(1)),
		Long: "Find what was said. A star stands for the rest of a word: 'boil*', in quotes for the shell.",
		RunE: func(cmd *cobra.Command, args []string) error {
			search := func(ctx context.Context, s shelf) error {
				q := core.SearchQuery{Text: strings.Join(args, " "), Limit: limit}
				if !everywhere {
					q.Memories = []string{s.memory.ID}
				}
				found, err := s.meaning.Search(ctx, q)
				if err != nil {
					return err
				}
				if len(found) == 0 {
					say(p.stderr, "nothing that was said here holds these words; --all looks in all memories")
				}
				for _, f := range found {
					if err := p.write(safe.Line(s.found(ctx, f, "[]"))); err != nil {
						return err
					}
				}
				say(p.stderr, "searched by "+safe.Line(s.meaning.Mode()))
				return nil
			}
			if everywhere {
				return p.withShelf(cmd.Context(), search)
			}
			return p.withMemory(cmd.Context(), search)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "how many")
	cmd.Flags().BoolVar(&everywhere, "all", false, "in all memories")
	return cmd
}

func (p *program) memoryStats() *cobra.Command {
	var everywhere, asJSON bool
	cmd := &cobra.Command{
		Use: "stats", Short: "Count what is remembered", Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			count := func(ctx context.Context, s shelf) error {
				if everywhere {
					s.memory.ID = ""
				}
				all, err := s.store.MemoryStats(ctx, s.memory.ID)
				if err != nil {
					return err
				}
				bytes, err := s.store.Size()
				if err != nil || !asJSON {
					return p.tell(s.stats(all, bytes), err)
				}
				line, err := json.Marshal(struct {
					Bytes    int64              `json:"bytes"`
					Memories []core.MemoryStats `json:"memories"`
				}{bytes, append([]core.MemoryStats{}, all...)})
				if err != nil {
					return err
				}
				return p.write(safe.JSON(string(line)))
			}
			if everywhere {
				return p.withShelf(cmd.Context(), count)
			}
			return p.withMemory(cmd.Context(), count)
		},
	}
	cmd.Flags().BoolVar(&everywhere, "all", false, "of all memories")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as one line of JSON")
	return cmd
}

func (p *program) memoryCorrect() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "correct ENTRY TEXT", Short: "Say what is right in place of an entry", Args: misuse(cobra.ExactArgs(2)),
		Long: "Say what is right in place of an entry. The entry stays as it was said; the correction\n" +
			"is another one, linked to it, and is found first.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withShelf(cmd.Context(), func(ctx context.Context, s shelf) error { return p.tell(s.correct(ctx, args[0], args[1], reason)) })
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why")
	return cmd
}

func (p *program) memoryTag() *cobra.Command {
	return &cobra.Command{
		Use: "tag ENTRY KEY=VALUE...", Short: "Set tags of an entry; KEY= removes one", Args: misuse(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withShelf(cmd.Context(), func(ctx context.Context, s shelf) error { return p.tell(s.tag(ctx, args[0], args[1:])) })
		},
	}
}

func (p *program) memoryExpire() *cobra.Command {
	return &cobra.Command{
		Use: "expire ENTRY DURATION|DATE|never", Short: "Say how long an entry is remembered", Args: misuse(cobra.ExactArgs(2)),
		Long: "Say how long an entry is remembered, with what it corrects and what corrects it: for\n" +
			"12h, 30d or 2w, until a date such as 2030-12-24, or never to let it expire. The message\n" +
			"that it was made of stays in its conversation.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withShelf(cmd.Context(), func(ctx context.Context, s shelf) error { return p.tell(s.expire(ctx, args[0], args[1])) })
		},
	}
}

func (p *program) memoryForget() *cobra.Command {
	var thread string
	cmd := &cobra.Command{
		Use: "forget [ENTRY]", Short: "Remove the words of an entry, or of a conversation, from every file", Args: misuse(cobra.MaximumNArgs(1)),
		Long: "Remove the words of an entry, or of a conversation, from every file, for good. With an\n" +
			"entry go the message that it was made of, what was answered to it, its corrections, and\n" +
			"answers that were given when it was found again. The places stay, marked as redacted.\n" +
			"Other messages that say the same stay as they are: search for them afterwards.\n" +
			"Files that were exported are yours to remove.",
		RunE: func(cmd *cobra.Command, args []string) error {
			q := core.ForgetQuery{Thread: thread}
			if len(args) > 0 {
				q.Entry = args[0]
			}
			if (q.Entry == "") == (q.Thread == "") {
				return usageOf(cmd, errors.New("name an entry, or a conversation with --of"))
			}
			return p.withShelf(cmd.Context(), func(ctx context.Context, s shelf) error { return p.tell(s.forget(ctx, q)) })
		},
	}
	cmd.Flags().StringVar(&thread, "of", "", "the id of a conversation")
	return cmd
}

func (p *program) memoryRedact() *cobra.Command {
	return &cobra.Command{
		Use: "redact ENTRY", Short: "The same as forget ENTRY: the words go, the place stays", Args: misuse(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withShelf(cmd.Context(), func(ctx context.Context, s shelf) error {
				return p.tell(s.forget(ctx, core.ForgetQuery{Entry: args[0]}))
			})
		},
	}
}

func (p *program) memoryPurge() *cobra.Command {
	return &cobra.Command{
		Use: "purge", Short: "Remove the entries of all memories whose time is over, as every start does", Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withStore(cmd.Context(), func(ctx context.Context, s *store.Store) error {
				n, err := s.PurgeExpired(ctx)
				return p.tell(plural(n, "entry was", "entries were")+" removed.", err)
			})
		},
	}
}

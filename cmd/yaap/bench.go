package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/memory/eval"
	"github.com/yaap-chat/yaap/core/room"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/userfile"
)

func (p *program) benchCommand() *cobra.Command {
	cmd := new(cobra.Command)
	p.benchSpeed(cmd)
	var file, embedder string
	var asJSON, played bool
	mem := &cobra.Command{
		Use:   "memory",
		Short: "Measure how much of what was said the memory finds again",
		Long: "Puts conversations into a temporary database, as they are recorded without a model,\n" +
			"asks questions whose answers are known, and says how much of the evidence is found:\n" +
			"by yaap's search, and by a plain full-text index (FTS5 with its tokenizer porter) beside it.\n\n" +
			"Without --data the questions are yaap's own. Files of LoCoMo (locomo10.json) and\n" +
			"LongMemEval (longmemeval_s.json) can be measured with; get them from their authors.\n\n" +
			"With --embed the search that also goes by meaning is measured beside them, by the\n" +
			"vectors of a model of Ollama's (get one with `ollama pull nomic-embed-text`).\n\n" +
			"With --context it plays scripted weeks of two developers each, and says how many lines\n" +
			"of the contexts are wanted, how many facts are in them, what contradicts, and how many\n" +
			"of thirty plain questions a week are answered rightly.",
		Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if played {
				kept, err := benchContext(cmd.Context())
				if err != nil {
					return err
				}
				return p.report(kept, kept.String(), asJSON)
			}
			report, err := p.benchMemory(cmd.Context(), file, embedder)
			if err != nil {
				return err
			}
			return p.report(report, report.String(), asJSON)
		},
	}
	mem.Flags().StringVar(&file, "data", "", "a file of questions and conversations")
	mem.Flags().StringVar(&embedder, "embed", "", "a model of Ollama's that makes vectors of texts")
	mem.Flags().BoolVar(&played, "context", false, "play scripted weeks and measure the contexts and the answers")
	mem.MarkFlagsMutuallyExclusive("context", "data")
	mem.MarkFlagsMutuallyExclusive("context", "embed")
	mem.Flags().BoolVar(&asJSON, "json", false, "print the figures as JSON")
	cmd.AddCommand(mem, p.benchRoutingCommand())
	return cmd
}

func (p *program) benchMemory(ctx context.Context, file, embedder string) (report eval.Report, err error) {
	set, err := loadSet(file)
	if err != nil {
		return report, err
	}
	var by memory.Embedder
	if embedder != "" {
		if by, err = room.Embedder(ctx, embedder, p.env); err != nil {
			return report, err
		}
	}
	err = withBenchStore(ctx, func(ctx context.Context, s *store.Store) error {
		report, err = measure(ctx, s, set, by)
		return err
	})
	return report, err
}

// benchContext plays the scripted weeks.
func benchContext(ctx context.Context) (kept eval.WeekResults, err error) {
	weeks, err := eval.Weeks()
	if err != nil {
		return nil, err
	}
	err = withBenchStore(ctx, func(ctx context.Context, s *store.Store) error {
		for _, w := range weeks {
			k, err := eval.Play(ctx, s, w, nil)
			if err != nil {
				return err
			}
			kept = append(kept, k)
		}
		return nil
	})
	return kept, err
}

// withBenchStore does something with a database that is there for that long.
func withBenchStore(ctx context.Context, do func(context.Context, *store.Store) error) (err error) {
	dir, err := os.MkdirTemp("", "yaap-bench-")
	if err != nil {
		return core.Fail(core.CodeRefused, "nothing can be put for a while into "+os.TempDir(), "set TMPDIR to a directory that you can write to").Because(err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return store.With(ctx, dir, do)
}

// report prints what was measured.
func (p *program) report(figures any, words string, asJSON bool) error {
	if !asJSON {
		return p.write(strings.TrimRight(safe.Text(words), "\n"))
	}
	line, err := json.Marshal(figures)
	if err != nil {
		return err
	}
	return p.write(safe.JSON(string(line)))
}

// measure asks a search by words, a plain one, and one by meaning where there is an embedder.
func measure(ctx context.Context, s *store.Store, set eval.Set, by memory.Embedder) (eval.Report, error) {
	if err := eval.Fill(ctx, s, set); err != nil {
		return eval.Report{}, err
	}
	plain, err := s.Baseline(ctx)
	if err != nil {
		return eval.Report{}, err
	}
	type search struct {
		name string
		eval.Searcher
	}
	searches := []search{{"yaap", s}, {"porter", plain}}
	if by != nil {
		meaning, err := eval.Embed(ctx, s, s, by, set)
		if err != nil {
			return eval.Report{}, err
		}
		searches = slices.Insert(searches, 0, search{"yaap with " + by.Model(), meaning})
	}
	results := make([]eval.Result, len(searches))
	for i, one := range searches {
		if results[i], err = eval.Run(ctx, one.name, one, set); err != nil {
			return eval.Report{}, err
		}
	}
	return eval.NewReport(set, results...), nil
}

func loadSet(path string) (eval.Set, error) {
	if path == "" {
		return eval.Builtin()
	}
	f, err := userfile.Open(path)
	if err != nil {
		return eval.Set{}, core.Fail(core.CodeInvalid, fmt.Sprintf("%s cannot be read", safe.Line(path)),
			"name a file of LoCoMo or LongMemEval with --data; without it, yaap's own questions are asked").Because(err)
	}
	defer f.Close() //nolint:errcheck // it was read
	return eval.Load(f)
}

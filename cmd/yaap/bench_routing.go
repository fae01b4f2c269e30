package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/rank/eval"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/userfile"
)

const maxBenchFile = 256 << 20 // bytes

// routingReport is what was measured, and with which files.
type routingReport struct {
	eval.Report
	Files []benchFile `json:"files"`
}

// benchFile is a file that was measured with.
type benchFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

func (p *program) benchRoutingCommand() *cobra.Command {
	var tools, questions string
	var seed uint64
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "routing --tools FILE --questions FILE",
		Short: "Measure how many questions find their tool by words",
		Long: "Asks questions whose tools are known, and says how many find their tool first, among\n" +
			"the first 5 and among the first 10: by the words by which the room judges who\n" +
			"does not bid, and by a plain BM25 beside it. First with descriptions alone, then\n" +
			"after each tool has learned 1, 5 and 20 other questions.\n\n" +
			"The tools are a JSON object of name → description, or what an MCP server answers to\n" +
			"tools/list. The questions are a CSV file with the header Query,Tool.",
		Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			report, err := benchRouting(cmd.Context(), tools, questions, seed)
			if err != nil {
				return err
			}
			return p.report(report, report.String(), asJSON)
		},
	}
	cmd.Flags().StringVar(&tools, "tools", "", "a file of tools, JSON")
	cmd.Flags().StringVar(&questions, "questions", "", "a file of questions, CSV")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "which questions are learned")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the figures as JSON")
	return cmd
}

// String is a table.
func (r routingReport) String() string {
	var b strings.Builder
	b.WriteString(r.Report.String() + "\n")
	for _, f := range r.Files {
		fmt.Fprintf(&b, "%s  %s\n", f.SHA256, f.Name)
	}
	return b.String()
}

func benchRouting(ctx context.Context, tools, questions string, seed uint64) (report routingReport, err error) {
	var set eval.Set
	for _, file := range []struct {
		flag, path, what string
		read             func(raw []byte) error
	}{
		{"--tools", tools, "a JSON object of tool → description, or an MCP tools/list", func(raw []byte) (err error) {
			set.Tools, err = eval.ReadTools(raw)
			return err
		}},
		{"--questions", questions, "a CSV file with the header Query,Tool", func(raw []byte) (err error) {
			set.Questions, err = eval.ReadQuestions(bytes.NewReader(raw))
			return err
		}},
	} {
		hint := "name with " + file.flag + " " + file.what
		if file.path == "" {
			return report, core.Fail(core.CodeInvalid, "there is no "+file.flag+" FILE", hint)
		}
		raw, err := userfile.Read(file.path, maxBenchFile)
		if err == nil {
			err = file.read(raw)
		}
		if err != nil {
			return report, core.Fail(core.CodeInvalid, safe.Line(file.path)+" cannot be read: "+safe.Line(err.Error()), hint).Because(err)
		}
		report.Files = append(report.Files, benchFile{filepath.Base(file.path), core.Hash(raw)})
	}
	report.Report, err = eval.Run(ctx, set, seed)
	if err == nil && report.Asked == 0 {
		err = core.Fail(core.CodeInvalid, "no question is for a tool that is in the list", "the column Tool has the names of the tools, in the same case")
	}
	return report, err
}

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/bench"
	"github.com/yaap-chat/yaap/core/safe"
)

// benchSpeed measures all areas, or those that are named.
func (p *program) benchSpeed(cmd *cobra.Command) {
	names, about := []string{}, ""
	for _, a := range bench.Areas() {
		names = append(names, a[0])
		about += fmt.Sprintf("  %-8s %s\n", a[0], a[1])
	}
	var asJSON bool
	var earlier string
	cmd.Use = "bench [AREA...]"
	cmd.Short = "Measure how fast yaap is here, and how well it finds"
	cmd.Long = "Measure how fast yaap is on this machine, in about 20 seconds: what one thing costs at the\n" +
		"median and at the 99th percentile, and how many allocations it makes. AREA is one of\n\n" +
		strings.TrimRight(about, "\n") + "\n\n" +
		"Compare with --vs FILE, which --json printed: times compare only on the same machine at about\n" +
		"the same time; ratios always do."
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		for _, name := range args {
			if !slices.Contains(names, name) {
				return usageOf(cmd, fmt.Errorf("there is no area %s: there are %s", safe.Line(name), strings.Join(names, ", ")))
			}
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		before, err := readBench(earlier)
		if err != nil {
			return err
		}
		report, err := bench.Run(cmd.Context(), version(), args)
		if err != nil {
			return err
		}
		return p.report(report, report.Text(before), asJSON)
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the figures as JSON")
	cmd.Flags().StringVar(&earlier, "vs", "", "a file that --json wrote, to compare with")
}

func readBench(path string) (*bench.Report, error) {
	if path == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(path)
	r := new(bench.Report)
	if err == nil {
		err = json.Unmarshal(raw, r)
	}
	if err != nil {
		return nil, core.Fail(core.CodeInvalid, safe.Line(path)+" is no report to compare with", "yaap bench --json > FILE writes one").Because(err)
	}
	return r, nil
}

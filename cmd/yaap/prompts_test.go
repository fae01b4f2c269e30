package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"yaap/core"
	"yaap/core/llm"
	"yaap/core/llm/offline"
)

// specs is what the room tells a model about the built-in experts.
func specs() []core.ToolSpec {
	var list []core.ToolSpec
	for _, name := range builtinNames() {
		e := builtins(".")[name]()
		list = append(list, core.ToolSpec{Name: e.Name, Owner: e.Name, Description: e.Description, Examples: e.Examples, SACP: true})
	}
	return list
}

// asked returns who the offline model asks first; nobody when it asks back.
func asked(ctx context.Context, t *testing.T, prompt string) []string {
	t.Helper()
	var names []string
	request := llm.Request{Tools: specs(), Messages: []core.Message{{Role: core.RoleUser, Text: prompt}}}
	for chunk, err := range offline.New().Stream(ctx, request) {
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range chunk.Calls {
			names = append(names, c.Tool)
		}
	}
	if len(names) == 0 {
		return []string{"nobody"}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestTheRightBuiltInExpertsAreAskedAndOtherwiseNobody(t *testing.T) {
	raw, err := os.ReadFile("testdata/prompts.txt")
	if err != nil {
		t.Fatal(err)
	}
	total, right := 0, 0
	for line := range strings.Lines(string(raw)) {
		who, prompt, ok := strings.Cut(strings.TrimSpace(line), "|")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		want := strings.Fields(who)
		slices.Sort(want)
		got := asked(t.Context(), t, strings.TrimSpace(prompt))
		total++
		switch {
		case cmp.Equal(want, got):
			right++
		case slices.Contains(want, "nobody"):
			t.Errorf("%s: %v was asked, and nobody can answer it", prompt, got)
		default:
			t.Logf("%s: %v was asked, want %v", prompt, got, want)
		}
	}
	t.Logf("%d of %d", right, total)
	if total < 50 || right*100 < total*90 {
		t.Errorf("the right experts were asked for %d of %d prompts, less than 90 %%", right, total)
	}
}

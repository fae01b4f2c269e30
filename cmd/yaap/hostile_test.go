package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/safe/safetest"
	"github.com/yaap-chat/yaap/experts"
)

// hostileText is all hostile texts, with words that must be seen.
func hostileText() string {
	var all []string
	for _, text := range safetest.Texts() {
		all = append(all, text.Raw)
	}
	return "evil begins\n" + strings.Join(all, "\n") + "\nevil ends"
}

// hostile is an expert that tries to take over the terminal with all it says.
func hostile() {
	text := hostileText()
	fmt.Fprintln(os.Stderr, text)
	err := experts.Serve(context.Background(), experts.Expert{
		Name: "evil", Description: safe.Cut("Knows evil. "+text, 500), Examples: []string{"what is evil?"},
		Answer: func(_ context.Context, q experts.Question) (core.Reply, error) {
			if strings.Contains(q.Prompt, "fail") {
				return core.Reply{}, errors.New(text)
			}
			return core.Reply{Status: core.StatusSuccess, Thought: text, Message: text, Data: map[string]any{"text": text, "\x1b[8m": "\u009b8m"}}, nil
		},
	})
	if err != nil {
		programFailed(err)
	}
}

const hostileChain = `chain: 1
name: lure
description: TEXT
nodes:
  ask:
    expert: evil
    prompt: TEXT
edges:
  - {from: start, to: ask}
  - {from: ask, to: end, label: TEXT, when: 'ask.data.text == TEXT'}
  - {from: ask, to: end, default: true}
`

func TestHostileTextIsPrintedAsWhatItIs(t *testing.T) {
	dir := t.TempDir()
	inLine := strings.ReplaceAll(strings.ReplaceAll(hostileText(), "\x00", ""), "\n", " ") // arguments and names have neither
	inLine = strings.ToValidUTF8(inLine, "\ufffd")
	file := filepath.Join(dir, "lure\x1b[8m\u202e.yaml")
	must.Do(t, os.WriteFile(file, []byte(strings.ReplaceAll(hostileChain, "TEXT", strconv.QuoteToASCII(inLine))), 0o600))
	evil := []string{"--builtin", "none", "--expert", "evil=misfit hostile"}
	for _, c := range []struct {
		name  string
		args  []string
		json  bool // in lines of JSON
		shows string
	}{
		{name: "run", args: append(evil, "run", "@evil what is evil?"), shows: "evil ends"},
		{name: "run, failing", args: append(evil, "run", "@evil fail"), shows: "evil begins"},
		{name: "run, asked with it", args: append(evil, "run", "@evil "+inLine), shows: "evil ends"},
		{name: "run --json", args: append(evil, "run", "--json", "@evil "+inLine), json: true, shows: "evil ends"},
		{name: "chain check", args: []string{"chain", "check", file}},
		{name: "chain show", args: []string{"chain", "show", file}, shows: "lure"},
		{name: "chain plan", args: []string{"chain", "plan", file}, shows: "ask"},
		{name: "chain run", args: append(evil, "chain", "run", file)},
		{name: "chain run --json", args: append(evil, "chain", "run", "--json", file), json: true, shows: `"chain":"lure"`},
		{name: "chain list", args: []string{"chain", "list"}},
		{name: "chain runs", args: []string{"chain", "runs"}},
		{name: "audit show", args: []string{"audit", "show", "-v"}, shows: "evil ends"},
		{name: "audit show of nobody", args: []string{"audit", "show", "--run", inLine}, shows: "evil begins"},
		{name: "audit export", args: []string{"audit", "export"}, json: true, shows: "evil ends"},
		{name: "threads list", args: []string{"threads", "list"}},
		{name: "memory show", args: []string{"memory", "show"}},
		{name: "memory search", args: []string{"memory", "search", "evil"}, shows: "evil"},
		{name: "memory export", args: []string{"memory", "export"}, json: true, shows: "evil ends"},
		{name: "no such command", args: []string{strings.Join(strings.Fields(inLine), "_")}, shows: "evil_begins"},
		{name: "asked in short", args: []string{inLine}},
		{name: "doctor", args: append(evil, "doctor"), shows: "evil: ready"},
		{name: "logs", args: []string{"logs"}},
		{name: "no such flag", args: []string{"--" + inLine}},
		{name: "no such model", args: []string{"--model", inLine, "run", "hi"}},
		{name: "no such expert", args: []string{"--builtin", "none", "--expert", inLine, "run", "hi"}},
	} {
		out := printed(t, dir, c.args...)
		if !strings.Contains(out, c.shows) {
			t.Errorf("%s: %q is not there:\n%s", c.name, c.shows, out)
		}
		checkPrinted(t, c.name, out, c.json)
	}
	log := must.Get(os.ReadFile(filepath.Join(dir, "state", "yaap", "yaap.log")))(t)
	checkPrinted(t, "the log file", string(log), true)
}

// printed is what yaap prints on both its outputs.
func printed(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := yaapIn(t, dir, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	var status *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &status) {
		t.Fatal(err)
	}
	return out.String()
}

// checkPrinted fails unless an output is text without any style, of which the
// cells of a terminal show all.
func checkPrinted(t *testing.T, name, out string, asJSON bool) {
	t.Helper()
	if found := safetest.Sequences(out); len(found) > 0 {
		t.Errorf("%s sends %q", name, found)
	}
	for line := range strings.Lines(out) {
		if text := safe.Text(line); text != line {
			t.Errorf("%s prints %q, which is not safe", name, line)
		}
		if asJSON && strings.HasPrefix(line, "{") && !json.Valid([]byte(line)) {
			t.Errorf("%s prints %q, which is not JSON", name, line)
		}
	}
	const width = 200
	height := 2
	for line := range strings.Lines(out) {
		height += 2 + len(line)/(width/2)
	}
	emu := safetest.Show(t, width, min(height, 2_000), out)
	safetest.Check(t, name, emu)
	for _, row := range safetest.Rows(emu) {
		if strings.Contains(row, `{"\x1b`) {
			t.Errorf("%s: %s is styled", name, row)
		}
	}
}

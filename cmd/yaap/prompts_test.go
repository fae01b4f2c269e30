package main

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/offline"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/yaap"
	"github.com/yaap-chat/yaap/experts"
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

// bidders are the built-in experts of a directory, asked for bids without a
// process of their own.
type bidders map[string]experts.Expert

// Bids implements [offline.Bidders].
func (b bidders) Bids(ctx context.Context, _ core.Scope, texts []string, said []core.Message) (all []core.Bids) {
	for _, name := range slices.Sorted(maps.Keys(b)) {
		made := core.Bids{Expert: name, Tool: name, Credit: 1}
		for _, text := range texts {
			made.Bids = append(made.Bids, b[name].Bid(ctx, text, said))
		}
		all = append(all, made)
	}
	return all
}

// Learned implements [offline.Bidders].
func (bidders) Learned(string) []string { return nil }

// DepartedExperts implements [offline.Bidders].
func (bidders) DepartedExperts() []core.Expert { return nil }

// workplace is a repository with the files that the prompts speak of.
func workplace(t *testing.T) bidders {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"README.md": "# Readme\n\nTODO\n", "LICENSE": "MIT\n", "go.mod": "module x\n", "main.go": "package main\n", "src/main.go": "package main\n",
		"src/app.go": "package src\n", "notes.md": "TODO\n", "logo.png": "png", "a.yaml": "a: 1\n", "sales.csv": "region,amount\nNorth,1\n",
		"customers.csv": "name,country\nann,UK\n", "orders.csv": "id,total\n1,2\n", "people.csv": "name,age\nann,3\n", "app.db": "",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	runGit(t, dir, "init", "-q")
	commit(t, dir, "ann", time.Now().Format(time.RFC3339), "first")
	room := bidders{}
	for name, make := range builtins(dir) {
		room[name] = make()
	}
	return room
}

// askedIn returns who of those that tools belong to the offline model asks
// first; nobody when it asks back.
func askedIn(ctx context.Context, t *testing.T, room bidders, tools []core.ToolSpec, prompt string) []string {
	t.Helper()
	var names []string
	request := llm.Request{Tools: tools, Messages: []core.Message{{Role: core.RoleUser, Text: prompt}}}
	for chunk, err := range (&offline.Model{Bidders: room}).Stream(ctx, request) {
		must.Do(t, err)
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
	total, right, room := 0, 0, workplace(t)
	for _, line := range tableLines(t, "prompts.txt") {
		who, prompt, _ := strings.Cut(line, "|")
		want := strings.Fields(who)
		slices.Sort(want)
		got := askedIn(t.Context(), t, room, specs(), strings.TrimSpace(prompt))
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

// guest is an expert that joins live; it is never called.
type guest struct {
	in      yaap.Introduction
	prompts []string
	done    chan struct{}
}

func (g *guest) Tools(context.Context) ([]core.ToolSpec, error) {
	return []core.ToolSpec{{Name: g.in.Name, Schema: core.PromptSchema()}}, nil
}

func (g *guest) Call(context.Context, core.Call) (core.ToolResult, error) {
	return core.ToolResult{}, hub.ErrGone
}
func (g *guest) Signals() <-chan hub.Signal { return nil }
func (g *guest) Done() <-chan struct{}      { return g.done }
func (g *guest) Err() error                 { return nil }
func (g *guest) Close() error               { return nil }

func guests(t *testing.T) []*guest {
	t.Helper()
	var list []*guest
	for _, line := range tableLines(t, "guests.txt") {
		switch {
		case strings.HasPrefix(line, "["):
			name, description, _ := strings.Cut(line[1:], "] ")
			list = append(list, &guest{in: yaap.Introduction{Name: name, Description: description}, done: make(chan struct{})})
		case strings.HasPrefix(line, "- "):
			g := list[len(list)-1]
			g.in.Examples = append(g.in.Examples, line[2:])
		case strings.HasPrefix(line, "> "):
			g := list[len(list)-1]
			g.prompts = append(g.prompts, line[2:])
		}
	}
	return list
}

func TestExpertsThatNobodyHasHeardOfAreAskedAsSoonAsTheyJoin(t *testing.T) {
	room := hub.New(new(event.Bus), nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- room.Run(ctx) }()
	defer func() {
		cancel()
		must.Report(t, <-ended)
	}()
	total, right, strangers, builtIn := 0, 0, guests(t), workplace(t)
	count := func(prompt, want string) {
		total++
		if got := askedIn(t.Context(), t, builtIn, append(specs(), room.Tools().Specs()...), prompt); cmp.Equal(got, []string{want}) {
			right++
		} else {
			t.Logf("%s: %v was asked, want %s", prompt, got, want)
			if want == "nobody" {
				t.Errorf("%v was asked though nobody who is here can answer", got)
			}
		}
	}
	for _, g := range strangers { // before anybody has come
		for _, prompt := range g.prompts {
			count(prompt, "nobody")
		}
	}
	for _, g := range strangers {
		must.Get(room.Join(t.Context(), hub.Entry{Introduction: g.in, Transport: hub.Peer, Link: g}))(t)
		for _, prompt := range g.prompts { // the newest is known at once
			count(prompt, g.in.Name)
		}
	}
	for _, g := range strangers { // and still when all are here
		for _, prompt := range g.prompts {
			count(prompt, g.in.Name)
		}
	}
	t.Logf("%d of %d", right, total)
	if total < 90 || right*100 < total*90 {
		t.Errorf("the right expert was asked for %d of %d prompts, less than 90 %%", right, total)
	}
}

package room

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/hub"
)

// words are what a command says, its tables as lines of cells.
func words(d core.Doc) string {
	var all []string
	for _, part := range d.Parts {
		all = append(all, part.Text)
		for _, row := range part.Rows {
			all = append(all, strings.Join(row, " "))
		}
	}
	return strings.Join(all, "\n")
}

func TestACommandThatIsNotUnderstoodSaysWhatItTakes(t *testing.T) {
	w := &Window{Room: &Room{hub: hub.New(new(event.Bus), nil, nil)}}
	for line, want := range map[string]string{
		"experts add":                     "takes CMD ARGS",
		"experts stop":                    "takes EXPERT",
		"experts restart":                 "takes EXPERT",
		"experts forget":                  "takes EXPERT",
		"experts invite":                  "nobody called invite",
		"chain":                           "/chain list",
		"chain fnord":                     "/chain run",
		"chain fork r --at x":             `"x" is no number for --at`,
		"chain fork r --at -2":            `"-2" is no number for --at`,
		"chain fork r --at":               "nothing follows --at",
		"chain fork r --at 2 --set":       "nothing follows --set",
		"chain fork r at 2":               "takes RUN",
		"chain fork r --set a.data.x=1":   "--set changes what a step came to",
		"chain fork r --at 2 --migrate":   "knows no --migrate",
		"chain show --dot --ascii triage": "choose one of",
		"fnord":                           "there is no command /fnord",
		"audit show":                      "there is no command /audit",
	} {
		_, err := w.Do(t.Context(), "", strings.Fields(line))
		if err == nil || core.HintOf(err) == "" || !strings.Contains(err.Error()+core.HintOf(err), want) {
			t.Errorf("/%s: got %v (%s), want %q", line, err, core.HintOf(err), want)
		}
	}
}

func TestACommandIsFoundByItsOtherNamesToo(t *testing.T) {
	for typed, want := range map[string]string{"undo 2": "rewind", "Undo": "rewind", "mcp add heron": "experts add", "cost": "usage"} {
		if found, _, err := find(strings.Fields(typed)); err != nil || found.Name != want {
			t.Errorf("/%s: got %q, %v", typed, found.Name, err)
		}
	}
}

func TestACommandThatIsCalledOtherwiseHereIsNamed(t *testing.T) {
	w := &Window{Room: &Room{hub: hub.New(new(event.Bus), nil, nil)}}
	for line, want := range map[string]string{
		"experts remove calc":     "type /experts stop calc: take one out",
		"experts rm calc":         "type /experts stop calc",
		"experts delete calc":     "type /experts stop calc",
		"experts kick calc":       "type /experts stop calc",
		"experts remove":          "type /experts stop EXPERT",
		"experts start calc":      "type /experts restart calc",
		"experts install npx foo": "type /experts add npx foo",
		"experts connect npx foo": "type /experts add npx foo",
		"experts sotp calc":       "type /experts stop calc",
		"memory delete 3":         "type /memory forget 3",
		"memory find herons":      "type /memory search herons",
		"memory searhc herons":    "type /memory search herons",
		"chain start triage":      "type /chain run triage",
		// held: nothing is fitted to what follows
		"experts uninstall calc":  "type /experts stop calc",
		"experts kill calc":       "type /experts stop calc",
		"experts disable calc":    "type /experts stop calc",
		"experts enable calc":     "type /experts restart calc",
		"experts new npx foo":     "type /experts add npx foo",
		"experts restarr calc":    "type /experts restart calc",
		"memory remove 3":         "type /memory forget 3",
		"memory grep herons":      "type /memory search herons",
		"memory view 3":           "type /memory show 3",
		"chain exec triage":       "type /chain run triage",
		"chain ls":                "type /chain list",
		"experts Remove calc":     "type /experts stop calc",
		"experts juggle calc now": "type /experts [EXPERT]",
		"experts heron":           "/experts lists who is here",
	} {
		_, err := w.Do(t.Context(), "", strings.Fields(line))
		if err == nil || !strings.HasPrefix(core.HintOf(err), want) {
			t.Errorf("/%s: got %v (%s), want %q", line, err, core.HintOf(err), want)
		}
	}
}

func TestWhatFollowsACommandOfTheChatIsItsFlagsAndArguments(t *testing.T) {
	row := func(name string) Command {
		return Commands()[slices.IndexFunc(Commands(), func(c Command) bool { return c.Name == name })]
	}
	for _, c := range []struct {
		name, line string
		args       []string
		flags      map[string]any
	}{
		{"chain fork", "--set a.data.x=1 --at=2 r --set=b.data.y=z", []string{"r"}, map[string]any{"at": 2, "set": []string{"a.data.x=1", "b.data.y=z"}}},
		{"memory correct", "3 use -O2 and --fast --reason it was measured twice", []string{"3", "use", "-O2", "and", "--fast"}, map[string]any{"reason": "it was measured twice"}},
		{"memory search", "boiler --limit 3", []string{"boiler"}, map[string]any{"limit": 3, "all": false}},
		{"chain show", "triage --mermaid", []string{"triage"}, map[string]any{"mermaid": true, "dot": false, "svg": false, "width": 0}},
	} {
		call := new(Call)
		if err := row(c.name).read(call, strings.Fields(c.line)); err != nil {
			t.Errorf("/%s %s: %v", c.name, c.line, err)
			continue
		}
		if !slices.Equal(call.Args, c.args) {
			t.Errorf("/%s %s has the arguments %q", c.name, c.line, call.Args)
		}
		for flag, want := range c.flags {
			if list, ok := want.([]string); ok && !slices.Equal(call.list(flag), list) || !ok && call.Values[flag] != want {
				t.Errorf("/%s %s: --%s is %v, want %v", c.name, c.line, flag, call.Values[flag], want)
			}
		}
	}
}

// A row is all that a command takes: it is found, read and run by its name.
func TestEveryRowOfTheTableIsACommandOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	groups := map[string]bool{}
	for _, c := range Commands() {
		group, rest := c.Group()
		switch {
		case seen[c.Name]:
			t.Errorf("%s has two rows", c.Name)
		case c.Does == "" || strings.HasSuffix(c.Does, "."):
			t.Errorf("%s does %q", c.Name, c.Does)
		case rest != "" && !groups[group]:
			t.Errorf("%s stands before its group", c.Name)
		case rest != "" && c.Run == nil:
			t.Errorf("%s does nothing", c.Name)
		case c.Least > max(c.Most, 0) && c.Most != anyNumber, c.Least > 0 && c.Args == "":
			t.Errorf("%s takes %q, at least %d and at most %d", c.Name, c.Args, c.Least, c.Most)
		}
		seen[c.Name], groups[group] = true, true
		if c.Where == atShell || c.Run == nil {
			continue
		}
		if found, _, err := find(strings.Fields(c.Name)); err != nil || found.Name != c.Name {
			t.Errorf("/%s finds %q, %v", c.Name, found.Name, err)
		}
	}
	if doc, err := (Command{Run: func(context.Context, *Call) (core.Doc, error) { return core.Say(core.Markdown, "done"), nil }}).Do(t.Context(), new(Call)); err != nil || words(doc) != "done" {
		t.Errorf("a row without a store says %q, %v", words(doc), err)
	}
}

func TestTheSettingsThatNobodyHasSetAreNamedInOneLine(t *testing.T) {
	cfg, err := config.Load(config.Flags{Model: "ollama/qwen3.5:4b"}, nil, func(name string) string { return map[string]string{"HOME": t.TempDir()}[name] })
	if err != nil {
		t.Fatal(err)
	}
	w := &Window{Room: &Room{hub: hub.New(new(event.Bus), nil, nil), Options: Options{Config: cfg, Getenv: func(string) string { return "" }}}}
	doc, err := w.Do(t.Context(), "", []string{"config"})
	if err != nil {
		t.Fatal(err)
	}
	if list := doc.Parts[0].Rows; len(list) != 1 || list[0][0] != "model" {
		t.Errorf("the table has %q", list)
	}
	if said := words(doc); !strings.Contains(said, "bid_ms, max_turns") || !strings.Contains(said, "/config list") {
		t.Errorf("got\n%s", said)
	}
	if doc, err = w.Do(t.Context(), "", []string{"config", "list"}); err != nil || len(doc.Parts[0].Rows) < 10 {
		t.Errorf("/config list: %d rows, %v", len(doc.Parts[0].Rows), err)
	}
}

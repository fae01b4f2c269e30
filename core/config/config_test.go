package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/servers"
)

var builtin = []string{"calc", "clock", "git"}

// load reads a configuration with this file and these variables.
func load(t *testing.T, file string, env map[string]string, flags config.Flags) (config.Config, error) {
	t.Helper()
	home := t.TempDir()
	if file != "" {
		dir := filepath.Join(home, ".config", "yaap")
		must.Do(t, os.MkdirAll(dir, 0o700))
		must.Do(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(file), 0o600))
	}
	if flags.Dir == "" {
		flags.Dir = home
	}
	return config.Load(flags, builtin, func(name string) string {
		if name == "HOME" {
			return home
		}
		return env[name]
	})
}

func TestWithNothingSaidTheDefaultsHold(t *testing.T) {
	c := must.Get(load(t, "", nil, config.Flags{}))(t)
	if c.Model.V != "offline" || c.Model.From != "default" || c.MaxTurns.V != 10 || len(c.Experts) != 0 {
		t.Errorf("got %+v", c)
	}
	must.Equal(t, builtin, c.Builtin.V)
	if !strings.HasSuffix(c.StateDir, filepath.Join(".local", "state", "yaap")) {
		t.Errorf("got the state directory %s", c.StateDir)
	}
}

func TestFlagsWinOverTheEnvironmentAndThatOverTheFile(t *testing.T) {
	file := "model: ollama/file\ntheme: dark\nbuiltin: [git]\nmax_turns: 4\nre_asks: 0\nmemory_every: 12\n"
	env := map[string]string{"YAAP_MODEL": "ollama/env", "YAAP_BUILTIN": "calc"}
	fromFile := must.Get(load(t, file, nil, config.Flags{}))(t)
	fromEnv := must.Get(load(t, file, env, config.Flags{}))(t)
	fromFlag := must.Get(load(t, file, env, config.Flags{Model: "offline", Builtin: "none", Theme: "light"}))(t)
	if fromFile.Model.V != "ollama/file" || fromFile.Model.From != fromFile.File || fromFile.MaxTurns.V != 4 || fromFile.ReAsks.V != 0 || fromFile.Every.V != 12 {
		t.Errorf("from the file: got %+v", fromFile)
	}
	if fromEnv.Model.V != "ollama/env" || fromEnv.Model.From != "YAAP_MODEL" || fromEnv.Builtin.V[0] != "calc" {
		t.Errorf("from the environment: got %+v", fromEnv)
	}
	if fromFlag.Model.V != "offline" || fromFlag.Model.From != "--model" || len(fromFlag.Builtin.V) != 0 || fromFlag.Theme.V != "light" {
		t.Errorf("from flags: got %+v", fromFlag)
	}
}

func TestThatNothingIsKeptMayBeSaidByTheFileOrAFlag(t *testing.T) {
	for _, c := range []struct {
		file string
		flag bool
		want config.Value[bool]
	}{
		{"", false, config.Value[bool]{V: false, From: "default"}},
		{"ephemeral: false\n", true, config.Value[bool]{V: true, From: "--ephemeral"}},
		{"ephemeral: true\n", false, config.Value[bool]{V: true, From: "config.yaml"}},
	} {
		got := must.Get(load(t, c.file, map[string]string{"TMPDIR": "/t", "XDG_RUNTIME_DIR": "/run/user/7"}, config.Flags{Ephemeral: c.flag}))(t)
		if got.Ephemeral.V != c.want.V || !strings.HasSuffix(got.Ephemeral.From, c.want.From) || got.TempDir != "/run/user/7/yaap" {
			t.Errorf("%q, %t: %+v in %s, want %+v", c.file, c.flag, got.Ephemeral, got.TempDir, c.want)
		}
	}
	for env, want := range map[string]string{"/t": "/t", "here": "/tmp", "": "/tmp"} {
		if got, err := load(t, "", map[string]string{"TMPDIR": env}, config.Flags{}); err != nil || got.TempDir != want {
			t.Errorf("TMPDIR=%s: %s, %v; want %s", env, got.TempDir, err, want)
		}
	}
}

func TestExpertsComeFromTheFileAndFromFlags(t *testing.T) {
	file := "experts:\n  heron:\n    command: [python3, heron.py]\n    env: [HERON_KEY, LEVEL=2]\n    dir: birds\n"
	c := must.Get(load(t, file, nil, config.Flags{Experts: []string{`newt=python3 "my newt.py" -v`, `owl=https://owl.example/mcp`}}))(t)
	want := []config.Expert{
		{
			Server: servers.Server{Name: "heron", Written: "heron", File: c.File, Command: []string{"python3", "heron.py"}, Env: map[string]string{"LEVEL": "2"}, Dir: filepath.Join(filepath.Dir(c.File), "birds")},
			Pass:   []string{"HERON_KEY"}, From: c.File,
		},
		{Server: servers.Server{Name: "newt", Command: []string{"python3", "my newt.py", "-v"}}, From: "--expert"},
		{Server: servers.Server{Name: "owl", URL: "https://owl.example/mcp"}, From: "--expert"},
	}
	must.Equal(t, want, c.Experts)
}

func TestAnEntryOfTheFileThatCannotBeAnExpertCostsThatEntry(t *testing.T) {
	file := "experts:\n  heron: {}\n  both: {command: [x], url: \"http://x\"}\n  calc: {command: [x]}\n  newt: {command: [newt], env: {KEY: v}}\n" +
		"mcpServers:\n  GitHub: {command: npx, args: [-y, hub], env: {TOKEN: \"${TOKEN}\"}}\n  lost: {command: x, env: {K: \"${NOWHERE}\"}}\n"
	c := must.Get(load(t, file, map[string]string{"TOKEN": "t"}, config.Flags{}))(t)
	var names, faults []string
	for _, e := range c.Experts {
		names = append(names, e.Name+" "+core.JoinWords(e.Command))
	}
	for _, f := range c.Faults {
		faults = append(faults, f.Written)
	}
	must.Equal(t, []string{"newt newt", "github npx -y hub"}, names)
	must.Equal(t, []string{"lost", "both", "calc", "heron"}, faults)
}

func TestWhatCannotBeMeantIsRefusedWithWhatToDo(t *testing.T) {
	for _, c := range []struct {
		name  string
		file  string
		flags config.Flags
		says  string
	}{
		{"a key that does not exist", "modell: offline\n", config.Flags{}, "cannot be understood"},
		{"a file that is no YAML", "model: [\n", config.Flags{}, "cannot be understood"},
		{"an unknown built-in expert", "", config.Flags{Builtin: "calc,weather"}, `no built-in expert "weather"`},
		{"an expert flag without a name", "", config.Flags{Experts: []string{"python3 x.py"}}, "NAME=COMMAND"},
		{"a quote that is open", "", config.Flags{Experts: []string{`a1=x "y`}}, "NAME=COMMAND"},
		{"a name that is not allowed", "", config.Flags{Experts: []string{"Heron=x"}}, "not allowed"},
		{"a name that a built-in expert has", "", config.Flags{Experts: []string{"calc=x"}}, "two experts"},
		{"a directory that is not there", "", config.Flags{Dir: "/no/such/directory"}, "not a directory"},
		{"no turns", "max_turns: 0\n", config.Flags{}, "max_turns"},
		{"no messages", "memory_every: 0\n", config.Flags{}, "memory_every"},
		{"too many tries", "re_asks: 3\n", config.Flags{}, "re_asks"},
		{"a way to show pictures that there is not", "pictures: ascii\n", config.Flags{}, "pictures"},
		{"a second document", "bid_ms: 100\n---\napprove: [all]\n", config.Flags{}, "goes on behind"},
		{"a theme that there is not", "", config.Flags{Theme: "pink"}, `no theme "pink" (--theme)`},
		{"half a turn", "max_turns: 2.5\n", config.Flags{}, "max_turns"},
		{"a price below zero", "models: {x/y: {price: {input: -1}}}\n", config.Flags{}, "models.x/y.price.input"},
		{"too many turns", "max_turns: 1000\n", config.Flags{}, "max_turns"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := load(t, c.file, nil, c.flags)
			if core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v with hint %q, want it to say %q", err, core.HintOf(err), c.says)
			}
		})
	}
}

func TestAByteOrderMarkIsNoPartOfTheFirstKey(t *testing.T) {
	c := must.Get(load(t, "\uFEFFmodel: offline\nmax_turns: 7\n", nil, config.Flags{}))(t)
	must.Equal(t, 7, c.MaxTurns.V)
}

func TestWithoutAHomeNothingIsWrittenIntoTheWorkingDirectory(t *testing.T) {
	_, err := config.Load(config.Flags{}, builtin, func(string) string { return "" })
	if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(core.HintOf(err), "HOME") {
		t.Errorf("got %v with hint %q", err, core.HintOf(err))
	}
}

func TestAWorkingDirectoryThatIsGoneIsSaid(t *testing.T) {
	home := t.TempDir()
	gone := filepath.Join(home, "gone")
	must.Do(t, os.Mkdir(gone, 0o700))
	t.Chdir(gone)
	t.Setenv("PWD", "")
	if err := os.Remove(gone); err != nil {
		t.Skip("a directory in use cannot be removed here:", err)
	}
	_, err := config.Load(config.Flags{}, builtin, func(string) string { return home })
	if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), "is gone") || core.HintOf(err) == "" {
		t.Errorf("got %v, %s", err, core.HintOf(err))
	}
}

func TestAConfigurationInTheWorkingDirectoryIsNotRead(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.MkdirAll(filepath.Join(".config", "yaap"), 0o700))
	must.Do(t, os.WriteFile(filepath.Join(".config", "yaap", "config.yaml"), []byte("experts: {evil: {command: [rm]}}"), 0o600))
	state := t.TempDir()
	c, err := config.Load(config.Flags{}, builtin, func(name string) string {
		if name == "XDG_STATE_HOME" {
			return state
		}
		return ""
	})
	if err != nil || len(c.Experts) != 0 {
		t.Errorf("got %+v, %v", c.Experts, err)
	}
}

func TestABuiltInExpertThatIsNamedTwiceComesOnce(t *testing.T) {
	c := must.Get(load(t, "", nil, config.Flags{Builtin: "calc, calc,git"}))(t)
	must.Equal(t, []string{"calc", "git"}, c.Builtin.V)
}

func TestTheFileNamesBuiltInExpertsAsTheCommandLineDoes(t *testing.T) {
	for file, want := range map[string][]string{
		"builtin: none\n":        nil,
		"builtin: []\n":          nil,
		"builtin: all\n":         builtin,
		"builtin: [git, calc]\n": {"git", "calc"},
		"builtin: git, calc\n":   {"git", "calc"},
	} {
		must.Equal(t, want, must.Get(load(t, file, nil, config.Flags{}))(t).Builtin.V)
	}
}

func TestAMistakeInTheFileIsShownWithItsLine(t *testing.T) {
	_, err := load(t, "model: offline\nmax_turns: many\n", nil, config.Flags{})
	if hint := core.HintOf(err); !strings.Contains(hint, "2 |") || !strings.Contains(hint, "write a whole number") {
		t.Errorf("the hint does not show line 2, or does not say what it takes: %q", hint)
	}
	for file, says := range map[string]string{
		"memory: often\n":           "write true or false",
		"allow: {a: b}\n":           "",
		"chains: paint\n":           "write a list",
		"model: [a]\n":              "write a text",
		"hooks: {before_tool: 5}\n": "",
		"judge: yes please\n":       "keys of its own",
		"bid_ms: 100ms\n":           "write a whole number",
		"maxturns: 5\n":             "there is no key \"maxturns\" here",
		"model: ollama\n":           "PROVIDER/NAME",
	} {
		_, err := load(t, file, nil, config.Flags{})
		if hint := core.HintOf(err); err == nil || strings.Contains(hint, "unmarshal") || !strings.Contains(hint, says) {
			t.Errorf("%s: %v (%s)", file, err, hint)
		}
	}
	if _, err := load(t, "", map[string]string{"YAAP_BID_MS": "abc"}, config.Flags{}); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("YAAP_BID_MS may be no number: %v", err)
	}
}

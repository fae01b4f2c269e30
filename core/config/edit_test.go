package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/must"
)

func TestAnExpertIsWrittenIntoTheFileAndTheRestOfItStays(t *testing.T) {
	entry := map[string]any{"command": []string{"python3", "heron.py"}}
	for name, c := range map[string]struct{ before, after string }{
		"no file":         {"", "experts:\n  heron:\n    command:\n    - python3\n    - heron.py\n"},
		"no list":         {"model: offline # mine", "model: offline # mine\nexperts:\n  heron:\n    command:\n    - python3\n    - heron.py\n"},
		"a list":          {"# top\nexperts:\n    # the first\n    newt: {command: [newt]} # small\nmodel: offline\n", "# top\nexperts:\n    # the first\n    heron:\n      command:\n      - python3\n      - heron.py\n    newt: {command: [newt]} # small\nmodel: offline\n"},
		"two in the list": {"experts:\n  ant: {command: [a]}\n  bee: {command: [b]}\n", "experts:\n  heron:\n    command:\n    - python3\n    - heron.py\n  ant: {command: [a]}\n  bee: {command: [b]}\n"},
	} {
		path := filepath.Join(t.TempDir(), "yaap", "config.yaml")
		if c.before != "" {
			must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
			must.Do(t, os.WriteFile(path, []byte(c.before), 0o600))
		}
		if err := config.AddEntry(path, "experts", "heron", entry); err != nil {
			t.Fatal(name, err)
		}
		got := must.Get(os.ReadFile(path))(t)
		if diff := cmp.Diff(c.after, string(got)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func TestAFileThatCannotBeAddedToIsLeftAndSaysWhatToWrite(t *testing.T) {
	for before, says := range map[string]string{
		"experts: {newt: {command: [newt]}}\n":      "write into it",
		"experts:\n  heron: {command: [x]}\n":       "has heron already",
		"experts: [\n":                              "cannot be understood",
		"modell: x\n":                               "write into it",
		"experts:\n  newt: {command: [newt]}\n - x": "cannot be understood",
	} {
		path := filepath.Join(t.TempDir(), "config.yaml")
		must.Do(t, os.WriteFile(path, []byte(before), 0o600))
		err := config.AddEntry(path, "experts", "heron", map[string]any{"command": []string{"x"}})
		got, _ := os.ReadFile(path)
		if err == nil || !strings.Contains(err.Error()+core.HintOf(err), says) || string(got) != before {
			t.Errorf("%q: got %v (%s), and the file is %q", before, err, core.HintOf(err), got)
		}
	}
}

func TestASettingIsWrittenAndTheRestStaysAsItIs(t *testing.T) {
	for _, test := range []struct{ before, after string }{
		{"", "model: ollama/a:1b\n"},
		{"# mine\nmemory: false\n", "# mine\nmemory: false\nmodel: ollama/a:1b\n"},
		{"model: offline # for now\nmemory: false\n", "model: ollama/a:1b # for now\nmemory: false\n"},
		{"memory: false\nmodel: \"offline\"", "memory: false\nmodel: ollama/a:1b\n"},
	} {
		path := filepath.Join(t.TempDir(), "config.yaml")
		must.Do(t, os.WriteFile(path, []byte(test.before), 0o600))
		must.Do(t, config.Set(path, "model", "ollama/a:1b"))
		if got, err := os.ReadFile(path); err != nil || string(got) != test.after {
			t.Errorf("%q became %q, %v", test.before, got, err)
		}
	}
	path := filepath.Join(t.TempDir(), "config.yaml")
	must.Do(t, os.WriteFile(path, []byte("model:\n  offline\n"), 0o600))
	if err := config.Set(path, "model", "ollama/a:1b"); err == nil || !strings.Contains(core.HintOf(err), "model: ollama/a:1b") {
		t.Error(err)
	}
}

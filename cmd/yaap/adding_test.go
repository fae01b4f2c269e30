package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/yaap-chat/yaap/core/must"
)

// Each archive in testdata/adding adds something to the program, laid over its
// source: at most one file and one row of a table, and the test that uses it.
func TestWhatIsAddedIsOneFileAndOneRow(t *testing.T) {
	archives, err := filepath.Glob("testdata/adding/*.txtar")
	if err != nil || len(archives) < 6 {
		t.Fatal(archives, err)
	}
	root := must.Get(filepath.Abs("../.."))(t)
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive := must.Get(txtar.ParseFile(path))(t)
			o := overlay{root: root, dir: t.TempDir(), Replace: map[string]string{}}
			for _, f := range archive.Files {
				o.lay(t, f)
			}
			if o.files > 1 || o.rows > 1 {
				t.Errorf("it touches %d files and %d rows", o.files, o.rows)
			}
			o.test(t)
		})
	}
}

// overlay is what the go command reads in place of the files of the program.
type overlay struct {
	root, dir   string
	tested      string // the package with the test
	files, rows int
	Replace     map[string]string
}

// lay adds a file, or a row: a section "row FILE" says what stands there, and what
// stands there then.
func (o *overlay) lay(t *testing.T, f txtar.File) {
	t.Helper()
	name, row := strings.CutPrefix(f.Name, "row ")
	path := filepath.Join(o.root, filepath.FromSlash(name))
	source, err := os.ReadFile(path)
	if row != (err == nil) {
		t.Fatalf("%s: %v", name, err)
	}
	text := string(f.Data)
	switch {
	case row:
		before, after, _ := strings.Cut(text, "\n")
		if strings.Count(string(source), before) != 1 {
			t.Fatalf("%s has %q %d times", name, before, strings.Count(string(source), before))
		}
		text = strings.Replace(string(source), before, strings.TrimSuffix(after, "\n"), 1)
		o.rows++
	case strings.HasSuffix(name, "_test.go"):
		o.tested = "./" + filepath.ToSlash(filepath.Dir(name))
	default:
		o.files++
	}
	laid := filepath.Join(o.dir, strings.ReplaceAll(name, "/", "_"))
	must.Do(t, os.WriteFile(laid, []byte(text), 0o600))
	o.Replace[path] = laid
}

func (o *overlay) test(t *testing.T) {
	t.Helper()
	raw := must.Get(json.Marshal(o))(t)
	list := filepath.Join(o.dir, "overlay.json")
	must.Do(t, os.WriteFile(list, raw, 0o600))
	cmd := exec.CommandContext(t.Context(), "go", "test", "-overlay", list, "-vet=off", "-v", "-run", "^TestAdded$", o.tested)
	cmd.Dir = o.root
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestAdded") {
		t.Errorf("%v\n%s", err, out)
	}
}

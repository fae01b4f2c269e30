package main

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/yaap-chat/yaap/core/must"
)

// Each archive in testdata/adding adds something to the program: at most one file and one
// row of a table, and the test that uses it. All are laid over its source together.
func TestWhatIsAddedIsOneFileAndOneRow(t *testing.T) {
	archives, err := filepath.Glob("testdata/adding/*.txtar")
	if err != nil || len(archives) < 6 {
		t.Fatal(archives, err)
	}
	o := overlay{root: must.Get(filepath.Abs("../.."))(t), dir: t.TempDir(), Replace: map[string]string{}}
	var names []string
	for _, path := range archives {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		names = append(names, name)
		files, rows := 0, 0
		for _, f := range must.Get(txtar.ParseFile(path))(t).Files {
			switch {
			case strings.HasPrefix(f.Name, "row "):
				rows++
			case !strings.HasSuffix(f.Name, "_test.go"):
				files++
			}
			o.lay(t, f, name)
		}
		if files > 1 || rows > 1 {
			t.Errorf("%s touches %d files and %d rows", name, files, rows)
		}
	}
	o.test(t, names)
}

// overlay is what the go command reads in place of the files of the program.
type overlay struct {
	root, dir string
	tested    []string // the packages with the tests
	Replace   map[string]string
}

// lay adds a file, or a row: a section "row FILE" says what stands there, and what
// stands there then.
func (o *overlay) lay(t *testing.T, f txtar.File, archive string) {
	t.Helper()
	name, row := strings.CutPrefix(f.Name, "row ")
	path := filepath.Join(o.root, filepath.FromSlash(name))
	source, err := os.ReadFile(cmp.Or(o.Replace[path], path))
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
	case strings.HasSuffix(name, "_test.go"):
		text = strings.Replace(text, "func TestAdded(", "func TestAdded_"+archive+"(", 1)
		o.tested = append(o.tested, "./"+filepath.ToSlash(filepath.Dir(name)))
	}
	laid := filepath.Join(o.dir, strings.ReplaceAll(name, "/", "_"))
	must.Do(t, os.WriteFile(laid, []byte(text), 0o600))
	o.Replace[path] = laid
}

func (o *overlay) test(t *testing.T, names []string) {
	t.Helper()
	list := filepath.Join(o.dir, "overlay.json")
	must.Do(t, os.WriteFile(list, must.Get(json.Marshal(o))(t), 0o600))
	slices.Sort(o.tested)
	args := append([]string{"test", "-overlay", list, "-vet=off", "-v", "-run", "^TestAdded_"}, slices.Compact(o.tested)...)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = o.root
	out, err := cmd.CombinedOutput()
	for _, name := range names {
		if !strings.Contains(string(out), "--- PASS: TestAdded_"+name+" ") {
			t.Errorf("%s does not work: %v\n%s", name, err, out)
		}
	}
}

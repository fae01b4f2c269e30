package room

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/must"
)

// lay makes files below a new directory; one that ends with a slash is a directory.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	top := t.TempDir()
	for name, text := range files {
		path := filepath.Join(top, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		if strings.HasSuffix(name, "/") {
			must.Do(t, os.MkdirAll(path, 0o700))
			continue
		}
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return top
}

func TestTheNearestInstructionsOfAProjectAreFound(t *testing.T) {
	top := lay(t, map[string]string{
		"AGENTS.md": "outside", "repo/.git/": "", "repo/CLAUDE.md": "of the repository", "repo/a/AGENTS.md": "of a", "repo/a/CLAUDE.md": "also of a",
		"repo/a/b/": "", "repo/c/": "", "bare/.git/": "", "bare/d/": "", "loose/e/": "",
	})
	for dir, want := range map[string]string{
		"": "AGENTS.md", "repo": "repo/CLAUDE.md", "repo/a": "repo/a/AGENTS.md", "repo/a/b": "repo/a/AGENTS.md", "repo/c": "repo/CLAUDE.md",
		"bare/d": "", "loose/e": "",
	} {
		path := ""
		if file := projectFile(filepath.Join(top, dir)); file != nil {
			path = file.Name()
			must.Do(t, file.Close())
		}
		if want != "" {
			want = filepath.Join(top, want)
		}
		if path != want {
			t.Errorf("in %s they are in %q, want %q", dir, path, want)
		}
	}
}

func TestInstructionsOutsideOfTheProjectAreNotRead(t *testing.T) {
	top := lay(t, map[string]string{"private.txt": "my own", "repo/.git/": "", "repo/docs/agents.md": "of the project", "repo/a/": "", "repo/b/": "", "repo/c/": ""})
	for link, to := range map[string]string{"AGENTS.md": "docs/agents.md", "a/AGENTS.md": "../../private.txt", "b/CLAUDE.md": filepath.Join(top, "private.txt"), "c/AGENTS.md": "/proc/self/environ"} {
		must.Do(t, os.Symlink(to, filepath.Join(top, "repo", link)))
	}
	for _, dir := range []string{"repo", "repo/a", "repo/b", "repo/c"} {
		r := &Room{}
		r.Config.Project, r.Config.Dir = config.Value[bool]{V: true}, filepath.Join(top, dir)
		if told := r.project(); !strings.Contains(told, "of the project") {
			t.Errorf("in %s a model is told %q", dir, told)
		}
	}
}

func TestAModelIsToldTheInstructionsOfTheProjectAsWhatTheyAre(t *testing.T) {
	r := &Room{}
	r.Config.Project = config.Value[bool]{V: true}
	r.Config.Dir = lay(t, map[string]string{"AGENTS.md": "Write tests.\x1b[2J\n" + strings.Repeat("x", 40<<10)})
	told := r.project()
	if !strings.Contains(told, "AGENTS.md") || !strings.Contains(told, "<project>\nWrite tests.") || strings.Contains(told, "\x1b") ||
		!strings.HasSuffix(told, "[cut: it is longer]\n</project>") || len(told) > maxProject+400 {
		t.Errorf("%d bytes: %.300s", len(told), told)
	}
	r.Config.Project.V = false
	if told := r.project(); told != "" {
		t.Errorf("told %q", told)
	}
}

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
)

// An expert that joins says what it can answer with what is at hand; what is about a
// file that is not here is not offered.
func TestWhatTheBuiltInExpertsOfferIsAnsweredWhereTheyAre(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for name, files := range map[string]map[string]string{
		"nothing":           {},
		"texts":             {"README.md": "# Herons\n\nTODO: count them\n", "docs/a.md": "x"},
		"a table":           {"birds.csv": "id,species,legs\n1,heron,2\n2,stork,2\n"},
		"a table of names":  {"birds.csv": "species,colour\nheron,grey\nstork,white\n"},
		"ids only":          {"birds.csv": "bird_id,other_id\n1,2\n2,3\n"},
		"a name with a gap": {"my birds.csv": "species,legs\nheron,2\n"},
		"a broken table":    {"birds.csv": ""},
		"records":           {"birds.json": `[{"species":"heron","legs":2}]`},
		"code":              {"main.go": "package main\n\nfunc main() {}\n"},
		"a repository":      {"main.go": "package main\n", "README.md": "hi\n", ".git": ""},
		"a new repository":  {".git": "empty"},
	} {
		dir := t.TempDir()
		for path, text := range files {
			if path != ".git" {
				write(t, filepath.Join(dir, path), text)
			}
		}
		if how, ok := files[".git"]; ok {
			runGit(t, dir, "init", "-q", "-b", "main")
			if how == "" {
				commit(t, dir, "Ada", "2026-05-01T10:00:00Z", "Begin")
			}
		}
		path := regexp.MustCompile(`[\w./-]*\w\.[a-zA-Z]\w{1,5}\b`)
		elsewhere := func(p string) bool {
			_, err := os.Lstat(filepath.Join(dir, p))
			return err != nil
		}
		for _, expert := range builtinNames() {
			e := builtins(dir)[expert]()
			if e.Here != nil {
				e.Examples = e.Here(t.Context())
			}
			for _, example := range e.Examples {
				if slices.ContainsFunc(path.FindAllString(example, -1), elsewhere) {
					continue
				}
				reply, err := e.Answer(t.Context(), experts.Question{Prompt: example})
				if err != nil || reply.Status != core.StatusSuccess {
					t.Errorf("%s: %s is asked %q: %+v, %v", name, expert, example, reply, err)
				}
			}
		}
	}
}

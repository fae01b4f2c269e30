package room

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

func TestFilesAreCompletedNearestFirst(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"README.md", "a red.txt", "docs/readme.md", "docs/old/red.md", "docs/shore.md", ".env", ".git/readme", "vendor/readme.go", "bad\nred"} {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, nil, 0o600))
	}
	w := &Window{Room: &Room{}}
	w.Config.Dir = dir
	for before, want := range map[string][]string{
		"what is in @re":    {"@README.md ", "@docs/readme.md ", "@docs/old/red.md ", `@"a red.txt" `, "@docs/shore.md "},
		"what is in @doc":   {"@docs/readme.md ", "@docs/shore.md ", "@docs/old/red.md "},
		`in @"a r`:          {`@"a red.txt" `},
		"@.e":               {"@.env "},
		"mail a@re":         nil,
		"/experts stop @re": nil,
		"@README.md":        nil, // it is whole
	} {
		var got []string
		for _, s := range w.Suggest(t.Context(), before) {
			got = append(got, s.Insert)
			if before[s.At] != '@' {
				t.Errorf("%q goes on at %q", before, before[s.At:])
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", before, d)
		}
	}
}

func TestAPromptIsWrittenAsItWasWhenItIsSentOnceMore(t *testing.T) {
	for prompt, want := range map[string]string{
		core.Attach(core.Attach("is docs/a.md like b c.md?", "docs/a.md", "herons\n"), "b c.md", "x]\n"): `is @docs/a.md like @"b c.md"?`,
		core.Attach("is it notes:memo://1?", "notes:memo://1", "herons"):                                 "is it @notes:memo://1?",
		"nothing": "nothing",
	} {
		if got := core.Reattached(prompt); got != want {
			t.Errorf("%q was %q", got, want)
		}
	}
}

package foreign_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory/foreign"
	"github.com/yaap-chat/yaap/core/must"
)

// read is what is said in a file with that text.
func read(t *testing.T, name, text string) (foreign.Form, []foreign.Message, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return all(path)
}

func all(path string) (form foreign.Form, list []foreign.Message, err error) {
	form, said, err := foreign.Read(path)
	if err != nil || said == nil {
		return form, nil, err
	}
	for one, err := range said {
		if err != nil {
			return form, list, err
		}
		list = append(list, one)
	}
	return form, list, nil
}

func node(id, parent, role, text string) string {
	return fmt.Sprintf(`%q: {"parent": %q, "message": {"id": %q, "author": {"role": %q}, "create_time": 1714550400.5, "content": {"parts": [%q]}}}`, id, parent, id, role, text)
}

func TestTheBranchOfAConversationCountsThatWasShownLast(t *testing.T) {
	form, said, err := read(t, "conversations.json", `[{"conversation_id": "c", "title": "Ponds", "current_node": "d", "mapping": {`+
		node("a", "", "system", "be kind")+","+node("b", "a", "user", "what eats newts?")+","+node("c", "b", "assistant", "an answer that was edited")+","+node("d", "b", "assistant", "Herons do.")+`}}]`)
	if err != nil || form != foreign.ChatGPT {
		t.Fatal(form, err)
	}
	var got []string
	for _, s := range said {
		got = append(got, string(s.Role)+": "+s.Text)
		if s.Title != "Ponds" || !s.Time.Equal(time.UnixMilli(1714550400500)) || s.Thread != said[0].Thread {
			t.Errorf("%+v", s)
		}
	}
	must.Equal(t, []string{"user: what eats newts?", "assistant: Herons do."}, got)
	_, again, _ := read(t, "other.json", `[{"conversation_id": "c", "title": "Ponds", "current_node": "d", "mapping": {`+
		node("b", "", "user", "what eats newts?")+","+node("d", "b", "assistant", "Herons do.")+`}}]`)
	if said[1].ID != again[1].ID || said[0].ID == said[1].ID {
		t.Error("ids are not those of what was said")
	}
}

func TestAnArchiveIsReadWithoutUnpackingIt(t *testing.T) {
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"user.json": "{}", "conversations.json": `[{"uuid": "k", "name": "Tea", "chat_messages": [{"uuid": "m", "sender": "human", "text": "I prefer green tea."}]}]`,
	} {
		w, err := archive.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		must.Do(t, err)
	}
	must.Do(t, archive.Close())
	form, said, err := read(t, "export.zip", b.String())
	if err != nil || form != foreign.Claude || len(said) != 1 || said[0].Text != "I prefer green tea." || said[0].Role != core.RoleUser {
		t.Errorf("%s %+v %v", form, said, err)
	}
}

func TestANoteIsReadByItsHeadings(t *testing.T) {
	long := strings.Repeat("A paragraph about herons that goes on.\n\n", 300)
	form, said, err := read(t, "ponds.md", "---\ntitle: Ponds\ndate: 2025-03-04\ntags: [a, b]\n---\nAbove.\n# One\n```\n# no heading\n```\n# Two\n"+long)
	if err != nil || form != foreign.Markdown {
		t.Fatal(err)
	}
	if len(said) < 4 || said[0].Text != "Above." || said[1].Text != "# One\n```\n# no heading\n```" || !strings.HasPrefix(said[2].Text, "# Two\nA paragraph") {
		t.Errorf("%d: %.80q", len(said), said)
	}
	for _, s := range said {
		if s.Time.Local().Format(time.DateOnly) != "2025-03-04" || s.Title != "Ponds" || s.Tags["tags"] != "a, b" || len(s.Text) > 9000 {
			t.Errorf("%s %s %v %d", s.Time, s.Title, s.Tags, len(s.Text))
		}
	}
}

func TestADirectoryOfNotesIsReadWithoutLinksAndHiddenFiles(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"a.md": "one", "deep/b.markdown": "two", ".obsidian/c.md": "hidden", "d.txt": "no note"} {
		path := filepath.Join(root, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	}
	must.Do(t, os.Symlink("/etc/hostname", filepath.Join(root, "link.md")))
	_, said, err := all(root)
	if err != nil || len(said) != 2 || said[0].Text != "one" || said[1].Text != "two" {
		t.Errorf("%+v %v", said, err)
	}
}

func TestNotesOfOldEditorsAreReadAndWhatIsLeftOutIsNamed(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a.md": "caf\xe9", "b.md": "\xff\xfet\x00e\x00a\x00", "c.md": "\ufeffmilk", "large.md": strings.Repeat("x", 9<<20), "picture.md": "\x89PNG\x00\x01",
	} {
		must.Do(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	_, said, err := foreign.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	var read, out []string
	for one, err := range said {
		var left *foreign.LeftOut
		switch {
		case errors.As(err, &left):
			out = append(out, filepath.Base(left.Name))
		case err != nil:
			t.Fatal(err)
		default:
			read = append(read, one.Text)
		}
	}
	if got := strings.Join(read, " ") + " | " + strings.Join(out, " "); got != "café tea milk | large.md picture.md" {
		t.Errorf("got %s", got)
	}
}

func TestWhatIsBrokenOrHostileEnds(t *testing.T) {
	for name, text := range map[string]string{
		"cut off":     `[{"conversation_id": "c", "mapping": {`,
		"no array":    `[{"mapping": 7}]`,
		"not JSON":    "hello",
		"empty":       "",
		"a bad line":  "{\"role\": \"user\", \"text\": \"x\"}\n{broken\n",
		"not chatgpt": `["mapping"]`,
	} {
		if _, _, err := read(t, "file.json", text); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	circle := `[{"conversation_id": "c", "current_node": "a", "mapping": {` + node("a", "b", "user", "one") + "," + node("b", "a", "user", "two") + `}}]`
	if _, said, err := read(t, "circle.json", circle); err != nil || len(said) != 2 {
		t.Error(said, err)
	}
}

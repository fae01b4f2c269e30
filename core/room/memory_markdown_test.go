package room

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// exportOf is what an export holds, as lines of JSON or as Markdown.
func exportOf(t *testing.T, s *store.Store, markdown bool) string {
	t.Helper()
	all := safeLines(s.Export(t.Context()))
	if markdown {
		all = asMarkdown(all)
	}
	var b strings.Builder
	must.Get(exportTo(&b, all))(t)
	return b.String()
}

func TestAMemoryInMarkdownIsTakenBackUnchanged(t *testing.T) {
	s := storetest.Open(t, t.TempDir(), store.Open)
	rows := storetest.Recall("m")
	for id, raw := range map[string]string{
		"plain": "The boiler is green.", "blank": " ", "lines": "\n\none\r\ntwo\n\n", "ends": "one\n<!-- /yaap -->\n\\<!-- /yaap --> x\ntwo",
		"begins": `<!-- yaap {"t":"end","lines":1} -->`, "hostile": "a\x1b[31mred\u202e & <b>-->", "markdown": "# A heading\n\n- a list\n```\n<code>\n```",
	} {
		rows = append(rows, storetest.Note("m", id, raw))
	}
	fix := storetest.Note("m", "fix", "It is blue.")
	fix.Corrects, fix.Reason, fix.Tags = "plain", "it was --> wrong", map[string]string{"k": "v & w", "gone": "x"}
	now := time.Now()
	rows = append(rows, fix, core.Tag{Entry: "fix", Key: "gone", Time: now}, core.Tag{Entry: "fix", Key: "room", Value: "<cellar>", Time: now},
		core.Expiry{Entry: "lines", At: now.Add(time.Hour), Time: now},
		core.ContextDoc{ID: "c1", Memory: "m", Content: "# one\n<!-- /yaap -->", Created: now}, core.ContextDoc{ID: "c2", Memory: "m", Content: "# two", Created: now.Add(time.Second)})
	must.Do(t, s.Put(t.Context(), rows...))
	markdown := exportOf(t, s, true)
	if strings.Contains(markdown, "\x1b") || !strings.Contains(markdown, "\n# default/about-m\n") || !strings.Contains(markdown, "*corrected, because: it was --> wrong; k: v & w; room: <cellar>*\n") {
		t.Errorf("got\n%s", markdown)
	}
	file := t.TempDir() + "/memory.md"
	must.Do(t, os.WriteFile(file, []byte(markdown), 0o600))
	lines, done, err := openExport("Markdown", file)
	if err != nil || lines == nil {
		t.Fatal(lines, err)
	}
	defer done()
	other := storetest.Open(t, t.TempDir(), store.Open)
	must.Get(other.Import(t.Context(), lines, "", nil))(t)
	if diff := cmp.Diff(exportOf(t, s, false), exportOf(t, other, false)); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
	if diff := cmp.Diff(markdown, exportOf(t, other, true)); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
}

func TestMarkdownThatIsNotWholeIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"no end of the words":   lineBegin + `{"t":"entry"}` + lineEnd + "\nwords",
		"no end of the comment": lineBegin + `{"t":"entry"}`,
		"no JSON":               lineBegin + "what" + lineEnd,
		"a huge line":           strings.Repeat("x", maxMarkdown+1),
	} {
		if err := fromMarkdown(strings.NewReader(text), io.Discard); err == nil {
			t.Errorf("%s is taken", name)
		} else if e, ok := errors.AsType[*core.Error](err); ok && e.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

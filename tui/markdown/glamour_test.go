package markdown

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"charm.land/glamour/v2"
	"charm.land/glamour/v2/ansi"
	xansi "github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

// glamour is no part of the program, since what it initialises costs each process of
// the room a third of its start. It says here what running text reads as.
func TestRunningTextReadsAsGlamourWritesIt(t *testing.T) {
	marks := ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: "`", Suffix: "`"}}
	other, err := glamour.NewTermRenderer(glamour.WithStyles(ansi.StyleConfig{Code: marks}), glamour.WithWordWrap(0))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no documents:", err)
	}
	fenced, compared := regexp.MustCompile("(?ms)^```.*?^```$"), 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for paragraph := range strings.SplitSeq(fenced.ReplaceAllString(string(text), ""), "\n\n") {
			if paragraph == "" || strings.ContainsAny(paragraph[:1], "#|-<`>1! ") {
				continue
			}
			compared++
			want, err := other.Render(paragraph)
			if err != nil {
				t.Fatal(err)
			}
			want = strings.ReplaceAll(xansi.Strip(want), " /", " ") // it takes the target of a link for a path
			if diff := cmp.Diff(strings.Fields(want), strings.Fields(strings.Join(Render(paragraph, 10_000, Style{}), " "))); diff != "" {
				t.Errorf("%s: %s\n(-glamour +here):\n%s", file, paragraph, diff)
			}
		}
	}
	if compared < 80 {
		t.Errorf("%d paragraphs were compared, want 80", compared)
	}
}

package files

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/experts/expertstest"
)

func TestWhatAProjectIsForIsTheFirstParagraphOfItsREADME(t *testing.T) {
	for body, want := range map[string][2]string{
		"# Kettle\n\nWatches tanks\nof a brewery.\n\n## Install\n":    {"Kettle", "Watches tanks of a brewery."},
		"[![ci](x.svg)](y)\n# Kettle\n> quoted\n\n- a\n\nIt boils.\n": {"Kettle", "It boils."},
		"# Kettle\n```sh\nmake it\n```\nIt boils.\n":                  {"Kettle", "It boils."},
		"It boils.\n":        {"", "It boils."},
		"# Kettle\n## Use\n": {"Kettle", ""},
		"":                   {"", ""},
	} {
		title, paragraph := introduction(body)
		if title != want[0] || paragraph != want[1] {
			t.Errorf("%q: %q, %q", body, title, paragraph)
		}
	}
}

func TestALongPartOfTheREADMEIsShownUpToTheEndOfAParagraph(t *testing.T) {
	dir := t.TempDir()
	text := "# Shop\n\n## Usage\n\nType this:\n\n```\n" + strings.Repeat("go run .\n\n", 12) + "```\n\nThen look.\n\n" + strings.Repeat("More of it.\n\n", 10)
	expertstest.Write(t, dir, map[string]string{"README.md": text})
	got := expertstest.Ask(t, asked(newExpert(dir)), "how do we run this?")
	if strings.Count(got.Message, "```") != 2 || strings.Contains(got.Message, "More of it.") || !strings.Contains(got.Message, "showing") || got.Data["truncated"] != true {
		t.Errorf("%+v", got)
	}
}

package files

import "testing"

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

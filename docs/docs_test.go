package docs_test

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/docs"
)

func TestEveryDocumentHasSections(t *testing.T) {
	for _, topic := range docs.Topics() {
		if text, _ := docs.Read(topic); len(docs.Sections(text)) == 0 {
			t.Errorf("%s has none", topic)
		}
	}
}

func TestASectionIsToldByItsFirstParagraph(t *testing.T) {
	text := "# All\n\n## One\n\nIs first.\nAll of it.\n\nMore.\n\n## Two\n\n```sh\n## none\n\n## none\n```\n\nAfter it.\n\n## Three\nAt once.\n"
	want := []docs.Section{{"One", "Is first.\nAll of it."}, {"Two", "After it."}, {"Three", "At once."}}
	must.Equal(t, want, docs.Sections(text))
}

func TestALineOfAReadDocumentIsAWholeParagraph(t *testing.T) {
	text, _ := docs.Read("tasks")
	for _, want := range []string{
		"\n\n`/undo` goes back to before the last prompt, which stands in the input again. `/edit` does so until `ctrl+c` takes you back, and `/retry` asks the prompt again. What was said since stays in `/sessions`.\n\n",
		"\n![a call that asks](pictures/tasks/allow.svg)\n![", // and no more of a line
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in it", want)
		}
	}
	text, _ = docs.Read("chains")
	if want := "\n- {from: start, to: area}\n"; !strings.Contains(strings.ReplaceAll(text, "\n  ", "\n"), want) {
		t.Errorf("%q is not in it", want)
	}
}

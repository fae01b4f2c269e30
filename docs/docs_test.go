package docs_test

import (
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

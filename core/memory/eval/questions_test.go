package eval_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core/memory/eval"
	"github.com/yaap-chat/yaap/core/must"
)

func TestPlainQuestionsAreAnsweredFromWhatWasSaid(t *testing.T) {
	least := map[string]int{"de": 28, "de-held": 28, "de-more": 147, "en": 91, "en-held": 76, "en-more": 340, "es": 28, "es-held": 30, "es-more": 169, "table": 71, "anew": 115}
	s := filled(t, eval.Set{})
	for _, w := range must.Get(eval.Questions())(t) {
		kept := must.Get(eval.Play(t.Context(), s, w, nil))(t)
		t.Logf("%s: %d of %d, nothing %d of %d", w.Name, kept.Right-kept.Told, kept.Questions-kept.Unknown, kept.Told, kept.Unknown)
		if kept.Right < least[w.Name] {
			t.Errorf("%s: less than %d", w.Name, least[w.Name])
		}
	}
}

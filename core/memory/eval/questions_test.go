package eval_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core/memory/eval"
	"github.com/yaap-chat/yaap/core/must"
)

func TestPlainQuestionsAreAnsweredFromWhatWasSaid(t *testing.T) {
	least := map[string]int{"de": 33, "de-held": 30, "de-more": 168, "en": 90, "en-held": 76, "en-more": 365, "es": 28, "es-held": 30, "es-more": 180, "table": 70, "anew": 116}
	s := filled(t, eval.Set{})
	for _, w := range must.Get(eval.Questions())(t) {
		kept := must.Get(eval.Play(t.Context(), s, w, nil))(t)
		t.Logf("%s: %d of %d, nothing %d of %d", w.Name, kept.Right-kept.Told, kept.Questions-kept.Unknown, kept.Told, kept.Unknown)
		if kept.Right < least[w.Name] {
			t.Errorf("%s: less than %d", w.Name, least[w.Name])
		}
	}
}

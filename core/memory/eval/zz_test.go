package eval_test
import ("testing";"os";"github.com/yaap-chat/yaap/core/memory/eval";"github.com/yaap-chat/yaap/core/must")
func TestZZ(t *testing.T){
	s := filled(t, eval.Set{})
	for _, w := range must.Get(eval.Weeks())(t) {
		if w.Name != os.Getenv("WEEK") { continue }
		k := must.Get(eval.Play(t.Context(), s, w, nil))(t)
		t.Log("\n"+eval.KeptWeeks{k}.String())
		for _, x := range k.Wrong { t.Log(x) }
	}
}

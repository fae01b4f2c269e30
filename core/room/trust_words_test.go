package room

import (
	"slices"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/trust"
)

func TestTheStatusTellsWhichNamesToAskAboutNobodyHas(t *testing.T) {
	a := &Room{Options: Options{Config: config.Config{Approve: config.Value[[]string]{V: []string{"git", "stroe", "store", "store__delete", "all"}}, Allow: []string{"fs"}}}}
	asked, allowed := a.trustWords([]string{"git", "store", "store__delete"})
	if want := "git, stroe (nobody here has it), store, store__delete, all"; asked != want || allowed != "fs (nobody here has it)" {
		t.Errorf("got %q and %q, want %q", asked, allowed, want)
	}
}

func TestTrustListsAndTakesBackWhatAConversationWasAllowed(t *testing.T) {
	dir := t.TempDir()
	b := &Window{Room: &Room{Options: Options{Config: config.Config{Places: config.Places{Dir: dir}}}, trust: trust.New(t.TempDir(), dir, trust.Rules{})}}
	for thread, decision := range map[string]string{"here": core.AllowSession, "there": core.AllowSession, "": core.AllowAlways} {
		name := map[string]string{"here": "fs__write", "there": "fs__move", "": "fs__copy"}[thread]
		must.Do(t, b.trust.Allow(thread, core.ToolSpec{Name: name, Owner: "fs", Acts: true}, decision))
	}
	say := func(line string) string {
		t.Helper()
		out, err := b.Do(t.Context(), "here", strings.Fields(line))
		if err != nil {
			t.Fatalf("/%s: %v", line, err)
		}
		return words(out)
	}
	list := say("trust")
	for _, want := range []string{
		"fs__write  may be called in this conversation: ", "fs__move  may be called in another conversation: ", "fs__copy  may be called: ",
	} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is not in\n%s", want, list)
		}
	}
	var offered []string
	for _, s := range b.Suggest(t.Context(), "/trust revoke fs__") {
		offered = append(offered, s.Insert)
	}
	slices.Sort(offered)
	must.Equal(t, []string{"fs__copy", "fs__move", "fs__write"}, offered)
	must.Equal(t, 0, len(b.Suggest(t.Context(), "/trust revoke calc")))
	if got := say("trust revoke fs__write"); !strings.Contains(got, "asked again about fs__write") {
		t.Errorf("got %s", got)
	}
	if got := say("trust revoke fs"); !strings.Contains(got, "fs__move") || !strings.Contains(got, "fs__copy") {
		t.Errorf("got %s", got)
	}
	if _, err := b.Do(t.Context(), "here", []string{"trust", "revoke", "fs"}); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("what is gone is taken back again: %v", err)
	}
}

package link_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/must"
)

func TestTheChildOfTheDocumentBidsAndAnswers(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil && os.Getenv("YAAP_CI") == "" {
		t.Skip("there is no Python")
	}
	document := must.Get(os.ReadFile("../../../docs/yaap.md"))(t)
	program := regexp.MustCompile("(?s)```python egret.py\n(.*?)```").FindSubmatch(document)
	if program == nil {
		t.Fatal("the document has no program")
	}
	path := filepath.Join(t.TempDir(), "egret.py")
	must.Do(t, os.WriteFile(path, program[1], 0o600))
	r := open(t)
	must.Do(t, r.Add(t.Context(), hub.Spec{Command: []string{"python3", path}}))
	r.joined("egret")
	made := r.Bids(t.Context(), []string{"what do egrets eat?", "12% of 840", "how do egrets sing?"}, nil, "", time.Minute)
	want := []core.Bid{{Score: 0.95, Reads: "eat egrets"}, {}, {Score: 0.475, Reads: "egrets"}}
	if len(made) != 1 || made[0].Failed != "" {
		t.Fatalf("got %+v", made)
	}
	must.Equal(t, want, made[0].Bids)
	if got := r.call(t.Context(), "egret", "what do egrets eat?"); !got.OK() || got.Text != "**Fish and frogs.**" {
		t.Errorf("got %+v", got)
	}
}

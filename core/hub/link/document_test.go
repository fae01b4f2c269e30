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
	program := regexp.MustCompile("(?s)```python heron.py\n(.*?)```").FindSubmatch(document)
	if program == nil {
		t.Fatal("the document has no program")
	}
	path := filepath.Join(t.TempDir(), "heron.py")
	must.Do(t, os.WriteFile(path, program[1], 0o600))
	r := open(t)
	must.Do(t, r.Add(t.Context(), hub.Spec{Command: []string{"python3", path}}))
	r.joined("heron")
	made := r.Bids(t.Context(), []string{"what do herons eat?", "12% of 840", "how do herons sing?"}, nil, "", time.Minute)
	want := []core.Bid{{Score: 0.95, Reads: "eat herons"}, {}, {Score: 0.475, Reads: "herons"}}
	if len(made) != 1 || made[0].Failed != "" {
		t.Fatalf("got %+v", made)
	}
	must.Equal(t, want, made[0].Bids)
	if got := r.call(t.Context(), "heron", "what do herons eat?"); !got.OK() || got.Text != "**Fish and frogs.**" {
		t.Errorf("got %+v", got)
	}
}

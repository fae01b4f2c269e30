package link_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
)

func TestTheChildOfTheDocumentBidsAndAnswers(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil && os.Getenv("YAAP_CI") == "" {
		t.Skip("there is no Python")
	}
	document, err := os.ReadFile("../../../docs/yaap.md")
	if err != nil {
		t.Fatal(err)
	}
	program := regexp.MustCompile("(?s)```python heron.py\n(.*?)```").FindSubmatch(document)
	if program == nil {
		t.Fatal("the document has no program")
	}
	path := filepath.Join(t.TempDir(), "heron.py")
	if err := os.WriteFile(path, program[1], 0o600); err != nil {
		t.Fatal(err)
	}
	r := open(t)
	if err := r.Add(t.Context(), hub.Spec{Command: []string{"python3", path}}); err != nil {
		t.Fatal(err)
	}
	r.joined("heron")
	made := r.Bids(t.Context(), []string{"what do herons eat?", "12% of 840", "how do herons sing?"}, nil, "", time.Minute)
	want := []core.Bid{{Score: 0.95, Reads: "eat herons"}, {}, {Score: 0.475, Reads: "herons"}}
	if len(made) != 1 || made[0].Failed != "" {
		t.Fatalf("got %+v", made)
	}
	if diff := cmp.Diff(want, made[0].Bids); diff != "" {
		t.Errorf("its bids (-want +got)\n%s", diff)
	}
	if got := r.call(t.Context(), "heron", "what do herons eat?"); !got.OK() || got.Text != "**Fish and frogs.**" {
		t.Errorf("got %+v", got)
	}
}

package room

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestAnExpertIsDescribedWithWhatItPrintedLast(t *testing.T) {
	e := core.Expert{Name: "heron", State: core.ExpertReady, Description: "Knows herons.", Stderr: []string{"started", "a \x1b[31mwarning`"}}
	text, ok := describeExpert([]core.Expert{e}, "heron")
	if !ok || !strings.Contains(text, "what it printed last\n  started\n") || strings.ContainsAny(text, "\x1b") || strings.Contains(text, "warning`") {
		t.Errorf("%q", text)
	}
}

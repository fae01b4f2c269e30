package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core/must"
)

func TestAPipeThatWasOnlyInheritedDoesNotHoldAQuestionUp(t *testing.T) {
	in, writer, err := os.Pipe()
	must.Do(t, err)
	defer writer.Close() //nolint:errcheck // nothing is written
	defer in.Close()     //nolint:errcheck // it was only read
	var told strings.Builder
	p := &program{stdin: in, stderr: &told}
	text, err := p.piped(t.Context(), time.Millisecond)
	if text != "" || err != nil || !strings.Contains(told.String(), "/dev/null") {
		t.Errorf("what is piped in is %q, %v; told is %q", text, err, told.String())
	}
}

func TestWhatIsPipedInIsReadToItsEnd(t *testing.T) {
	in, writer, err := os.Pipe()
	must.Do(t, err)
	defer in.Close() //nolint:errcheck // it was only read
	must.Get(writer.WriteString("a diff\n"))(t)
	must.Do(t, writer.Close())
	p := &program{stdin: in}
	if text, err := p.piped(t.Context(), time.Hour); text != "a diff" || err != nil {
		t.Errorf("what is piped in is %q, %v", text, err)
	}
}

package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestAPipeThatWasOnlyInheritedDoesNotHoldAQuestionUp(t *testing.T) {
	in, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close() //nolint:errcheck // it was only read
	if _, err := writer.WriteString("a diff\n"); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	p := &program{stdin: in}
	if text, err := p.piped(t.Context(), time.Hour); text != "a diff" || err != nil {
		t.Errorf("what is piped in is %q, %v", text, err)
	}
}

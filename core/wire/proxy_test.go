package wire

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
)

// The command is a real one, and its input is not ended until it has answered.
func TestBytesPassBetweenTwoProgramsUnchangedAndAtOnce(t *testing.T) {
	tap := new(Tap)
	defer tap.Capture()()
	in, typing := io.Pipe()
	reading, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Proxy(t.Context(), tap.Line("cat", "stdio"), []string{"sh", "-c", "cat; exit 7"}, in, out, io.Discard)
		_ = out.Close()
	}()
	said := []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n", "\r\n", "\x00\xff\xfe no message\n", strings.Repeat("long ", 1<<18) + "\n", "no end"}
	for _, text := range said {
		typed := make(chan error, 1)
		go func() { // more than the pipes hold
			_, err := io.WriteString(typing, text)
			typed <- err
		}()
		got := make([]byte, len(text))
		if _, err := io.ReadFull(reading, got); err != nil || string(got) != text {
			t.Fatalf("%.40q came back as %.40q, %v", text, got, err)
		}
		must.Do(t, <-typed)
	}
	_ = typing.Close() // the end of the input is passed on, too
	if rest, err := io.ReadAll(reading); err != nil || len(rest) > 0 {
		t.Errorf("%q came after it, %v", rest, err)
	}
	var exit *exec.ExitError
	if err := <-ended; !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("it ended with %v", err)
	}
	count := map[string]int{}
	for _, f := range tap.Since(0) {
		count[string(f.Dir)+" "+string(f.Kind)]++
	}
	must.Equal(t, map[string]int{"out request": 1, "in request": 1, "out noise": 3, "in noise": 3}, count)
}

func TestACommandThatEndsIsNotWaitedForWithItsInput(t *testing.T) {
	in, typing := io.Pipe() // nobody ends it
	defer func() { _ = typing.Close() }()
	var out bytes.Buffer
	if err := Proxy(t.Context(), new(Tap).Line("echo", "stdio"), []string{"echo", "bye"}, in, &out, io.Discard); err != nil || out.String() != "bye\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	if err := Proxy(t.Context(), new(Tap).Line("none", "stdio"), []string{"/no/such/program"}, in, &out, io.Discard); err == nil || !strings.Contains(err.Error(), "cannot run program") {
		t.Errorf("got %v", err)
	}
}

func TestAFrameIsOneSafeLineForPeople(t *testing.T) {
	tap := new(Tap)
	var got []string
	tap.Subscribe(func(f Frame) { got = append(got, f.String()[len("15:04:05.000 "):]) })
	line := tap.Line("calc", "stdio")
	see(line, Out, `{"id":3,"method":"tools/call","params":{"name":"calc"}}`)
	see(line, In, "a \x1b[2J\nb")
	want := []string{`→ request tools/call calc #3 56 B {"id":3,"method":"tools/call","params":{"name":"calc"}}`, "← noise 9 B a b"}
	must.Equal(t, want, got)
}

package wire

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

// recorded has what passes over a line written to a file.
func recorded(t *testing.T, path string, frames ...string) {
	t.Helper()
	file := must.Get(Create(path))(t)
	tap := new(Tap)
	tap.Subscribe(file.Write)
	line := tap.Line("calc", "stdio")
	for i, raw := range frames {
		see(line, []Direction{Out, In}[i%2], raw)
	}
	must.Do(t, file.Close())
}

// told are the frames of a tap in short.
func told(tap *Tap) (list []string) {
	for _, f := range tap.Since(0) {
		list = append(list, strings.Join([]string{string(f.Kind), f.Method, string(f.Text)}, " "))
	}
	return list
}

func TestWhatATapHasWrittenIsReadWhileItIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frames.jsonl")
	reader, tap := Reader{Path: path}, new(Tap)
	if _, err := reader.ReadInto(tap); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("without a file: %v", err)
	}
	const ask, answer, noise = `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `no "message"`
	recorded(t, path, ask, answer, noise)
	if n, err := reader.ReadInto(tap); n != 3 || err != nil {
		t.Errorf("%d came, %v", n, err)
	}
	want := []string{"request ping " + ask, "answer ping " + answer, "noise  " + noise}
	must.Equal(t, want, told(tap))
	if n, err := reader.ReadInto(tap); n != 0 || err != nil {
		t.Errorf("%d came again, %v", n, err)
	}
	recorded(t, path, ask, answer) // another room goes on in the same file
	if n, err := reader.ReadInto(tap); n != 2 || err != nil {
		t.Errorf("%d came of another room, %v", n, err)
	}
	all := tap.Since(0)
	if last := all[len(all)-1]; last.Seq != 5 || last.To != 4 {
		t.Errorf("the last is number %d and answers %d", last.Seq, last.To)
	}
	if len(tap.Since(3)) != 2 {
		t.Errorf("%d frames are after the third", len(tap.Since(3)))
	}
}

func TestALineThatIsNoFrameOrNotYetWholeIsNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frames.jsonl")
	const good = `{"seq":1,"kind":"noise","frame":"x"}`
	must.Do(t, os.WriteFile(path, []byte("\x00\n[]\n{\"seq\":-1}\n"+good+"\n"+good[:9]), 0o600))
	reader, tap := Reader{Path: path}, new(Tap)
	if n, err := reader.ReadInto(tap); n != 1 || err != nil {
		t.Errorf("%d came, %v", n, err)
	}
	must.Do(t, os.WriteFile(path, []byte(good+"\n"), 0o600)) // begun anew
	if n, err := reader.ReadInto(tap); n != 1 || err != nil {
		t.Errorf("%d came of the new file, %v", n, err)
	}
	if _, err := (&Reader{Path: t.TempDir()}).ReadInto(tap); err == nil {
		t.Error("a directory is read")
	}
}

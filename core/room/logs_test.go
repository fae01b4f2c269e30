package room

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
)

func TestALogThatIsFollowedMayBeginAnewAndHaveLongLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "yaap.log")
	must.Do(t, os.WriteFile(path, []byte(strings.Repeat("old ", 100)+"\n"), 0o600))
	f, err := os.Open(path)
	must.Do(t, err)
	defer f.Close() //nolint:errcheck // it is only read
	long := strings.Repeat("x", 2*logTail)
	must.Do(t, os.WriteFile(path, []byte(long+"\nnew\n"), 0o600))
	must.Do(t, os.Truncate(path, int64(len(long)+5)))
	out, w := io.Pipe()
	go func() {
		_ = followLog(t.Context(), w, f, int64(4*logTail), func(raw []byte) string { return string(raw) })
	}()
	got := make([]byte, len(long)+5)
	_, err = io.ReadFull(out, got)
	must.Do(t, err)
	if !strings.HasSuffix(string(got), "x\nnew\n") {
		t.Errorf("got %q", got[len(got)-20:])
	}
}

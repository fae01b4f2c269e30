package private_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/private"
)

func opened(t *testing.T, path string) *os.File {
	t.Helper()
	f := must.Get(os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600))(t)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestALockIsWaitedForButNotForEver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "some.lock")
	for name, c := range map[string]struct{ held, wanted private.LockMode }{
		"to change it while another changes it": {private.Exclusive, private.Exclusive},
		"to read it while another changes it":   {private.Exclusive, private.Shared},
		"to change it while another reads it":   {private.Shared, private.Exclusive},
	} {
		synctest.Test(t, func(t *testing.T) {
			other, ours := opened(t, path), opened(t, path)
			must.Do(t, private.Lock(other, c.held))
			err := private.Lock(ours, c.wanted)
			if core.CodeOf(err) != core.CodeBusy || core.HintOf(err) == "" || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", name, err)
			}
			got := make(chan error, 1)
			go func() { got <- private.Lock(ours, c.wanted) }()
			synctest.Wait()
			must.Do(t, other.Close())
			if err := <-got; err != nil {
				t.Errorf("%s, when the other is done: %v", name, err)
			}
			_ = ours.Close()
		})
	}
}

func TestManyMayReadAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "some.lock")
	for range 3 {
		must.Report(t, private.Lock(opened(t, path), private.Shared))
	}
}

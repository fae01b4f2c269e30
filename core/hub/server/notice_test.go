package server

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/yaap-chat/yaap/core/must"
)

// announced posts a room's notice in dir and returns how it is taken away.
func announced(t *testing.T, dir string, a Address) (withdraw func()) {
	t.Helper()
	withdraw, err := announceIn(t.Context(), []string{dir}, a, func(string) {})
	if err != nil {
		t.Error(err)
		return func() {}
	}
	return withdraw
}

func speaksOf(t *testing.T, dir string, want Address) {
	t.Helper()
	path := must.Get(filepath.EvalSymlinks(filepath.Join(dir, addressFile)))(t)
	if got, err := readAddress(path); err != nil || got != want {
		t.Errorf("hub.json speaks of %+v, %v, want %+v", got, err, want)
	}
}

func TestTheAddressThatIsFoundIsOneOfTheRoomThatOpenedLastAndIsStillOpen(t *testing.T) {
	dir := t.TempDir()
	first, second := Address{URL: "http://127.0.0.1:1", Token: "one", PID: 7}, Address{URL: "http://127.0.0.1:2", Token: "two", PID: 7}
	closeFirst, closeSecond := announced(t, dir, first), announced(t, dir, second)
	speaksOf(t, dir, second)
	closeSecond()
	speaksOf(t, dir, first)
	closeThird := announced(t, dir, second)
	closeFirst()
	speaksOf(t, dir, second)
	raw, err := os.ReadFile(filepath.Join(dir, addressFile))
	if want := `{"url":"http://127.0.0.1:2","token":"two","pid":7}`; err != nil || string(raw) != want {
		t.Errorf("got %s, %v, want %s", raw, err, want)
	}
	closeThird()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("got %v, %v, want nothing left", left, err)
	}
}

func TestANoticeThatSomebodyCleanedUpIsPostedAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	a := Address{URL: "a", PID: 1}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		withdraw := must.Get(announceIn(ctx, []string{dir}, a, func(string) {}))(t)
		must.Do(t, os.RemoveAll(dir))
		time.Sleep(lookEvery + time.Second)
		speaksOf(t, dir, a)
		cancel()
		withdraw()
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("got %v, %v, want nothing left", left, err)
		}
	})
}

func TestOnlyTheRoomCanProveWhoItIs(t *testing.T) {
	if proof("token", "127.0.0.1:1", "n") == proof("token", "127.0.0.1:2", "n") {
		t.Error("what a room says of one place can be passed on at another")
	}
	if proof("token", "127.0.0.1:1", "n") == proof("other", "127.0.0.1:1", "n") || proof("t", "h", "n") == proof("t", "h", "m") {
		t.Error("the proof does not depend on the token and the nonce")
	}
}

package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/must"
)

// roomUntilKilled is a room in a process of its own.
func roomUntilKilled(dir string) error {
	ctx := context.Background()
	s := server.New(server.Config{Hub: hub.New(new(event.Bus), nil, nil), Dir: dir, RunDirs: []string{dir}, Version: "test"})
	return s.Run(ctx)
}

// startRoom starts one and waits until it is announced.
func startRoom(t *testing.T, dir string) (*exec.Cmd, server.Address) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "room", dir)
	must.Do(t, cmd.Start())
	return cmd, addressIn(t, dir)
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	must.Do(t, cmd.Process.Kill())
	_ = cmd.Wait()
}

func TestTheFileOfADeadRoomIsRemovedAndNeverBelieved(t *testing.T) {
	dir := t.TempDir()
	room, address := startRoom(t, dir)
	if got := server.Rooms([]string{dir, filepath.Join(dir, "none")}); !cmp.Equal(got, []server.Address{address}) {
		t.Fatalf("got %+v, want %+v", got, address)
	}
	kill(t, room)
	if got := server.Rooms([]string{dir}); len(got) != 0 {
		t.Errorf("the dead room is believed: %+v", got)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("got %v, %v, want nothing left", left, err)
	}
}

func TestAnOpenRoomTakesThePlaceOfADeadOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, first := startRoom(t, dir)
	second, dead := startRoom(t, dir)
	for dead == first {
		dead = addressIn(t, dir)
	}
	kill(t, second)
	for addressIn(t, dir) != first {
		if t.Context().Err() != nil {
			t.Fatal("hub.json still speaks of the dead room")
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "room-*")); err != nil || len(left) != 1 {
		t.Errorf("got %v, %v, want the file of the open one", left, err)
	}
}

// impostor listens where a room is said to be, and notes what it is told.
type impostor struct {
	*httptest.Server
	mu    sync.Mutex
	heard strings.Builder
}

func newImpostor(t *testing.T, answer http.HandlerFunc) *impostor {
	t.Helper()
	i := &impostor{}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		_ = r.Write(&i.heard)
		i.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(i.Close)
	return i
}

func (i *impostor) said() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.heard.String()
}

func TestAFileThatNoRoomHoldsIsNotBelievedWhoeverListensThere(t *testing.T) {
	dir := t.TempDir()
	thief := newImpostor(t, func(http.ResponseWriter, *http.Request) {})
	raw := must.Get(json.Marshal(server.Address{URL: thief.URL, Token: "hunter2", PID: os.Getpid(), Dir: dir}))(t)
	for _, name := range []string{"hub.json", "room-1-x.json"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), raw, 0o600))
	}
	if got := server.Rooms([]string{dir}); len(got) != 0 {
		t.Errorf("got %+v", got)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("got %v, %v, want nothing left", left, err)
	}
}

func TestTheTokenIsNotShownToWhoListensInPlaceOfTheRoom(t *testing.T) {
	r := open(t)
	real := r.address()
	relay := func(w http.ResponseWriter, r *http.Request) { // asks the room, which is elsewhere
		request, err := http.NewRequestWithContext(r.Context(), r.Method, real.URL+r.URL.String(), nil)
		if err != nil {
			return
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return
		}
		defer response.Body.Close() //nolint:errcheck // it is only read
		_, _ = io.Copy(w, response.Body)
	}
	for name, answer := range map[string]http.HandlerFunc{
		"says yes to everything": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "yes") },
		"asks the room":          relay,
		"says nothing and ends":  func(http.ResponseWriter, *http.Request) {},
	} {
		t.Run(name, func(t *testing.T) {
			thief := newImpostor(t, answer)
			a := server.Address{URL: thief.URL, Token: real.Token}
			request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, a.URL+"/mcp", strings.NewReader("{}")))(t)
			request.Header.Set("Authorization", "Bearer "+a.Token)
			response, err := server.Client(a).Do(request)
			if err == nil {
				_ = response.Body.Close()
			}
			if core.CodeOf(err) != core.CodeUnreachable || !strings.Contains(err.Error(), "is not the room") {
				t.Errorf("got %v", err)
			}
			if heard := thief.said(); !strings.Contains(heard, "/proof?nonce=") || strings.Contains(heard, a.Token) {
				t.Errorf("it heard %s", heard)
			}
		})
	}
}

func TestARoomThatProvesItselfIsTalkedTo(t *testing.T) {
	r := open(t)
	a := r.address()
	request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, a.URL+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)))(t)
	request.Header.Set("Authorization", "Bearer "+a.Token)
	request.Header.Set("Content-Type", "application/json")
	response, err := server.Client(a).Do(request)
	must.Do(t, err)
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("got %s, %v", response.Status, err)
	}
}

func TestTheRoomOfADirectoryIsItsOwnOrTheNearestAboveIt(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/b/c", "ab"} {
		must.Do(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
	}
	must.Do(t, os.Symlink(filepath.Join(dir, "a", "b"), filepath.Join(dir, "link")))
	at := func(name, token string) server.Address {
		return server.Address{Dir: filepath.Join(dir, name), Token: token}
	}
	rooms := []server.Address{at("a/b", "newest"), at("a/b", "older"), at("a", "above")}
	for name, want := range map[string]string{
		"a/b": "newest", "a/b/c": "newest", "link": "newest", "link/c": "newest", "a": "above", "a/x": "above", "ab": "", ".": "",
	} {
		if got, ok := server.Nearest(rooms, filepath.Join(dir, name)); got.Token != want || ok != (want != "") {
			t.Errorf("%s: got %+v, want %s", name, got, want)
		}
	}
}

func TestARoomIsAnnouncedWhereverItIsLookedFor(t *testing.T) {
	dirs := []string{filepath.Join(t.TempDir(), "runtime"), filepath.Join(t.TempDir(), "home")}
	s := server.New(server.Config{Hub: hub.New(new(event.Bus), nil, nil), RunDirs: dirs})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	for _, dir := range dirs {
		a := addressIn(t, dir)
		if got := server.Rooms([]string{dir}); !cmp.Equal(got, []server.Address{a}) {
			t.Errorf("got %+v, want %+v", got, a)
		}
	}
	if got := server.Rooms(dirs); len(got) != 1 {
		t.Errorf("got %+v, want one room", got)
	}
	cancel()
	must.Report(t, <-ended)
	if got := server.Rooms(dirs); len(got) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestARoomIsNotAnnouncedWhereOthersCanReadIt(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.Chmod(dir, 0o777))
	s := server.New(server.Config{Hub: hub.New(new(event.Bus), nil, nil), RunDirs: []string{filepath.Join(dir, "yaap")}})
	err := s.Run(t.Context())
	if core.CodeOf(err) != core.CodeRefused || core.HintOf(err) != "forbid it: chmod go-w "+dir {
		t.Errorf("got %v (%s)", err, core.HintOf(err))
	}
}

package bridge

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/must"
)

// openRoom opens the door of a room that works in dir, and returns what shuts it.
func openRoom(t *testing.T, runDir, dir string) (shut func()) {
	t.Helper()
	before := len(server.Rooms([]string{runDir}))
	s := server.New(server.Config{Hub: hub.New(new(event.Bus), nil, nil), Dir: dir, RunDirs: []string{runDir}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for len(server.Rooms([]string{runDir})) == before {
		<-tick.C
	}
	return func() {
		cancel()
		must.Report(t, <-ended)
	}
}

func TestAnEditorStaysWithItsRoomAndThenWithItsDirectory(t *testing.T) {
	above := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	runDir, dir := t.TempDir(), filepath.Join(above, "here")
	b := &Bridge{Dirs: []string{runDir}, Dir: dir}
	found := func(want string) server.Address {
		t.Helper()
		room, client, err := b.find(t.Context(), nil)
		if err != nil || room.Dir != want || client == nil {
			t.Errorf("got %+v, %v, want the room of %s", room, err, want)
		}
		return room
	}
	if _, _, err := b.find(t.Context(), nil); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("got %v", err)
	}
	shutAbove := openRoom(t, runDir, above)
	first := found(above)
	shutHere := openRoom(t, runDir, dir)
	if room := found(above); room != first {
		t.Error("it went to a room that opened nearer")
	}
	shutAgain := openRoom(t, runDir, above)
	if room := found(above); room != first {
		t.Error("it went to a room that opened later")
	}
	shutAbove()
	if room := found(above); room == first {
		t.Error("it stayed with a room that is closed")
	}
	shutAgain()
	if room, _, err := b.find(t.Context(), nil); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("it went to the room of another directory: %+v, %v", room, err)
	}
	shutHere()
}

func TestAMessageThatIsTooLongIsRefusedAndTheNextIsAnswered(t *testing.T) {
	runDir, dir := t.TempDir(), must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	defer openRoom(t, runDir, dir)()
	var out bytes.Buffer
	b := &Bridge{Dirs: []string{runDir}, Dir: dir, Out: &out}
	long := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"text":"` + strings.Repeat("x", 2*maxFrame) + `"}}}`
	must.Do(t, b.Run(t.Context(), strings.NewReader(long+"\n"+`{"jsonrpc":"2.0","id":8,"method":"ping"}`+"\n")))
	for _, want := range []string{`"id":7`, "-32600", "at most 4 MiB", `"id":8`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %.600s", want, out.String())
		}
	}
}

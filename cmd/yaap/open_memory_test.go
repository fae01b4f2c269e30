package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

// editor TOOL JSON calls a tool of the room that runs, as an editor's assistant
// would, and prints what it answers.
func editor() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	room, err := findRoom(ctx)
	if err != nil {
		programFailed(err)
	}
	var answer json.RawMessage
	if err := call(ctx, room, "/mcp", os.Args[1], json.RawMessage(os.Args[2]), &answer); err != nil {
		programFailed(err)
	}
	fmt.Println(string(answer))
}

func TestAVaultIsMadeForAnotherProgramWhenTheUserAllowsIt(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, home)
	}
	p := &program{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, env: os.Getenv}
	p.options.attended, p.options.Builtin = true, "none"
	a, err := p.open(t.Context())
	must.Do(t, err)
	feed := a.Feed()
	defer feed.Close()
	var vaults []core.Vault
	err = a.Run(t.Context(), func(ctx context.Context) error {
		made := make(chan error, 1)
		go func() {
			room, err := findRoom(ctx)
			if err == nil {
				err = call(ctx, room, "/mcp", "create_vault", map[string]string{"title": "work"}, new(any))
			}
			made <- err
		}()
		var pause string
		for e := range feed.All(ctx) {
			if b, ok := e.Body.(core.ApprovalRequested); ok {
				pause = b.Pause
				break
			}
		}
		if vaults, err = a.Store().Vaults(ctx); err != nil || len(vaults) != 1 {
			return fmt.Errorf("before the user answers there are %v, %w", vaults, err)
		}
		if _, err := a.Window().Answer(ctx, core.Answer{Pause: pause, Text: core.AllowOnce}); err != nil {
			return err
		}
		err := <-made
		if err == nil {
			vaults, err = a.Store().Vaults(ctx)
		}
		return err
	})
	if err != nil || len(vaults) != 2 || vaults[1].Title != "work" {
		t.Errorf("got %+v, %v", vaults, err)
	}
}

func TestTheUserSeesWhatAnotherProgramWantsAndAllowsItWithAKey(t *testing.T) {
	s := openScreen(t, 120, 40)
	s.see(`ask the room`)
	made := make(chan error, 1)
	go func() {
		room, err := findRoomIn(t.Context(), filepath.Join(s.home, "XDG_RUNTIME_DIR"))
		if err == nil {
			err = call(t.Context(), room, "/mcp", "create_vault", map[string]string{"title": "work"}, new(any))
		}
		made <- err
	}()
	s.see(`(?s)A program that is connected to this room wants to make the vault .*"work"\.`)
	s.until("dialog whose keys decide", func(text string) bool {
		return strings.Contains(text, "d deny") && !strings.Contains(text, "in a moment")
	})
	s.press("a")
	must.Report(t, <-made)
	s.see(`✓ allowed once: +create_vault`)
}

// press types a key.
func (s *screen) press(key string) { _, _ = io.WriteString(s.in, key) }

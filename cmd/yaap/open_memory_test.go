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

func TestAVaultIsMadeForAnotherProgramWhenTheUserAllowsItWithAKey(t *testing.T) {
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
	select {
	case err := <-made:
		t.Fatalf("it is made before the user has answered: %v", err)
	default:
	}
	s.press("a")
	must.Report(t, <-made)
	s.see(`✓ allowed once: +create_vault`)
}

// press types a key.
func (s *screen) press(key string) { _, _ = io.WriteString(s.in, key) }

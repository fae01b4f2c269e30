package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
)

// guestbook is the expert of the demo that changes something: it writes names into a file of dir.
func guestbook(dir string) experts.Expert {
	return experts.Expert{
		Name: "guestbook", Description: "Writes a name into the guest book.", Examples: []string{"write Ada"}, Acts: true,
		Answer: func(_ context.Context, q experts.Question) (core.Reply, error) {
			name, ok := strings.CutPrefix(strings.TrimSpace(q.Prompt), "write ")
			if !ok || name == "" {
				return experts.Clarify("Say whom to write: write Ada."), nil
			}
			f, err := os.OpenFile(filepath.Join(dir, "guests.txt"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // of the demo
			if err != nil {
				return core.Reply{}, err
			}
			if _, err := fmt.Fprintln(f, name); err != nil {
				_ = f.Close() // it cannot be written
				return core.Reply{}, err
			}
			return experts.Success("**"+name+"** is in guests.txt.", map[string]any{"name": name}), f.Close()
		},
	}
}

// Package prompts holds the texts that yaap's agents are instructed with, and
// the chains that are built in.
package prompts

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core/userfile"
)

//go:embed orchestrator.md
var orchestrator string

// Orchestrator is the prompt of the agent that answers in the room.
func Orchestrator() string { return orchestrator }

//go:embed compact.md
var compact string

// Compact is the prompt of the agent that sums up a conversation.
func Compact() string { return compact }

//go:embed default/chat/*.md
var embedded embed.FS

const maxFile = 64 << 10 // bytes

// Chat is what the memory agent is instructed with where it records a chat.
type Chat struct {
	EntryCapture, Summary, Context string
}

// LoadChat returns the prompts of the memory agent. A file in dir replaces the
// embedded one of the same name, such as default/chat/summary_prompt.md; one
// that is there and cannot be used is an error, which names it. Without a dir
// the embedded ones are returned.
func LoadChat(dir string) (Chat, error) {
	var c Chat
	for name, text := range map[string]*string{
		"entry_capture_prompt.md": &c.EntryCapture, "summary_prompt.md": &c.Summary, "context_prompt.md": &c.Context,
	} {
		var err error
		if *text, err = load(dir, "default/chat/"+name); err != nil {
			return Chat{}, err
		}
	}
	return c, nil
}

func load(dir, name string) (string, error) {
	if dir != "" {
		path := filepath.Join(dir, filepath.FromSlash(name))
		text, err := read(path)
		if err == nil {
			return text, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%s: %w", path, err)
		}
	}
	text, err := embedded.ReadFile(name)
	return string(text), err
}

// read reads a prompt that somebody wrote.
func read(path string) (string, error) {
	raw, err := userfile.Read(path, maxFile)
	switch {
	case err != nil:
		return "", bare(err)
	case !utf8.Valid(raw):
		return "", errors.New("it is not UTF-8 text")
	case strings.TrimSpace(string(raw)) == "":
		return "", errors.New("it is empty")
	}
	return string(raw), nil
}

// bare is an error without the path, which the caller names.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

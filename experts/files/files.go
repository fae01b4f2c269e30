// Package files is the built-in expert for the files below one directory. It
// lists, reads, finds and searches; it never writes, and nothing it is asked
// leads out of the directory: not "..", not an absolute path, not a link.
// Every answer is bounded in size and says when it was cut.
package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

// What one answer may cost and hold.
const (
	timeLimit    = 10 * time.Second
	maxPrompt    = 4 << 10
	maxVisited   = 100_000  // files looked at in one walk
	maxShown     = 50       // rows in a message
	maxData      = 200      // rows in data
	maxLines     = 200      // lines of one file
	maxLine      = 64 << 10 // bytes of a line that are searched
	maxLineBytes = 500      // bytes of a line that are shown
	maxFileBytes = 64 << 20 // of a file that is read
)

type expert struct {
	dir   string
	table []row
}

// New returns the expert on the files below dir. It opens dir anew for every
// question; a directory that is not there is reported in the answer.
func New(dir string) experts.Expert {
	e := expert{dir: dir, table: rows()}
	return experts.Expert{
		Name: "files",
		Description: "Looks at the files and folders of the working directory as they are on disk now. " +
			"Lists files by folder or kind, shows a file or some of its lines, finds a file by name or wildcard, " +
			"searches (greps) the text inside files for a word or phrase and says which files mention it, " +
			"and tells how big a file is, how many lines it has and which files are the largest. " +
			"Read-only: it never writes, renames or deletes. It does not know who changed a file or when a line " +
			"was written, and it does not calculate with the rows of a table.",
		Examples: []string{
			"what files are here?",
			"read lines 10-20 of main.go",
			"show README.md",
			"which files mention \"TODO\"?",
			"how many lines does README.md have?",
		},
		Answer: e.answer,
	}
}

func (e expert) answer(ctx context.Context, q experts.Question) (core.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	root, err := os.OpenRoot(e.dir)
	if err != nil {
		return failed(&core.Error{Message: "The working directory cannot be opened.", Hint: "Is it still there? Start yaap again in a directory that exists.", Err: err})
	}
	defer func() { _ = root.Close() }() // nothing was written
	t := &tree{root: root, dir: e.dir}

	prompt := clean(q.Prompt)
	for _, r := range e.table {
		parts := r.match(prompt)
		if parts == nil {
			continue
		}
		reply, err := r.answer(t, ctx, parts)
		if errors.Is(err, errNotMine) {
			continue
		}
		if err != nil {
			return failed(err)
		}
		reply.Thought = "I read this as: " + r.thought + "."
		return reply, nil
	}
	return help(), nil
}

func help() core.Reply {
	reply := experts.Clarify("I look at the files below this directory, but I do not know what to look for. "+
		"I can list files, show a file or some of its lines, find a file by name, search in files, and count lines and bytes. "+
		"Try “show README.md” or “which files mention TODO”.", "what files are here?", "show README.md", "which files mention TODO?")
	reply.Thought = "Nothing here reads like a question about files."
	return reply
}

// failed turns an error into the reply that says it.
func failed(err error) (core.Reply, error) {
	var many *ambiguous
	var known *core.Error
	switch {
	case errors.As(err, &many):
		reply := experts.Clarify(fmt.Sprintf("There are %d that %s could be. Which one?\n\n%s", len(many.paths), code(many.name), bullets(many.paths)), cut(many.paths, 10)...)
		reply.Thought = "The name fits several files."
		return reply, nil
	case errors.As(err, &known):
		reply := experts.Failure(strings.TrimSpace(known.Message+" "+known.Hint), map[string]any{"error": known.Message})
		reply.Thought = "It could not be done."
		return reply, nil
	case errors.Is(err, context.DeadlineExceeded):
		return experts.Failure("That took longer than "+timeLimit.String()+". Ask about one folder or one kind of file.", nil), nil
	case errors.Is(err, context.Canceled):
		return core.Reply{}, err
	}
	return experts.Failure("That could not be read: "+err.Error()+".", nil), nil
}

// Package files is the built-in expert for the files below one directory. It
// lists, reads, finds and searches; it never writes, and nothing it is asked
// leads out of the directory: not "..", not an absolute path, not a link.
// Every answer is bounded in size and says when it was cut.
package files

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

// What one answer may cost and hold.
const (
	timeLimit  = 10 * time.Second
	namesTime  = 2 * time.Second // how old the names may be that a question is read with
	maxVisited = 100_000         // files looked at in one walk
	maxNames   = 20_000          // files that a bid knows the names of
	maxShown   = 50              // rows in a message
	maxData    = 200             // rows in data, lines of one file
	maxLine    = 500             // bytes of a line that are shown
	maxFile    = 32 << 20        // bytes of a file that is read
	maxReads   = 120             // letters of what a bid says
)

type expert struct {
	dir   string
	now   func() time.Time
	names *names
}

func newExpert(dir string) expert { return expert{dir, time.Now, &names{}} }

// New returns the expert on the files below dir. It opens dir anew for every
// question; a directory that is not there is reported in the answer.
func New(dir string) experts.Expert {
	e := newExpert(dir)
	return experts.Expert{
		Name: "files",
		Description: "Looks at the files and folders of the working directory as they are on disk now. " +
			"Lists files by folder or kind, shows a file or some of its lines, finds a file by name or wildcard, " +
			"searches (greps) the text inside files for a word or phrase and says which files mention it, " +
			"finds where a name is defined or used, tells how big a file is and how many lines it has, which files are the largest or newest, " +
			"and what differs between two files (ls, tree, cat, head, tail, grep, find, wc, diff). " +
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
		Bid:    e.bid,
	}
}

// bid says what of a text is about the files. It does not look into them.
func (e expert) bid(ctx context.Context, text string, _ []core.Message) core.Bid {
	root, err := os.OpenRoot(e.dir)
	if err != nil {
		return core.Bid{}
	}
	defer func() { _ = root.Close() }() // nothing was written
	q := (&tree{expert: e, root: root, bidding: true}).read(ctx, text)
	if q.Score == 0 {
		return core.Bid{}
	}
	bid := core.Bid{Score: q.Score, Reads: q.String()}
	if ask := (*unclear)(nil); errors.As(q.err(), &ask) {
		bid.Needs = []string{ask.message}
	}
	return bid
}

func (e expert) answer(ctx context.Context, q experts.Question) (core.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	root, err := os.OpenRoot(e.dir)
	if err != nil {
		return explained(&core.Error{Message: "The working directory cannot be opened.", Hint: "Is it still there? Start yaap again in a directory that exists.", Err: err})
	}
	defer func() { _ = root.Close() }() // nothing was written
	t := &tree{expert: e, root: root}
	asked := t.read(ctx, q.Prompt)
	if asked.Score == 0 {
		return explained(cmp.Or(ctx.Err(), error(&unclear{"I look at the files below this directory, but I do not know what to look for. " +
			"I can list files, show a file or some of its lines, find a file by name, search in files, find definitions, compare two files, and count lines and bytes. " +
			"Try “show README.md” or “which files mention TODO”.", []string{"what files are here?", "show README.md", "which files mention TODO?"}})))
	}
	reply, err := t.reply(ctx, asked)
	if err != nil {
		return explained(err)
	}
	reply.Thought = "I read this as: " + asked.String() + "."
	return reply, nil
}

// reply answers what was read.
func (t *tree) reply(ctx context.Context, q query) (core.Reply, error) {
	if err := q.err(); err != nil && q.Shape != "act" {
		return core.Reply{}, err
	}
	switch q.Shape {
	case "grep":
		return t.grep(ctx, q)
	case "def":
		return t.definition(ctx, q)
	case "list", "number", "find":
		return t.list(ctx, q)
	case "top", "changed", "sized":
		return t.ranking(ctx, q)
	case "ends", "lines", "show":
		return t.show(ctx, q)
	case "size":
		return t.size(ctx, q)
	case "modified":
		return t.modified(q)
	case "diff":
		return t.diff(q)
	}
	return refused(q)
}

// unclear is a question to ask back.
type unclear struct {
	message string
	options []string
}

func (u *unclear) Error() string { return u.message }

// explained turns an error into the reply that says it.
func explained(err error) (core.Reply, error) {
	var ask *unclear
	var known *core.Error
	reply := core.Reply{}
	switch {
	case errors.As(err, &ask):
		reply = experts.Clarify(ask.message, ask.options...)
		reply.Thought = "It is not clear what is meant."
	case errors.As(err, &known):
		reply = experts.Failure(strings.TrimSpace(known.Message+" "+known.Hint), map[string]any{"error": known.Message})
		reply.Thought = "It could not be done."
	case errors.Is(err, context.DeadlineExceeded):
		reply = experts.Failure("That took longer than "+timeLimit.String()+". Ask about one folder or one kind of file.", nil)
	case errors.Is(err, context.Canceled):
		return reply, err
	default:
		reply = experts.Failure("That could not be read: "+err.Error()+".", nil)
	}
	return reply, nil
}

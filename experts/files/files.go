// Package files is the built-in expert for the files below one directory. It
// lists, reads, finds and searches; it never writes, and nothing it is asked
// leads out of the directory: not "..", not an absolute path, not a link.
// Every answer is bounded in size and says when it was cut.
package files

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
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
	given *settingsOf

	documents *documents
}

func newExpert(dir string) expert {
	return expert{dir, time.Now, &names{}, &settingsOf{}, &documents{}}
}

// New returns the expert on the files below dir. It opens dir anew for every
// question; a directory that is not there is reported in the answer.
func New(dir string) experts.Expert {
	e := newExpert(dir)
	return experts.Expert{
		Name: "files",
		Description: "Looks at the files and folders of the working directory as they are on disk now. " +
			"Lists files by folder or kind, shows a file or some of its lines, finds a file by name or wildcard, " +
			"searches (greps) the text inside files for a word or phrase and says which files mention it, " +
			"finds where a name is defined or used, what a setting or a constant is set to, what the README says of how the project is installed, started, tested or licensed, what the documents say, which functions a file defines and what it imports, tells how big a file is and how many lines it has, which files are the largest or newest, " +
			"and what differs between two files (ls, tree, cat, head, tail, grep, find, wc, diff). " +
			"Read-only: it never writes, renames or deletes. It does not know who changed a file or when a line " +
			"was written, and it does not calculate with the rows of a table.",
		Examples: []string{
			"what files are here?",
			"which files mention \"TODO\"?",
			"show README.md",
			"how many lines does README.md have?",
			"read lines 10-20 of main.go",
		},
		Answer: e.answer,
		Bid:    e.bid,
	}
}

// bid says what of a text is about the files. Of them it looks into those alone that give
// settings and constants, and into the README.
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
	if ask := (*plain.AmbiguousError)(nil); errors.As(q.err, &ask) {
		bid.Needs = []string{ask.Message}
	}
	return bid
}

func (e expert) answer(ctx context.Context, asked experts.Question) (core.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	t := &tree{expert: e, Translator: plain.TranslatorFor(translators(), asked.Prompt)}
	var err error
	if t.root, err = os.OpenRoot(e.dir); err != nil {
		return t.explained(ctx, &core.Error{Message: t.Say("The working directory cannot be opened."), Hint: t.Say("Is it still there?"), Err: err})
	}
	defer func() { _ = t.root.Close() }() // nothing was written
	q := t.read(ctx, asked.Prompt)
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case q.Score == 0:
		err = &plain.AmbiguousError{
			Message: t.Say("I look at the files below this directory, but I do not know what to look for. Try “show README.md” or “which files mention TODO”."),
			Options: []string{"what files are here?", "show README.md", "which files mention TODO?"},
		}
	case q.err != nil && !t.answers(q):
		err = q.err
	}
	if err != nil {
		return t.explained(ctx, err)
	}
	reply, err := map[string]func(*tree, context.Context, query) (core.Reply, error){
		"grep": (*tree).grep, "def": (*tree).definition, "outline": (*tree).outline, "imports": (*tree).imports, "list": (*tree).list, "number": (*tree).list, "find": (*tree).list,
		"top": (*tree).ranking, "changed": (*tree).ranking, "sized": (*tree).ranking, "ends": (*tree).show, "lines": (*tree).show, "show": (*tree).show,
		"size": (*tree).size, "modified": (*tree).modified, "diff": (*tree).diff, "act": (*tree).refused, "about": (*tree).about, "purpose": (*tree).purpose, "value": (*tree).value, "section": (*tree).section, "passage": (*tree).passage, "boxes": (*tree).ticked,
	}[q.Shape](t, ctx, q)
	if err == nil && reply.Data["total"] == 0.0 && (q.Shape == "value" || q.Shape == "def") {
		if q.passage, q.sentence = t.passageFor(ctx, asked.Prompt); q.passage != nil { // no setting has the name, but a document speaks of it
			reply, err = t.passage(ctx, q)
		}
	}
	if err != nil {
		return t.explained(ctx, err)
	}
	reply.Thought = "I read this as: " + q.String() + "."
	return reply, nil
}

// answers tells whether a question about a file that is not there has an answer.
func (t *tree) answers(q query) bool {
	return q.Shape == "act" || q.Mark("yes") != "" && core.CodeOf(q.err) == core.CodeNotFound
}

// explained turns an error into the reply that says it.
func (t *tree) explained(ctx context.Context, err error) (core.Reply, error) {
	return t.ErrorReply(ctx, err, t.Say("That took longer than %s. Ask about one folder or one kind of file.", timeLimit), "That could not be read: %s.")
}

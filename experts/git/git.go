// Package git is the built-in expert for the history of the repository at
// hand. It asks the git program, started without a shell, and only to read:
// nothing that a repository configures is run (hooks, filters, pagers, diff
// and text converters, file system monitors), no network is used, and what a
// user names as a revision reaches git only as the hash it stands for.
package git

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
	"yaap/experts/plain"
)

// What one answer may cost and hold.
const (
	timeLimit  = 20 * time.Second
	maxPrompt  = 4 << 10
	maxOutput  = 4 << 20 // bytes of one git command
	maxShown   = 30      // rows in a message
	maxData    = 200     // rows in data
	maxBody    = 2000    // bytes of a commit's message
	maxSubject = 300     // bytes of a subject or a line
)

// errNotMine says that a prompt does not ask about the history.
var errNotMine = errors.New("not about the history")

// New returns the expert on the repository that holds dir, which is looked
// for anew at every question.
func New(dir string) experts.Expert {
	return experts.Expert{
		Name: "git",
		Description: "Knows the git history of the repository in the working directory. " +
			"Tells the recent commits, commits by an author, since a date or touching a path; who wrote a line (blame), " +
			"who changed a file last and who changed it most; what changed in a commit or between two branches or tags, with the number of lines " +
			"added and deleted; uncommitted changes (status), branches, tags and contributors. " +
			"Read-only: it never commits, checks out, pushes or fetches. It does not show or search the contents of files.",
		Examples: []string{
			"show the last 5 commits",
			"who wrote line 12 of main.go?",
			"what changed between main and feature?",
			"commits by Alice since Monday",
			"are there uncommitted changes? what branch am I on?",
		},
		Answer: repo{dir}.answer,
	}
}

func (r repo) answer(ctx context.Context, q experts.Question) (core.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	reply, err := r.reply(ctx, clean(q.Prompt))
	var known *core.Error
	var odd *unknown
	examples := []string{"show the last 5 commits", "who changed README.md last?", "what changed in the last commit?"}
	switch {
	case err == nil:
	case errors.Is(err, errNotMine):
		reply = experts.Clarify("I know the history of this git repository, but I do not see what to look up. I can tell commits, who wrote or changed something, "+
			"what changed between two points, uncommitted changes, branches, tags and contributors. Try “last 5 commits” or “who changed README.md last?”", examples...)
		reply.Thought = "Nothing here reads like a question about the history."
	case errors.As(err, &odd):
		reply = experts.Clarify("I do not know what "+plain.Code(odd.word)+" is: no commit, branch, tag, author or tracked file here is called so. What do you mean?", examples...)
		reply.Thought = "One word stands for nothing here."
	case errors.As(err, &known):
		reply = experts.Failure(strings.TrimSpace(known.Message+" "+known.Hint), map[string]any{"error": known.Message})
		reply.Thought = "It could not be done."
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		reply = experts.Failure("Git took longer than "+timeLimit.String()+". Ask about fewer commits or one path.", nil)
	case ctx.Err() != nil:
		return core.Reply{}, ctx.Err()
	default:
		reply = experts.Failure("Git could not answer: "+err.Error()+".", nil)
	}
	return reply, nil
}

// reply reads the prompt: first which answer it asks for, then what bounds it.
func (r repo) reply(ctx context.Context, prompt string) (core.Reply, error) {
	at := slices.IndexFunc(rows, func(asked row) bool { return asked.re().MatchString(prompt) })
	if at < 0 {
		return core.Reply{}, errNotMine
	}
	v := view{repo: r, prompt: strings.ToLower(prompt)}
	if err := v.check(ctx); err != nil {
		return core.Reply{}, err
	}
	if err := v.read(ctx, prompt); err != nil {
		return core.Reply{}, err
	}
	reply, err := rows[at].answer(&v, ctx)
	if err != nil && v.commit(ctx, "HEAD") == "" {
		return experts.Success("There are no commits yet.", nil), nil
	}
	reply.Thought = "I read this as: " + rows[at].thought + v.limits() + "."
	return reply, err
}

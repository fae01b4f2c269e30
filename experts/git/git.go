// Package git is the built-in expert for the history of the repository at
// hand. It asks the git program, started without a shell, and only to read:
// nothing that a repository configures is run (hooks, filters, pagers, diff
// and text converters, file system monitors), no network is used, and what a
// user names as a revision reaches git only as the hash it stands for.
package git

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// What one answer may cost and hold.
const (
	timeLimit  = 20 * time.Second
	maxOutput  = 4 << 20 // bytes of one git command
	maxShown   = 30      // rows in a message
	maxData    = 200     // rows in data
	maxBody    = 2000    // bytes of a commit's message
	maxSubject = 300     // bytes of a subject or a line
	maxReads   = 110     // bytes of what a bid says

	lookLimit = 300 * time.Millisecond // for whether there is a repository
)

// New returns the expert on the repository that holds dir, which is looked
// for anew at every question.
func New(dir string) experts.Expert {
	e := newExpert(dir)
	return experts.Expert{
		Name: "git",
		Description: "Knows the git history of the repository in the working directory. " +
			"Tells the recent commits, commits by an author, since a date or touching a path; who wrote a line (blame), " +
			"who changed a file last and who changed it most; which commit added or removed a text; what changed in a commit or between two branches or tags, with the number of lines " +
			"added and deleted; uncommitted changes (status, diff), branches and what is not merged, tags, stashes, remotes and contributors. " +
			"Read-only: it never commits, checks out, pushes or fetches. It does not show or search the contents of files.",
		Examples: []string{
			"show the last 5 commits",
			"who wrote line 12 of main.go?",
			"what changed between main and feature?",
			"commits by Alice since Monday",
			"are there uncommitted changes? what branch am I on?",
		},
		Here:    e.examples,
		Context: true,
		Answer:  e.answer,
		Bid:     e.bid,
	}
}

// expert answers about one repository.
type expert struct {
	repo
	now    func() time.Time
	memory *memory
}

// examples are questions that can be answered in any repository; none where there is
// none.
func (e expert) examples(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	if e.check(ctx) != nil || e.commit(ctx, "HEAD") == "" {
		return nil
	}
	return []string{
		"show the last 5 commits",
		"who made the most commits?",
		"which files changed in the last commit?",
		"commits since last Monday",
		"are there uncommitted changes?",
	}
}

func newExpert(dir string) expert { return expert{repo{dir}, time.Now, &memory{}} }

// bid says what of a text is about the history. It does not look into it.
func (e expert) bid(ctx context.Context, text string, said []core.Message) core.Bid {
	r, v := e.read(ctx, text, said, false)
	if r.Score == 0 || !e.inRepository() && !namesGit().MatchString(text) {
		return core.Bid{}
	}
	bid := core.Bid{Score: r.Score, Reads: v.String()}
	if r.Score == experts.ReadAll && r.Shape != "act" && saysCommits().MatchString(text) && len(v.places) == 0 && e.inRepository() {
		bid.Score = 1 // a table may have a column that is called so
	}
	if odd, ok := r.Value("ODD").(rev); ok {
		bid.Needs = []string{"What is " + odd.name + "?"}
	} else if r.Shape == "blame" && len(v.places[0].specs) > 1 {
		bid.Needs = []string{"Which file?"}
	}
	return bid
}

// namesGit is what is said of git alone, and answered without a repository, too: that there
// is none.
var namesGit = plain.LazyRegexp(`\b(?:git|commits?|committed|branch(?:es)?|repo(?:sitory)?|tags?|merged?|blame|diffs?|stash|head)\b`) //nolint:gochecknoglobals // never changes; see plain.LazyRegexp

// saysCommits finds what no table is asked for without being named.
var saysCommits = plain.LazyRegexp(`\bcommits?\b`) //nolint:gochecknoglobals // never changes; see plain.LazyRegexp

// inRepository reports whether the directory may be in a repository.
func (e expert) inRepository() bool {
	if os.Getenv("GIT_DIR") != "" {
		return true
	}
	dir, err := filepath.Abs(e.dir)
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		if objects, err := os.Stat(filepath.Join(dir, "objects")); err == nil && objects.IsDir() { // a bare one
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
	return true
}

func (e expert) answer(ctx context.Context, q experts.Question) (core.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	translator := plain.TranslatorFor(translators(), q.Prompt)
	reply, err := e.reply(ctx, q, translator)
	if err != nil {
		return translator.ErrorReply(ctx, err, translator.Say("Git took longer than %s. Ask about fewer commits or one path.", timeLimit), "Git could not answer: %s.")
	}
	return reply, nil
}

// reply reads the question and answers it.
func (e expert) reply(ctx context.Context, q experts.Question, translator plain.Translator) (core.Reply, error) {
	r, v := e.read(ctx, q.Prompt, q.Context, true)
	v.Translator = translator
	if ctx.Err() != nil {
		return core.Reply{}, ctx.Err()
	}
	if r.Shape == "act" {
		message := v.Say("I only read the repository: I do not %s.", r.Mark("act"))
		return experts.Failure(message+" "+v.Say("Type git %s in a terminal yourself.", r.Mark("act")), map[string]any{"error": message}), nil
	}
	if err := e.check(ctx); err != nil {
		return core.Reply{}, err
	}
	if r.Score == 0 {
		return core.Reply{}, &plain.AmbiguousError{
			Message: v.Say("I know the history of this git repository, but I do not see what to look up. Try “last 5 commits” or “who changed README.md last?”"),
			Options: []string{"show the last 5 commits", "who changed README.md last?", "what changed in the last commit?"},
		}
	}
	err := v.resolve(ctx)
	reply := core.Reply{}
	if err == nil {
		reply, err = answers()[r.Shape](v, ctx)
	}
	if err != nil && e.commit(ctx, "HEAD") == "" {
		return experts.Success(v.Say("There are **no commits** yet."), nil), nil
	}
	reply.Thought = "I read this as: " + v.String() + "."
	return reply, err
}

// answers are the ways to answer, by the shapes of the questions.
func answers() map[string]func(*view, context.Context) (core.Reply, error) {
	return map[string]func(*view, context.Context) (core.Reply, error){
		"show": (*view).show, "first": (*view).firstCommit, "log": (*view).log, "number": (*view).count, "spread": (*view).spread, "blame": (*view).blame, "who": (*view).who, "author": (*view).author, "topic": (*view).topic,
		"pick": (*view).pick, "contributors": (*view).contributors, "files": (*view).files, "current": (*view).current, "branches": (*view).branches, "tags": (*view).tags,
		"unmerged": (*view).unmerged, "stash": (*view).stashes, "remotes": (*view).remotes, "status": (*view).status, "diff": (*view).diff, "patch": (*view).patch,
	}
}

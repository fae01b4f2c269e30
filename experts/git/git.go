// Package git is the built-in expert for the history of the repository at
// hand. It asks the git program, started without a shell, and only to read:
// nothing that a repository configures is run (hooks, filters, pagers, diff
// and text converters, file system monitors), no network is used, and what a
// user names as a revision reaches git only as the hash it stands for.
package git

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"yaap/core"
	"yaap/experts"
)

// What one answer may cost and hold.
const (
	timeLimit  = 20 * time.Second
	maxPrompt  = 4 << 10
	maxOutput  = 4 << 20 // bytes of one git command
	maxShown   = 30      // rows in a message
	maxData    = 200     // rows in data
	maxBody    = 2000    // bytes of a commit's message
	maxPatch   = 200     // lines of a patch
	maxSubject = 300     // bytes of a subject or a line
)

type expert struct{ dir string }

// New returns the expert on the repository that holds dir, which is looked
// for anew at every question.
func New(dir string) experts.Expert {
	e := expert{dir: dir}
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
		Answer: e.answer,
	}
}

var (
	askStatus   = regexp.MustCompile(`(?i)\b(?:un-?committed|unstaged|staged|untracked|git status|working (?:tree|copy)|dirty|(?:pending|local|unsaved) (?:changes|edits|modifications)|not (?:yet )?(?:been )?committed|(?:anything|something|nothing|what|left|things) (?:\w+ )?to commit|forg\w+ to commit|(?:modified|changed) files|status)\b|^what (?:have|did) (?:i|we) (?:just )?(?:changed?|modif\w+|edit(?:ed)?)$|\b(?:is|are) .*\bclean\b|\beverything (?:is )?committed\b|^(?:which|what) files (?:are|have been|did i) (?:changed?|modified)$`)
	askLine     = regexp.MustCompile(`(?i)\blines?\s+(\d{1,9})(?:\s*(?:-|–|to|through|and|until)\s*(\d{1,9}))?|[\w"']:(\d{1,9})(?:-(\d{1,9}))?\b`)
	askBlame    = regexp.MustCompile(`(?i)\b(?:blame|annotate)\b`)
	askBranch   = regexp.MustCompile(`(?i)\bbranch(?:es)?\b`)
	whichBranch = regexp.MustCompile(`(?i)^(?:on |in )?(?:which|what)(?: is the)?(?: current)? branch(?:es)?\b`)
	askTags     = regexp.MustCompile(`(?i)\b(?:tags?|tagged|releases?|released|versions?)\b`)
	askMost     = regexp.MustCompile(`(?i)\bwho\b.*\b(?:most|works?|worked|contribut\w+|maintains?|owns?|knows?)\b|\b(?:contributors?|authors|committers?|shortlog|maintainers?)\b|\bcommits (?:per|by each) (?:author|person|contributor)\b|\bmost (?:active|commits)\b|\bhow many (?:different )?(?:people|persons|developers|devs|programmers|engineers)\b`)
	askRecent   = regexp.MustCompile(`(?i)\bmost recent(?:ly)?\b|\blast (?:one )?to commit\b|\b(?:who|when) .*\b(?:last|latest) (?:commit|push)`)
	askWho      = regexp.MustCompile(`(?i)\b(?:who|when|which commit|what commit|last person)\b.*?\b(last|changed?|touched?|modified|modify|edited|edit|updated?|wrote|written|write|created?|added|introduced|deleted?|removed?|born|renamed?)\b`)
	askPickaxe  = regexp.MustCompile(`(?i)\b(?:who|when|which commits?|what commit|find (?:the )?commits?)\b.*\b(?:added?|introduced?|removed?|deleted?|wrote|first)\b`)
	askDiff     = regexp.MustCompile(`(?i)\b(?:what(?:'s| has| have| was| were| is)?(?: been)? (?:changed|different|new)|what changes|diffs?|compare|differ(?:s|ences?)?|(?:files?|lines?) (?:were |was |have |has |been |got )*(?:changed|added|deleted|removed|touched)|changes? (?:in|between|since|from|of|on)|changed|change set|numstat|patch|compared|(?:which|what|how many) (?:files|lines) (?:did|does|do|are in|were in)|unmerged|ahead|behind)\b`)
	askPatch    = regexp.MustCompile(`(?i)\b(?:patch|full diff|whole diff|show (?:me )?(?:the )?diff)\b`)
	askShow     = regexp.MustCompile(`(?i)\b(?:show|what (?:is|was|did|does)|what's|describe|details?|explain|summar\w+|about|look at|tell)\b`)
	askCount    = regexp.MustCompile(`(?i)\b(?:how many|number of|count)(?: \w+){0,2} commits?\b|\bhow (?:often|many times)\b`)
	askFirst    = regexp.MustCompile(`(?i)\b(?:first|oldest|initial|earliest) (?:commit|to commit|author|contributor|committer)\b|\bhow old is (?:the|this) (?:project|repo\w*|code ?base)\b|\bwhen (?:was|did) (?:the|this) (?:project|repo\w*|code ?base|history) (?:start|created|begin|begun|started)\b`)
	askPast     = regexp.MustCompile(`(?i)\b(?:did|do|done|doing|made|make|was|were|been|has|have|new|happened|introduced|added|who|when|work|show|what)\b`)
	askLog      = regexp.MustCompile(`(?i)\b(?:commits?|committed|did (?:i|we) miss|missed|git log|log|history|happen(?:ed|ing)|activity|active|(?:been )?(?:worked|working) on|been done|did .+ do|new|changelog|recent(?:ly)?(?: work| changes)?|pushed|merged|merges|changes|what has .+ done)\b`)
)

func (e expert) answer(ctx context.Context, q experts.Question) (core.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	reply, err := e.reply(ctx, clean(q.Prompt))
	var known *core.Error
	switch {
	case err == nil:
		return reply, nil
	case errors.As(err, &known):
		return core.Reply{Status: core.StatusFailure, Thought: "It could not be done.", Message: strings.TrimSpace(known.Message + " " + known.Hint), Data: map[string]any{"error": known.Message}}, nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return experts.Failure("Git took longer than "+timeLimit.String()+". Ask about fewer commits or one path.", nil), nil
	case ctx.Err() != nil:
		return core.Reply{}, ctx.Err()
	}
	return experts.Failure("Git could not answer: "+err.Error()+".", nil), nil
}

func help() core.Reply {
	reply := experts.Clarify("I know the history of this git repository, but I do not see what to look up. I can tell commits, who wrote or changed something, "+
		"what changed between two points, uncommitted changes, branches, tags and contributors. Try “last 5 commits” or “who changed README.md last?”",
		"show the last 5 commits", "who changed README.md last?", "what changed in the last commit?")
	reply.Thought = "Nothing here reads like a question about the history."
	return reply
}

// reply reads the prompt: first which view is asked for, then the view's
// revisions, dates, author and paths.
func (e expert) reply(ctx context.Context, prompt string) (core.Reply, error) {
	v := view{repo: repo(e), prompt: prompt}
	answer, thought := v.choose()
	if answer == nil && !bareRev.MatchString(prompt) && !askPast.MatchString(prompt) {
		return help(), nil
	}
	if err := v.check(ctx); err != nil {
		return core.Reply{}, err
	}
	if err := v.read(ctx); err != nil {
		return core.Reply{}, err
	}
	if answer == nil {
		switch {
		case v.author != "" || len(v.paths) > 0:
			answer, thought = v.log, "which commits are there"
		case v.from != "":
			answer, thought = v.diff, "what changed"
		case v.at != "":
			answer, thought = v.show, "show this commit"
		default:
			return help(), nil
		}
	}
	reply, err := answer(ctx)
	if reply.Thought == "" {
		reply.Thought = "I read this as: " + thought + v.limits() + "."
	}
	return reply, err
}

// choose returns the view that the prompt asks for, and what it is in words;
// nil when it asks for none.
func (v *view) choose() (answer func(context.Context) (core.Reply, error), thought string) {
	p := v.prompt
	who := askWho.MatchString(p)
	switch {
	case askStatus.MatchString(p):
		return v.status, "what is not committed yet"
	case askBlame.MatchString(p), askLine.MatchString(p) && (who || strings.HasPrefix(strings.ToLower(p), "who")):
		return v.blame, "who wrote these lines"
	case whichBranch.MatchString(p), askBranch.MatchString(p) && !askDiff.MatchString(p) && !askCommits.MatchString(p):
		return v.branches, "which branches are there"
	case askRecent.MatchString(p) && !askLine.MatchString(p):
		v.n = 1
		return v.who, "which commit is the last"
	case askFirst.MatchString(p):
		return v.first, "which commit was the first"
	case askCount.MatchString(p) && !askMost.MatchString(p):
		return v.count, "how many commits are there"
	case askMost.MatchString(p):
		return v.contributors, "who made the commits"
	case who, askPickaxe.MatchString(p):
		return v.who, "which commit changed it"
	case askTags.MatchString(p) && !sinceWord.MatchString(p) && !askDiff.MatchString(p) && !askCommits.MatchString(p):
		return v.tags, "which tags are there"
	case askDiff.MatchString(p):
		return v.diff, "what changed"
	case askShow.MatchString(p) && oneCommit.MatchString(p):
		return v.show, "show this commit"
	case askLog.MatchString(p), askCommits.MatchString(p):
		return v.log, "which commits are there"
	}
	return nil, ""
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

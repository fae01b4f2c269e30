package git

import (
	"context"
	"regexp"
	"strings"

	"yaap/core"
	"yaap/experts/plain"
)

// row is one thing to ask: how it was read, in words, what a prompt looks like,
// and what answers it.
type row struct {
	thought string
	re      func() *regexp.Regexp
	answer  func(*view, context.Context) (core.Reply, error)
}

// rows are what may be asked, the more particular first. They tell only which
// answer is wanted: what bounds it is taken out of the prompt by [view.read].
var rows = []row{ //nolint:gochecknoglobals // never change; see plain.Expr
	{"what is not committed yet", plain.Expr(`\b(?:un-?committed|unstaged|staged|untracked|status|working (?:tree|copy)|dirty|clean|(?:pending|local) changes|not (?:yet )?committed|everything (?:is )?committed|to commit)\b` +
		`|^what (?:have|did) i (?:just )?change`), (*view).status},
	{"who wrote these lines", plain.Expr(`\b(?:blame|annotate)\b|^(?:who|when|which commit)\b.*(?:\blines? |\w:)\d`), (*view).blame},
	{"which branches are there", plain.Expr(`^(?:(?:git|list|show|on|all|the|me|what|which|is|are|there|any|current) )*branch(?:es)?\b`), (*view).branches},
	{"which tags are there", plain.Expr(`^(?:(?:git|list|show|all|the|me|what|which|is|are|there|any|latest|newest) )*(?:tags?|releases?)\b`), (*view).tags},
	{"how many commits are there", plain.Expr(`\b(?:how many|number of|count(?: the| all)?) commits\b`), (*view).count},
	{"who made the commits", plain.Expr(`\b(?:contributors?|authors|committers?|contributed|most (?:active|commits)|who (?:works?|worked|has worked)|how many (?:people|developers))\b|^who\b.*\bmost$`), (*view).contributors},
	{"which commit was the last to change it", plain.Expr(`^(?:who|when|(?:show )?(?:which|what|the) commit)\b.*\b(?:last|recently|change|changed|touch|touched|modified|edited|updated?|wrote|created?|added|deleted?|removed?)\b`), (*view).who},
	{"what changed", plain.Expr(`\b(?:chang(?:e|es|ed)|diff|differ(?:s|ences?)?|compare)\b|\b(?:files|lines)\b.*\b(?:added|deleted|removed|touch|touched)\b`), (*view).diff},
	{"show this commit", plain.Expr(`^(?:[0-9a-f]{7,40}|head[~^\d]*)$|\b(?:show|describe|explain|details|what is|what was|what's)\b.*(?:\bcommit\b|\bhead\b|\b[0-9a-f]{7,40}\b)`), (*view).show},
	{"which commits are there", plain.Expr(`\b(?:commits?|committed|log|history|happened|recent|activity|active|did|done|been|miss|new)\b`), (*view).log},
}

// common words say nothing about which commits are meant.
//
//nolint:gochecknoglobals // never changes; see plain.Expr
var common = plain.Expr(`^(?:the|an?|of|in|on|by|to|at|is|are|was|were|be|been|has|have|had|do|does|did|done|and|or|not|all|any|every|me|my|i|we|you|am|this|that|there|` +
	`what|what's|which|who|whom|when|how|show|list|tell|give|get|find|see|describe|explain|details?|compare|diff|differ|differences?|between|from|with|since|after|before|until|` +
	`touch|touching|touched|happened|activity|active|works?|worked|made|make|commits?|committed|change|changes|changed|log|git|history|files?|folder|directory|lines?|code|repo|repository|project|package|` +
	`branch|branches|checked|out|tags?|releases?|version|authors?|contributors?|contributed|committers?|most|last|latest|newest|recent|recently|current|currently|new|` +
	`modified|edited|updated?|wrote|written|added|deleted?|removed?|created?|blame|annotate|responsible|for|up|many|number|count|total|people|developers|` +
	`uncommitted|unstaged|staged|untracked|status|working|tree|copy|dirty|clean|pending|local|yet|everything|anything|something|nothing|anyone|left|forget|forgot|miss|thing|just|--?\w+)$`)

// clean takes the politeness off both ends of a prompt.
func clean(prompt string) string {
	return strings.TrimRight(strings.TrimSuffix(plain.Clean(prompt, maxPrompt), " please"), ", ")
}

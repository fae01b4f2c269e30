package git

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"yaap/core"
)

// row is one thing to ask: how it was read, in words, what a prompt looks like,
// and what answers it.
type row struct {
	thought string
	re      func() *regexp.Regexp
	answer  func(*view, context.Context) (core.Reply, error)
}

// compiled returns an expression that is compiled when it is used first: every
// process of the room links this package, and most never ask it.
func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?i)" + expr) })
}

// rows are what may be asked, the more particular first. They tell only which
// answer is wanted: what bounds it is taken out of the prompt by [view.read].
var rows = []row{ //nolint:gochecknoglobals // never change; see compiled
	{"what is not committed yet", compiled(`\b(?:un-?committed|unstaged|staged|untracked|status|working (?:tree|copy)|dirty|clean|(?:pending|local) changes|not (?:yet )?committed|everything (?:is )?committed|to commit)\b` +
		`|^what (?:have|did) i (?:just )?change`), (*view).status},
	{"who wrote these lines", compiled(`\b(?:blame|annotate)\b|^(?:who|when|which commit)\b.*(?:\blines? |\w:)\d`), (*view).blame},
	{"which branches are there", compiled(`^(?:(?:git|list|show|on|all|the|me|what|which|is|are|there|any|current) )*branch(?:es)?\b`), (*view).branches},
	{"which tags are there", compiled(`^(?:(?:git|list|show|all|the|me|what|which|is|are|there|any|latest|newest) )*(?:tags?|releases?)\b`), (*view).tags},
	{"how many commits are there", compiled(`\b(?:how many|number of|count(?: the| all)?) commits\b`), (*view).count},
	{"who made the commits", compiled(`\b(?:contributors?|authors|committers?|contributed|most (?:active|commits)|who (?:works?|worked|has worked)|how many (?:people|developers))\b|^who\b.*\bmost$`), (*view).contributors},
	{"which commit was the last to change it", compiled(`^(?:who|when|(?:show )?(?:which|what|the) commit)\b.*\b(?:last|recently|change|changed|touch|touched|modified|edited|updated?|wrote|created?|added|deleted?|removed?)\b`), (*view).who},
	{"what changed", compiled(`\b(?:chang(?:e|es|ed)|diff|differ(?:s|ences?)?|compare)\b|\b(?:files|lines)\b.*\b(?:added|deleted|removed|touch|touched)\b`), (*view).diff},
	{"show this commit", compiled(`^(?:[0-9a-f]{7,40}|head[~^\d]*)$|\b(?:show|describe|explain|details|what is|what was|what's)\b.*(?:\bcommit\b|\bhead\b|\b[0-9a-f]{7,40}\b)`), (*view).show},
	{"which commits are there", compiled(`\b(?:commits?|committed|log|history|happened|recent|activity|active|did|done|been|miss|new)\b`), (*view).log},
}

//nolint:gochecknoglobals // never change; see compiled
var (
	polite = compiled(`^(?:(?:please|hey|hi|hello|ok|okay|so|and|now|then|also|just)\b[,:\s]*|(?:can|could|would|will) (?:you|i|we) |i (?:want|need|would like) (?:you )?to |let me |let's |tell me |do you know )+`)
	token  = compiled(`"[^"]*"|'[^']*'|` + "`[^`]*`" + `|[^\s,]+`)

	// plain words say nothing about which commits are meant.
	plain = compiled(`^(?:the|an?|of|in|on|by|to|at|is|are|was|were|be|been|has|have|had|do|does|did|done|and|or|not|all|any|every|me|my|i|we|you|am|this|that|there|` +
		`what|what's|which|who|whom|when|how|show|list|tell|give|get|find|see|describe|explain|details?|compare|diff|differ|differences?|between|from|with|since|after|before|until|` +
		`touch|touching|touched|happened|activity|active|works?|worked|made|make|commits?|committed|change|changes|changed|log|git|history|files?|folder|directory|lines?|code|repo|repository|project|package|` +
		`branch|branches|checked|out|tags?|releases?|version|authors?|contributors?|contributed|committers?|most|last|latest|newest|recent|recently|current|currently|new|` +
		`modified|edited|updated?|wrote|written|added|deleted?|removed?|created?|blame|annotate|responsible|for|up|many|number|count|total|people|developers|` +
		`uncommitted|unstaged|staged|untracked|status|working|tree|copy|dirty|clean|pending|local|yet|everything|anything|something|nothing|anyone|left|forget|forgot|miss|thing|just|--?\w+)$`)
)

// clean takes the politeness off a prompt and bounds it.
func clean(prompt string) string {
	s := strings.ToValidUTF8(prompt[:min(len(prompt), maxPrompt)], "")
	s = strings.NewReplacer("“", `"`, "”", `"`, "‘", "'", "’", "'", "\x00", "").Replace(s)
	s = polite().ReplaceAllString(strings.Join(strings.Fields(s), " "), "")
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(s, "?!. "), " please"), ", ")
}

// number reads digits, or a small number in words; 0 where there is none.
func number(s string) int {
	n, _ := strconv.Atoi(s) // 0 where it is none
	return max(n, 1+slices.Index(strings.Fields("one two three four five six seven eight nine ten"), strings.ToLower(s)))
}

func unquote(s string) string {
	if len(s) > 1 && s[0] == s[len(s)-1] && strings.ContainsRune("\"'`", rune(s[0])) {
		return s[1 : len(s)-1]
	}
	return s
}

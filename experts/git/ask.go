package git

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"yaap/core"
)

// row is one thing to ask: what a prompt looks like, how it was read, in
// words, and what answers it.
type row struct {
	re      *regexp.Regexp
	thought string
	answer  func(*view, context.Context) (core.Reply, error)
}

// rows are what may be asked, the more particular first. They tell only which
// answer is wanted: what bounds it is taken out of the prompt by [view.read].
func rows() []row {
	var table []row
	for _, r := range []struct {
		thought string
		answer  func(*view, context.Context) (core.Reply, error)
		pattern string
	}{
		{"what is not committed yet", (*view).status, `\b(?:un-?committed|unstaged|staged|untracked|status|working (?:tree|copy)|dirty|clean|(?:pending|local) changes|not (?:yet )?committed|everything (?:is )?committed)\b` +
			`|\b(?:anything|something|nothing|left|forg\w+) (?:\w+ )?to commit\b|^what (?:have|did) i (?:just )?(?:changed?|modif\w+|edit(?:ed)?)$|^(?:which|what) files (?:are|have been|did i) (?:changed?|modified)$`},
		{"who wrote these lines", (*view).blame, `\b(?:blame|annotate)\b|^(?:who|when|which commit)\b.*(?:\blines? |\w:)\d`},
		{"which branches are there", (*view).branches, `^(?:(?:git|list|show|on|all|the|me|what|which|is|are|there|an?|any|current) )*branch(?:es)?\b`},
		{"which tags are there", (*view).tags, `^(?:(?:git|list|show|all|the|me|what|which|is|are|there|an?|any|latest|newest) )*(?:tags?|releases?)\b|\btagged\b`},
		{"how many commits are there", (*view).count, `\b(?:how many|number of|count(?: the| all)?) commits\b`},
		{"who made the commits", (*view).contributors, `\b(?:contributors?|authors|committers?|contributed|the author|most (?:active|commits)|who (?:works?|worked|has worked)|how many (?:people|developers))\b|^who\b.*\bmost$`},
		{"which commit was the last to change it", (*view).who, `^(?:who|when|(?:show )?(?:which|what|the) commit)\b.*\b(?:last|recently|change|changed|touch|touched|modified|edited|updated?|wrote|created?|added|deleted?|removed?)\b`},
		{"what changed", (*view).diff, `\b(?:chang(?:e|es|ed)|diff|differ(?:s|ences?)?|compare)\b|\b(?:files|lines)\b.*\b(?:added|deleted|removed|touch|touched)\b`},
		{"show this commit", (*view).show, `^(?:[0-9a-f]{7,40}|head[~^\d]*)$|\b(?:show|describe|explain|details|what is|what was|what's)\b.*(?:\bcommit\b|\bhead\b|\b[0-9a-f]{7,40}\b)`},
		{"which commits are there", (*view).log, `\b(?:commits?|committed|log|history|happened|recent|activity|active|did|done|been|miss|new)\b`},
	} {
		table = append(table, row{regexp.MustCompile("(?i)" + r.pattern), r.thought, r.answer})
	}
	return table
}

var (
	polite = regexp.MustCompile(`(?i)^(?:(?:please|hey|hi|hello|ok|okay|so|and|now|then|also|just|next|finally)\b[,:\s]*|(?:can|could|would|will) (?:you|i|we) |i(?:'d| would)? (?:like|want|need) (?:you )?(?:to )?|let me |let's |tell me |do you know )+`)
	ending = regexp.MustCompile(`(?i)[\s,]+please$`)
	token  = regexp.MustCompile(`"[^"]*"|'[^']*'|` + "`[^`]*`" + `|[^\s,]+`)

	// plain words say nothing about which commits are meant.
	plain = regexp.MustCompile(`(?i)^(?:the|an?|of|in|on|by|to|at|is|are|was|were|be|been|has|have|had|do|does|did|done|and|or|not|all|any|every|me|my|i|we|you|am|this|that|there|` +
		`what|what's|which|who|whom|when|how|show|list|tell|give|get|find|see|describe|explain|details?|compare|diff|differ|differences?|between|from|with|since|after|before|until|` +
		`touch|touching|touched|happened|activity|active|works?|worked|made|make|commits?|committed|change|changes|changed|log|git|history|files?|folder|directory|lines?|code|repo|repository|project|package|` +
		`branch|branches|checked|out|tags?|tagged|releases?|version|authors?|contributors?|contributed|committers?|most|last|latest|newest|recent|recently|current|currently|new|` +
		`modified|edited|updated?|wrote|written|added|deleted?|removed?|created?|blame|annotate|responsible|for|up|many|number|count|total|people|developers|person|` +
		`uncommitted|unstaged|staged|untracked|status|working|tree|copy|dirty|clean|pending|local|yet|everything|anything|something|nothing|anyone|left|forget|forgot|miss|everyone|thing|just|exists?|called|--?\w+)$`)
)

// clean takes the politeness off a prompt and bounds it.
func clean(prompt string) string {
	s := strings.ToValidUTF8(prompt[:min(len(prompt), maxPrompt)], "")
	s = strings.NewReplacer("“", `"`, "”", `"`, "‘", "'", "’", "'", "\x00", "").Replace(s)
	s = polite.ReplaceAllString(strings.Join(strings.Fields(s), " "), "")
	return ending.ReplaceAllString(strings.TrimRight(s, "?!. "), "")
}

// number reads digits, or a small number in words; 0 where there is none.
func number(s string) int {
	if i := slices.Index(strings.Fields("one two three four five six seven eight nine ten"), strings.ToLower(s)); i >= 0 {
		return i + 1
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func unquote(s string) string {
	if len(s) > 1 && s[0] == s[len(s)-1] && strings.ContainsRune("\"'`", rune(s[0])) {
		return s[1 : len(s)-1]
	}
	return s
}

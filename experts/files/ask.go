package files

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"yaap/core"
)

// errNotMine says that a prompt only looked like a row's.
var errNotMine = errors.New("not this row")

// row is one way of asking: what a prompt looks like, how it was read, in
// words, and what answers it.
type row struct {
	re      *regexp.Regexp
	thought string
	answer  answer
}

// answer gets the named parts of a prompt.
type answer func(*tree, context.Context, map[string]string) (core.Reply, error)

// rows are the ways a question may be put, the more particular first. <where>
// and <rest> are read by [tree.scope]: a row is not the prompt's when they
// hold a word that stands for nothing.
func rows() []row {
	parts := strings.NewReplacer(
		"<where>", `(?P<where>.*?)`,
		"<rest>", `(?P<rest>.*?)`,
		"<text>", `(?:(?:the|a|an|any) )?(?:(?:word|text|string|phrase|term|function) )?(?P<text>.+?)`,
		"<name>", `(?P<name>[^\s"']+)`,
		"<n>", `(?P<n>\d{1,9}|one|two|three|four|five|six|seven|eight|nine|ten)`,
		"<m>", `(?P<m>\d{1,9})`,
	)
	var table []row
	for _, group := range []struct {
		thought  string
		answer   answer
		patterns []string
	}{
		{"which files have this name", (*tree).find, []string{
			`<where>\b(?:called|named|matching|like) <name>(?: in <rest>)?`,
			`<where>\bwith <name> in (?:its|the|their) names?`,
			`<where>\bwhose names? contains? <name>`,
			`<where>\b(?:with the extension|end(?:s|ing)? (?:in|with)) (?P<suffix>\S+)(?: in <rest>)?`,
		}},
		{"which lines hold this text", (*tree).grep, []string{
			`(?:grep|rg)(?: -\w+)*(?: for)? <text>`,
			`(?:search|look|scan|check)(?: in| through| inside)? <where> for <text>`,
			`<where>\b(?:occurrences?|mentions?|us(?:es?|ages?)|references?|definitions?) (?:of|to) <text>`,
			`<where> (?:mention(?:s|ing)?|contain(?:s|ing)?|us(?:es?|ing)|import(?:s|ing)?|includes?|including|defin(?:es?|ing)) <text>`,
			`<where> (?:refers? to|(?:talk|say)s? about|with the (?:word|text|phrase)) <text>`,
			`where (?:is|are) <text> (?:used|defined|declared|mentioned|called|imported|set)(?: in <where>)?`,
			`how (?:many times|often) (?:is|are|does|do) <text> (?:appear|occur|mentioned|used)(?: in <where>)?`,
			`(?:is|are) <text>(?: set| mentioned| used| defined| anywhere)+ in <where>`,
		}},
		{"show these lines", (*tree).show, []string{
			`<where>\blines? <n>(?: ?(?:-|–|to|through|until|and) ?(?:line )?<m>)?\b<rest>`,
			`<where>:<n>(?:-<m>)?`,
		}},
		{"show the beginning or the end of a file", (*tree).show, []string{
			`<where>\b(?P<head>first|top|head|beginning|start)\b(?: (?:-n ?|-)?<n>)?(?P<unit> lines?)?\b<rest>`,
			`<where>\b(?P<tail>last|bottom|tail|end)\b(?: (?:-n ?|-)?<n>)?(?P<unit> lines?)?\b<rest>`,
		}},
		{"how big is it", (*tree).size, []string{
			`(?:how many|count(?: the)?|(?:what is )?the number of) lines(?: of code)?\b<where>`,
			`(?:(?:wc|du)(?: -\w+)*|how (?:big|large|long)) <where>`,
			`<where>\b(?:size|length|line count) of <rest>`,
		}},
		{"which files are the largest", (*tree).largest, []string{`<where>\b(?:top )?(?:<n> )?(?:largest|biggest|longest)\b(?: <m>)?<rest>`}},
		{"how many files are there", (*tree).show, []string{`(?P<count>how many|count|number of)\b<where>`}},
		{"where is this file", (*tree).find, []string{
			`(?:where(?:'s| is| are)|find|locate|is there|does)(?: me)?(?: the| an?| my)*(?: file)? <name>(?: exist)?(?: in <where>)?`,
		}},
		{"show this file or folder", (*tree).show, []string{`<where>`}},
		{"which lines hold this text", (*tree).grep, []string{`(?:find|search(?: for)?|look for) <text>`}},
	} {
		for _, pattern := range group.patterns {
			table = append(table, row{regexp.MustCompile("(?i)^" + parts.Replace(pattern) + "$"), group.thought, group.answer})
		}
	}
	return table
}

// match returns the named parts of a prompt, nil when it is not like r.
func (r row) match(prompt string) map[string]string {
	m := r.re.FindStringSubmatch(prompt)
	if m == nil {
		return nil
	}
	parts := map[string]string{}
	for i, name := range r.re.SubexpNames() {
		if name != "" {
			parts[name] = strings.TrimSpace(m[i])
		}
	}
	return parts
}

var (
	polite = regexp.MustCompile(`(?i)^(?:(?:please|hey|hi|hello|ok|okay|so|and|now|then|also|just|next|finally)\b[,:\s]*|(?:can|could|would|will) (?:you|i|we) |i(?:'d| would)? (?:like|want|need) (?:you )?(?:to )?|i'm looking for |let me |let's |tell me )+`)
	ending = regexp.MustCompile(`(?i)(?:[\s,]+(?:please|thanks|thank you|for me|right now|now))+$`)
)

// clean takes the politeness off a prompt and bounds it.
func clean(prompt string) string {
	s := strings.ToValidUTF8(prompt[:min(len(prompt), maxPrompt)], "")
	s = strings.NewReplacer("“", `"`, "”", `"`, "‘", "'", "’", "'").Replace(s)
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

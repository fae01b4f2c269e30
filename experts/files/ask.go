package files

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"yaap/core"
)

// errNotMine says that a prompt only looked like a row's.
var errNotMine = errors.New("not this row")

// row is one way of asking: what to look for in a prompt, how it was read, in
// words, and what answers it. The words around what was found say where to
// look; they are handed on with the groups of the expression, as the first.
type row struct {
	thought string
	re      func() *regexp.Regexp
	answer  func(t *tree, ctx context.Context, s scope, parts []string) (core.Reply, error)
}

// compiled returns an expression that is compiled when it is used first: every
// process of the room links this package, and most never ask it.
func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?i)" + expr) })
}

//nolint:gochecknoglobals // never change; see compiled
var (
	polite   = compiled(`^(?:(?:please|hey|hi|hello|ok|okay|so|and|now|then|also|just)\b[,:\s]*|(?:can|could|would|will) (?:you|i|we) |i (?:want|need|would like) (?:you )?to |let me |let's |tell me )+`)
	howMany  = compiled(`^(?:how many|count|(?:what is )?the number of|number of)\b`)
	ending   = compiled(`(?:[\s,]+(?:please|thanks|thank you|for me|right now|now))+$`)
	token    = compiled(`"[^"]*"|'[^']*'|` + "`[^`]*`" + `|[^\s,]+`)
	pathLike = compiled(`[\w)\]]\.\w|/|\\|[*?]|^\.\w|^~|^\.\.$`)
	subject  = compiled(`^(?:files?|folders?|director(?:y|ies)|dir|ls|list|here|everything|recursively|project|repo|repository|codebase)$`)
	filler   = compiled(`^(?:the|an?|all|any|every|only|but|some|my|our|this|that|these|those|is|are|do|does|have|has|got|there|exist|` +
		`in|on|of|at|to|from|under|below|inside|by|for|with|and|which|what|what'?s|where|how|many|i|we|you|me|us|` +
		`show|read|cat|open|print|display|view|give|see|get|find|through|say|contains?|big|contents?|lines?|text|code|source|working|current|root|whole|kinds?|types?|named|called)$`)
)

// rows are the ways a question may be put, the more particular first.
var rows = []row{ //nolint:gochecknoglobals // never change; see compiled
	{"which lines hold this text", compiled(`^(?:search|look)\b(.*?) for` + text), (*tree).grep},
	{"which lines hold this text", compiled(`\b(?:grep|rg|(?:occurrences?|mentions?|uses?|references?|definitions?) (?:of|to)|` +
		`mention(?:s|ing)?|contain(?:s|ing)?|us(?:es?|ing)|import(?:s|ing)?|includes?|say about)(?: -\w+)*` + text), (*tree).grep},
	{"which lines hold this text", compiled(`^where (?:is|are|do we use) (.+?) (?:used|defined|declared|mentioned)\b`), (*tree).grep},
	{"show these lines", compiled(`(?:\blines? |:)(\d{1,9})(?: ?(?:-|–|to|through|until|and) ?(?:line )?(\d{1,9}))?\b`), (*tree).lines},
	{"show the beginning or the end", compiled(`\b(first|top|head|beginning|start|last|bottom|tail|end)\b(?: (?:-n ?|-)?` + count + `)?( lines?)?\b`), (*tree).ends},
	{"how big is it", compiled(`^(?:(?:how many|count(?: the)?|(?:what is )?the number of) lines(?: of code)?|(?:wc|du)(?: -\w+)*|how (?:big|large|long)|(?:what is )?the size of)\b`), (*tree).size},
	{"how many files are there", compiled(`^(?:how many|count|number of)\b`), (*tree).count},
	{"which files have this name", compiled(`(?:\b(?:called|named|matching)|^(?:where(?:'s| is| are)|find|locate|is there|does)(?: me)?(?: the| an?| my)*(?: file)?) ([^\s"']+)(?: exist)?(?:$| in\b)`), (*tree).find},
	{"show this file or folder", compiled(`$`), (*tree).show},
	{"show this file", compiled(`^(?:read|cat|open|print)(?: the| file)* ([\w.-]+)$`), (*tree).missing},
	{"which lines hold this text", compiled(`^search` + text), (*tree).grep},
	{"which lines hold this text", compiled(`^find (["'].+)$`), (*tree).grep},
}

const (
	count = `(\d{1,9}|one|two|three|four|five|six|seven|eight|nine|ten)`
	text  = ` (?:(?:the|a|an|any) )?(?:(?:word|text|string|phrase|function) )?(.+)$`
)

// clean takes the politeness off a prompt and bounds it.
func clean(prompt string) string {
	s := strings.ToValidUTF8(prompt[:min(len(prompt), maxPrompt)], "")
	s = strings.NewReplacer("“", `"`, "”", `"`, "‘", "'", "’", "'").Replace(s)
	s = polite().ReplaceAllString(strings.Join(strings.Fields(s), " "), "")
	return ending().ReplaceAllString(strings.TrimRight(s, "?!. "), "")
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

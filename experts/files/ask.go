package files

import (
	"context"
	"errors"
	"regexp"

	"yaap/core"
	"yaap/experts/plain"
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

//nolint:gochecknoglobals // never change; see plain.Expr
var (
	howMany  = plain.Expr(`^(?:how many|count|(?:what is )?the number of|number of)\b`)
	ending   = plain.Expr(`(?:[\s,]+(?:please|thanks|thank you|for me|right now|now))+$`)
	pathLike = plain.Expr(`[\w)\]]\.\w|/|\\|[*?]|^\.\w|^~|^\.\.$`)
	subject  = plain.Expr(`^(?:files?|folders?|director(?:y|ies)|dir|ls|list|here|everything|recursively|project|repo|repository|codebase)$`)
	filler   = plain.Expr(`^(?:the|an?|all|any|every|only|but|some|my|our|this|that|these|those|is|are|do|does|have|has|got|there|exist|` +
		`in|on|of|at|to|from|under|below|inside|by|for|with|and|which|what|what'?s|where|how|many|i|we|you|me|us|` +
		`show|read|cat|open|print|display|view|give|see|get|find|through|say|contains?|big|contents?|lines?|text|code|source|working|current|root|whole|kinds?|types?|named|called)$`)
)

// rows are the ways a question may be put, the more particular first.
var rows = []row{ //nolint:gochecknoglobals // never change; see plain.Expr
	{"which lines hold this text", plain.Expr(`^(?:search|look)\b(.*?) for` + text), (*tree).grep},
	{"which lines hold this text", plain.Expr(`\b(?:grep|rg|(?:occurrences?|mentions?|uses?|references?|definitions?) (?:of|to)|` +
		`mention(?:s|ing)?|contain(?:s|ing)?|us(?:es?|ing)|import(?:s|ing)?|includes?|say about)(?: -\w+)*` + text), (*tree).grep},
	{"which lines hold this text", plain.Expr(`^where (?:is|are|do we use) (.+?) (?:used|defined|declared|mentioned)\b`), (*tree).grep},
	{"show these lines", plain.Expr(`(?:\blines? |:)(\d{1,9})(?: ?(?:-|–|to|through|until|and) ?(?:line )?(\d{1,9}))?\b`), (*tree).lines},
	{"show the beginning or the end", plain.Expr(`\b(first|top|head|beginning|start|last|bottom|tail|end)\b(?: (?:-n ?|-)?` + count + `)?( lines?)?\b`), (*tree).ends},
	{"how big is it", plain.Expr(`^(?:(?:how many|count(?: the)?|(?:what is )?the number of) lines(?: of code)?|(?:wc|du)(?: -\w+)*|how (?:big|large|long)|(?:what is )?the size of)\b`), (*tree).size},
	{"how many files are there", plain.Expr(`^(?:how many|count|number of)\b`), (*tree).count},
	{"which files have this name", plain.Expr(`(?:\b(?:called|named|matching)|^(?:where(?:'s| is| are)|find|locate|is there|does)(?: me)?(?: the| an?| my)*(?: file)?) ([^\s"']+)(?: exist)?(?:$| in\b)`), (*tree).find},
	{"show this file or folder", plain.Expr(`$`), (*tree).show},
	{"show this file", plain.Expr(`^(?:read|cat|open|print)(?: the| file)* ([\w.-]+)$`), (*tree).missing},
	{"which lines hold this text", plain.Expr(`^search` + text), (*tree).grep},
	{"which lines hold this text", plain.Expr(`^find (["'].+)$`), (*tree).grep},
}

const (
	count = `(\d{1,9}|one|two|three|four|five|six|seven|eight|nine|ten)`
	text  = ` (?:(?:the|a|an|any) )?(?:(?:word|text|string|phrase|function) )?(.+)$`
)

// clean takes the politeness off both ends of a prompt.
func clean(prompt string) string {
	return ending().ReplaceAllString(plain.Clean(prompt, maxPrompt), "")
}

package files

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"yaap/core"
	"yaap/experts"
)

// errNotMine says that a prompt only looked like an intent's.
var errNotMine = errors.New("not this intent")

var (
	polite = regexp.MustCompile(`(?i)^(?:(?:please|hey|hi|hello|ok|okay|so|and|now|then|also|just|next|finally|quickly)\b[,:\s]*|(?:can|could|would|will) (?:you|i|we) (?:please )?(?:see |know )?|i(?:'d| would)? (?:like|want|need) (?:you )?(?:to )?|let me |let's |tell me |do you know )+`)
	ending = regexp.MustCompile(`(?i)(?:[\s,]+(?:please|thanks|thank you|for me|right now|now))+$`)

	askLines   = regexp.MustCompile(`(?i)^(?:(?:how many|count(?: all)?(?: the)?|(?:what is |what's )?(?:the )?(?:total )?number of) lines\b(?: of code)?(?: (?:does|do|are there|are|is|there|in|of|inside))*|how long (?:is|are)|wc(?: -l)?|(?:what is |what's )?(?:the )?(?:line count|length) (?:of|for)|count lines (?:in|of))\b\s*(.*?)(?: have| has| contain| long)?$`)
	askSize    = regexp.MustCompile(`(?i)^(?:how (?:big|large|heavy|much space) (?:is|are|does|do)|how many (?:bytes|kb|mb|kilobytes|megabytes) (?:does|do|is|are|in)|(?:what is |what's |show |get )?(?:me )?(?:the )?(?:file )?sizes? (?:of|for)|du(?: -\w+)?|stat) (.+?)(?: take| take up| use| have| has)?$`)
	askLargest = regexp.MustCompile(`(?i)\b(?:(\d{1,4}) )?(largest|biggest|heaviest|longest|smallest|shortest)(?: (\d{1,4}))? ?(.*)$`)
	askThan    = regexp.MustCompile(`(?i)^(.*\bfiles?\b.*?) (?:that are |which are )?(bigger|larger|smaller|over|under|above|below|more|less)(?: than)? (\d{1,9}(?:\.\d+)?) ?(bytes?|b|[kmg]i?b?|kilobytes?|megabytes?|gigabytes?)\b(.*)$`)
	askCount   = regexp.MustCompile(`(?i)^(?:how many|count(?: all| the)*|number of) (.*(?:files?|folders|directories)\b.*)$`)

	askRange = regexp.MustCompile(`(?i)\blines?\s+(\d{1,9})(?:\s*(?:-|–|to|through|until|and|\.\.|,)\s*(?:line )?(\d{1,9}))?\b`)
	askColon = regexp.MustCompile(`^.*?(?:\S+[\w"']):(\d{1,9})(?:-(\d{1,9}))?$`)
	askEdge  = regexp.MustCompile(`(?i)\b(?:the )?(first|top|last|bottom|final|head|tail|start|beginning|end)\b(?:\s+(?:-n\s*|-)?(\d{1,9}|one|two|three|four|five|six|seven|eight|nine|ten|twenty|few))?(?:\s+lines?)?(?:\s+(?:of|in|from))?\b`)

	askGrep     = regexp.MustCompile(`(?i)^(?:grep|rg|ack)\s+(?:-\w+\s+)*(?:for )?(.+)$`)
	askVerb     = regexp.MustCompile(`(?i)^(.*?\b(?:files?|tests?|code|docs?|scripts?|documents?|anything|what|which|who)) ?(?:that |which |do |does |is |are )?(?:mentions?|mentioning|contains?|containing|uses?|using|has|having|references?|referencing|refers? to|imports?|importing|includes?|including|defines?|defining|calls?|calling|talks? about|with the (?:word|text|string)) (.+?)(?: in (?:them|it|there))?$`)
	askUse      = regexp.MustCompile(`(?i)^(?:where|in which files?|how (?:many times|often))(?: is| are| does| do| did)?(?: we| it| i| they| the code)? (.+?)(?: is| are| gets)? (?:mentioned|used|defined|declared|called|imported|referenced|set|documented|implemented|occur|appear|show up|come up)( (?:in|within|inside) .+)?$`)
	askMentions = regexp.MustCompile(`(?i)^(?:find|show|list|get|give|print|display|search(?: for)?|look for|are there|is there|which|what)?(?: ?me)?(?: all| every| any| the| each)* ?(?:lines?|occurrences?|mentions?|us(?:es?|ages?)|references?|places?|instances?|matches|definitions?|declarations?)(?: (?:in|of|from) (\S+))? (?:of|containing|contains?|with|that (?:contains?|mentions?|ha(?:s|ve))|mentions?|mentioning|matching|to|for)(?: the)? (.+)$`)
	askDoes     = regexp.MustCompile(`(?i)^(?:what |where |if |whether )?(?:do|does|did) (.+?) (?:mention|contain|have|include|use|import|say|reference|talk|speak|discuss)s?(?: anything)?(?: about| of)? (.+)$`)
	askFor      = regexp.MustCompile(`(?i)^(?:search|look|scan|check|grep)(?: through| in| inside| across)? (\S.*?) for (.+)$`)
	askAny      = regexp.MustCompile(`(?i)^(?:(?:is|are|was|were)(?: there)?(?: any(?:thing)?)?|any(?:thing)?)(?: the| a| an| about)* (.+?)(?: anywhere| mentioned| used| somewhere| written| found| something| set| defined| configured| present)* (?:in|within|inside) (.+)$`)
	askText     = regexp.MustCompile(`(?i)^(?:find|search for|search|look for|locate|where is|is there|are there)(?: me)?(?: any| all| every| a| the)* (.+)$`)

	askKinds = regexp.MustCompile(`(?i)^(?:what|which|list|show|find|are there|is there|do we have|any|all|get|give|see|locate)\b(?: me)?(.*\b(?:files|folders|directories|scripts|docs|images|tests)\b.*)$`)
	askWord  = regexp.MustCompile(`(?i)^(?:show|find|list|get|give|see)(?: me)?(?: all| every| the| any)* ([\w-]{3,})$`)
	askNamed = regexp.MustCompile(`(?i)\b(?:files?|folders?|director(?:y|ies)|everything|anything|all|ones|those|names?)(?: are| is| that| which)* (?:named|called|matching|like|(?:with (?:the|a) )?names?|ending (?:in|with)|end(?:s|ing)? (?:in|with)|with (?:the )?(?:extension|ending|suffix)|whose names? (?:contains?|has|is|starts? with)|starting with|starts? with|with|having) (\S+)(?: in (?:(?:its|their|the) names?|(.+)))?$`)
	askWhere = regexp.MustCompile(`(?i)^(?:where(?:'s| is| are| can i find| do i find)|locate|find|look for|search for|in (?:which|what) (?:folder|directory) (?:is|are)|(?:what is )?the path (?:of|to)|path (?:of|to)|is there|do we have|have we got|does|is)(?: me)?(?: the| a| an| all| any| my| our| every)*(?: files?)?(?: named| called)? ("[^"]+"|'[^']+'|\S+)(?: files?)?(?: exist| here| there| present| located| stored)*(?: (?:in|under|below|inside) (.+))?$`)

	with    = regexp.MustCompile(`(?i)^\S+ (?:with|having) \S+(?: in .*)?$`)
	aFile   = regexp.MustCompile(`(?i)^(?:is there|do we have|have we got) an? \S+$`)
	forName = regexp.MustCompile(`(?i)\bfiles?\b|^where`)

	askShow = regexp.MustCompile(`(?i)^(?:show|read|cat|open|print|display|view|dump|see|get|less|more|type|give|output|go through)(?: me)?(?: out)? (.+)$`)
	askIn   = regexp.MustCompile(`(?i)^what(?:'s| is| are| does| do)(?: the)?(?: in| inside| written in| contents? (?:of|in)| text of)? (.+?)(?: say| contain| look like| hold)?$`)
	askList = regexp.MustCompile(`(?i)^(?:ls|dir|list|tree|what|which|are there|is there|enumerate|all|any|give|an? overview|overview)\b(?: -\w+)*(?: me)?(.*)$`)
	askBare = regexp.MustCompile(`^\S+(?: \S+){0,3}$`)
)

// An answer gets the prompt and the parts of it that its intent took out.
type answer func(ctx context.Context, t *tree, prompt string, m []string) (core.Reply, error)

// intent is one way of asking: what a prompt looks like, how it was read, in
// words, and what answers it.
type intent struct {
	re      *regexp.Regexp
	thought string
	answer  answer
}

// intents are the ways a question may be put, the more particular first.
func intents() []intent {
	return []intent{
		{askLines, "how many lines is it", sizeOf},
		{askSize, "how big is it", sizeOf},
		{askLargest, "which files are the largest", largest},
		{askThan, "which files are of that size", ofSize},
		{askCount, "how many files are there", countOf},
		{askRange, "show these lines", rangeOf},
		{askColon, "show these lines", rangeOf},
		{askEdge, "show the beginning or the end of a file", edgeOf},
		{askGrep, "which lines hold this text", grepFor(1, 0, false)},
		{askMentions, "which lines hold this text", grepFor(2, 1, false)},
		{askVerb, "which files hold this text", grepFor(2, 1, true)},
		{askUse, "which lines hold this text", grepFor(1, 2, false)},
		{askDoes, "does this file hold this text", grepFor(2, 1, false)},
		{askFor, "which lines hold this text", grepFor(2, 1, false)},
		{askAny, "which lines hold this text", anyIn},
		{askNamed, "which files have this name", namedLike},
		{askWhere, "where is this file", whereIs},
		{askKinds, "which files are there", kindsOf},
		{askText, "which lines hold this text", grepFor(1, 0, false)},
		{askShow, "show this file or folder", showOf},
		{askIn, "what is in this file or folder", showOf},
		{askList, "which files are there", showOf},
		{askWord, "which lines hold this word", wordIn},
		{askBare, "show this file or folder", showOf},
	}
}

func sizeOf(ctx context.Context, t *tree, _ string, m []string) (core.Reply, error) {
	return size(ctx, t, m[1])
}

func countOf(ctx context.Context, t *tree, prompt string, m []string) (core.Reply, error) {
	if askVerb.MatchString(prompt) {
		return core.Reply{}, errNotMine
	}
	return list(ctx, t, m[1]+" anywhere")
}

func rangeOf(ctx context.Context, t *tree, prompt string, m []string) (core.Reply, error) {
	first, last := number(m[1]), number(m[2])
	rest := strings.Replace(prompt, m[0], " ", 1)
	if at := strings.LastIndexByte(prompt, ':'); m[0] == prompt && at > 0 { // path:12-20
		rest = prompt[:at]
	}
	file, err := t.mentioned(ctx, rest)
	if err != nil {
		return core.Reply{}, err
	}
	return show(ctx, t, quote(file), lineRange{first: first, last: max(first, last)})
}

func edgeOf(ctx context.Context, t *tree, prompt string, m []string) (core.Reply, error) {
	file, err := t.mentioned(ctx, strings.Replace(prompt, m[0], " ", 1))
	if err != nil {
		return core.Reply{}, err
	}
	n := number(m[2])
	if n == 0 {
		n = 10
		if low := strings.ToLower(m[0]); strings.Contains(low, "line") && !strings.Contains(low, "lines") {
			n = 1
		}
	}
	switch strings.ToLower(m[1]) {
	case "last", "bottom", "final", "tail", "end":
		return show(ctx, t, quote(file), lineRange{tail: n})
	}
	return show(ctx, t, quote(file), lineRange{first: 1, last: n})
}

// grepFor searches for the text in one group of an intent, in the scope that
// another one names, or that follows the text ("foo in core").
func grepFor(text, where int, namesOnly bool) answer {
	return func(ctx context.Context, t *tree, _ string, m []string) (core.Reply, error) {
		words := ""
		if where > 0 {
			words = lead.ReplaceAllString(m[where], "")
		}
		needle, in := t.splitScope(m[text])
		if in != "" {
			if _, err := t.scope(ctx, in); err == nil {
				return grep(ctx, t, trimNoun(needle), words+" "+in, namesOnly)
			} else if looksLikePath(in) || quoted(needle) {
				return core.Reply{}, err
			}
		}
		return grep(ctx, t, trimNoun(m[text]), words, namesOnly)
	}
}

// anyIn reads "is there any python code here" as a list, and "is foo in core"
// as a search.
func anyIn(ctx context.Context, t *tree, prompt string, m []string) (core.Reply, error) {
	if fillers(m[1]) {
		return list(ctx, t, m[1]+" in "+m[2])
	}
	return grepFor(1, 2, false)(ctx, t, prompt, m)
}

func namedLike(ctx context.Context, t *tree, prompt string, m []string) (core.Reply, error) {
	pattern := unquote(m[1])
	low := strings.ToLower(prompt)
	if with.MatchString(m[0]) && !strings.Contains(low, "name") && !strings.ContainsAny(pattern, "*?") {
		return core.Reply{}, errNotMine
	}
	switch {
	case strings.ContainsAny(pattern, "*?"):
	case strings.Contains(low, " end") || strings.Contains(low, "extension") || strings.Contains(low, "suffix"):
		if !strings.HasPrefix(pattern, ".") && strings.Contains(low, "extension") {
			pattern = "." + pattern
		}
		pattern = "*" + pattern
	case strings.Contains(low, "start"):
		pattern += "*"
	case strings.Contains(low, "contain") || strings.HasSuffix(low, "in its name") || strings.HasSuffix(low, "in their name") || strings.HasSuffix(low, "names") || strings.Contains(low, "name"+" has") || strings.Contains(low, "in its name") || strings.Contains(low, "in the name") || strings.Contains(low, " like "):
		pattern = "*" + pattern + "*"
	}
	return find(ctx, t, pattern, m[2])
}

func whereIs(ctx context.Context, t *tree, prompt string, m []string) (core.Reply, error) {
	name := unquote(m[1])
	if quoted(m[1]) && !looksLikePath(name) || fillers(name) {
		return core.Reply{}, errNotMine
	}
	if !looksLikePath(name) {
		if aFile.MatchString(prompt) {
			return find(ctx, t, name, "")
		}
		if forName.MatchString(prompt) {
			if paths, err := t.named(ctx, ".", name); err == nil && len(paths) > 0 {
				return find(ctx, t, name, m[2])
			}
		}
		if _, err := t.resolve(ctx, name); err != nil {
			return core.Reply{}, errNotMine
		}
	}
	if _, err := t.local(name); err != nil {
		return core.Reply{}, err
	}
	return find(ctx, t, name, m[2])
}

func kindsOf(ctx context.Context, t *tree, prompt string, m []string) (core.Reply, error) {
	for _, w := range token.FindAllString(prompt, 50) {
		if quoted(w) && !looksLikePath(w) {
			return core.Reply{}, errNotMine // a text is searched for
		}
	}
	return showOf(ctx, t, prompt, m)
}

// wordIn searches for a word that is no file; one that is nowhere is not a
// question about files.
func wordIn(ctx context.Context, t *tree, prompt string, m []string) (core.Reply, error) {
	for _, text := range []string{m[1], strings.TrimSuffix(m[1], "s")} {
		reply, err := grep(ctx, t, text, "", false)
		if err != nil || reply.Data["total"] != 0.0 {
			return reply, err
		}
	}
	return core.Reply{}, errNotMine
}

func showOf(ctx context.Context, t *tree, prompt string, m []string) (core.Reply, error) {
	words := prompt
	if len(m) > 1 {
		words = m[1]
	}
	reply, err := show(ctx, t, words, lineRange{})
	var e *core.Error
	if errors.As(err, &e) && e.Code == core.CodeNotFound && !looksLikePath(words) {
		return core.Reply{}, errNotMine
	}
	return reply, err
}

func largest(ctx context.Context, t *tree, _ string, m []string) (core.Reply, error) {
	n := max(number(m[1]), number(m[3]))
	small := strings.HasPrefix(strings.ToLower(m[2]), "s")
	title := "The " + strings.ToLower(m[2])
	return bySize(ctx, t, m[4], title, func(all []entry) []entry {
		if small {
			slices.Reverse(all)
		}
		if n == 0 {
			n = 10
		}
		return all[:min(n, len(all))]
	})
}

func ofSize(ctx context.Context, t *tree, _ string, m []string) (core.Reply, error) {
	size, err := strconv.ParseFloat(m[3], 64)
	if err != nil {
		return core.Reply{}, errNotMine
	}
	size *= map[byte]float64{'k': 1 << 10, 'm': 1 << 20, 'g': 1 << 30, 'b': 1}[strings.ToLower(m[4])[0]]
	small := slices.Contains([]string{"smaller", "under", "below", "less"}, strings.ToLower(m[2]))
	return bySize(ctx, t, lead.ReplaceAllString(m[1], "")+" "+m[5], "Those of that size", func(all []entry) []entry {
		return slices.DeleteFunc(all, func(e entry) bool { return small == (float64(e.info.Size()) >= size) })
	})
}

// bySize lists those files of a scope that pick leaves, with their sizes; pick
// gets them with the largest first.
func bySize(ctx context.Context, t *tree, words, title string, pick func([]entry) []entry) (core.Reply, error) {
	s, err := t.gist(ctx, words+" anywhere")
	if err != nil {
		return core.Reply{}, err
	}
	all, err := t.largest(ctx, s)
	if err != nil {
		return core.Reply{}, err
	}
	total := len(all)
	all = pick(all)
	rows, lines := []any{}, []string{}
	for i, f := range all[:min(len(all), maxData)] {
		rows = append(rows, map[string]any{"path": f.path, "bytes": float64(f.info.Size())})
		if i < maxShown {
			lines = append(lines, fmt.Sprintf("%10s  %s", bytesText(f.info.Size()), f.path))
		}
	}
	data := map[string]any{"files": rows, "total": float64(len(all))}
	if len(all) == 0 {
		return experts.Success("There are none in "+s.name()+".", data), nil
	}
	return experts.Success(fmt.Sprintf("%s of %s in %s%s:\n\n%s", title, plural(total, "files"), s.name(), showing(len(all)), fenced(lines, "")), data), nil
}

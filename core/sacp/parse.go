package sacp

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
)

// Steps of extraction; a repair is followed by what was mended.
const (
	stepMark   = "bom"
	stepThink  = "think"
	stepFence  = "fence"
	stepScan   = "scan"
	stepUnwrap = "unwrap"
	stepRepair = "repair"
)

// maxWraps is how often a reply may be wrapped in a JSON string.
const maxWraps = 3

// Parse reads a final text as a reply. The error is a [core.Error] whose
// message is one sentence that can be shown to the model.
//
// Status is legal in every Result without an error, Data is never nil, and
// its JSON parses to the same reply again.
func Parse(text string) (Result, error) {
	if len(text) > maxText {
		return Result{}, unreadable("the reply is %d bytes long, but at most %d can be read", len(text), maxText)
	}
	return parse(text, maxWraps, nil)
}

// unreadable is the error of a text that is not SACP.
func unreadable(format string, args ...any) error {
	return core.Fail(core.CodeModelBehavior, fmt.Sprintf(format, args...), "")
}

// parse reads a text after the steps that led to it.
func parse(text string, wraps int, steps []string) (Result, error) {
	body := trim(text)
	if strings.HasPrefix(strings.TrimSpace(text), "\ufeff") {
		steps = append(steps, stepMark)
	}
	if inner, ok := unwrapped(body); ok && wraps > 0 {
		return parse(inner, wraps-1, append(steps, stepUnwrap))
	}
	if answer, thought := afterThink(body); thought {
		steps = append(steps, stepThink)
		if answer != "" { // else the reply may stand in the reasoning
			body = answer
		}
	}
	return search(body, wraps, steps)
}

// unwrapped is the text that a JSON string holds.
func unwrapped(body string) (string, bool) {
	if !strings.HasPrefix(body, `"`) {
		return "", false
	}
	var inner string
	err := json.Unmarshal([]byte(body), &inner)
	return inner, err == nil
}

// trim removes what may stand around a text and is invisible.
func trim(text string) string { return strings.TrimRight(trimLeft(text), invisible) }

func trimLeft(text string) string { return strings.TrimLeft(text, invisible) }

const invisible = " \t\r\n\x00\ufeff\u200b"

// The tags models put around their reasoning, separated by spaces.
const (
	openTags  = "<think> <thinking> <thought> <reasoning>"
	closeTags = "</think> </thinking> </thought> </reasoning>"
)

// tagAt returns the tag of the list that s begins with, in any case.
func tagAt(s, tags string) string {
	for tag := range strings.FieldsSeq(tags) {
		if len(s) >= len(tag) && strings.EqualFold(s[:len(tag)], tag) {
			return s[:len(tag)]
		}
	}
	return ""
}

// reasoning parts the reasoning that a text begins with from what follows. open
// is the tag of reasoning without an end: nothing follows it.
func reasoning(body string) (thought, after, open string) {
	for {
		tag := tagAt(body, openTags)
		if tag == "" {
			return thought, body, ""
		}
		body = body[len(tag):]
		end, closing := 0, ""
		for closing == "" {
			next := strings.Index(body[end:], "</")
			if next < 0 {
				return thought + body, "", tag
			}
			end += next
			closing = tagAt(body[end:], closeTags)
			end += max(2, len(closing))
		}
		thought += body[:end-len(closing)]
		body = trimLeft(body[end:])
	}
}

// afterThink returns what follows the reasoning that a text begins with, and
// whether it does.
func afterThink(body string) (string, bool) {
	_, after, _ := reasoning(body)
	return trim(after), len(after) < len(body)
}

// candidate is an object of a text that may be the reply. The protocol's keys are
// written as the protocol does.
type candidate struct {
	object     map[string]any
	start, end int
	fenced     bool
	wrapped    bool
	ending     // how the text ended, when it did so before the object
	fixes      []string
}

// rank orders candidates; of equals the last in the text is the reply.
func (c candidate) rank() int {
	rank := 8 * c.members()
	switch {
	case c.cut:
	case len(c.fixes) == 0:
		rank += 4
	default:
		rank += 2
	}
	if c.fenced {
		rank++
	}
	return rank
}

// members counts what the object has of the four that the protocol demands.
func (c candidate) members() (n int) {
	for _, key := range protocol()[:4] {
		if c.has(key) {
			n++
		}
	}
	return n
}

func (c candidate) has(key string) bool {
	_, ok := c.object[key]
	return ok
}

// speaks reports whether the object has a key of the protocol beside the status.
func (c candidate) speaks() bool {
	return c.has(keyThought) || c.has(keyData) || c.has(keyMessage)
}

func (c candidate) status() (core.Status, bool) {
	s, _ := c.object[keyStatus].(string)
	return core.ParseStatus(s)
}

// unwrap replaces an object of another kind by the one reply that is among its
// values.
func (c *candidate) unwrap() {
	c.object = canonical(c.object)
	if c.has(keyStatus) || c.speaks() {
		return
	}
	var only map[string]any
	for _, v := range c.object {
		inner := candidate{}
		inner.object, _ = v.(map[string]any)
		if s, ok := v.(string); ok {
			inner.object, _ = decode(s)
		}
		inner.unwrap()
		if _, legal := inner.status(); !legal || !inner.speaks() {
			continue
		}
		if only != nil {
			return
		}
		only = inner.object
	}
	if only != nil {
		c.object, c.wrapped = only, true
	}
}

// decode returns the object that a text is, if it is one and clean.
func decode(text string) (map[string]any, bool) {
	r := reader{s: trim(text), strict: true}
	if !strings.HasPrefix(r.s, "{") {
		return nil, false
	}
	object, _ := r.object()
	if len(r.fixes) > 0 || r.cut || r.deep || r.i < len(r.s) {
		return nil, false
	}
	return object, true
}

// search reads the reply that stands somewhere in body.
func search(body string, wraps int, steps []string) (Result, error) {
	if body == "" {
		return Result{}, unreadable("the reply is empty")
	}
	name, key := keyAt(body, 0)
	lacksBrace := key && known(name) != "" && wordLen(body) == 0
	if lacksBrace {
		body = "{" + body
	}
	found, _, err := scan(body, false)
	if err != nil {
		return Result{}, err
	}
	if len(found) == 0 {
		return rescue(body, wraps, steps)
	}
	best := choose(body, found)
	if lacksBrace && best.start == 0 {
		best.fixes = append(best.fixes, fixBracket)
	}
	before, after := trim(body[:best.start]), trim(body[best.end:])
	if best.fenced {
		steps = append(steps, stepFence)
		before = before[:fenceAt(before)]
		after = strings.TrimLeft(after, "`")
	}
	if trim(before+after) != "" {
		steps = append(steps, stepScan)
	}
	return best.result(steps)
}

// choose picks the reply among the objects of a text, which are not none.
func choose(body string, found []candidate) candidate {
	found = answers(body, found)
	best, legal := found[0], false
	for _, c := range found {
		_, ok := c.status()
		if ok && !legal || ok == legal && c.rank() >= best.rank() {
			best, legal = c, ok
		}
	}
	return best
}

// answers leaves out the objects within a model's reasoning, which are drafts,
// unless there are no others. Reasoning may stand anywhere, and lack its tag at
// the beginning of the text or its end.
func answers(body string, found []candidate) []candidate {
	var kept []candidate
	thinking, from := false, 0
	for _, c := range found {
		_, gap, tag := strings.Cut(body[from:c.start], "<")
		for ; tag; _, gap, tag = strings.Cut(gap, "<") {
			switch {
			case tagAt("<"+gap[:min(len(gap), 16)], openTags) != "":
				thinking = true
			case tagAt("<"+gap[:min(len(gap), 16)], closeTags) != "":
				if !thinking {
					kept = nil
				}
				thinking = false
			}
		}
		if from = c.end; !thinking {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return found
	}
	return kept
}

// scan returns the objects of a text that are, or are meant to be, replies. Of a
// text that is still growing it does not look into an object that is cut off,
// and end is where such an object begins.
func scan(body string, growing bool) (found []candidate, end int, err error) {
	budget := 8*len(body) + 1<<16
	for i := 0; budget > 0; {
		next := strings.IndexByte(body[i:], '{')
		if next < 0 {
			break
		}
		i += next
		if !opens(body, i) {
			i++
			continue
		}
		fenced := fenceAt(body[:i]) >= 0
		r := reader{s: body, i: i, strict: true}
		object, ok := r.object()
		budget -= r.i - i
		if r.cut || len(r.fixes) > 0 {
			r = reader{s: body, i: i, fenced: fenced, grows: growing}
			object, ok = r.object()
			budget -= r.i - i
		}
		if r.deep {
			return nil, i, unreadable("the reply is nested deeper than %d levels", maxDepth)
		}
		c := candidate{object: object, start: i, end: r.i, fenced: fenced, ending: r.ending, fixes: r.fixes}
		if ok {
			c.unwrap()
		}
		reply := ok && (c.has(keyStatus) || c.speaks())
		if reply {
			found = append(found, c)
		}
		if growing && c.cut && !reply {
			return found, i, nil
		}
		i++
		if ok && (reply || !c.cut) {
			i = max(i, r.i)
		}
	}
	return found, len(body), nil
}

// opens reports whether the brace at i can begin an object.
func opens(body string, i int) bool {
	j := skipSpace(body, i+1)
	if j == i+1 && strings.HasPrefix(body[j:], "{") { // doubled
		j = skipSpace(body, j+1)
	}
	if j >= len(body) {
		return false
	}
	_, quoted := quoteAt(body, j)
	return quoted || wordLen(body[j:j+1]) == 1 || body[j] == ',' || commentAt(body, j)
}

// fenceAt returns where the opening fence stands that before ends with, or -1.
func fenceAt(before string) int {
	s := strings.TrimRight(before, " \t\r\n")
	s = strings.TrimRightFunc(s, func(c rune) bool { return c < utf8.RuneSelf && wordLen("_"+string(c)) == 2 })
	if !strings.HasSuffix(s, "```") {
		return -1
	}
	return len(s) - 3
}

// rescue reads a text in which no object was found: all quotes may be escaped, or
// the punctuation be a Chinese keyboard's.
func rescue(body string, wraps int, steps []string) (Result, error) {
	i := strings.IndexByte(body, '{')
	if i >= 0 && wraps > 0 && strings.HasPrefix(trim(body[i+1:]), `\`) {
		plain, _ := unescape(body[i:], `"`)
		return parse(plain, wraps-1, append(steps, stepUnwrap))
	}
	plain := strings.NewReplacer(`"：`, `":`, `"，`, `",`, `”：`, `”:`, `”，`, `”,`).Replace(body)
	if plain != body && wraps > 0 {
		return parse(plain, wraps-1, append(steps, stepRepair, fixPunctuation))
	}
	if object, ok := decode(body); ok {
		return candidate{object: object}.result(steps)
	}
	if i < 0 {
		return Result{}, unreadable("there is no JSON object in the reply")
	}
	return Result{}, unreadable("no JSON object in the reply has a \"status\"; it must be %s", statuses)
}

// unescape takes one level of escapes off a text, up to the first of stops or an
// escape that the text ends within, and says how long that is.
func unescape(s, stops string) (string, int) {
	n := strings.IndexAny(s, stops+`\`)
	if n < 0 {
		return s, len(s)
	}
	var b strings.Builder
	b.WriteString(s[:n])
	r := reader{s: s, i: n}
	for r.i < len(s) && strings.IndexByte(stops, s[r.i]) < 0 {
		from := r.i
		if s[from] != '\\' {
			r.i++
			b.WriteByte(s[from])
			continue
		}
		before := b.Len()
		if r.escape(&b); b.Len() == before {
			return b.String(), from
		}
	}
	return b.String(), r.i
}

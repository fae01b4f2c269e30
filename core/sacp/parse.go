package sacp

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"yaap/core"
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
	return parse(text, maxWraps)
}

// unreadable is the error of a text that is not SACP.
func unreadable(format string, args ...any) error {
	return &core.Error{Code: core.CodeModelBehavior, Op: "sacp: parse", Message: fmt.Sprintf(format, args...)}
}

func parse(text string, wraps int) (Result, error) {
	var steps []string
	body := trim(text)
	if strings.HasPrefix(strings.TrimSpace(text), "\ufeff") {
		steps = append(steps, stepMark)
	}
	switch v := decode(body).(type) {
	case map[string]any:
		c := candidate{object: v, end: len(body)}
		c.unwrap()
		return c.result(steps)
	case string:
		if wraps > 0 {
			res, err := parse(v, wraps-1)
			res.Steps = slices.Concat(steps, []string{stepUnwrap}, res.Steps)
			return res, err
		}
	}
	if answer, thought := afterThink(body); thought {
		steps = append(steps, stepThink)
		if answer != "" { // else the reply may stand in the reasoning
			body = answer
		}
	}
	return search(body, wraps, steps)
}

// trim removes what may stand around a text and is invisible.
func trim(text string) string { return strings.Trim(text, " \t\r\n\x00\ufeff\u200b") }

// decode returns the one JSON value that the text is, or nil.
func decode(text string) any {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil
	}
	return v
}

// afterThink returns what follows the reasoning that a text begins with, and
// whether it does. Reasoning without an end is followed by nothing.
func afterThink(body string) (string, bool) {
	found := false
	for {
		tag := tagAt(body, openTags)
		if tag == "" {
			return body, found
		}
		found = true
		body = body[len(tag):]
		end := strings.Index(body, "</")
		for end >= 0 && tagAt(body[end:], closeTags) == "" {
			next := strings.Index(body[end+2:], "</")
			if next < 0 {
				return "", true
			}
			end += 2 + next
		}
		if end < 0 {
			return "", true
		}
		body = trim(body[end+len(tagAt(body[end:], closeTags)):])
	}
}

// The tags models put around their reasoning, parted by spaces.
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

// candidate is an object of a text that may be the reply.
type candidate struct {
	object     map[string]any
	start, end int
	fenced     bool
	wrapped    bool
	cut        bool // the text ended before the object did
	lost       bool // and something of the reply is missing with its end
	fixes      []string
}

// rank orders candidates; of equals the last in the text is the reply.
func (c candidate) rank() int {
	rank := 8 * c.members()
	switch {
	case len(c.fixes) == 0:
		rank += 4
	case !c.cut:
		rank += 2
	}
	if c.fenced {
		rank++
	}
	return rank
}

// members counts what the object has of the four that the protocol demands.
func (c candidate) members() (n int) {
	for _, key := range []string{keyThought, keyStatus, keyData, keyMessage} {
		if _, ok := lookup(c.object, key); ok {
			n++
		}
	}
	return n
}

// speaks reports whether the object has a key of the protocol beside the status.
func (c candidate) speaks() bool { return c.members() > 1 || c.members() == 1 && !c.hasStatus() }

func (c candidate) thinks() bool {
	_, ok := lookup(c.object, keyThought)
	return ok
}

func (c candidate) hasStatus() bool {
	_, ok := lookup(c.object, keyStatus)
	return ok
}

// unwrap replaces an object of another kind by the one reply that is among its
// values.
func (c *candidate) unwrap() {
	if c.hasStatus() || c.speaks() {
		return
	}
	var only map[string]any
	for _, v := range c.object {
		if s, ok := v.(string); ok && strings.HasPrefix(trim(s), "{") {
			v = decode(s)
		}
		m, _ := v.(map[string]any)
		inner := candidate{object: m}
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

func (c candidate) status() (core.Status, bool) {
	v, _ := lookup(c.object, keyStatus)
	s, _ := v.(string)
	return core.ParseStatus(s)
}

// search reads the reply that stands somewhere in body.
func search(body string, wraps int, steps []string) (Result, error) {
	if body == "" {
		return Result{}, unreadable("the reply is empty")
	}
	lacksBrace := false
	if _, open := quoteAt(body, 0); open {
		name, ok := keyAt(body, 0)
		lacksBrace = ok && known(name) != ""
	}
	if lacksBrace {
		body = "{" + body
	}
	found, err := scan(body)
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
		after = trim(strings.TrimLeft(after, "`"))
	}
	if trim(before) != "" || after != "" {
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
		for gap := body[from:c.start]; gap != ""; {
			at := strings.IndexByte(gap, '<')
			if at < 0 {
				break
			}
			gap = gap[at:]
			switch {
			case tagAt(gap, openTags) != "":
				thinking = true
			case tagAt(gap, closeTags) != "":
				if !thinking {
					kept = nil
				}
				thinking = false
			}
			gap = gap[1:]
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

// scan returns the objects of a text that are, or are meant to be, replies.
func scan(body string) ([]candidate, error) {
	var found []candidate
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
		if len(r.fixes) > 0 {
			r = reader{s: body, i: i, fenced: fenced}
			object, ok = r.object()
			budget -= r.i - i
		}
		if r.deep {
			return nil, unreadable("the reply is nested deeper than %d levels", maxDepth)
		}
		c := candidate{object: object, start: i, end: r.i, fenced: fenced, cut: r.cut, lost: r.lost, fixes: r.fixes}
		if ok {
			c.unwrap()
		}
		if ok && (c.hasStatus() || c.speaks()) {
			found = append(found, c)
		}
		i++
		if ok && (!c.cut || c.hasStatus() || c.speaks()) {
			i = max(i, r.i)
		}
	}
	return found, nil
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
	tag := len(s)
	for tag > 0 && (wordLen(s[tag-1:tag]) == 1 || s[tag-1] >= '0' && s[tag-1] <= '9') {
		tag--
	}
	if !strings.HasSuffix(s[:tag], "```") {
		return -1
	}
	return tag - 3
}

// rescue reads a text in which no object was found: all quotes may be escaped,
// for JSON or for HTML, or the punctuation be a Chinese keyboard's.
func rescue(body string, wraps int, steps []string) (Result, error) {
	if i := strings.IndexByte(body, '{'); i >= 0 && wraps > 0 && strings.HasPrefix(trim(body[i+1:]), `\`) {
		r := reader{s: body[i:], strict: true}
		res, err := parse(r.unescape(), wraps-1)
		res.Steps = slices.Concat(steps, []string{stepUnwrap}, res.Steps)
		return res, err
	}
	plain := html.UnescapeString(strings.NewReplacer(`"：`, `":`, `"，`, `",`, `”：`, `”:`, `”，`, `”,`).Replace(body))
	if plain != body && wraps > 0 {
		if res, err := parse(plain, wraps-1); err == nil {
			if !res.Repaired() {
				res.Steps = append(res.Steps, stepRepair)
			}
			res.Steps = append(slices.Concat(steps, res.Steps), fixPunctuation)
			return res, nil
		}
	}
	if strings.IndexByte(body, '{') < 0 {
		return Result{}, unreadable("there is no JSON object in the reply")
	}
	return Result{}, unreadable("no JSON object in the reply has a \"status\"; it must be %s", statuses)
}

// unescape takes one level of escapes off the text, up to a bare quote.
func (r *reader) unescape() string {
	var b strings.Builder
	for r.i < len(r.s) && r.s[r.i] != '"' {
		if r.s[r.i] == '\\' {
			r.escape(&b)
			continue
		}
		b.WriteByte(r.s[r.i])
		r.i++
	}
	return b.String()
}

package sacp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

// statuses is what a model is told that it may answer.
const statuses = `"success", "failure" or "clarification_needed"`

// result makes the reply that the object stands for.
func (c candidate) result(steps []string) (Result, error) {
	if c.wrapped {
		steps = append(steps, stepUnwrap)
	}
	if c.cut {
		c.hoist()
	}
	half := c.cut && (c.lost || c.members() < 4)
	if half {
		c.fixes = append(c.fixes, fixCut)
	} else if c.cut {
		c.fixes = append(c.fixes, fixOpen)
	}
	if len(c.fixes) > 0 && !slices.Contains(steps, stepRepair) {
		steps = append(steps, stepRepair)
	}
	steps = append(steps, c.fixes...)
	v, ok := c.object[keyStatus]
	switch {
	case !ok && c.cut:
		return Result{}, unreadable(`the JSON object is cut off before its "status"; answer again and more briefly`)
	case !ok:
		return Result{}, unreadable(`the JSON object has no "status"; it must be %s`, statuses)
	}
	status, ok := c.status()
	if !ok {
		return Result{}, unreadable(`"status" is %s, but it must be %s`, clip(v), statuses)
	}
	if half {
		status = core.StatusFailure
	}
	res := Result{Reply: core.Reply{Status: status}, Steps: steps}
	res.Reply.Thought = res.text(c.object, keyThought)
	res.Reply.Message = res.text(c.object, keyMessage)
	res.Reply.NextStepHint = res.text(c.object, keyHint)
	res.Reply.Data = res.data(c.object)
	res.Reply.Extra = extra(c.object)
	if s, ok := v.(string); ok {
		res.Reply.MarkRetry(s)
	}
	return res, nil
}

// hoist lifts the protocol's keys out of data when the object was cut off, as
// it is when data is not closed.
func (c candidate) hoist() {
	data, _ := c.object[keyData].(map[string]any)
	for _, key := range []string{keyStatus, keyMessage} {
		if s, ok := data[key].(string); ok && !c.has(key) {
			c.object[key] = s
			delete(data, key)
		}
	}
}

// text returns what is to be a string.
func (r *Result) text(object map[string]any, key string) string {
	v := object[key]
	if v == nil {
		return ""
	}
	if s, ok := v.(string); ok {
		return s
	}
	r.Warnings = append(r.Warnings, fmt.Sprintf("%s was %s, not a string", key, kind(v)))
	return render(v)
}

// render writes a value for people: a list of strings as lines, anything else
// as JSON.
func render(v any) string {
	list, ok := v.([]any)
	var lines []string
	for _, item := range list {
		if s, ok := item.(string); ok {
			lines = append(lines, s)
		}
	}
	if ok && len(lines) == len(list) {
		return strings.Join(lines, "\n")
	}
	raw, _ := core.EncodeJSON(v)
	return string(raw)
}

// data returns what is to be an object.
func (r *Result) data(object map[string]any) map[string]any {
	v := object[keyData]
	if v == nil {
		return map[string]any{}
	}
	if m, ok := v.(map[string]any); ok {
		return m
	}
	r.Warnings = append(r.Warnings, fmt.Sprintf("data was %s, not an object", kind(v)))
	if s, ok := v.(string); ok {
		if m, ok := decode(s); ok {
			return m
		}
	}
	return map[string]any{"value": v}
}

// extra collects the keys that the protocol does not know. Those that stand
// under "extra", as the JSON of a [core.Reply] has them, are taken out of there.
func extra(object map[string]any) map[string]any {
	rest := map[string]any{}
	inner, nested := object[keyExtra].(map[string]any)
	maps.Copy(rest, inner)
	for key, v := range object {
		if !slices.Contains(protocol(), key) && (key != keyExtra || !nested) {
			rest[key] = v
		}
	}
	if len(rest) == 0 {
		return nil
	}
	return rest
}

// kind names the type of a value.
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case []any:
		return "a list"
	}
	return "an object"
}

// clip writes a value as short JSON.
func clip(v any) string {
	raw, _ := core.EncodeJSON(v)
	s := []rune(string(raw))
	if len(s) > 60 {
		s = append(s[:60], '…')
	}
	return string(s)
}

// StatusOf returns the status that an object has as a reply, if it has one.
func StatusOf(object map[string]any) (core.Status, bool) {
	return candidate{object: canonical(maps.Clone(object))}.status()
}

// LooksLike reports whether a text begins, after a byte order mark, the
// model's reasoning and a code fence, as a JSON object with a status: whether
// its author meant to speak the protocol, even when [Parse] cannot read it.
func LooksLike(text string) bool {
	body, _ := afterThink(trim(text[:min(len(text), maxText)]))
	for inner, ok := unwrapped(body); ok; inner, ok = unwrapped(body) {
		body = trim(inner)
	}
	if brace := strings.IndexByte(body, '{'); brace >= 0 && fenceAt(body[:brace]) == 0 {
		body = body[brace:]
	}
	if !strings.HasPrefix(body, "{") {
		return false
	}
	if strings.HasPrefix(trim(body[1:]), `\`) {
		body, _ = unescape(body, `"`)
	}
	r := reader{s: body}
	object, _ := r.object()
	return candidate{object: canonical(object)}.has(keyStatus)
}

// IsReply reports whether a text is a reply although its author promised none: one
// that can be read, says something, and has no keys of its own, which would be lost.
// JSON of another kind has a status, too.
func IsReply(text string) bool {
	if !LooksLike(text) {
		return false
	}
	read, err := Parse(text)
	return err == nil && (read.Reply.Message != "" || read.CutOff()) && len(read.Reply.Extra) == 0
}

// Package sacp speaks the Standard Agent Communication Protocol: what a model
// is told, how its text is read while it is being written and when it is
// whole, and what stands in for a text that cannot be read.
//
// A text is read in this order, and the first way that gives an object with a
// legal status holds:
//
//  1. as it is, when it is one JSON object;
//  2. as a JSON string that holds the reply, encoded once or more often;
//  3. by scanning it for objects, past a byte order mark, <think>…</think>,
//     code fences and prose. Broken objects are read as far as their meaning is
//     plain: commas, comments, quotes, Python's words, raw newlines, brackets,
//     a missing tail.
//
// Where several objects have a legal status, those outside of the model's
// reasoning go before those in it, those with more of the four keys of the
// protocol before those with fewer, clean ones before repaired ones before cut
// off ones, fenced ones before others, and of equals the last. Objects inside another one's values are that one's data and are not
// looked at, except the only reply inside a foreign wrapper such as
// {"response": {…}}.
//
// A reply whose end is missing is a failure, whatever it says: it cannot be told
// what else it would have said. Only the last brace may be missing.
//
// Everything here is pure and takes time linear in the length of the text.
package sacp

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxText  = 4 << 20      // bytes that Parse reads
	maxDepth = 200          // objects and lists inside each other, in data
	maxOpen  = maxDepth + 1 // with the reply around them
	maxRaw   = 64 << 10     // bytes that Fallback keeps
)

//go:embed instructions.txt
var instructions string

//go:embed schema.json
var schema string

// Instructions is the protocol block that is appended once after an agent's
// own prompt. early says that the agent may end its chain with the status
// "completed".
func Instructions(early bool) string {
	if !early {
		return instructions
	}
	const last = `"clarification_needed"`
	return strings.Replace(instructions, last, last+` | "completed"`, 1) +
		"\nAnswer with the status \"completed\" only when the whole workflow is done and nobody after you has anything left to do.\n"
}

// Schema is the JSON Schema of a reply. Its properties stand in the order in
// which a model shall write them, the thought first: pass it on as it is,
// because a Go map would sort them.
func Schema() json.RawMessage { return json.RawMessage(schema) }

// Result says how a text was read.
type Result struct {
	Reply    core.Reply
	Steps    []string // what extraction did, in order, then "repair" and what was mended; empty for clean JSON
	Warnings []string // what in the reply had another type than the protocol's
}

// Repaired reports whether the JSON was broken and had to be mended.
func (r Result) Repaired() bool { return slices.Contains(r.Steps, stepRepair) }

// CutOff reports whether the end of the reply is missing. It is then a failure.
func (r Result) CutOff() bool { return slices.Contains(r.Steps, fixCut) }

// Fallback is the reply that stands in for a text that cannot be read. It
// keeps the first 64 KiB of the text under data.raw_output, without what the
// model thought: data is told to others.
func Fallback(raw string) core.Reply {
	if body, thought := afterThink(trim(raw)); thought {
		raw = body
	}
	found, _, _ := scan(raw, false)
	if slices.ContainsFunc(found, func(c candidate) bool { return c.has(keyThought) }) {
		raw = VisibleText(raw)
	}
	raw = safe.Prefix(raw, maxRaw)
	return core.Reply{
		Thought: "System Note: LLM failed to provide structured JSON output.",
		Status:  core.StatusFailure,
		Data:    map[string]any{"raw_output": validUTF8(raw)},
		Message: "The LLM returned an invalid response format.",
	}
}

// StepPlainText is the step that reads a text of plain words.
const StepPlainText = "prose"

// ReplyFromText makes the reply of a model that answered in plain words: a success whose thought
// says so. A text that begins as JSON or holds a key of a reply is none, nor is one
// that holds nothing but reasoning.
func ReplyFromText(raw string) (core.Reply, bool) {
	body, _ := afterThink(trim(raw))
	body = trim(validUTF8(safe.Prefix(body, maxRaw)))
	for _, start := range []string{"{", "[", "```json"} {
		if strings.HasPrefix(body, start) {
			return core.Reply{}, false
		}
	}
	for _, key := range []string{keyStatus, keyMessage, keyThought} {
		if strings.Contains(body, `"`+key+`"`) {
			return core.Reply{}, false
		}
	}
	return core.Reply{
		Thought: "System Note: the model answered in plain words, which are its message.",
		Status:  core.StatusSuccess, Data: map[string]any{}, Message: body,
	}, body != ""
}

// VisibleText returns what of a model's text others may be told: of a reply its message,
// of other text all but the reasoning that it begins with.
func VisibleText(text string) string {
	text = text[:min(len(text), maxText)]
	if !strings.ContainsAny(text, "{<") { // prose
		return trim(text)
	}
	if res, err := Parse(text); err == nil {
		return res.Reply.Message
	}
	body, _ := afterThink(trim(text))
	if found, _, err := scan(body, false); err == nil && len(found) > 0 {
		body, _ = choose(body, found).object[keyMessage].(string)
	}
	return body
}

// Encode writes a reply: thought, status, data, message, in this order. Data that is
// no JSON is left out.
func Encode(r core.Reply) string {
	if r.Data == nil {
		r.Data = map[string]any{}
	}
	raw, err := core.EncodeJSON(r)
	if err != nil {
		return Encode(core.Reply{Thought: r.Thought, Status: r.Status, Message: r.Message})
	}
	return string(raw)
}

// validUTF8 replaces every invalid byte as encoding/json does.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// The keys of the protocol.
const (
	keyThought = "thought"
	keyStatus  = "status"
	keyData    = "data"
	keyMessage = "message"
	keyHint    = "next_step_hint"
	keyExtra   = "extra"
)

// protocol returns the keys of a reply, the four that it must have first.
func protocol() []string { return []string{keyThought, keyStatus, keyData, keyMessage, keyHint} }

// known returns the protocol's name of a key, whatever its case and the space
// around it, or "" for any other.
func known(key string) string {
	if len(key) > 64 {
		return ""
	}
	key = strings.ToLower(strings.TrimSpace(key))
	if slices.Contains(protocol(), key) {
		return key
	}
	return ""
}

// canonical writes the protocol's keys of an object as the protocol does.
func canonical(object map[string]any) map[string]any {
	if len(object) == 0 {
		return object
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		name := known(key)
		if _, taken := object[name]; name != "" && !taken {
			object[name] = object[key]
			delete(object, key)
		}
	}
	return object
}

package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Claims are the annotations of an MCP tool: what its owner says of its
// effects. Nobody has checked them. Nil is no claim.
type Claims struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

const silent = "says nothing of its effects"

// ReadClaims reads annotations. One that is not a boolean is no claim.
func ReadClaims(raw json.RawMessage) (c Claims) {
	var hints map[string]json.RawMessage
	if json.Unmarshal(raw, &hints) != nil {
		return c
	}
	for name, claim := range map[string]**bool{
		"readOnlyHint": &c.ReadOnly, "destructiveHint": &c.Destructive,
		"idempotentHint": &c.Idempotent, "openWorldHint": &c.OpenWorld,
	} {
		switch string(bytes.TrimSpace(hints[name])) {
		case "true":
			*claim = new(true)
		case "false":
			*claim = new(false)
		}
	}
	return c
}

// ReadsOnly reports whether the tool is said to change nothing.
func (c Claims) ReadsOnly() bool { return said(c.ReadOnly, true) && !said(c.Destructive, true) }

// Changes reports whether the tool is said to change something.
func (c Claims) Changes() bool { return said(c.ReadOnly, false) || said(c.Destructive, true) }

// String is what is claimed in words, for people.
func (c Claims) String() string {
	var words []string
	for _, w := range []struct {
		claim *bool
		is    bool
		word  string
	}{
		{c.ReadOnly, true, "only reads"},
		{c.ReadOnly, false, "changes things"},
		{c.Destructive, true, "may destroy"},
		{c.Destructive, false, "destroys nothing"},
		{c.Idempotent, true, "the same when repeated"},
		{c.OpenWorld, true, "reaches other systems"},
		{c.OpenWorld, false, "stays on this system"},
	} {
		if said(w.claim, w.is) {
			words = append(words, w.word)
		}
	}
	if len(words) == 0 {
		return silent
	}
	return strings.Join(words, ", ")
}

// Reason says why the user is asked before the tool is called.
func (t ToolSpec) Reason() string {
	switch claims := "it " + t.Claims.String(); {
	case t.Claims.Changes():
		return claims
	case t.Acts:
		return claims + ", and may change something"
	}
	return "it may only be used when you allow it"
}

// Fingerprint tells a tool from any other: of another name or owner, reached in
// another way, or defined differently.
func (t ToolSpec) Fingerprint() string {
	var schema any = string(t.Schema)
	_ = json.Unmarshal(t.Schema, &schema)                                                                                  // what is none counts as its text
	raw, _ := json.Marshal([]any{t.Name, t.Owner, t.Origin, t.Description, t.Examples, schema, t.Claims.String(), t.Acts}) // it was JSON
	return Hash(raw)
}

// ToolChange is a tool that defines itself differently than when it was
// allowed.
type ToolChange struct {
	Was ToolSpec `json:"was"`
	Now ToolSpec `json:"now"`
}

// Difference is one thing that a changed tool says differently.
type Difference struct{ What, Was, Now string }

// Differences lists what is different; of schemas the lines that are.
func (c ToolChange) Differences() []Difference {
	was, now := schemaLines(c.Was.Schema), schemaLines(c.Now.Schema)
	all := []Difference{
		{"description", c.Was.Description, c.Now.Description},
		{"examples", strings.Join(c.Was.Examples, "\n"), strings.Join(c.Now.Examples, "\n")},
		{"takes", c.Was.Usage(), c.Now.Usage()},
		{"schema", missingLines(was, now), missingLines(now, was)},
		{"effects", c.Was.Claims.String(), c.Now.Claims.String()},
		{"acts", yesNo(c.Was.Acts), yesNo(c.Now.Acts)},
	}
	return slices.DeleteFunc(all, func(d Difference) bool { return d.Was == d.Now })
}

// schemaLines is what a schema says, each value with the path to it.
func schemaLines(raw json.RawMessage) []string {
	var node any
	if json.Unmarshal(raw, &node) != nil {
		return []string{string(raw)}
	}
	return flatten(nil, "", node)
}

func flatten(lines []string, path string, node any) []string {
	switch node := node.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(node)) {
			step := key
			if strings.ContainsAny(key, ".[:\"") { // it is no path
				step = strconv.Quote(key)
			}
			lines = flatten(lines, strings.TrimPrefix(path+"."+step, "."), node[key])
		}
		if len(node) > 0 {
			return lines
		}
	case []any:
		for i, child := range node {
			lines = flatten(lines, fmt.Sprintf("%s[%d]", path, i), child)
		}
		if len(node) > 0 {
			return lines
		}
	}
	text, _ := json.Marshal(node) // it was JSON
	return append(lines, path+": "+string(text))
}

// missingLines are the lines that others has not.
func missingLines(lines, others []string) string {
	var missing []string
	for _, line := range lines {
		if !slices.Contains(others, line) {
			missing = append(missing, line)
		}
	}
	return strings.Join(missing, "\n")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func said(claim *bool, what bool) bool { return claim != nil && *claim == what }

// claimed is what is claimed, as the end of a sentence about the tool.
func (c Claims) claimed() string {
	if words := c.String(); words != silent {
		return "claims: " + words
	}
	return silent
}

// SameDefinition reports whether two tools say the same of themselves: their
// descriptions, examples, schemas and claims.
func (t ToolSpec) SameDefinition(other ToolSpec) bool {
	return t.Acts == other.Acts && t.Description == other.Description && slices.Equal(t.Examples, other.Examples) &&
		t.Claims.String() == other.Claims.String() && SameJSON(t.Schema, other.Schema)
}

// SameJSON reports whether two values of JSON are equal, without regard to the order
// of keys, which some libraries choose anew each time.
func SameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return DecodeJSON(a, &x) == nil && DecodeJSON(b, &y) == nil && reflect.DeepEqual(x, y)
}

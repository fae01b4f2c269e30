package hub

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/schema"
	"github.com/yaap-chat/yaap/core/yaap"
)

const (
	maxTools    = 128 // of one expert
	maxToolName = 64
	maxRecent   = 6       // messages that are sent along with a call
	maxSaid     = 2 << 10 // bytes of each
)

// offer is one tool of an expert: as the model is told about it, and by the
// name that its owner knows.
type offer struct {
	spec core.ToolSpec
	name string
	// output is the schema of what it answers with beside text; nil: it declares none,
	// or none that can be read.
	output func() *schema.Schema
}

// outputOf compiles a schema when it is needed first.
func outputOf(raw json.RawMessage) func() *schema.Schema {
	if len(raw) == 0 || yaap.CheckSchema(raw) != nil {
		return nil
	}
	return sync.OnceValue(func() *schema.Schema {
		compiled, err := schema.Compile(raw)
		if err != nil {
			return nil
		}
		return compiled
	})
}

// checked is a result whose data fit what its tool declares.
func (o offer) checked(result core.ToolResult) core.ToolResult {
	if !result.OK() || o.output == nil || result.Data == nil {
		return result
	}
	wanted := o.output()
	raw, err := json.Marshal(result.Data)
	if wanted == nil || err != nil {
		return result
	}
	if issues := wanted.Check(raw); len(issues) > 0 {
		text := safe.Cut("its structured answer does not fit what it declares: "+strings.Join(issues, "; "), maxMisfit)
		return core.ToolFailure(core.ToolError, core.ToolCodeMalformedResponse, text)
	}
	return result
}

// offers makes the room's view of an expert's tools. An expert with a single
// tool of its own name is one tool of that name; the tools of any other appear
// as expert__tool. Text is bounded, made safe and without secrets, what breaks the rules for
// schemas is left out with the reason, and so is a tool that is listed twice.
func offers(in yaap.Introduction, origin, command string, tools []core.ToolSpec) (list []offer, omitted []string) {
	// The default is said, so that callers do not set a limit of their own before it.
	timeout := cmp.Or(time.Duration(in.CallTimeoutMS)*time.Millisecond, defaultTimeout)
	taken, seen := map[string]bool{}, map[string]bool{}
	for _, tool := range tools {
		name := toolName(in.Name, tool.Name, len(tools))
		if taken[yaap.Canonical(name)] { // by one that differs in bad characters only
			name = hashed(name, tool.Name)
		}
		spec := core.ToolSpec{
			Name:        name,
			Description: Description(tool.Description),
			Schema:      withoutHeaders(tool.Schema),
			Examples:    tool.Examples,
			Owner:       in.Name,
			Timeout:     timeout,
			Sequential:  tool.Sequential,
			SACP:        in.Output == yaap.OutputSACP,
			Claims:      claims(in, tool.Claims),
			Acts:        acts(in, tool.Claims),
			Origin:      origin,
			Command:     command,
			Output:      tool.Output,
		}
		if spec.Name == in.Name {
			spec.Description, spec.Examples = in.Description, in.Examples
		}
		spec.Description, _ = guard.Mask(spec.Description) // a model is told it
		spec.Schema, _ = guard.Clean(spec.Schema)
		spec.Examples, _ = guard.Clean(spec.Examples)
		err := yaap.CheckSchema(spec.Schema)
		switch {
		case seen[tool.Name], taken[yaap.Canonical(name)]:
			continue
		case err != nil:
			omitted = append(omitted, name+": "+err.Error())
			continue
		case len(list) == maxTools:
			omitted = append(omitted, fmt.Sprintf("%s: an expert may have %d tools", name, maxTools))
			continue
		}
		taken[yaap.Canonical(name)], seen[tool.Name] = true, true
		list = append(list, offer{spec: spec, name: tool.Name, output: outputOf(tool.Output)})
	}
	return list, omitted
}

// claims are those of a tool. What an expert says in its hello of acting holds for a tool
// that says nothing else.
func claims(in yaap.Introduction, c core.Claims) core.Claims {
	switch {
	case in.Adopted, c.Changes():
	case !in.Acts:
		c.ReadOnly = new(true)
	case c == core.Claims{}:
		c.ReadOnly = new(false)
	}
	return c
}

// acts reports whether the user has to allow a call first: the tools of a server
// that said no hello, and of an expert that says that it acts, unless they claim
// only to read; and whatever claims to change something.
func acts(in yaap.Introduction, c core.Claims) bool {
	return (in.Adopted || in.Acts) && !c.ReadsOnly() || c.Changes()
}

// Description bounds an expert's own words and makes them safe.
func Description(s string) string { return safe.Cut(safe.Line(s), yaap.MaxDescription) }

// toolName is the name under which a model knows the tool of an expert.
func toolName(expert, tool string, count int) string {
	if count == 1 && yaap.Canonical(tool) == yaap.Canonical(expert) {
		return expert
	}
	name := expert + "__" + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, tool)
	if len(name) <= maxToolName {
		return name
	}
	return hashed(name, tool)
}

// hashed makes name one of its own by the hash of the tool's true name.
func hashed(name, tool string) string {
	return name[:min(len(name), maxToolName-7)] + "_" + core.Hash(tool)[:6]
}

// withoutHeaders drops x-mcp-header from the properties of a schema: it would
// let an expert choose HTTP headers, and the MCP library panics on bad ones.
func withoutHeaders(schema json.RawMessage) json.RawMessage {
	if text := string(schema); !strings.Contains(text, "x-mcp-header") && !strings.Contains(text, `\u`) {
		return schema
	}
	var node any
	if json.Unmarshal(schema, &node) != nil {
		return schema
	}
	dropHeaders(node)
	clean, _ := json.Marshal(node) // it was JSON
	return clean
}

func dropHeaders(node any) {
	switch node := node.(type) {
	case map[string]any:
		delete(node, "x-mcp-header")
		for _, child := range node {
			dropHeaders(child)
		}
	case []any:
		for _, child := range node {
			dropHeaders(child)
		}
	}
}

// Recent is the end of a conversation as it is sent along with a call: what
// was said, never what was thought.
func Recent(messages []core.Message) []yaap.Utterance {
	var said []yaap.Utterance
	for _, m := range slices.Backward(messages) {
		text := m.Text
		if m.Reply != nil {
			text = m.Reply.Message
		}
		if text == "" || m.Role != core.RoleUser && m.Role != core.RoleAssistant || len(m.Calls) > 0 {
			continue
		}
		if len(text) > maxSaid {
			text = strings.ToValidUTF8(text[:maxSaid], "")
		}
		if said = append(said, yaap.Utterance{Role: string(m.Role), Text: text}); len(said) == maxRecent {
			break
		}
	}
	slices.Reverse(said)
	return said
}

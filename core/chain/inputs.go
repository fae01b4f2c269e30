package chain

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/schema"
)

// declared are the inputs of a chain, from its schema.
type declared struct {
	check      *schema.Schema
	Properties map[string]struct {
		Type        string `json:"type"`
		Description string `json:"description"`
		Default     any    `json:"default"`
	} `json:"properties"`
	Required []string `json:"required"`
}

func readInputs(raw json.RawMessage) (*declared, error) {
	check, err := schema.Compile(raw)
	if err != nil {
		return nil, err
	}
	d := declared{check: check}
	return &d, core.DecodeJSON(raw, &d)
}

// complete completes and checks what a chain is started with. Where exactly one
// text is wanted, the question is it.
func (d *declared) complete(g given) (map[string]any, error) {
	args := maps.Clone(g.Args)
	if args == nil {
		args = map[string]any{}
		if name, ok := d.text(); ok && g.Text != "" {
			args[name] = g.Text
		}
	}
	for name, p := range d.Properties {
		if _, ok := args[name]; !ok && p.Default != nil {
			args[name] = p.Default
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if _, ok := d.Properties[name]; !ok {
			return nil, errors.New(strings.TrimSuffix("it has no input "+safe.Line(name)+": "+meant(name, slices.Collect(maps.Keys(d.Properties))), ": "))
		}
	}
	for _, name := range d.Required {
		if _, ok := args[name]; !ok {
			return nil, fmt.Errorf("its input %s is missing", name)
		}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	if issues := d.check.Check(raw); len(issues) > 0 {
		return nil, errors.New(strings.Join(issues, "; "))
	}
	return args, nil
}

// text returns the name of the input that a question may stand for: the only
// one that is required, or the only one there is.
func (d *declared) text() (string, bool) {
	names := d.Required
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(d.Properties))
	}
	if len(names) != 1 || d.Properties[names[0]].Type != "string" && d.Properties[names[0]].Type != "" {
		return "", false
	}
	return names[0], true
}

// named reports whether words give inputs by their names: the first does, or any gives one
// that there is.
func (d *declared) named(words []string) bool {
	for i, word := range words {
		name, _, ok := strings.Cut(word, "=")
		if _, known := d.Properties[name]; ok && (known || i == 0 && isName(name)) {
			return true
		}
	}
	return false
}

// Usage shows how the inputs are given.
func (c *Chain) Usage() string {
	d := c.inputs
	if d == nil {
		return ""
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(d.Properties)) {
		p := d.Properties[name]
		part := name + "=" + cmp.Or(strings.ToUpper(p.Type), "VALUE")
		if !slices.Contains(d.Required, name) {
			part = "[" + part + "]"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " ")
}

// textArg is the input of a chain that declares none.
const textArg = "text"

// ReadArgs reads inputs as a person types them: name=value, or plain words
// where the chain takes a single text. A value is JSON where the chain wants
// something other than text and it is JSON; else it is the text. It fails where the
// chain cannot be started with them.
func (c *Chain) ReadArgs(words []string) (map[string]any, error) {
	d := c.inputs
	if d == nil {
		return map[string]any{textArg: strings.Join(words, " ")}, nil
	}
	if name, ok := d.text(); ok && len(words) > 0 && !d.named(words) {
		return map[string]any{name: strings.Join(words, " ")}, nil
	}
	args := map[string]any{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%q is not name=value; the inputs are: %s", word, c.Usage())
		}
		args[name] = value
		var v any
		if d.Properties[name].Type != "string" && core.DecodeJSON([]byte(value), &v) == nil {
			args[name] = v
		}
	}
	_, err := c.complete(given{Args: args})
	return args, err
}

// complete adds the defaults to what the chain is started with, and checks it.
func (c *Chain) complete(g given) (map[string]any, error) {
	args, err := c.inputs.complete(g)
	if err != nil {
		return nil, fmt.Errorf("the chain %s cannot be started: %w", c.Spec.Name, err)
	}
	return args, nil
}

// ToolSchema is the JSON Schema of the chain's inputs as a tool's arguments. A
// chain that takes a single text is a tool that is asked in plain words.
func (c *Chain) ToolSchema() json.RawMessage {
	if c.inputs != nil {
		if _, ok := c.inputs.text(); ok {
			return nil
		}
	}
	return c.Spec.Inputs
}

// Timeout is how long a run may take, without the time in which it waits for
// the user.
func (c *Chain) Timeout() time.Duration {
	return cmp.Or(c.Spec.Limits.Timeout, DefaultTimeout)
}

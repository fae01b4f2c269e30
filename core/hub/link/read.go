package link

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

// The results of children are read here and not by the MCP library, which takes
// keys in any case, loses what it does not know of a schema, and refuses a whole
// list for one tool.

// rawKey is the key of the context of a request whose result is wanted as the
// child wrote it.
type rawKey struct{}

// withRaw returns a context for one request, and where its result will be.
func withRaw(ctx context.Context) (context.Context, *json.RawMessage) {
	raw := new(json.RawMessage)
	return context.WithValue(ctx, rawKey{}, raw), raw
}

// object is a JSON object. Its keys are exact.
type object map[string]json.RawMessage

// readObject reads an object; what is its name in an error.
func readObject(raw json.RawMessage, what string) (o object, err error) {
	return o, read(raw, what, "an object", &o)
}

// read reads what may be null or missing, and else has to be of a kind.
func read(raw json.RawMessage, what, kind string, into any) error {
	if is := kindOf(raw); is != "nothing" && json.Unmarshal(raw, into) != nil {
		return fmt.Errorf("%s is %s, not %s", what, is, kind)
	}
	return nil
}

// kindOf is what a person calls a JSON value.
func kindOf(raw json.RawMessage) string {
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) == 0 || raw[0] == 'n':
		return "nothing"
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	case raw[0] == '"':
		return "a text"
	case raw[0] == 't' || raw[0] == 'f':
		return "true or false"
	}
	return "a number"
}

func (o object) text(key, in string) (s string, err error) {
	return s, read(o[key], in+key, "a text", &s)
}

func (o object) list(key, in string) (l []json.RawMessage, err error) {
	return l, read(o[key], in+key, "a list", &l)
}

func (o object) flag(key string) (b bool, err error) {
	return b, read(o[key], key, "true or false", &b)
}

// readTools reads a page of a list of tools. A tool that cannot be offered is
// omitted, with the reason.
func readTools(raw json.RawMessage) (tools []core.ToolSpec, omitted []string, next string, err error) {
	page, err := readObject(raw, "its list of tools")
	if err != nil {
		return nil, nil, "", err
	}
	list, err := page.list("tools", "")
	if err != nil {
		return nil, nil, "", err
	}
	for i, raw := range list {
		spec, err := readTool(raw)
		if err != nil {
			if spec.Name == "" {
				spec.Name = fmt.Sprintf("tools[%d]", i)
			}
			omitted = append(omitted, spec.Name+": "+err.Error())
			continue
		}
		tools = append(tools, spec)
	}
	next, err = page.text("nextCursor", "")
	return tools, omitted, next, err
}

// readTool reads a tool. An annotation of a wrong type, or not written exactly as
// MCP has it, counts as not said.
func readTool(raw json.RawMessage) (spec core.ToolSpec, err error) {
	tool, err := readObject(raw, "it")
	if err != nil {
		return spec, err
	}
	if spec.Name, err = tool.text("name", ""); err != nil {
		return spec, err
	}
	if spec.Description, err = tool.text("description", ""); err != nil {
		return spec, err
	}
	schema, err := readObject(tool["inputSchema"], "its inputSchema")
	if err != nil {
		return spec, err
	}
	execution, err := readObject(tool["execution"], "its execution")
	if err != nil {
		return spec, err
	}
	support, err := execution.text("taskSupport", "")
	switch {
	case err != nil:
		return spec, err
	case spec.Name == "":
		return spec, errors.New("it has no name")
	case schema == nil:
		return spec, errors.New("it has no inputSchema")
	case support == "required":
		return spec, errors.New("it can only be called as a task, which the room cannot do")
	}
	spec.Schema, spec.Claims = tool["inputSchema"], core.ReadClaims(tool["annotations"])
	if output, err := readObject(tool["outputSchema"], ""); err == nil && output != nil {
		spec.Output = tool["outputSchema"]
	}
	return spec, nil
}

// readResult reads what a server answered to a call. Text is the text content,
// or the structured content as JSON when there is no text.
func readResult(raw json.RawMessage, keep keeper) (result core.ToolResult, err error) {
	o, err := readObject(raw, "it")
	if err != nil {
		return result, err
	}
	content, err := o.list("content", "")
	if err != nil {
		return result, err
	}
	if kindOf(o["content"]) == "nothing" {
		return result, errors.New("content is missing")
	}
	parts := make([]string, len(content))
	for i, item := range content {
		c, err := readContent(item, fmt.Sprintf("content[%d]", i))
		if err != nil {
			return result, err
		}
		if parts[i] = c.text; c.base64 == "" {
			continue
		}
		file, text := c.keep(keep)
		if parts[i] = text; file.Path != "" {
			result.Files = append(result.Files, file)
		}
	}
	failed, err := o.flag("isError")
	if err != nil {
		return result, err
	}
	result.Status, result.Text = core.ToolSuccess, strings.Join(parts, "\n")
	addStructured(&result, o["structuredContent"])
	if failed {
		result.Status, result.Code = core.ToolError, core.ToolCodeExecutionFailed
		if result.Text == "" {
			result.Text = "it failed and did not say why"
		}
	}
	return result, nil
}

// addStructured adds structured content, which is an object or none.
func addStructured(result *core.ToolResult, raw json.RawMessage) {
	var data map[string]any
	if json.Unmarshal(raw, &data) != nil || data == nil {
		return
	}
	if len(raw) <= maxResult {
		result.Data = data
	}
	switch {
	case result.Text == "":
		result.Text = string(raw)
	case result.Data == nil:
		result.Text = fmt.Sprintf("[its structured data is left out: it has %.1f MiB, and at most %d MiB are taken]\n", float64(len(raw))/(1<<20), maxResult>>20) + result.Text
	}
}

// keeper puts what is no text on disk; nil: nothing is.
type keeper func(name, kind string, data []byte) (core.File, error)

// piece is one of a result's content: text, or data.
type piece struct {
	text         string
	what         string // an image, audio, a file
	name         string
	kind, base64 string
}

// keep puts the data of a piece on disk, and returns the text that stands for it.
func (p piece) keep(keep keeper) (core.File, string) {
	what := p.what
	if p.kind != "" {
		what += ", " + p.kind
	}
	data, err := base64.StdEncoding.DecodeString(p.base64)
	if err != nil {
		return core.File{}, fmt.Sprintf("[%s, that cannot be read: it is no base64]", what)
	}
	what += fmt.Sprintf(", %d bytes", len(data))
	if keep == nil {
		return core.File{}, "[" + what + "]"
	}
	file, err := keep(p.name, p.kind, data)
	if err != nil {
		return core.File{}, fmt.Sprintf("[%s, that was not kept: %v]", what, err)
	}
	if p.kind != file.Type && p.kind != "" {
		return file, fmt.Sprintf("[%s: %s; it says that it is %s, and is %s]\n%s", p.what, file, p.kind, file.Type, file.Path)
	}
	return file, fmt.Sprintf("[%s: %s]\n%s", p.what, file, file.Path)
}

// readContent reads one piece of content.
func readContent(raw json.RawMessage, what string) (p piece, err error) {
	o, err := readObject(raw, what)
	if err != nil {
		return p, err
	}
	in := what + "."
	kind, err := o.text("type", in)
	if err != nil {
		return p, err
	}
	get := func(key string) (value string) {
		if err == nil && kindOf(o[key]) == "nothing" {
			err = fmt.Errorf("%s%s is missing", in, key)
		}
		if err == nil {
			value, err = o.text(key, in)
		}
		return value
	}
	switch kind {
	case "text":
		p.text = get("text")
	case "image":
		p = piece{what: "an image", name: "image", kind: get("mimeType"), base64: get("data")}
	case "audio":
		p = piece{what: "audio", name: "audio", kind: get("mimeType"), base64: get("data")}
	case "resource_link":
		p.text = fmt.Sprintf("[%s: %s]", get("name"), get("uri"))
	case "resource":
		if o, err = readObject(o["resource"], in+"resource"); err != nil {
			return p, err
		}
		in += "resource."
		if o["blob"] == nil {
			p.text = get("text")
			break
		}
		p = piece{what: "a file", name: path.Base(get("uri")), base64: get("blob")}
		if o["mimeType"] != nil {
			p.kind = get("mimeType")
		}
	case "":
		err = fmt.Errorf("%s has no type", what)
	default:
		err = fmt.Errorf("%s has the type %.40q, which is unknown", what, kind)
	}
	return p, err
}

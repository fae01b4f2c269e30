package link

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"path"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/text"
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

// page is a page of a list of tools.
type page struct {
	tools   []core.ToolSpec
	tasks   []string // names of those that are called as tasks
	omitted []string // those that cannot be offered, each with the reason
	next    string   // where the list goes on
}

// readTools reads a page of a list of tools; task reports whether one may be called as
// a task.
func readTools(raw json.RawMessage, task bool) (p page, err error) {
	said, err := readObject(raw, "its list of tools")
	if err != nil {
		return p, err
	}
	list, err := said.list("tools", "")
	if err != nil {
		return p, err
	}
	for i, raw := range list {
		spec, only, err := readTool(raw)
		if err == nil && only && !task {
			err = errors.New("it can only be called as a task, and its server does not say that it has tasks")
		}
		if err != nil {
			spec.Name = cmp.Or(spec.Name, fmt.Sprintf("tools[%d]", i))
			p.omitted = append(p.omitted, spec.Name+": "+err.Error())
			continue
		}
		if only {
			p.tasks = append(p.tasks, spec.Name)
		}
		p.tools = append(p.tools, spec)
	}
	p.next, err = said.text("nextCursor", "")
	return p, err
}

// readTool reads a tool. An annotation of a wrong type, or not written exactly as
// MCP has it, counts as not said. only reports whether it is called as a task only.
func readTool(raw json.RawMessage) (spec core.ToolSpec, only bool, err error) {
	tool, err := readObject(raw, "it")
	if err != nil {
		return spec, false, err
	}
	if spec.Name, err = tool.text("name", ""); err != nil {
		return spec, false, err
	}
	if spec.Description, err = tool.text("description", ""); err != nil {
		return spec, false, err
	}
	schema, err := readObject(tool["inputSchema"], "its inputSchema")
	if err != nil {
		return spec, false, err
	}
	execution, err := readObject(tool["execution"], "its execution")
	if err != nil {
		return spec, false, err
	}
	support, err := execution.text("taskSupport", "")
	switch {
	case err != nil:
		return spec, false, err
	case spec.Name == "":
		return spec, false, errors.New("it has no name")
	case schema == nil:
		return spec, false, errors.New("it has no inputSchema")
	}
	spec.Schema, spec.Claims = tool["inputSchema"], core.ReadClaims(tool["annotations"])
	if output, err := readObject(tool["outputSchema"], ""); err == nil && output != nil {
		spec.Output = tool["outputSchema"]
	}
	return spec, support == "required", nil
}

// readResult reads what a server answered to a call. Text is the text content,
// or the structured content as JSON when there is no text.
// What it links to is read with follow, where that can.
func readResult(raw json.RawMessage, keep keeper, follow follower) (result core.ToolResult, err error) {
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
		parts[i] = c.text
		if c.uri != "" && follow != nil {
			c.base64 = follow(c.uri)
		}
		if c.base64 == "" {
			continue
		}
		file, text := c.keep(keep)
		if parts[i] = strings.TrimPrefix(c.text+"\n"+text, "\n"); file.Path != "" {
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
		result.Text = cmp.Or(result.Text, "it failed and did not say why")
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

// follower reads what is at the uri of a link, in base64; empty: it does not.
type follower func(uri string) (base64 string)

// piece is one of a result's content: text, data, or a link.
type piece struct {
	text         string
	uri          string // of a link
	what         string // an image, audio, a file
	name         string
	kind, base64 string
}

// asWritten is the text of a file: a block of code, but where its type is plain text,
// Markdown or none.
func asWritten(body string, mimeType json.RawMessage) string {
	var kind string
	_ = json.Unmarshal(mimeType, &kind) // none, where it is none
	kind, _, _ = mime.ParseMediaType(kind)
	_, language, _ := strings.Cut(kind, "/")
	if language == "" || language == "plain" || language == "markdown" {
		return body
	}
	return text.Fenced(body, strings.TrimPrefix(language, "x-"))
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
		p = piece{what: "a file", name: get("name"), uri: get("uri")}
		p.text = fmt.Sprintf("[%s: %s]", p.name, p.uri)
	case "resource":
		if o, err = readObject(o["resource"], in+"resource"); err != nil {
			return p, err
		}
		in += "resource."
		if o["blob"] == nil {
			p.text = asWritten(get("text"), o["mimeType"])
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

package author

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/yaap"
)

// Level is how grave a finding is.
type Level string

// The levels of a finding.
const (
	Fine   Level = "ok"     // as it should be
	Advice Level = "advice" // it works, and could be better
	Fault  Level = "fault"  // the room cannot work with it
)

// Finding is something that a check has seen.
type Finding struct {
	Level Level
	Text  string
	Fix   string // what to change; empty where nothing has to be
}

const (
	flood     = 50 // requests at once
	maxChecks = 16 // tools that are looked at
)

// checker looks at one expert.
type checker struct {
	*session
	findings []Finding
	hello    *yaap.ChildHello // nil: an ordinary MCP server
	tools    []listed
}

type listed struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations map[string]any  `json:"annotations"`
}

// Check starts a command and does with it what a room does: it says hello, lists the
// tools, asks for bids, calls, cancels, sends much at once, and ends it. It returns
// what was seen, the last fault last; after one that keeps all else from being tried
// nothing more is. The limit is for each answer, the first included. The error says why
// the command could not be started.
func Check(ctx context.Context, command []string, dir string, limit time.Duration) ([]Finding, error) {
	s, err := start(ctx, command, dir, limit)
	if err != nil {
		return nil, err
	}
	defer s.kill()
	c := &checker{session: s}
	for _, step := range []func(context.Context) bool{c.sayHello, c.list, c.bid, c.answer, c.refuse, c.cancel, c.floods, c.leaves} {
		if !step(ctx) || ctx.Err() != nil {
			break
		}
	}
	c.logs()
	return c.findings, ctx.Err()
}

// logs finds what was printed though it answered: while a tool is called a room takes the
// line for an answer that it cannot read.
func (c *checker) logs() {
	c.mu.Lock()
	defer c.mu.Unlock()
	const mend = "standard output is for messages alone: log to standard error"
	line := safe.Cut(safe.Line(c.beside), 60)
	switch {
	case c.beside == "", slices.ContainsFunc(c.findings, func(f Finding) bool { return f.Level == Fault }):
	case c.amidst:
		c.fault(fmt.Sprintf("it prints %q to standard output while it is called", line), mend)
	default:
		c.note(Advice, fmt.Sprintf("it prints %q to standard output, which a room passes over and others may not", line), mend)
	}
}

func (c *checker) note(level Level, text, mend string) {
	c.findings = append(c.findings, Finding{Level: level, Text: safe.Line(text), Fix: mend})
}

func (c *checker) fault(text, mend string) bool {
	c.note(Fault, text, mend)
	return false
}

// sayHello shakes hands. Most that authors get wrong shows here.
func (c *checker) sayHello(ctx context.Context) bool {
	answer, err := c.ask(ctx, "initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "yaap", "version": "check"},
	})
	if err != nil {
		return c.wrong("hello", err)
	}
	var said struct {
		ProtocolVersion string `json:"protocolVersion"`
		ServerInfo      struct {
			Name string `json:"name"`
		} `json:"serverInfo"`
		Capabilities struct {
			Tools        *struct{}                  `json:"tools"`
			Experimental map[string]json.RawMessage `json:"experimental"`
		} `json:"capabilities"`
	}
	if err := json.Unmarshal(answer, &said); err != nil || said.ProtocolVersion == "" {
		return c.fault("its answer to initialize has no protocolVersion", `answer {"protocolVersion": "2025-11-25", "serverInfo": {...}, "capabilities": {"tools": {}}}`)
	}
	if said.Capabilities.Tools == nil {
		c.note(Fault, "it does not say that it has tools", `add "tools": {} to its capabilities`)
	}
	c.notify("notifications/initialized", map[string]any{})
	raw, ok := said.Capabilities.Experimental[yaap.Capability]
	if !ok {
		c.note(Fine, "it is an ordinary MCP server, "+said.ServerInfo.Name+": it is adopted under the name that it is given", "")
		return true
	}
	c.hello = new(yaap.ChildHello)
	if err := json.Unmarshal(raw, c.hello); err != nil {
		c.hello = nil
		return c.fault("its hello cannot be read: "+yaap.ExplainDecodeError(err), "docs/yaap.md lists the fields of a hello, and their types")
	}
	if c.hello.V != yaap.Version {
		return c.fault(fmt.Sprintf("its hello has v %d", c.hello.V), fmt.Sprintf(`say "v": %d`, yaap.Version))
	}
	if err := c.hello.Check(); err != nil {
		return c.fault(err.Error(), "change its hello; docs/yaap.md has the limits")
	}
	c.note(Fine, "it says hello as "+c.hello.Name, "")
	if len(c.hello.Examples) == 0 {
		c.note(Advice, "its hello has no examples", `add "examples": ["a question that it answers"]: people see them, and questions are found by them`)
	}
	return true
}

// list reads the tools.
func (c *checker) list(ctx context.Context) bool {
	answer, err := c.ask(ctx, "tools/list", map[string]any{})
	if err != nil {
		return c.wrong("tools/list", err)
	}
	var said struct{ Tools []listed }
	if err := json.Unmarshal(answer, &said); err != nil || len(said.Tools) == 0 {
		return c.fault("it lists no tools", `answer tools/list with {"tools": [{"name": ..., "description": ..., "inputSchema": ...}]}`)
	}
	c.tools = slices.DeleteFunc(said.Tools, func(t listed) bool { return t.Name == yaap.ToolBid })
	var names []string
	for _, t := range c.tools[:min(len(c.tools), maxChecks)] {
		names = append(names, t.Name)
		if t.Description == "" {
			c.note(Advice, "its tool "+t.Name+" has no description", "say in words that people use what it does")
		}
		if err := yaap.CheckSchema(t.InputSchema); err != nil {
			c.note(Fault, "its tool "+t.Name+" is not offered: "+err.Error(), `give it an inputSchema: {"type": "object", "properties": {...}}`)
		}
		if acts := c.hello == nil || c.hello.Acts; acts && t.Annotations["readOnlyHint"] != true {
			c.note(Advice, "its tool "+t.Name+" may change something, as far as it says: the user is asked before each call", `add "annotations": {"readOnlyHint": true} if it changes nothing`)
		}
	}
	c.note(Fine, "it has the tools "+strings.Join(names, ", "), "")
	return true
}

// bid asks what it reads in its own examples, and in nonsense.
func (c *checker) bid(ctx context.Context) bool {
	if c.hello == nil || !c.hello.Bids {
		return true
	}
	const nonsense = "flurb the wug of seven dax"
	texts := append(slices.Clone(c.hello.Examples), nonsense)
	began := time.Now()
	bids, err := c.bids(ctx, texts)
	if err != nil {
		return c.wrong("the request for bids", err)
	}
	if len(bids) != len(texts) {
		return c.fault(fmt.Sprintf("its answer to %d texts has %d bids", len(texts), len(bids)), `answer with {"structuredContent": {"bids": [...]}}: a bid for each text in its order, null to decline`)
	}
	for i, b := range bids {
		switch {
		case b == nil && texts[i] != nonsense:
			c.note(Advice, fmt.Sprintf("it declines its own example %q", texts[i]), "bid on what its examples ask")
		case b == nil:
		case b.Score < 0 || b.Score > 1:
			c.note(Fault, fmt.Sprintf("it bids %v on %q", b.Score, texts[i]), "bid 0 to 1")
		case texts[i] == nonsense && b.Score >= 0.5:
			c.note(Fault, fmt.Sprintf("it bids %v on nonsense", b.Score), "bid the share of the words that it reads; null where it reads nothing")
		case texts[i] != nonsense && b.Score > 0 && b.Reads == "":
			c.note(Advice, fmt.Sprintf("it does not say what it reads in %q", texts[i]), `add "reads": "what it is understood as"`)
		}
	}
	if took := time.Since(began); took > 100*time.Millisecond {
		c.note(Advice, fmt.Sprintf("its bids took %d ms; the room waits 100", took.Milliseconds()), "bid by reading alone: look nothing up")
	}
	c.note(Fine, fmt.Sprintf("it bids on %d texts", len(texts)), "")
	return true
}

// bids are those on texts, one for each; what cannot be read has none.
func (c *checker) bids(ctx context.Context, texts []string) ([]*core.Bid, error) {
	var said struct {
		Structured struct{ Bids []*core.Bid } `json:"structuredContent"`
	}
	answer, err := c.call(ctx, yaap.ToolBid, map[string]any{"texts": texts})
	if err == nil {
		_ = json.Unmarshal(answer, &said)
	}
	return said.Structured.Bids, err
}

// call calls a tool.
func (c *checker) call(ctx context.Context, tool string, args map[string]any) (json.RawMessage, error) {
	return c.ask(ctx, "tools/call", map[string]any{"name": tool, "arguments": args})
}

// question is one that the expert should answer, and the tool that it goes to.
func (c *checker) question() (tool, prompt string, ok bool) {
	for _, t := range c.tools {
		var schema struct {
			Required   []string                   `json:"required"`
			Properties map[string]json.RawMessage `json:"properties"`
		}
		_ = json.Unmarshal(t.InputSchema, &schema) // it was checked
		if _, has := schema.Properties["prompt"]; has && len(schema.Required) <= 1 {
			if c.hello != nil && len(c.hello.Examples) > 0 {
				return t.Name, c.hello.Examples[0], true
			}
			return t.Name, "hello", true
		}
	}
	return "", "", false
}

// answer asks a question.
func (c *checker) answer(ctx context.Context) bool {
	tool, prompt, ok := c.question()
	if !ok {
		c.note(Fine, "no tool takes just a prompt: none was called", "")
		return true
	}
	answer, err := c.call(ctx, tool, map[string]any{"prompt": prompt})
	if err != nil {
		return c.wrong(fmt.Sprintf("%q", prompt), err)
	}
	text, failed, ok := readAnswer(answer)
	if !ok {
		return c.fault("its answer to a call has no content", `answer with {"content": [{"type": "text", "text": "..."}]}`)
	}
	if failed {
		c.note(Advice, fmt.Sprintf("it fails on %q: %s", prompt, text), "answer its own example")
		return true
	}
	if c.promised() {
		reply, ok := readReply(text)
		if !ok {
			c.note(Fault, fmt.Sprintf("it promised SACP and answers %q", safe.Cut(text, 60)), `answer with JSON as text: {"status": "success", "message": "...", "data": {...}}, or take "output" out of its hello`)
			return true
		}
		text = reply.Message
	}
	c.note(Fine, fmt.Sprintf("%q is answered: %s", prompt, safe.Cut(safe.Line(text), 60)), "")
	return true
}

// promised reports whether its answers are SACP.
func (c *checker) promised() bool { return c.hello != nil && c.hello.Output == yaap.OutputSACP }

// readAnswer returns the text of the answer to a call, and whether that is a failure.
func readAnswer(answer json.RawMessage) (text string, failed, ok bool) {
	var said struct {
		Content []struct{ Type, Text string }
		IsError bool `json:"isError"`
	}
	if err := json.Unmarshal(answer, &said); err != nil || said.Content == nil {
		return "", false, false
	}
	for _, part := range said.Content {
		text += part.Text
	}
	return text, said.IsError, true
}

// reply is what is looked at of a reply in SACP.
type reply struct{ Status, Message string }

func readReply(text string) (r reply, ok bool) {
	err := json.Unmarshal([]byte(text), &r)
	return r, err == nil && r.Status != ""
}

// refuse asks for what nobody has.
func (c *checker) refuse(ctx context.Context) bool {
	_, err := c.ask(ctx, "yaap/nonsense", map[string]any{})
	switch e := err.(type) { //nolint:errorlint // nobody wraps it
	case nil:
		c.note(Advice, "it answers a method that does not exist", `refuse it: {"error": {"code": -32601, "message": "..."}}`)
	case *refusal:
		if e.Code != -32601 {
			c.note(Advice, fmt.Sprintf("it refuses a method that does not exist with %d", e.Code), "use the code -32601")
		}
	default:
		c.note(Advice, "it does not answer a method that does not exist: whoever asks waits in vain", `refuse it: {"error": {"code": -32601, "message": "..."}}`)
	}
	return true
}

// cancel takes a call back, and looks whether the expert still answers.
func (c *checker) cancel(ctx context.Context) bool {
	if tool, prompt, ok := c.question(); ok {
		id := c.send("tools/call", map[string]any{"name": tool, "arguments": map[string]any{"prompt": prompt}})
		c.notify("notifications/cancelled", map[string]any{"requestId": id, "reason": "a check"})
	}
	if _, err := c.ask(ctx, "tools/list", map[string]any{}); err != nil {
		return c.fault("after a call that was cancelled it answers no more", "pass over notifications/cancelled, or end the call that it names")
	}
	c.note(Fine, "it goes on after a call that was cancelled", "")
	return true
}

// floods sends much at once.
func (c *checker) floods(ctx context.Context) bool {
	var ids []int
	for range flood {
		ids = append(ids, c.send("tools/list", map[string]any{}))
	}
	for _, id := range ids {
		if _, err := c.await(ctx, id); err != nil {
			return c.fault(fmt.Sprintf("of %d requests at once some are not answered", flood), "read line by line until the input ends, and answer each")
		}
	}
	c.note(Fine, fmt.Sprintf("it answers %d requests at once", flood), "")
	return true
}

// leaves closes the input: the expert should end.
func (c *checker) leaves(ctx context.Context) bool {
	c.closeInput()
	if !c.ends(ctx) {
		return c.fault("it goes on when its input has ended", "end when there is nothing more to read: the room is gone then")
	}
	c.note(Fine, "it ends with its input", "")
	return true
}

package server

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/yaap"
)

const (
	streamEvery = 100 * time.Millisecond // while an answer is written
	streamMost  = 2 << 10                // bytes of it that are told at a time
)

// chat are the arguments of the tool chat.
type chat struct {
	Prompt string `json:"prompt"`
	Thread string `json:"thread,omitempty"`
	Depth  int    `json:"depth,omitempty"`
}

// answer is what chat answers: the reply, where to go on, and why the run did
// not end as it should, if it did not.
type answer struct {
	core.Reply
	Thread string    `json:"thread"`
	Code   core.Code `json:"code,omitempty"`
}

// answerSchema is what chat answers: SACP, and where to go on.
const answerSchema = `{"type":"object","required":["status","message","data","thread"],"properties":{
	"status":{"type":"string","description":"success, failure, clarification_needed or completed"},
	"message":{"type":"string"},"data":{"type":"object"},"next_step_hint":{"type":"string"},
	"thread":{"type":"string","description":"goes on with this conversation"},"code":{"type":"string"}}}`

const programThread = "mcp-" // begins the ids of conversations with programs

var threadRule = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)

// ChatSpec is the tool that every room has at /mcp.
func ChatSpec() core.ToolSpec {
	return core.ToolSpec{
		Name: yaap.ToolChat, Description: "Ask the room. Its model calls the experts that are there and answers.",
		Schema: json.RawMessage(`{"type":"object","required":["prompt"],"properties":{"prompt":{"type":"string"},
			"thread":{"type":"string","description":"goes on with a conversation"},
			"depth":{"type":"integer","description":"as it came with the call, when an expert asks"}}}`),
	}
}

// waits says what a run waits with. Nobody answers it here: that is for who sits
// at the room.
func waits(pauses []core.Pause) string {
	texts := make([]string, len(pauses))
	for i, p := range pauses {
		line := strings.TrimSuffix(p.Line(), core.AnswerWord)
		if text := p.NotCalled(); text != "" {
			texts[i] = text + " Who sits at the room can allow it there with " + line + core.AllowOnce + ", or start it with --allow " + p.Call.Tool + "."
			continue
		}
		texts[i] = p.Question
		var options []string
		for j, option := range p.Options {
			options = append(options, fmt.Sprintf("%d %s", j+1, option.Label))
		}
		if len(options) > 0 {
			texts[i] += " (" + strings.Join(options, ", ") + ")"
		}
		texts[i] += " Who sits at the room answers it there with " + p.Line() + "."
	}
	return strings.Join(texts, "\n")
}

// chatTool asks the room. While it answers, a program that wants to know is told who
// is asked, and the answer as far as it is written.
func (s *Server) chatTool() server.ServerTool {
	spec := ChatSpec()
	t := tool(spec.Name, spec.Description, string(spec.Schema), s.chat)
	t.Tool.RawOutputSchema = json.RawMessage(answerSchema)
	t.Tool.Annotations = mcp.ToolAnnotation{Title: "Ask the room", ReadOnlyHint: mcp.ToBoolPtr(false), OpenWorldHint: mcp.ToBoolPtr(true)}
	return t
}

type progressKey struct{}

// messagesTo returns what tells the program that asked, without a measure, how far its call is;
// nil where it does not want to know.
func messagesTo(ctx context.Context) func(message string) {
	tell, _ := ctx.Value(progressKey{}).(func(core.ToolProgress))
	if tell == nil {
		return nil
	}
	return func(message string) { tell(core.ToolProgress{Message: message, Fraction: -1}) }
}

func (s *Server) chat(ctx context.Context, c chat) (any, error) {
	if c.Depth < 0 {
		return nil, yaap.Refuse(yaap.Denied, "depth is %d: it must not be negative", c.Depth)
	}
	if c.Thread == "" {
		c.Thread = s.cfg.Thread()
	}
	// The conversations of the terminal are the user's: what is allowed in
	// one of them is not allowed to a program that knows its id.
	c.Thread = programThread + strings.TrimPrefix(c.Thread, programThread)
	if !threadRule.MatchString(c.Thread) {
		return nil, yaap.Refuse(yaap.BadSchema, "thread is not one that chat has answered with")
	}
	if tell := messagesTo(ctx); tell != nil && s.cfg.Follow != nil {
		defer s.cfg.Follow(c.Thread, (&telling{tell: tell}).hear)()
	}
	got, err := s.cfg.Chat(withProgramAsker(ctx), c.Thread, c.Prompt, c.Depth)
	if err != nil && got.Reply.Status == "" {
		return nil, err
	}
	if len(got.Pauses) > 0 {
		got.Reply.Message = waits(got.Pauses)
	}
	got.Reply.Thought = "" // it stays in the room
	return answer{Reply: got.Reply, Thread: c.Thread, Code: core.CodeOf(err)}, nil
}

// telling makes progress of what is reported of a run. One goroutine calls hear.
type telling struct {
	tell func(string)
	text strings.Builder // of the answer, as far as it is written
	last time.Time
}

func (t *telling) hear(e core.Event) {
	switch b := e.Body.(type) {
	case core.ToolCallStart:
		t.tell(safe.Sprintf("%s is asked", b.Tool))
	case core.ToolCallEnd:
		t.tell(safe.Sprintf("%s: %s", b.Tool, b.Status))
	case core.Delta:
		if b.Field != core.FieldMessage || e.Depth > 0 {
			return
		}
		if b.Reset {
			t.text.Reset()
		}
		t.text.WriteString(b.Text)
		if now := e.Time; now.Sub(t.last) >= streamEvery {
			t.last = now
			t.tell(safe.Prefix(t.text.String(), streamMost))
		}
	default:
	}
}

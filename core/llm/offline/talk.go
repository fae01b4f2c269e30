package offline

import (
	"encoding/json"
	"fmt"
	"strings"

	"yaap/core"
)

// talk is a conversation as the planning sees it.
type talk struct {
	prompt string // what the user said last
	asked  int    // its place among the messages
	made   []made // the calls since then, in order
	rounds int    // in so many turns
	calls  int    // at least as many as ever were made, for unique ids
	said   string // what this model answered since then, if it did
	past   []past // the exchanges before, oldest first
}

// made is a call with what came of it, nil when nothing did.
type made struct {
	call   core.Call
	result *core.ToolResult
}

// past is one exchange that is over.
type past struct {
	prompt string
	made   []made
	reply  *core.Reply
	text   string
}

// lastMade is the last call of an exchange that has one.
func (p past) lastMade() made { return p.made[len(p.made)-1] }

// question is what a call of an exchange asked.
func (m made) question(p past) string {
	if q := promptOf(m.call); q != "" {
		return q
	}
	return p.prompt
}

// askedFor is what the last call of the exchange at was about. Where the expert
// asked the same again, the answer that it got did not help and is left out.
func (t talk) askedFor(at int) string {
	m := t.past[at].lastMade()
	for ; at > 0 && len(t.past[at-1].made) > 0; at-- {
		b := t.past[at-1].lastMade()
		if b.call.Tool != m.call.Tool || b.result == nil || !asks(*b.result) || b.result.Text != m.result.Text ||
			!strings.HasPrefix(promptOf(m.call), strings.TrimRight(promptOf(b.call), " .?!")+": ") {
			break
		}
		m = b
	}
	return m.question(t.past[at])
}

// offers reports whether an expert that asked back named text as an option.
func (m made) offers(text string) bool {
	if m.result == nil || m.result.Reply == nil {
		return false
	}
	options, _ := m.result.Reply.Data["options"].([]any)
	for _, o := range options {
		if s, ok := o.(string); ok && strings.EqualFold(strings.TrimSpace(s), text) {
			return true
		}
	}
	return false
}

// last is the exchange before this one.
func (t talk) last() (past, bool) {
	if len(t.past) == 0 {
		return past{}, false
	}
	return t.past[len(t.past)-1], true
}

// maxPast is how many exchanges are remembered.
const maxPast = 4

func newTalk(messages []core.Message) talk {
	var t talk
	var now past
	asked := false
	for i := range messages {
		switch m := &messages[i]; m.Role {
		case core.RoleTool:
			for j := len(now.made) - 1; j >= 0; j-- {
				if now.made[j].call.ID == m.CallID {
					now.made[j].result = resultOf(m)
					break
				}
			}
		case core.RoleUser:
			if asked {
				t.past = append(t.past, now)
			}
			now, asked, t.asked = past{prompt: m.Text}, true, i
			t.rounds, t.said = 0, ""
		case core.RoleAssistant:
			if len(m.Calls) > 0 {
				t.rounds++
			} else if m.Text != "" {
				t.said, now.text, now.reply = m.Text, m.Text, m.Reply
			}
			for _, c := range m.Calls {
				var n int
				if _, err := fmt.Sscanf(c.ID, "call_%d", &n); err == nil {
					t.calls = max(t.calls, n)
				}
				t.calls++
				now.made = append(now.made, made{call: c})
			}
		}
	}
	if len(t.past) > maxPast {
		t.past = t.past[len(t.past)-maxPast:]
	}
	t.prompt, t.made = strings.TrimSpace(now.prompt), now.made
	return t
}

func resultOf(m *core.Message) *core.ToolResult {
	if m.Result != nil {
		return m.Result
	}
	return &core.ToolResult{Status: core.ToolSuccess, Text: m.Text}
}

// ownReply is the answer this model has already given to the prompt.
func (t talk) ownReply() (string, bool) {
	var reply core.Reply
	if json.Unmarshal([]byte(t.said), &reply) != nil || reply.Status == "" {
		return "", false
	}
	return encode(reply), true
}

// promptOf is the plain question a call asked, if it had one.
func promptOf(c core.Call) string {
	var args map[string]any
	if json.Unmarshal(c.Args, &args) != nil {
		return ""
	}
	if s, ok := args["prompt"].(string); ok {
		return s
	}
	if len(args) == 1 {
		for _, v := range args {
			s, _ := v.(string)
			return s
		}
	}
	return ""
}

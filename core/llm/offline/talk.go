package offline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

const maxPast = 4 // exchanges that are remembered

// talk is a conversation as the planning sees it.
type talk struct {
	exchange            // what the user said last, and the calls since
	asked    int        // its place among the messages
	rounds   int        // of calls since
	calls    int        // at least as many as ever were made, for unique ids
	past     []exchange // those before, the oldest first
}

// exchange is something that the user said, and the calls that it led to.
type exchange struct {
	prompt   string
	more     []string // that was said while it was answered
	attached bool     // files, which nobody reads to this model
	made     []made
}

// made is a call with its result. A call that was cut off is one whose expert left.
type made struct {
	call   core.Call
	result *core.ToolResult
}

func newTalk(messages []core.Message) talk {
	t := talk{asked: -1}
	for i := range messages {
		switch m := &messages[i]; m.Role {
		case core.RoleTool:
			for j := range t.made {
				if t.made[j].call.ID == m.CallID {
					t.made[j].result = resultOf(m)
				}
			}
		case core.RoleUser:
			if m.Steers() && t.asked >= 0 { // it belongs to what was asked
				t.more = append(t.more, strings.TrimSpace(core.WithoutAttached(m.Text)))
				t.attached = t.attached || core.WithoutAttached(m.Text) != m.Text
				continue
			}
			if t.asked >= 0 {
				t.past = append(t.past, t.exchange)
			}
			t.exchange, t.asked, t.rounds = exchange{prompt: strings.TrimSpace(core.WithoutAttached(m.Text))}, i, 0
			t.attached = core.WithoutAttached(m.Text) != m.Text
		case core.RoleAssistant:
			t.rounds += min(1, len(m.Calls))
			for _, c := range m.Calls {
				var n int
				if _, err := fmt.Sscanf(c.ID, "call_%d", &n); err == nil {
					t.calls = max(t.calls, n)
				}
				t.calls++
				cutOff := core.ToolFailure(core.ToolError, core.ToolCodeExpertLeft, "")
				t.made = append(t.made, made{c, &cutOff})
			}
		}
	}
	t.past = t.past[max(0, len(t.past)-maxPast):]
	return t
}

// reason is how the last question was read that an expert was asked by its bid, or empty.
func (t talk) reason() (reason string) {
	for _, e := range t.past {
		for _, m := range e.made {
			if m.call.Bid != nil && m.call.Bid.Reads != "" && m.result.Succeeded() {
				reason = sentence(ownerOf(core.ToolSpec{Name: m.call.Tool}) + " reads " + m.call.Bid.Reads)
			}
		}
	}
	return reason
}

func resultOf(m *core.Message) *core.ToolResult {
	if m.Result != nil {
		return m.Result
	}
	return &core.ToolResult{Status: core.ToolSuccess, Text: m.Text}
}

// question is what a call of an exchange asked.
func (e exchange) question(m made) string {
	return cmp.Or(promptOf(m.call), e.prompt)
}

// promptOf is the plain question a call asked, if it had one.
func promptOf(c core.Call) string {
	var args map[string]any
	_ = json.Unmarshal(c.Args, &args) // what cannot be read has none
	for name, v := range args {
		if s, ok := v.(string); ok && (name == "prompt" || len(args) == 1) {
			return s
		}
	}
	return ""
}

package agent

import (
	"encoding/json"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/sacp"
)

// visibleToModel returns a conversation as the present agent's model is shown it: with what
// that very model thought in this run as that agent, which its provider may need
// again, and with nobody else's thoughts.
func (r *run) visibleToModel(messages []core.Message) []core.Message {
	list := make([]core.Message, len(messages))
	for i, m := range messages {
		own := m.Run == r.Scope.Run && m.Name == r.Scope.Agent && m.Model == r.model.Name() && m.Reply == nil
		if list[i] = withoutThoughts(m); own {
			list[i].Text, list[i].Thinking, list[i].Opaque = m.Text, m.Thinking, m.Opaque
		}
	}
	return list
}

// recent is the end of a conversation, of which tools and those who bid are told.
func recent(messages []core.Message) []core.Message {
	return messages[max(len(messages)-100, 0):]
}

// visibleToAll returns a conversation as anybody may see it.
func visibleToAll(messages []core.Message) []core.Message {
	list := make([]core.Message, len(messages))
	for i, m := range messages {
		list[i] = withoutThoughts(m)
	}
	return list
}

// withoutThoughts returns a message without the thoughts of whoever wrote it.
func withoutThoughts(m core.Message) core.Message {
	m.Thinking, m.Opaque = "", nil
	if m.Result != nil && m.Result.Reply != nil {
		result := *m.Result
		result.Reply = replyWithoutThought(result.Reply)
		m.Result = &result
	}
	switch {
	case m.Role != core.RoleAssistant:
	case m.Reply == nil:
		m.Text = sacp.VisibleText(m.Text)
	case m.Text == m.Reply.Message: // an expert's: it is no JSON
		m.Reply = replyWithoutThought(m.Reply)
	default:
		m.Reply = replyWithoutThought(m.Reply)
		if raw, err := json.Marshal(m.Reply); err == nil {
			m.Text = string(raw)
		} else {
			m.Text = m.Reply.Message
		}
	}
	return m
}

func replyWithoutThought(r *core.Reply) *core.Reply {
	reply := *r
	reply.Thought = ""
	return &reply
}

package agent

import (
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// Compact begins a prompt that has a conversation summed up, and is the name of the
// agent that does it. No expert and no agent of a user can be called so.
const Compact = "/compact"

const maxSummary = 16 << 10 // bytes

// summed is what stands for all up to a message.
func summed(last core.Message, text string) core.Message {
	said := endOfBlock.ReplaceAllString(safe.Prefix(text, maxSummary), "‹$1")
	return core.Message{
		ID: last.ID, Run: last.Run, Role: core.RoleUser, Name: Compact, Time: last.Time,
		Text: "<earlier>\nThis is what was said in this conversation until here, summed up.\n" + strings.TrimSpace(said) + "\n</earlier>",
	}
}

func isSummary(m core.Message) bool { return m.Role == core.RoleUser && m.Name == Compact }

// sinceCompact is a conversation whose beginning was summed up: the summary stands for
// it. A model is shown no more than that.
func sinceCompact(messages []core.Message) []core.Message {
	for i, m := range slices.Backward(messages) {
		if m.Name != Compact || m.Role != core.RoleAssistant || m.Reply == nil || m.Reply.Status != core.StatusSuccess {
			continue
		}
		return append([]core.Message{summed(m, m.Reply.Message)}, messages[i+1:]...)
	}
	return messages
}

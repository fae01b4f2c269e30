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

// sinceCompact is a conversation whose beginning was summed up: the summary stands for
// it. A model is shown no more than that.
func sinceCompact(messages []core.Message) []core.Message {
	isSummary := func(m core.Message) bool {
		return m.Name == Compact && m.Role == core.RoleAssistant && m.Reply != nil && m.Reply.Status == core.StatusSuccess
	}
	for i, m := range slices.Backward(messages) {
		if !isSummary(m) {
			continue
		}
		said := endOfBlock.ReplaceAllString(safe.Prefix(m.Reply.Message, maxSummary), "‹$1")
		m = core.Message{
			ID: m.ID, Run: m.Run, Role: core.RoleUser, Time: m.Time,
			Text: "<earlier>\nThis is what was said in this conversation until here, summed up.\n" + strings.TrimSpace(said) + "\n</earlier>",
		}
		return append([]core.Message{m}, messages[i+1:]...)
	}
	return messages
}

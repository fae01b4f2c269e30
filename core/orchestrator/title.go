package orchestrator

import (
	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const maxTitle = 60 // characters

// title is the first title of a conversation: the beginning of its first prompt.
func title(text string) string { return safe.Cut(safe.Line(core.WithoutAttached(text)), maxTitle) }

// Package prompts holds the texts that yaap's agents are instructed with.
package prompts

import "embed"

//go:embed orchestrator.md
var orchestrator string

// Orchestrator is the prompt of the agent that answers in the room.
func Orchestrator() string { return orchestrator }

//go:embed default/chat/*.md
var chat embed.FS

// Chat returns a prompt of the memory agent: entry_capture, summary or context.
// It is empty when there is none of that name.
func Chat(name string) string {
	text, err := chat.ReadFile("default/chat/" + name + "_prompt.md")
	if err != nil {
		return ""
	}
	return string(text)
}

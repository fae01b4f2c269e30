// Package prompts holds the texts that yaap's agents are instructed with.
package prompts

import _ "embed"

//go:embed orchestrator.md
var orchestrator string

// Orchestrator is the prompt of the agent that answers in the room.
func Orchestrator() string { return orchestrator }

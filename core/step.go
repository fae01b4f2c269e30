package core

import (
	"fmt"
	"strings"
	"time"
)

// StepStatus is how far a [Step] is.
type StepStatus string

// The statuses of a step.
const (
	StepInProgress StepStatus = "in_progress"
	StepCompleted  StepStatus = "completed"
	StepFailed     StepStatus = "failed"
)

// Step is an event as a step of reasoning, in the terms of Xyne's trace, which has
// eleven types.
type Step struct {
	ID        string     `json:"stepId"`
	Type      string     `json:"type"`
	Summary   string     `json:"stepSummary"`
	Status    StepStatus `json:"status"`
	Time      time.Time  `json:"timestamp"`
	Iteration int        `json:"iteration,omitempty"`
	// OfIteration says that the summary is that of a whole turn.
	OfIteration bool `json:"isIterationSummary,omitempty"`
}

// StepOf reads an event as a step; ok is false for one that is none. What an answer
// says is in none of them.
func StepOf(e Event) (s Step, ok bool) {
	s = Step{ID: fmt.Sprintf("%s/%d", e.Run, e.Seq), Status: StepCompleted, Time: e.Time, Iteration: e.Turn}
	switch b := e.Body.(type) {
	case TurnStart:
		s.Type, s.Summary, s.Status = "iteration", fmt.Sprintf("turn %d begins", e.Turn), StepInProgress
	case BidsMade:
		s.Type, s.Summary = "analyzing_query", fmt.Sprintf("%d experts read the question", len(b.Experts))
	case LLMCallStart:
		s.Type, s.Summary, s.Status = "planning", b.Model+" decides what to do", StepInProgress
	case ToolRequests:
		names := make([]string, len(b.Calls))
		for i, c := range b.Calls {
			names[i] = c.Tool
		}
		s.Type, s.Summary = "tool_selected", "it chose "+strings.Join(names, ", ")
	case BeforeToolExecution:
		s.Type, s.Summary = "tool_parameters", "what "+b.Tool+" is given"
	case ToolCallStart:
		s.Type, s.Summary, s.Status = "tool_executing", b.Tool+" works", StepInProgress
	case ToolCallEnd:
		s.Type, s.Summary = "tool_result", b.Tool+" answered"
		if b.Status != ToolSuccess {
			s.Summary, s.Status = b.Tool+" failed", StepFailed
		}
	case Retry:
		s.Type, s.Summary, s.Status = "broadening_search", "once more: "+b.Reason, StepInProgress
	case OutputParse:
		if b.Status != "fail" {
			return Step{}, false
		}
		s.Type, s.Summary, s.Status = "validation_error", b.Error, StepFailed
	case FinalOutput:
		s.Type, s.Summary = "synthesis", "it answered with "+string(b.Reply.Status)
		if b.Reply.Status == StatusFailure {
			s.Status = StepFailed
		}
	case AssistantMessage:
		if b.Calls == 0 || b.Text == "" {
			return Step{}, false
		}
		s.Type, s.Summary = "log_message", b.Text
	case IterationSummary:
		s.Type, s.Summary, s.OfIteration = "log_message", b.Text, true
	default:
		return Step{}, false
	}
	return s, true
}

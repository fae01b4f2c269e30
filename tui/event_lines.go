package tui

import (
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
)

// describe is the gist of an event.
func describe(b core.Body) string {
	var s string
	switch b := b.(type) {
	case core.RunStart:
		s = b.Runner + "  " + b.Prompt
	case core.RunEnd:
		s = b.Outcome + "  " + tookMS(b.MS)
		if b.Error != "" {
			s = b.Outcome + "  " + b.Error
		}
	case core.AgentProcessing:
		s = count(len(b.Tools), "tool") + ", " + count(b.Messages, "message")
	case core.LLMCallStart:
		s = b.Model + "  " + count(b.Tools, "tool")
	case core.LLMCallEnd:
		s = strings.TrimSpace(b.Reason + "  " + tookMS(b.MS) + "  " + b.Error)
	case core.TokenUsage:
		if modelName(b.Model) != "" { // the embedded one has none
			s = short(b.Usage.Total()) + " tokens"
		}
	case core.AssistantMessage:
		s = b.Text
	case core.ToolRequests:
		s = count(len(b.Calls), "call")
	case core.BeforeToolExecution:
		s = b.Tool
	case core.ToolCallStart:
		s = b.Tool + "  " + runlog.Asked(b.Args)
	case core.ToolCallProgress:
		s = b.Message
	case core.ToolCallEnd:
		s = b.Tool + "  " + tookMS(b.MS)
		if b.Status != core.ToolSuccess {
			s = b.Tool + "  " + b.Text
		}
	case core.ToolResultsToLLM:
		s = count(len(b.Calls), "result")
	case core.FinalOutput:
		s = string(b.Reply.Status)
	case core.MemoryOperation:
		s = b.Operation + " " + b.Status
	case core.OutputParse:
		s = strings.TrimSpace(b.Status + " " + b.Error)
	case core.SACPRepaired:
		s = strings.Join(b.Steps, "  ")
	case core.Retry:
		s = b.Operation + "  " + b.Reason
	case core.ExpertJoined:
		s = b.Name + "  " + b.Transport
	case core.ExpertLeft:
		s = b.Name + "  " + b.Detail
		if b.Detail == "" {
			s += string(b.Reason)
		}
	case core.ExpertChanged:
		s = b.Name + "  " + strings.Join(b.Changed, "  ")
	case core.ExpertStatus:
		s = b.Name + "  " + string(b.State) + "  " + b.Message
	case core.ExpertLogged:
		s = b.Name + "  " + b.Level + "  " + b.Text
	case core.Notice:
		s = b.Text
	default:
		s = describeChain(b)
	}
	return gist(s)
}

// gist makes what describes an event safe, each part for itself: they stay two
// blanks apart.
func gist(s string) string {
	parts := strings.Split(s, "  ")
	for i, part := range parts {
		parts[i] = safe.Line(part)
	}
	first, rest, ok := strings.Cut(strings.Join(parts, "  "), "  ")
	if first = safe.Cut(first, 120); !ok {
		return first
	}
	return strings.TrimRight(first+"  "+safe.Cut(rest, 200), " ")
}

func eventTone(b core.Body) tone {
	switch b := b.(type) {
	case core.ExpertJoined:
		return toneGood
	case core.ExpertLeft:
		return toneBad
	case core.Retry, core.SACPRepaired, core.SACPFallback, core.DecodeError, core.ChainPaused, core.ClarificationRequested,
		core.Fallback, core.HandoffDenied, core.GuardrailViolation, core.ApprovalRequested, core.ElicitationRequested:
		return toneAsk
	case core.GuardrailCheck:
		switch {
		case b.Error != "":
			return toneBad
		case !b.Valid:
			return toneAsk
		}
	case core.HookRan:
		if b.Decision == core.HookDeny || b.Decision == core.HookFail {
			return toneAsk
		}
	case core.ApprovalGiven:
		if b.Decision == core.Deny {
			return toneAsk
		}
		return toneGood
	case core.NodeEnd:
		if b.State == core.NodeFailed {
			return toneBad
		}
	case core.RunEnd:
		switch {
		case runlog.Waits(b):
			return toneAsk
		case b.Outcome != "completed":
			return toneBad
		}
	case core.ToolCallEnd:
		switch b.Status {
		case core.ToolSuccess:
		case core.ToolWaiting:
			return toneAsk
		default:
			return toneBad
		}
	case core.Notice:
		if b.Level == "error" {
			return toneBad
		}
	default:
	}
	return toneQuiet
}

// describeChain is the gist of an event of a chain.
func describeChain(b core.Body) string {
	switch b := b.(type) {
	case core.NodeStart:
		s := b.Node
		if b.Visit > 1 {
			s += "  visit " + itoa(b.Visit)
		}
		if b.Attempt > 1 {
			s += "  attempt " + itoa(b.Attempt)
		}
		return s
	case core.NodeEnd:
		s := b.Node + "  " + string(b.State)
		if b.Error != "" {
			s += "  " + b.Error
		}
		return s
	case core.EdgeTaken:
		s := safe.Sprintf("%s > %s", b.From, b.To)
		if !b.Taken {
			s = safe.Sprintf("%s not %s", b.From, b.To)
		}
		return strings.TrimSpace(s + "  " + because(b) + "  " + b.Problem)
	case core.ChainPaused:
		return b.Node + "  " + b.Pause.Question
	case core.ChainResumed:
		if b.Answer != nil {
			return b.Node + "  " + b.Answer.Text
		}
		return b.Node
	case core.ClarificationRequested:
		return b.Question
	case core.ClarificationProvided:
		return b.Selected
	case core.DecodeError:
		return strings.Join(b.Errors, "; ")
	default:
		return describeAgent(b)
	}
}

// describeAgent is the gist of an event about who answers, and what may be done.
func describeAgent(b core.Body) string {
	switch b := b.(type) {
	case core.IterationSummary:
		return b.Text
	case core.BidsMade:
		return count(len(b.Experts), "expert") + ", " + count(len(b.Texts), "text")
	case core.ContextFitted:
		if b.Summed > 0 {
			return safe.Sprintf("%s  %d summed up for %d tokens", b.Model, b.Summed, b.Budget)
		}
		return safe.Sprintf("%s  %d left out, %d shortened for %d tokens", b.Model, b.LeftOut, b.Shortened, b.Budget)
	case core.Steered:
		return b.Text
	case core.TodoChanged:
		return todoLine(b.Items)
	case core.Fallback:
		return safe.Sprintf("%s > %s  %s", b.From, b.To, b.Reason)
	case core.Handoff:
		return safe.Sprintf("%s > %s  %s", b.From, b.To, b.Reason)
	case core.HandoffDenied:
		return safe.Sprintf("%s not %s  %s", b.From, b.To, b.Reason)
	case core.HookRan:
		what := strings.TrimSpace(string(b.Event) + " " + b.Tool)
		return strings.TrimSuffix(safe.Sprintf("%s  %s by %s: %s", what, b.Decision, b.Hook, b.Reason), ": ")
	case core.GuardrailCheck:
		s := safe.Sprintf("%s %s", b.Guardrail, b.Stage)
		switch {
		case b.Error != "":
			s += "  failed: " + b.Error
		case b.Valid:
			s += "  clean"
		default:
			s += "  found"
		}
		return s
	case core.GuardrailViolation:
		return safe.Sprintf("%s %s  %s: %s", b.Guardrail, b.Stage, b.Verdict, b.Reason)
	case core.ApprovalRequested:
		return callName(b.Tool, b.Expert) + "  " + b.Reason
	case core.ApprovalGiven:
		return decisionWords(b.Decision, false) + "  by " + b.By
	case core.Sampled:
		line := safe.Sprintf("%s asked %s: %s  %d tokens, %d left", b.Expert, b.Model, b.Prompt, b.Usage.Total(), b.Left)
		if b.Error != "" {
			line = safe.Sprintf("%s was refused the model: %s", b.Expert, b.Error)
		}
		return line
	case core.ElicitationRequested:
		return b.Expert + "  " + b.Message
	case core.ElicitationAnswered:
		return b.Expert + "  " + b.Action
	default:
	}
	return ""
}

package tui

import (
	"yaap/core"
	"yaap/core/safe"
)

// describeAgent is the gist of an event about who answers, and what may be done.
func describeAgent(b core.Body) string {
	switch b := b.(type) {
	case core.IterationSummary:
		return b.Text
	case core.BidsMade:
		return count(len(b.Experts), "expert") + ", " + count(len(b.Texts), "text")
	case core.Fallback:
		return safe.Sprintf("%s > %s  %s", b.From, b.To, b.Reason)
	case core.Handoff:
		return safe.Sprintf("%s > %s  %s", b.From, b.To, b.Reason)
	case core.HandoffDenied:
		return safe.Sprintf("%s not %s  %s", b.From, b.To, b.Reason)
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
		return decisionWords(b.Decision) + "  by " + b.By
	default:
	}
	return ""
}

// agentTone is the tone of such an event.
func agentTone(b core.Body) tone {
	switch b := b.(type) {
	case core.Fallback, core.HandoffDenied, core.GuardrailViolation, core.ApprovalRequested:
		return toneAsk
	case core.GuardrailCheck:
		switch {
		case b.Error != "":
			return toneBad
		case !b.Valid:
			return toneAsk
		}
	case core.ApprovalGiven:
		if b.Decision == core.Deny {
			return toneAsk
		}
		return toneGood
	default:
	}
	return toneQuiet
}

package agent

import "github.com/yaap-chat/yaap/core"

// Propagation says how much is reported of a run below another one.
type Propagation string

// What may be reported. What the user is asked, what guards find, and what models take is
// reported in any case.
const (
	TellAll     Propagation = "all"
	TellSummary Propagation = "summary" // that it begins and ends, who has it, and what it answers
	TellNone    Propagation = "none"
)

// Propagations are all of them.
func Propagations() []Propagation { return []Propagation{TellAll, TellSummary, TellNone} }

// Sink is s for a run of which only that is reported; empty: all.
func (p Propagation) Sink(s core.Sink) core.Sink {
	if p != TellSummary && p != TellNone {
		return s
	}
	return quiet{s, p}
}

type quiet struct {
	core.Sink
	tells Propagation
}

// Emit implements [core.Sink]. An event that is not reported has no number, and is not
// stored.
func (q quiet) Emit(scope core.Scope, b core.Body) core.Event {
	switch b.(type) {
	case core.RunStart, core.RunEnd, core.FinalOutput, core.Handoff, core.HandoffDenied:
		if q.tells == TellNone {
			return core.Event{}
		}
	case core.LLMCallStart, core.LLMCallEnd, core.TokenUsage, core.Fallback, core.GuardrailViolation,
		core.ApprovalRequested, core.ApprovalGiven, core.ClarificationRequested, core.ClarificationProvided:
	default:
		return core.Event{}
	}
	return q.Sink.Emit(scope, b)
}

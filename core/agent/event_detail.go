package agent

import "github.com/yaap-chat/yaap/core"

// EventDetail says how much is reported of a run below another one.
type EventDetail string

// What may be reported. What the user is asked, what guards find, and what models take is
// reported in any case.
const (
	ReportAll     EventDetail = "all"
	ReportSummary EventDetail = "summary" // that it begins and ends, who has it, and what it answers
	ReportNone    EventDetail = "none"
)

// EventDetails returns the three of them.
func EventDetails() []EventDetail { return []EventDetail{ReportAll, ReportSummary, ReportNone} }

// Sink is s for a run of which only that is reported; empty: all.
func (p EventDetail) Sink(s core.Sink) core.Sink {
	if p != ReportSummary && p != ReportNone {
		return s
	}
	return quiet{s, p}
}

type quiet struct {
	core.Sink
	tells EventDetail
}

// Emit implements [core.Sink]. An event that is not reported has no number, and is not
// stored.
func (q quiet) Emit(scope core.Scope, b core.Body) core.Event {
	switch b.(type) {
	case core.RunStart, core.RunEnd, core.FinalOutput, core.Handoff, core.HandoffDenied:
		if q.tells == ReportNone {
			return core.Event{}
		}
	case core.LLMCallStart, core.LLMCallEnd, core.TokenUsage, core.Fallback, core.GuardrailViolation, core.Steered,
		core.ApprovalRequested, core.ApprovalGiven, core.ClarificationRequested, core.ClarificationProvided:
	default:
		return core.Event{}
	}
	return q.Sink.Emit(scope, b)
}

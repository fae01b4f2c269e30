package core

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// Sink takes events.
type Sink interface {
	// Emit stamps b with the next number and the time and reports it to every
	// reader. It never blocks and never fails. The stamped event is returned
	// so that it can be stored with the step it belongs to.
	Emit(s Scope, b Body) Event
}

// Event is something that happened. Within a room Seq rises strictly and every
// number is accounted for: a merged [Delta] carries the range it stands for.
type Event struct {
	Seq  uint64
	Time time.Time
	Scope
	Body Body
}

// Type is the event's name as in its JSON.
func (e Event) Type() string { return e.Body.eventType() }

type wireEvent struct {
	Seq  uint64    `json:"seq,omitzero"`
	Time time.Time `json:"time,omitzero"`
	Scope
	Type string `json:"type"`
	Data any    `json:"data"`
}

// MarshalJSON writes the envelope with the body under "data".
func (e Event) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireEvent{Seq: e.Seq, Time: e.Time, Scope: e.Scope, Type: e.Type(), Data: e.Body})
}

// UnmarshalJSON reads what MarshalJSON writes. An unknown type is an error.
func (e *Event) UnmarshalJSON(b []byte) error {
	var raw json.RawMessage
	w := wireEvent{Data: &raw}
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	read, ok := readers()[w.Type]
	if !ok {
		return fmt.Errorf("unknown event type %q", w.Type)
	}
	body, err := read(raw)
	if err != nil {
		return err
	}
	*e = Event{Seq: w.Seq, Time: w.Time, Scope: w.Scope, Body: body}
	return nil
}

// IsTransient reports whether an event is for those who look on only, and is not stored: what
// is on its way, and what says no more than that something begins or is well.
func IsTransient(b Body) bool {
	switch b := b.(type) {
	case Delta, ToolCallProgress:
		return true
	case OutputParse:
		return b.Error == ""
	case MemoryOperation:
		return b.Status == "start"
	default:
		return false
	}
}

// A reader reads the body of an event of one type.
type reader func(raw json.RawMessage) (Body, error)

// readers are those of all events, by their types. A new event has its row here.
//
//nolint:gochecknoglobals // never changes
var readers = sync.OnceValue(func() map[string]reader {
	all := map[string]reader{}
	for _, add := range []func(map[string]reader){
		reads[RunStart],
		reads[RunEnd],
		reads[AgentProcessing],
		reads[TurnStart],
		reads[TurnEnd],
		reads[LLMCallStart],
		reads[LLMCallEnd],
		reads[TokenUsage],
		reads[Delta],
		reads[AssistantMessage],
		reads[ToolRequests],
		reads[BeforeToolExecution],
		reads[ToolCallStart],
		reads[ToolCallProgress],
		reads[ToolCallEnd],
		reads[ToolResultsToLLM],
		reads[FinalOutput],
		reads[MemoryOperation],
		reads[OutputParse],
		reads[SACPRepaired],
		reads[SACPFallback],
		reads[Retry],
		reads[ExpertJoined],
		reads[ExpertLeft],
		reads[ExpertChanged],
		reads[ExpertStatus],
		reads[ExpertLogged],
		reads[Notice],
		reads[IterationSummary],
		reads[BidsMade],
		reads[Fallback],
		reads[ContextFitted],
		reads[TodoChanged],
		reads[Steered],
		reads[Handoff],
		reads[HandoffDenied],
		reads[HookRan],
		reads[GuardrailCheck],
		reads[GuardrailViolation],
		reads[Sampled],
		reads[ElicitationRequested],
		reads[ElicitationAnswered],
		reads[ApprovalRequested],
		reads[ApprovalGiven],
		reads[NodeStart],
		reads[NodeEnd],
		reads[EdgeTaken],
		reads[ChainPaused],
		reads[ChainResumed],
		reads[ClarificationRequested],
		reads[ClarificationProvided],
		reads[DecodeError],
	} {
		add(all)
	}
	return all
})

func reads[B Body](all map[string]reader) {
	var zero B
	all[zero.eventType()] = func(raw json.RawMessage) (Body, error) {
		b := zero
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &b); err != nil {
				return nil, fmt.Errorf("event %s: %w", b.eventType(), err)
			}
		}
		return b, nil
	}
}

package core

import (
	"encoding/json"
	"fmt"
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

type wireEvent struct {
	Seq  uint64    `json:"seq"`
	Time time.Time `json:"time"`
	Scope
	Type string `json:"type"`
	Data any    `json:"data"`
}

// MarshalJSON writes the envelope with the body under "data".
func (e Event) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireEvent{Seq: e.Seq, Time: e.Time, Scope: e.Scope, Type: e.Body.Type(), Data: e.Body})
}

// UnmarshalJSON reads what MarshalJSON writes. An unknown type is an error.
func (e *Event) UnmarshalJSON(b []byte) error {
	var raw json.RawMessage
	w := wireEvent{Data: &raw}
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	body, err := decodeBody(w.Type, raw)
	if err != nil {
		return err
	}
	*e = Event{Seq: w.Seq, Time: w.Time, Scope: w.Scope, Body: body}
	return nil
}

func decode[B Body](raw json.RawMessage) (Body, error) {
	var b B
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &b); err != nil {
			return nil, fmt.Errorf("event %s: %w", b.Type(), err)
		}
	}
	return b, nil
}

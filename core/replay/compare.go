package replay

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
)

// Difference is the first event that is not as it was recorded. One of the two is nil where there is no such event.
type Difference struct {
	At       int // its place among the recorded events that are compared, from 1; 0: it is one more
	Recorded *core.Event
	Now      *core.Event
	Fields   []Field // that are others
}

// Field is a part of an event, as JSON.
type Field struct{ Name, Recorded, Now string }

// compared is an event as it is compared.
type compared struct {
	event core.Event
	lane  string // events of one lane have one order
	value map[string]any
}

// Compare returns the first difference between the events that were recorded and those of a rerun, nil where there is none, and how
// many are the same. Times, numbers and what tokens cost do not count. Events of calls and runs that go on at the same time have no
// order between them.
func (r *Recording) Compare(again []core.Event) (first *Difference, same int, err error) {
	recorded, err := r.lanes(r.Events)
	if err != nil {
		return nil, 0, err
	}
	events := make([]Event, len(again))
	for i, e := range again {
		e, _ = guard.Clean(e) // as those that were recorded
		events[i].Event = e
		if events[i].Line, err = json.Marshal(e); err != nil {
			return nil, 0, err
		}
	}
	now, err := r.lanes(events)
	if err != nil {
		return nil, 0, err
	}
	left := map[string][]compared{}
	for _, c := range now {
		left[c.lane] = append(left[c.lane], c)
	}
	for i, c := range recorded {
		if len(left[c.lane]) == 0 {
			return &Difference{At: i + 1, Recorded: &recorded[i].event}, i, nil
		}
		other := left[c.lane][0]
		left[c.lane] = left[c.lane][1:]
		if fields := differ("", c.value, other.value); len(fields) > 0 {
			return &Difference{At: i + 1, Recorded: &recorded[i].event, Now: &other.event, Fields: fields}, i, nil
		}
	}
	for i, c := range now {
		if rest := left[c.lane]; len(rest) > 0 && reflect.DeepEqual(rest[0].value, c.value) {
			return &Difference{Now: &now[i].event}, len(recorded), nil
		}
	}
	return nil, len(recorded), nil
}

// lanes are the events that are compared: those of runs, without what those said of themselves who are not called again. What was
// streamed is one event for each request and field.
func (r *Recording) lanes(events []Event) (list []compared, err error) {
	streams := map[string]*strings.Builder{}
	for _, e := range events {
		if e.Run == "" || r.answered(e.Run) {
			continue
		}
		if _, streams := e.Body.(core.Delta); core.IsTransient(e.Body) && !streams {
			continue
		}
		lane := e.Run
		switch b := e.Body.(type) {
		case core.BidsMade, core.Sampled, core.ExpertLogged, core.ElicitationRequested, core.ElicitationAnswered:
			continue
		case core.Delta:
			if r.stored { // it has none
				continue
			}
			key := e.Run + "\n" + b.Stream + "\n" + b.Field
			if streams[key] == nil || b.Reset {
				streams[key] = new(strings.Builder)
			}
			streams[key].WriteString(b.Text)
			continue
		case core.LLMCallEnd:
			list = append(list, streamed(streams, e, b.Call)...)
		case core.GuardrailCheck, core.GuardrailViolation:
			if r.Masked { // what it found is not in the file
				continue
			}
		default:
		}
		value, err := normal(e)
		if err != nil {
			return nil, err
		}
		data, _ := value["data"].(map[string]any)
		switch e.Body.(type) {
		case core.GuardrailCheck, core.GuardrailViolation, core.BeforeToolExecution, core.ToolCallStart, core.ToolCallEnd, core.ApprovalRequested,
			core.NodeStart, core.NodeEnd, core.EdgeTaken, core.ChainPaused: // of calls and nodes there are several at a time
			lane += fmt.Sprint("\n", data["call"], "\n", data["node"], "\n", data["from"])
		default:
		}
		if _, asks := e.Body.(core.ApprovalRequested); asks && r.stored { // what a tool said of itself is not kept
			delete(data, "claims")
			delete(data, "reason")
		}
		list = append(list, compared{e.Event, lane, value})
	}
	return list, nil
}

// answered reports whether a run is one by which an expert came to an answer that was recorded: it is not made again.
func (r *Recording) answered(run string) bool {
	for i := strings.IndexByte(run, '/'); i >= 0 && i < len(run); {
		call := run[i+1:]
		n := strings.IndexByte(call, '/')
		if n >= 0 {
			call = call[:n]
		}
		if x := r.Results[(core.Scope{Run: run[:i]}).CallKey(call)]; len(x) > 0 && !x[0].told {
			return true
		}
		if n < 0 {
			return false
		}
		i += 1 + n
	}
	return false
}

// streamed is what was streamed of a request that has ended.
func streamed(streams map[string]*strings.Builder, end Event, call string) (list []compared) {
	for _, field := range []string{core.FieldThought, core.FieldText, core.FieldMessage} {
		key := end.Run + "\n" + call + "\n" + field
		if text := streams[key]; text != nil && text.Len() > 0 {
			e := end.Event
			e.Body = core.Delta{Stream: call, Field: field, Text: text.String()}
			list = append(list, compared{e, end.Run, map[string]any{"type": "delta", "stream": call, "field": field, "text": text.String()}})
		}
		delete(streams, key)
	}
	return list
}

// normal is an event without what is another each time.
func normal(e Event) (map[string]any, error) {
	var all map[string]any
	if err := core.DecodeJSON(e.Line, &all); err != nil {
		return nil, err
	}
	for _, name := range []string{"seq", "time", "thread"} {
		delete(all, name)
	}
	data, _ := all["data"].(map[string]any)
	for _, asked := range []string{"pause", "answer"} {
		if of, ok := data[asked].(map[string]any); ok {
			delete(of, "time")
		}
	}
	for _, name := range []string{"ms", "delay_ms", "usage", "rev", "budget"} {
		delete(data, name)
	}
	if _, ok := e.Body.(core.AssistantMessage); ok {
		delete(data, "id")
	}
	return all, nil
}

// differ are the fields that two values do not share.
func differ(name string, a, b any) (fields []Field) {
	was, ok := a.(map[string]any)
	now, too := b.(map[string]any)
	if !ok || !too {
		if reflect.DeepEqual(a, b) {
			return nil
		}
		return []Field{{name, written(a), written(b)}}
	}
	keys := map[string]bool{}
	for key := range was {
		keys[key] = true
	}
	for key := range now {
		keys[key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		fields = append(fields, differ(strings.TrimPrefix(name+"."+key, "."), was[key], now[key])...)
	}
	return fields
}

func written(v any) string {
	if v == nil {
		return "nothing"
	}
	raw, _ := json.Marshal(v) // it was JSON
	return string(raw)
}

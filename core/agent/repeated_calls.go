package agent

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/yaap-chat/yaap/core"
)

const (
	warnAtRepeats = 3 // times that the same call has had the same result, the model is told so
	endAtRepeats  = 5 // times that the same call is asked for, the run ends
)

// repeats counts how often a call has been asked for in this run, this time included, with
// the same result each time, and that result. One whose results differ, as when it waits
// for something, begins anew.
func (r *run) repeats(c core.Call) (n int, result string) {
	n = 1
	for i := len(r.messages) - 1; i >= r.first; i-- {
		for _, before := range r.messages[i].Calls {
			if before.ID == c.ID || before.Tool != c.Tool || !sameJSON(before.Args, c.Args) {
				continue
			}
			got, ok := r.resultOf(before.ID)
			if !ok {
				continue
			}
			if n > 1 && got != result {
				return n, result
			}
			n, result = n+1, got
		}
	}
	return n, result
}

func (r *run) resultOf(call string) (string, bool) {
	for _, m := range r.messages[r.first:] {
		if m.CallID == call && m.Result != nil {
			return m.Result.Text, true
		}
	}
	return "", false
}

// sameJSON compares two JSON texts but for the space that JSON does not need.
func sameJSON(a, b json.RawMessage) bool {
	const space = " \t\r\n"
	quoted, escaped := false, false
	for {
		if !quoted {
			a, b = bytes.TrimLeft(a, space), bytes.TrimLeft(b, space)
		}
		if len(a) == 0 || len(b) == 0 || a[0] != b[0] {
			return len(a)+len(b) == 0
		}
		switch {
		case escaped:
			escaped = false
		case a[0] == '"':
			quoted = !quoted
		default:
			escaped = a[0] == '\\'
		}
		a, b = a[1:], b[1:]
	}
}

// warnRepeated adds to the message of a result what the model is told when it asks for the
// same too often.
func (r *run) warnRepeated(c core.Call, m core.Message) core.Message {
	if n, before := r.repeats(c); n >= warnAtRepeats && m.Result.Text == before {
		m.Text += fmt.Sprintf("\n[the program: this call was made %d times, and its answer is the same. Answer with what you have, or ask for something else.]", n)
	}
	return m
}

// endRepeated ends a run whose model asks for the same again and again, with this answer.
func (r *run) endRepeated(calls []core.Call) (answer, bool) {
	for _, c := range calls {
		if n, _ := r.repeats(c); n >= endAtRepeats {
			text := fmt.Sprintf("I asked %s for the same thing %d times and got the same answer, so I stopped.", c.Tool, n-1)
			return r.foundSoFar(text, "the model went in circles"), true
		}
	}
	return answer{}, false
}

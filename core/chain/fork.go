package chain

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

// Steps tells people what the steps of a run were, from the first on.
func Steps(saved core.Saved) ([]string, error) {
	records, err := readRecords(saved.Steps)
	if err != nil {
		return nil, err
	}
	steps := make([]string, len(records))
	for i, rec := range records {
		steps[i] = rec.String()
		if i > 0 && rec.Begin != nil {
			steps[i] = "goes on with a changed file"
		}
	}
	return steps, nil
}

func (r record) String() string {
	if r.Begin != nil {
		return "began with " + text(r.Begin.Given)
	}
	s := fmt.Sprintf("%s, visit %d", r.Node, r.Visit)
	if r.Item != nil {
		s += fmt.Sprintf(", item %d", *r.Item+1)
	}
	if r.Attempt > 1 {
		s += fmt.Sprintf(", attempt %d", r.Attempt)
	}
	switch {
	case r.Reopened:
		s += ": done again, because the run was resumed"
	case r.Again != "":
		s += ": again, because " + r.Again
	case r.Pause != "":
		s += ": asked the user"
	case r.Fault != "":
		s += ": " + r.Fault
	case r.Reply != nil:
		s += fmt.Sprintf(": %s: %s", r.Reply.Status, r.Reply.Message)
	}
	return s
}

// Fork takes over what a run did up to and including a step, with changes:
// input.NAME=VALUE, or NODE.data.KEY=VALUE for the last reply of a node within
// these steps. VALUE is JSON, or else text. What it returns are the steps of
// another run.
func Fork(saved core.Saved, at int, sets []string) ([]json.RawMessage, error) {
	records, err := readRecords(saved.Steps)
	if err != nil {
		return nil, err
	}
	if at < 1 || at > len(records) {
		return nil, core.Fail(core.CodeInvalid, fmt.Sprintf("there is no step %d: the run has %d", at, len(records)),
			"yaap chain fork "+saved.Run.ID+" lists them")
	}
	records = records[:at]
	answers := map[string]string{}
	for _, a := range saved.Answers {
		answers[a.Pause] = a.Text
	}
	begin := *records[0].Begin
	begin.From = fmt.Sprintf("%s@%d", saved.Run.ID, at)
	records[0].Begin = &begin
	for i := range records {
		records[i].Answer = answers[records[i].Pause]
	}
	last := len(records) - 1
	kept := records[:0]
	for i, rec := range records {
		if rec.Pause == "" || i < last && rec.Answer != "" { // else it asks anew
			kept = append(kept, rec)
		}
	}
	records = kept
	for _, s := range sets {
		if err := change(records, s); err != nil {
			return nil, core.Fail(core.CodeInvalid, err.Error(), "for example: --set input.question=… or --set researcher.data.score=0.9")
		}
	}
	steps := make([]json.RawMessage, len(records))
	for i, rec := range records {
		if steps[i], err = json.Marshal(rec); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

// change applies one change to the records of a fork.
func change(records []record, set string) error {
	path, raw, ok := strings.Cut(set, "=")
	keys := strings.Split(path, ".")
	if !ok || len(keys) < 2 {
		return fmt.Errorf("%q is not a change", set)
	}
	var value any
	if core.DecodeJSON([]byte(raw), &value) != nil {
		value = raw
	}
	if keys[0] == "input" {
		g := &records[0].Begin.Given
		if g.Args == nil {
			g.Args = map[string]any{}
		}
		return put(g.Args, keys[1:], value)
	}
	for i := len(records) - 1; i > 0; i-- {
		rec := &records[i]
		if rec.Node != keys[0] || rec.Reply == nil || rec.Again != "" || rec.Pause != "" || rec.Reopened {
			continue
		}
		switch {
		case keys[1] == "data" && len(keys) > 2:
			if rec.Reply.Data == nil {
				rec.Reply.Data = map[string]any{}
			}
			return put(rec.Reply.Data, keys[2:], value)
		case keys[1] == "message" && len(keys) == 2:
			rec.Reply.Message = text(value)
			return nil
		case keys[1] == "status" && len(keys) == 2:
			status, ok := core.ParseStatus(text(value))
			if !ok {
				return fmt.Errorf("%q is no status", text(value))
			}
			rec.Reply.Status = status
			return nil
		}
		return fmt.Errorf("%s: only data, message and status of a reply can be changed", path)
	}
	return fmt.Errorf("%s has given no reply within these steps", keys[0])
}

// put sets a value below an object; objects on the way are made.
func put(in map[string]any, keys []string, value any) error {
	for _, key := range keys[:len(keys)-1] {
		next, ok := in[key].(map[string]any)
		if !ok {
			if in[key] != nil {
				return fmt.Errorf("%s is no object", key)
			}
			next = map[string]any{}
			in[key] = next
		}
		in = next
	}
	in[keys[len(keys)-1]] = value
	return nil
}

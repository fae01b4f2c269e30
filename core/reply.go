package core

import "strings"

// Status is the SACP status of a [Reply].
type Status string

// The statuses an agent may answer with.
const (
	StatusSuccess       Status = "success"
	StatusFailure       Status = "failure"
	StatusClarification Status = "clarification_needed"
	StatusCompleted     Status = "completed" // ends a chain successfully at once
)

// ParseStatus reads a status as an agent wrote it: case and space around it do
// not matter, and the usual aliases are understood. It reports false for
// anything else.
func ParseStatus(s string) (Status, bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "success", "ok", "done":
		return StatusSuccess, true
	case "failure", "failed", "error", "retry_with_instruction":
		return StatusFailure, true
	case "clarification_needed", "needs_input":
		return StatusClarification, true
	case "completed":
		return StatusCompleted, true
	}
	return "", false
}

// Reply is an agent's answer in the Standard Agent Communication Protocol
// (SACP section 2). Thought is for people and the audit log: it is never given
// to another agent and never mapped. Extra keeps unknown keys; they are never
// routed on. Numbers in Data are json.Number or float64.
type Reply struct {
	Thought      string         `json:"thought"`
	Status       Status         `json:"status"`
	Data         map[string]any `json:"data"`
	Message      string         `json:"message"`
	NextStepHint string         `json:"next_step_hint,omitempty"`
	Extra        map[string]any `json:"extra,omitempty"`
}

// DataUnanswered is what a reply that answers a part of what was asked has in its data:
// the end of its message, which says what has no answer, and why.
const DataUnanswered = "unanswered"

// Parts are the message of a reply in two: what it answers, and what it says of the
// rest. One that answers all, or nothing, has no rest.
func (r Reply) Parts() (answered, rest string) {
	rest, _ = r.Data[DataUnanswered].(string)
	answered, ends := strings.CutSuffix(r.Message, rest)
	if answered = strings.TrimSpace(answered); !ends || rest == "" || answered == "" {
		return r.Message, ""
	}
	return answered, rest
}

// Options are what a reply that asks back offers: texts, or objects with a label.
func (r Reply) Options() (options []Option) {
	list, _ := r.Data["options"].([]any)
	for _, v := range list {
		switch v := v.(type) {
		case string:
			options = append(options, Option{Label: v})
		case map[string]any:
			label, ok := v["label"].(string)
			if !ok {
				label, _ = v["value"].(string)
			}
			options = append(options, Option{Label: label})
		}
	}
	return options
}

// retryKey marks a reply in Extra.
const retryKey = "retry_with_instruction"

// Retry reports whether the reply said retry_with_instruction: in a chain it
// sends the work back to whoever did it before. Outside a chain it is the
// failure that its status says.
func (r Reply) Retry() bool { return r.Extra[retryKey] == true }

// MarkRetry is for whoever reads a reply's status as it was written.
func (r *Reply) MarkRetry(status string) {
	if strings.ToLower(strings.TrimSpace(status)) == retryKey {
		r.mark(retryKey)
	}
}

// cutOffKey marks a reply in Extra.
const cutOffKey = "cut_off"

// CutOff reports whether the reply is the beginning of one that reached the limit of its
// model.
func (r Reply) CutOff() bool { return r.Extra[cutOffKey] == true }

// MarkCutOff is for whoever knows that.
func (r *Reply) MarkCutOff() { r.mark(cutOffKey) }

func (r *Reply) mark(key string) {
	if r.Extra == nil {
		r.Extra = map[string]any{}
	}
	r.Extra[key] = true
}

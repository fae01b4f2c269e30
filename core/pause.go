package core

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// PauseKind says what a [Pause] asks for.
type PauseKind string

// What may be asked of the user.
const (
	PauseClarification PauseKind = "clarification" // an agent needs to know more
	PauseApproval      PauseKind = "approval"      // a tool may only be used when the user says so
	PauseElicitation   PauseKind = "elicitation"   // an expert needs something that only the user knows, while it is called
)

// Pause is a question to the user that a run waits with. It is stored with the
// step that asked, and waits for as long as it takes, over restarts. Question
// and Options come from a model or an expert: untrusted text.
type Pause struct {
	ID       string          `json:"id"`   // Run "#" what asks in it: the same question has the same id when it is reached again
	Run      string          `json:"run"`  // the run that asks
	Root     string          `json:"root"` // the root run, which the answer lets go on
	Thread   string          `json:"thread"`
	Kind     PauseKind       `json:"kind"`
	From     string          `json:"from"` // the node or agent that asks
	Question string          `json:"question"`
	Options  []Option        `json:"options,omitempty"` // to choose from; none: any text
	Lapses   bool            `json:"lapses,omitempty"`  // a prompt that is none of Options gives the run up, and is asked itself
	Schema   json.RawMessage `json:"schema,omitempty"`  // JSON Schema of the answer's Data
	URL      string          `json:"url,omitempty"`     // PauseElicitation: the page where the user is to go on, in place of a schema
	Call     *Call           `json:"call,omitempty"`    // PauseApproval: what waits to be allowed
	Tool     ToolSpec        `json:"tool,omitzero"`     // PauseApproval: that is called, as it was when the user was asked
	Time     time.Time       `json:"time"`

	// Fingerprint is that of Tool, whatever of it is masked where p is stored.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Ref names p to the user: the root run and, behind a colon, what tells p from
// the other questions of that run. It is made of the ids alone, so it stays.
func (p Pause) Ref() string {
	return cmp.Or(p.Root, p.Run) + ":" + Hash(p.ID)[:8]
}

// AnswerWord stands in [Pause.Line] for what the user answers.
const AnswerWord = "ANSWER"

// Line is what the user types in the chat to answer p.
func (p Pause) Line() string { return "/chain answer " + p.Ref() + " " + AnswerWord }

// About reports whether tool is what the user was asked about, and as it was then.
func (p Pause) About(tool ToolSpec) bool {
	return p.Fingerprint == "" || p.Fingerprint == tool.Fingerprint()
}

// NotCalled says what would have been called, for who cannot be asked: empty
// where p does not ask whether something may be called.
func (p Pause) NotCalled() string {
	if p.Kind != PauseApproval || p.Call == nil {
		return ""
	}
	return "Not called: " + p.Call.Tool + " " + string(p.Call.Args) + ". It may only be called when the user allows it; it " + p.Tool.Claims.claimed() + "."
}

// Option is one thing to choose.
type Option struct {
	ID    string   `json:"id"`
	Label string   `json:"label"`
	Also  []string `json:"also,omitempty"` // other words that choose it: "yes"
}

// Chosen is the option that text names by its id, its label, its number or another of its
// words; nil where there is none. A call is allowed once by "yes", and denied by "no".
func (p Pause) Chosen(text string) *Option {
	text = strings.TrimSpace(text)
	for i, o := range p.Options {
		if slices.ContainsFunc(append([]string{o.ID, o.Label}, o.Also...), func(w string) bool { return strings.EqualFold(w, text) }) || text == strconv.Itoa(i+1) {
			return &p.Options[i]
		}
	}
	if p.Kind != PauseApproval {
		return nil
	}
	yes := slices.Contains([]string{"yes", "y", "ok", "allow", "ja", "sí", "si"}, strings.ToLower(text))
	no := slices.Contains([]string{"no", "n", "stop", "cancel", "wait", "nein"}, strings.ToLower(text))
	i := slices.IndexFunc(p.Options, func(o Option) bool { return yes && o.ID != Deny || no && o.ID == Deny })
	if i < 0 {
		return nil
	}
	return &p.Options[i]
}

// What may be chosen where a [PauseApproval] waits, as an [Option]'s id. With
// an allowance the answer's Data, where there is some, is what the call is made
// with instead.
const (
	AllowOnce    = "allow"
	AllowSession = "session" // this tool in this conversation; without one, until the program ends
	AllowAlways  = "always"  // this tool, in this directory
	Deny         = "deny"
)

// What may be answered to a [PauseElicitation]. Accept gives the answer's Data
// where the pause has a schema, and agrees to visit its URL where it has one.
const (
	Accept  = "accept"
	Decline = "decline"
)

// Answer is what the user says to a [Pause]. The first one that is stored wins.
type Answer struct {
	Pause string          `json:"pause"`
	Text  string          `json:"text"`           // as the user wrote it, or the label of the option
	ID    string          `json:"id,omitempty"`   // of the option that was chosen
	Data  json.RawMessage `json:"data,omitempty"` // where the pause has a schema
	By    string          `json:"by,omitempty"`   // user, or the program that answered
	Time  time.Time       `json:"time"`
}

// Asker asks the user on behalf of somebody who cannot be told the answer later:
// another program that calls the room.
type Asker interface {
	// Ask blocks until the user has answered; a no is an answer. It fails with
	// [CodeRefused] where nobody does, and at once where nobody can. The id and
	// the time of p are set by it, and so are the options of an approval that
	// has none.
	Ask(ctx context.Context, p Pause) (Answer, error)
}

type askerKey struct{}

// WithAsker returns a context whose calls have their experts ask that one, in place
// of the user of the room: the program that called is another one.
func WithAsker(ctx context.Context, a Asker) context.Context {
	return context.WithValue(ctx, askerKey{}, a)
}

// AskerOf is who is asked while a call lasts; nil: the user of the room.
func AskerOf(ctx context.Context) Asker {
	a, _ := ctx.Value(askerKey{}).(Asker)
	return a
}

// Package hook runs the commands that the user wants run before and after a call and
// at the end of a turn. A command reads one JSON object and answers with one: it may
// deny, or change what it was shown. No model, expert or project can set one.
package hook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	// DefaultTimeout is how long a hook may take that says nothing about it.
	DefaultTimeout = 30 * time.Second

	maxReason = 2 << 10 // bytes of what a hook says for people and models
	maxName   = 60      // letters of a command where it is named
)

// Hook is a command of the user's.
type Hook struct {
	Match   string        `yaml:"match"`   // which tools and experts it is for, at the end of a turn which agents, as [path.Match] has it; empty: all
	Command []string      `yaml:"command"` // run without a shell
	Timeout time.Duration `yaml:"timeout"` // 0: DefaultTimeout
}

// Name is the hook for people.
func (h Hook) Name() string { return safe.Cut(safe.Line(strings.Join(h.Command, " ")), maxName) }

// matches reports whether a hook is for one of the names.
func (h Hook) matches(names ...string) bool {
	return h.Match == "" || slices.ContainsFunc(names, func(name string) bool {
		ok, err := path.Match(h.Match, name)
		return ok && err == nil && name != ""
	})
}

// Set are the hooks of a room. A nil one has none. Its methods may be called from any
// goroutine.
type Set struct {
	Hooks map[core.HookEvent][]Hook
	Dir   string   // where they run
	Env   []string // all variables that they are given
}

// Input is what a hook is given as JSON on its standard input.
type Input struct {
	Event  core.HookEvent `json:"event"`
	Thread string         `json:"thread"`
	Run    string         `json:"run"`
	Agent  string         `json:"agent"`
	Turn   int            `json:"turn"` // 0: an expert is asked without a model

	// Of a call.
	Call   string          `json:"call,omitempty"`
	Tool   string          `json:"tool,omitempty"`
	Expert string          `json:"expert,omitempty"` // that has the tool
	Args   json.RawMessage `json:"args,omitempty"`
	Result *Result         `json:"result,omitempty"` // after the call

	// Of a turn's end.
	Outcome string      `json:"outcome,omitempty"` // goes_on, answered, waits or failed
	Status  core.Status `json:"status,omitempty"`  // of the answer
	Message string      `json:"message,omitempty"` // the answer, or what it failed with
}

// NewInput is the input of a hook of a run.
func NewInput(event core.HookEvent, scope core.Scope) Input {
	return Input{Event: event, Thread: scope.Thread, Run: scope.Run, Agent: scope.Agent, Turn: scope.Turn}
}

// ToolInput is the input of a hook of a call.
func ToolInput(event core.HookEvent, tool core.ToolSpec, c core.Call) Input {
	m := NewInput(event, c.Scope)
	m.Call, m.Tool, m.Expert, m.Args = c.ID, tool.Name, tool.Owner, c.Args
	return m
}

// Refusal is what comes of a call that a hook denies, for whoever made it. what says
// what that means for the call.
func Refusal(what, why string) core.ToolResult {
	return core.ToolFailure(core.ToolPermissionDenied, core.ToolCodePermissionDenied, what+": a hook of the user denies it: "+cmp.Or(why, "it gives no reason"))
}

// Result is the result of a call as a hook reads it.
type Result struct {
	Status core.ToolStatus `json:"status"`
	Code   core.ToolCode   `json:"code,omitempty"`
	Text   string          `json:"text"`
	Data   map[string]any  `json:"data,omitempty"`
}

// Has reports whether there is a hook for it.
func (s *Set) Has(m Input) bool { return s != nil && len(s.of(m)) > 0 }

func (s *Set) of(m Input) []Hook {
	if s == nil {
		return nil
	}
	var list []Hook
	for _, h := range s.Hooks[m.Event] {
		if m.Event == core.HookTurnEnd && h.matches(m.Agent) || m.Event != core.HookTurnEnd && h.matches(m.Tool, m.Expert) {
			list = append(list, h)
		}
	}
	return list
}

// Verdict is what the hooks for an input decided.
type Verdict struct {
	Input           // as they left it
	Changed bool    // it is another than the one that was asked about
	Denied  *string // why it must not be; nil: it may
}

// Run runs the hooks of a moment one after the other, each with what the one before
// made of it, until one denies. It reports each. A hook that fails denies the call that
// it stands before; at other moments it changes nothing. When ctx ends the hook that
// runs is killed, and what it was asked about is denied.
func (s *Set) Run(ctx context.Context, m Input, report func(core.HookRan)) Verdict {
	v := Verdict{Input: m}
	for _, h := range s.of(m) {
		start := time.Now()
		said, err := s.ask(ctx, h, v.Input)
		if ctx.Err() != nil {
			why := "it was cut off while the hook " + h.Name() + " ran"
			v.Denied = &why
			return v
		}
		ran := core.HookRan{Hook: h.Name(), Event: m.Event, Call: m.Call, Tool: m.Tool, Decision: core.HookAllow, Reason: said.Reason, MS: time.Since(start).Milliseconds()}
		switch {
		case err != nil:
			ran.Decision = core.HookFail
			ran.Reason = fmt.Sprintf("%v. Mend it, or take it out of hooks: in the configuration file", err)
			if m.Event == core.HookBeforeTool {
				ran.Decision, ran.Reason = core.HookDeny, "the hook failed: "+ran.Reason
			}
		case said.Decision == core.HookDeny:
			ran.Decision = core.HookDeny
		case said.Remark != "":
			ran.Decision, ran.Reason = core.HookRemark, said.Remark
		case v.take(said):
			ran.Decision, v.Changed = core.HookChange, true
		}
		ran.Reason = safe.Prefix(safe.Text(ran.Reason), maxReason)
		report(ran)
		if ran.Decision == core.HookDeny {
			v.Denied = &ran.Reason
			return v
		}
	}
	return v
}

// AfterCall runs the hooks after a call with its result, and returns the result that they
// make of it, and whether it is another one. The result of a call before ctx ended is kept as it
// is.
func (s *Set) AfterCall(ctx context.Context, m Input, result core.ToolResult, report func(core.HookRan)) (core.ToolResult, bool) {
	if ctx.Err() != nil || !s.Has(m) {
		return result, false
	}
	m.Result = &Result{Status: result.Status, Code: result.Code, Text: result.Text, Data: result.Data}
	v := s.Run(ctx, m, report)
	switch {
	case ctx.Err() != nil, v.Denied == nil && !v.Changed:
		return result, false
	case v.Denied != nil:
		return Refusal("the call was made, and what it answered is held back", *v.Denied), true
	}
	result.Text, result.Data = v.Result.Text, v.Result.Data
	if result.Reply != nil {
		reply := *result.Reply
		reply.Message, reply.Data, reply.Extra = result.Text, result.Data, nil
		result.Reply = &reply
	}
	return result, true
}

// answer is what a hook may say.
type answer struct {
	Decision core.HookDecision `json:"decision"` // allow or deny
	Reason   string            `json:"reason"`
	Args     json.RawMessage   `json:"args"`
	Text     *string           `json:"text"`
	Data     map[string]any    `json:"data"`
	Remark   string            `json:"remark"`
}

// keys are what a hook of an event may answer.
func keys(event core.HookEvent) []string {
	switch event {
	case core.HookBeforeTool:
		return []string{"decision", "reason", "args"}
	case core.HookAfterTool:
		return []string{"decision", "reason", "text", "data"}
	}
	return []string{"remark"}
}

// read reads what a hook printed. Nothing allows; what is not understood is an error,
// so that no slip of the pen allows what was to be denied.
func read(event core.HookEvent, printed []byte) (said answer, err error) {
	if len(bytes.TrimSpace(printed)) == 0 {
		return said, nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(printed, &all); err != nil || all == nil {
		return said, fmt.Errorf("it printed %q, which is no JSON object", safe.Prefix(safe.Line(string(printed)), 100))
	}
	for key := range all {
		if !slices.Contains(keys(event), key) {
			return said, fmt.Errorf("it answered %q: %s takes %s", safe.Cut(safe.Line(key), 40), event, strings.Join(keys(event), ", "))
		}
	}
	if err := json.Unmarshal(printed, &said); err != nil {
		return answer{}, fmt.Errorf("its answer cannot be read: %s", safe.Line(err.Error()))
	}
	switch said.Decision {
	case "", core.HookAllow, core.HookDeny:
	default:
		return answer{}, fmt.Errorf("it decided %q: there are allow and deny", safe.Cut(safe.Line(string(said.Decision)), 40))
	}
	if string(said.Args) == "null" {
		said.Args = nil
	}
	if said.Args != nil && said.Args[0] != '{' {
		return answer{}, fmt.Errorf("its args are no JSON object")
	}
	return said, nil
}

// take makes the moment what a hook says of it, and reports whether it is another now.
func (v *Verdict) take(said answer) bool {
	var changed bool
	if said.Args != nil && !sameJSON(said.Args, v.Args) {
		v.Args, changed = said.Args, true
	}
	if v.Result == nil {
		return changed
	}
	result := *v.Result
	if said.Text != nil && *said.Text != result.Text {
		result.Text, changed = *said.Text, true
	}
	if said.Data != nil {
		result.Data, changed = said.Data, true
	}
	v.Result = &result
	return changed
}

// sameJSON reports whether two texts are the same value.
func sameJSON(a, b json.RawMessage) bool {
	var values [2]any
	if json.Unmarshal(a, &values[0]) != nil || json.Unmarshal(b, &values[1]) != nil {
		return false
	}
	one, err := json.Marshal(values[0])
	other, wrong := json.Marshal(values[1])
	return err == nil && wrong == nil && bytes.Equal(one, other)
}

package core

import "encoding/json"

// IterationSummary says in one line the outcome of a turn. It comes before the
// turn's end, and never changes what is done.
type IterationSummary struct {
	Text string `json:"text"`
}

func (IterationSummary) eventType() string { return "iteration_summary" }

// ContextFitted says that a model is not shown all of the conversation, which is more
// than it can read.
type ContextFitted struct {
	Model     string `json:"model"`
	Budget    int    `json:"budget"`              // tokens that there are for the conversation
	LeftOut   int    `json:"left_out,omitempty"`  // questions at its beginning that are left out
	Shortened int    `json:"shortened,omitempty"` // results that are shortened
	Summed    int    `json:"summed,omitempty"`    // questions at its beginning that the model has just summed up
}

func (ContextFitted) eventType() string { return "context_fitted" }

// The statuses of a [TodoItem].
const (
	TodoPending = "pending"
	TodoBegun   = "in_progress"
	TodoDone    = "done"
)

// TodoItem is what a model means to do in a run.
type TodoItem struct {
	Text   string `json:"text"`
	Status string `json:"status"` // one of those above
}

// TodoChanged is the list of what a model means to do, whole.
type TodoChanged struct {
	Items []TodoItem `json:"items"`
}

func (TodoChanged) eventType() string { return "todo_changed" }

// Fallback says that another model answers from here on.
type Fallback struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Reason string `json:"reason"`
}

func (Fallback) eventType() string { return "fallback" }

// BidsMade says what the experts read in the texts that they were sent before one
// is called.
type BidsMade struct {
	Texts   []string `json:"texts"`
	Experts []Bids   `json:"experts"`
}

func (BidsMade) eventType() string { return "bids" }

// Steered says that a run has taken in what the user said while it went on: the next
// request to the model has it.
type Steered struct {
	ID   string `json:"id"` // of the message
	Text string `json:"text"`
}

func (Steered) eventType() string { return "steered" }

// Handoff says that another agent has the conversation now. Returned: the one
// that was called is done, and the caller has it back.
type Handoff struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Reason   string `json:"reason,omitempty"`
	Returned bool   `json:"returned,omitempty"`
}

func (Handoff) eventType() string { return "handoff" }

// HandoffDenied says that an agent may not hand the conversation to another.
type HandoffDenied struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Reason string `json:"reason"`
}

func (HandoffDenied) eventType() string { return "handoff_denied" }

// HookEvent is when a command of the user's is run.
type HookEvent string

// The events that have hooks.
const (
	HookBeforeTool HookEvent = "before_tool" // a call is about to be made
	HookAfterTool  HookEvent = "after_tool"  // a call came to its result
	HookTurnEnd    HookEvent = "turn_end"    // a turn is over
)

// HookEvents are all of them.
func HookEvents() []HookEvent { return []HookEvent{HookBeforeTool, HookAfterTool, HookTurnEnd} }

// HookDecision is the decision of a hook.
type HookDecision string

// The decisions of a hook.
const (
	HookAllow  HookDecision = "allow"  // nothing is another way than without it
	HookDeny   HookDecision = "deny"   // the call is not made, or its result is held back
	HookChange HookDecision = "change" // the arguments or the result are others now
	HookRemark HookDecision = "remark" // the user is told something
	HookFail   HookDecision = "fail"   // it failed, and nothing is another way than without it
)

// HookRan says that a hook was run, and what it decided.
type HookRan struct {
	Hook     string       `json:"hook"` // its command
	Event    HookEvent    `json:"event"`
	Call     string       `json:"call,omitempty"` // at a tool's events
	Tool     string       `json:"tool,omitempty"`
	Decision HookDecision `json:"decision"`
	Reason   string       `json:"reason,omitempty"` // in its own words, or what it failed with; the remark
	MS       int64        `json:"ms"`
}

func (HookRan) eventType() string { return "hook_ran" }

// GuardStage is where something is looked at before it goes on.
type GuardStage string

// The four stages.
const (
	GuardInput  GuardStage = "input"        // what the user says
	GuardArgs   GuardStage = "tool_args"    // what a tool is given
	GuardResult GuardStage = "tool_results" // what a tool answers
	GuardOutput GuardStage = "output"       // the answer
)

// GuardrailCheck says that a text was checked, and the outcome.
type GuardrailCheck struct {
	Guardrail string     `json:"guardrail"` // secrets, personal or injection
	Stage     GuardStage `json:"stage"`
	Call      string     `json:"call,omitempty"` // at a tool's stages
	Valid     bool       `json:"valid"`
	Error     string     `json:"error,omitempty"` // the detector failed; what it looked at is blocked
}

func (GuardrailCheck) eventType() string { return "guardrail_check" }

// GuardrailViolation says what a guardrail did about what it found. The words
// that it found are not in it.
type GuardrailViolation struct {
	Guardrail string     `json:"guardrail"`
	Stage     GuardStage `json:"stage"`
	Call      string     `json:"call,omitempty"`
	Reason    string     `json:"reason"`  // the kinds of what was found, and how many
	Verdict   string     `json:"verdict"` // redact, block or force_failure
}

func (GuardrailViolation) eventType() string { return "guardrail_violation" }

// Sampled says that an expert has used the model of the room while it was called.
type Sampled struct {
	Expert string `json:"expert"`
	Model  string `json:"model,omitempty"`
	Prompt string `json:"prompt"` // what it asked last, cut
	Usage  Usage  `json:"usage,omitzero"`
	Left   int    `json:"left"`            // tokens that it may use until yaap closes
	Error  string `json:"error,omitempty"` // why it got no answer
}

func (Sampled) eventType() string { return "sampled" }

// ElicitationRequested says that an expert needs something of the user, and waits.
// Its texts are the expert's.
type ElicitationRequested struct {
	Pause   string          `json:"pause"` // its id: what an [Answer] names
	Expert  string          `json:"expert"`
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"schema,omitempty"` // of what is to be filled in
	URL     string          `json:"url,omitempty"`    // of the page that is to be visited
}

func (ElicitationRequested) eventType() string { return "elicitation_requested" }

// ElicitationAnswered says what the user did about it. What was filled in is the
// expert's alone.
type ElicitationAnswered struct {
	Pause  string `json:"pause"`
	Expert string `json:"expert"`
	Action string `json:"action"` // accept, decline, or cancel where nobody answered
}

func (ElicitationAnswered) eventType() string { return "elicitation_answered" }

// ApprovalRequested says that something waits until the user allows it.
type ApprovalRequested struct {
	Pause  string          `json:"pause"` // its id: what an [Answer] names
	Call   string          `json:"call,omitempty"`
	Tool   string          `json:"tool"`
	Expert string          `json:"expert,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"`
	Reason string          `json:"reason"`
	Claims string          `json:"claims,omitempty"` // what its owner says of its effects, in words

	Options []Option `json:"options,omitempty"` // the answers that the user may give
}

func (ApprovalRequested) eventType() string { return "approval_requested" }

// ApprovalGiven says what the user decided.
type ApprovalGiven struct {
	Pause    string          `json:"pause"`
	Call     string          `json:"call,omitempty"`
	Decision string          `json:"decision"`       // allow, session or deny
	Args     json.RawMessage `json:"args,omitempty"` // where the user changed them
	By       string          `json:"by,omitempty"`
}

func (ApprovalGiven) eventType() string { return "approval_given" }

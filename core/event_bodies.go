package core

import "encoding/json"

// Body is what an [Event] reports. Every *Start has exactly one *End on every
// path: error, cancel and panic included.
//
// The order within a run that answers with one round of tools is
//
//	run_start memory_operation(load)
//	  agent_processing turn_start llm_call_start delta… llm_call_end token_usage
//	    assistant_message tool_requests
//	    { before_tool_execution tool_call_start tool_call_progress… tool_call_end }…
//	    tool_results_to_llm iteration_summary turn_end
//	  agent_processing turn_start llm_call_start delta… llm_call_end token_usage
//	    output_parse assistant_message final_output iteration_summary turn_end
//	memory_operation(store) run_end
//
// where the events of calls that run at the same time interleave.
//
//sumtype:decl
type Body interface {
	eventType() string
}

// RunStart opens a run.
type RunStart struct {
	Runner  string `json:"runner"` // agent/NAME or expert/NAME
	Prompt  string `json:"prompt"`
	Files   []File `json:"files,omitempty"` // the pictures that are attached
	Resumed bool   `json:"resumed,omitempty"`
}

func (RunStart) eventType() string { return "run_start" }

// RunEnd closes a run.
type RunEnd struct {
	Outcome string `json:"outcome"`          // completed, interrupted or error
	Code    Code   `json:"code,omitempty"`   // why it is not completed
	Error   string `json:"error,omitempty"`  // the same in words
	Hint    string `json:"hint,omitempty"`   // what to do next
	Status  Status `json:"status,omitempty"` // of the reply, where there is one
	Turns   int    `json:"turns"`
	Usage   Usage  `json:"usage"`
	MS      int64  `json:"ms"`
}

func (RunEnd) eventType() string { return "run_end" }

// AgentProcessing reports what the next turn works with.
type AgentProcessing struct {
	Messages int      `json:"messages"`
	Tools    []string `json:"tools"`
	Rev      uint64   `json:"rev"` // the room's revision the tools were taken at
	Model    string   `json:"model"`
	MaxTurns int      `json:"max_turns"`
	Handoffs []string `json:"handoffs,omitempty"` // agents that it may hand over to
}

func (AgentProcessing) eventType() string { return "agent_processing" }

// TurnStart opens a turn; its number is in the scope.
type TurnStart struct{}

func (TurnStart) eventType() string { return "turn_start" }

// TurnEnd closes a turn.
type TurnEnd struct{}

func (TurnEnd) eventType() string { return "turn_end" }

// LLMCallStart opens one request to a model. A turn has more than one when a
// request is retried or the answer has to be asked for again; what an earlier
// one of the same turn streamed is then void.
type LLMCallStart struct {
	Call    string `json:"call"` // names the request; Delta.Stream refers to it
	Model   string `json:"model"`
	Tools   int    `json:"tools"`
	Purpose string `json:"purpose,omitempty"` // answer, synthesis, repair, or empty for the tool loop
}

func (LLMCallStart) eventType() string { return "llm_call_start" }

// LLMCallEnd closes a request to a model.
type LLMCallEnd struct {
	Call   string `json:"call"`
	Reason string `json:"reason,omitempty"` // stop, length, tool_calls
	Usage  Usage  `json:"usage"`
	MS     int64  `json:"ms"`
	Error  string `json:"error,omitempty"`

	// What was streamed before it failed or was cancelled: it was read by then.
	Thought string `json:"thought,omitempty"`
	Text    string `json:"text,omitempty"`
}

func (LLMCallEnd) eventType() string { return "llm_call_end" }

// TokenUsage is the running total of the run.
type TokenUsage struct {
	Usage Usage  `json:"usage"`
	Model string `json:"model"`
}

func (TokenUsage) eventType() string { return "token_usage" }

// Fields of a [Delta].
const (
	FieldThought = "thought" // reasoning, for people to read
	FieldMessage = "message" // the answer as the user will read it
	FieldText    = "text"    // text that is not (yet) known to be the answer
)

// Delta is text as it arrives. It is not stored. While a reader is busy,
// adjacent deltas of the same stream and field are merged into one that stands
// for the numbers FirstSeq to LastSeq. Reset says that what the stream gave of the
// field before is void: the model said it again, or meant something else.
type Delta struct {
	Stream   string `json:"stream"` // LLMCallStart.Call
	Field    string `json:"field"`
	Text     string `json:"text"`
	Reset    bool   `json:"reset,omitempty"`
	FirstSeq uint64 `json:"first_seq,omitempty"`
	LastSeq  uint64 `json:"last_seq,omitempty"`
}

func (Delta) eventType() string { return "delta" }

// AssistantMessage is what the model said in a turn, whole.
type AssistantMessage struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Calls int    `json:"calls,omitempty"`
}

func (AssistantMessage) eventType() string { return "assistant_message" }

// ToolRequests lists the calls a model asked for, in its order.
type ToolRequests struct {
	Calls []Call `json:"calls"`
}

func (ToolRequests) eventType() string { return "tool_requests" }

// BeforeToolExecution comes before a call is made or refused; Args are those
// that will be used.
type BeforeToolExecution struct {
	Call   string          `json:"call"`
	Tool   string          `json:"tool"`
	Expert string          `json:"expert,omitempty"`
	Args   json.RawMessage `json:"args"`
}

func (BeforeToolExecution) eventType() string { return "before_tool_execution" }

// ToolCallStart opens a call.
type ToolCallStart struct {
	Call   string          `json:"call"`
	Tool   string          `json:"tool"`
	Expert string          `json:"expert,omitempty"`
	Args   json.RawMessage `json:"args"`
	Key    string          `json:"key,omitempty"`   // what the expert knows the call by: [Scope.CallKey]
	Again  bool            `json:"again,omitempty"` // it was made before, and it is not known whether it was answered
}

func (ToolCallStart) eventType() string { return "tool_call_start" }

// ToolCallProgress is what a tool says while it works.
type ToolCallProgress struct {
	Call     string  `json:"call"`
	Message  string  `json:"message,omitempty"`
	Fraction float64 `json:"fraction"` // 0 to 1, negative when unknown
}

func (ToolCallProgress) eventType() string { return "tool_call_progress" }

// ToolCallEnd closes a call.
type ToolCallEnd struct {
	Call   string     `json:"call"`
	Tool   string     `json:"tool"`
	Expert string     `json:"expert,omitempty"`
	Status ToolStatus `json:"status"`
	Code   ToolCode   `json:"code,omitempty"`
	Text   string     `json:"text"` // the answer or the error, shortened for people
	Files  []File     `json:"files,omitempty"`
	MS     int64      `json:"ms"`
}

func (ToolCallEnd) eventType() string { return "tool_call_end" }

// ToolResultsToLLM says that the results were put before the model.
type ToolResultsToLLM struct {
	Calls []string `json:"calls"` // in the order the model sees them
}

func (ToolResultsToLLM) eventType() string { return "tool_results_to_llm" }

// FinalOutput is the answer of a run.
type FinalOutput struct {
	Reply    Reply `json:"reply"`
	Fallback bool  `json:"fallback,omitempty"` // put together from what was gathered, not written by the model
}

func (FinalOutput) eventType() string { return "final_output" }

// MemoryRecord is the operation of the memory agent: it has made entries of messages.
const MemoryRecord = "record"

// MemoryOperation reports loading and storing the conversation, and that the memory
// agent has recorded some of it, which happens in no run.
type MemoryOperation struct {
	Operation string `json:"operation"` // load, store or record
	Status    string `json:"status"`    // start, end or fail
	Messages  int    `json:"messages,omitempty"`
	Error     string `json:"error,omitempty"`
	// Noted are the runs whose prompts told something that is worth keeping, of what was
	// recorded. They hold the words: an event that did would outlive what is forgotten.
	Noted []string `json:"noted,omitempty"`
}

func (MemoryOperation) eventType() string { return "memory_operation" }

// OutputParse reports reading a model's final text as SACP.
type OutputParse struct {
	Status string `json:"status"` // start, end or fail
	Error  string `json:"error,omitempty"`
}

func (OutputParse) eventType() string { return "output_parse" }

// RepairCutOff among the steps of an [SACPRepaired] says that the text ended
// before the reply did: what was read is not all that was to be said.
const RepairCutOff = "cut off"

// SACPRepaired says that a reply could only be read after repairs.
type SACPRepaired struct {
	Steps []string `json:"steps"`
}

func (SACPRepaired) eventType() string { return "sacp_repaired" }

// SACPFallback says that a reply could not be read and was wrapped.
type SACPFallback struct {
	Hash string `json:"hash"` // SHA-256 of the raw text, hex
}

func (SACPFallback) eventType() string { return "sacp_fallback" }

// Retry says that something is tried again after a failure.
type Retry struct {
	Operation string `json:"operation"` // llm_call or output_parse
	Attempt   int    `json:"attempt"`   // of the try that follows, from 2
	Reason    string `json:"reason"`
	DelayMS   int64  `json:"delay_ms,omitempty"`
}

func (Retry) eventType() string { return "retry" }

// ExpertJoined says that an expert can be called from now on.
type ExpertJoined struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Transport   string   `json:"transport"`
	Tools       []string `json:"tools"`
	Rev         uint64   `json:"rev"`
	Count       int      `json:"count"` // experts in the room now
}

func (ExpertJoined) eventType() string { return "expert_joined" }

// ExpertLeft says that an expert cannot be called any more.
type ExpertLeft struct {
	Name   string      `json:"name"`
	Reason LeaveReason `json:"reason"`
	Detail string      `json:"detail,omitempty"`
	Rev    uint64      `json:"rev"`
	Count  int         `json:"count"`
}

func (ExpertLeft) eventType() string { return "expert_left" }

// ExpertChanged says that an expert's description or tools are others now.
type ExpertChanged struct {
	Name    string   `json:"name"`
	Changed []string `json:"changed"`           // description, tools
	Added   []string `json:"added,omitempty"`   // tools that can be called now
	Removed []string `json:"removed,omitempty"` // tools that it has not got any more
	Hidden  []string `json:"hidden,omitempty"`  // tools that cannot be called until the user has seen how they changed
	Rev     uint64   `json:"rev"`
}

func (ExpertChanged) eventType() string { return "expert_changed" }

// ExpertStatus says that an expert's state changed.
type ExpertStatus struct {
	Name    string      `json:"name"`
	State   ExpertState `json:"state"`
	Message string      `json:"message,omitempty"`
}

func (ExpertStatus) eventType() string { return "expert_status" }

// ExpertLogged is a line that an expert logs.
type ExpertLogged struct {
	Name  string `json:"name"`
	Level string `json:"level"` // as MCP has them: debug to emergency
	Text  string `json:"text"`
}

func (ExpertLogged) eventType() string { return "expert_logged" }

// Notice is a line for the user.
type Notice struct {
	Level   string `json:"level"` // info, warn or error
	Text    string `json:"text"`
	Hint    string `json:"hint,omitempty"`
	Command string `json:"command,omitempty"` // a slash command that acts on it

	// Progress is the subject of what goes on: what is said of it next takes the place of
	// this.
	Progress string `json:"progress,omitempty"`

	// About is the subject of what holds for longer than a room: it is not said
	// again before something else can be said of that. It is not stored.
	About string `json:"-"`
}

func (Notice) eventType() string { return "notice" }

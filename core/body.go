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
	Type() string // the event's name as in its JSON
	body()
}

// RunStart opens a run.
type RunStart struct {
	Runner  string `json:"runner"` // agent/NAME or expert/NAME
	Prompt  string `json:"prompt"`
	Resumed bool   `json:"resumed,omitempty"`
}

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

// AgentProcessing reports what the next turn works with.
type AgentProcessing struct {
	Messages int      `json:"messages"`
	Tools    []string `json:"tools"`
	Rev      uint64   `json:"rev"` // the room's revision the tools were taken at
	Model    string   `json:"model"`
	MaxTurns int      `json:"max_turns"`
	Handoffs []string `json:"handoffs,omitempty"` // agents that it may hand over to
}

// TurnStart opens a turn; its number is in the scope.
type TurnStart struct{}

// TurnEnd closes a turn.
type TurnEnd struct{}

// LLMCallStart opens one request to a model. A turn has more than one when a
// request is retried or the answer has to be asked for again; what an earlier
// one of the same turn streamed is then void.
type LLMCallStart struct {
	Call    string `json:"call"` // names the request; Delta.Stream refers to it
	Model   string `json:"model"`
	Tools   int    `json:"tools"`
	Purpose string `json:"purpose,omitempty"` // answer, synthesis, repair, or empty for the tool loop
}

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

// TokenUsage is the running total of the run.
type TokenUsage struct {
	Usage Usage  `json:"usage"`
	Model string `json:"model"`
}

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

// AssistantMessage is what the model said in a turn, whole.
type AssistantMessage struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Calls int    `json:"calls,omitempty"`
}

// ToolRequests lists the calls a model asked for, in its order.
type ToolRequests struct {
	Calls []Call `json:"calls"`
}

// BeforeToolExecution comes before a call is made or refused; Args are those
// that will be used.
type BeforeToolExecution struct {
	Call   string          `json:"call"`
	Tool   string          `json:"tool"`
	Expert string          `json:"expert,omitempty"`
	Args   json.RawMessage `json:"args"`
}

// ToolCallStart opens a call.
type ToolCallStart struct {
	Call   string          `json:"call"`
	Tool   string          `json:"tool"`
	Expert string          `json:"expert,omitempty"`
	Args   json.RawMessage `json:"args"`
	Key    string          `json:"key,omitempty"`   // what the expert knows the call by: [Scope.CallKey]
	Again  bool            `json:"again,omitempty"` // it was made before, and it is not known whether it was answered
}

// ToolCallProgress is what a tool says while it works.
type ToolCallProgress struct {
	Call     string  `json:"call"`
	Message  string  `json:"message,omitempty"`
	Fraction float64 `json:"fraction"` // 0 to 1, negative when unknown
}

// ToolCallEnd closes a call.
type ToolCallEnd struct {
	Call   string     `json:"call"`
	Tool   string     `json:"tool"`
	Expert string     `json:"expert,omitempty"`
	Status ToolStatus `json:"status"`
	Code   ToolCode   `json:"code,omitempty"`
	Text   string     `json:"text"` // the answer or the error, shortened for people
	MS     int64      `json:"ms"`
}

// ToolResultsToLLM says that the results were put before the model.
type ToolResultsToLLM struct {
	Calls []string `json:"calls"` // in the order the model sees them
}

// FinalOutput is the answer of a run.
type FinalOutput struct {
	Reply    Reply `json:"reply"`
	Fallback bool  `json:"fallback,omitempty"` // put together from what was gathered, not written by the model
}

// MemoryOperation reports loading and storing the conversation.
type MemoryOperation struct {
	Operation string `json:"operation"` // load or store
	Status    string `json:"status"`    // start, end or fail
	Messages  int    `json:"messages,omitempty"`
	Error     string `json:"error,omitempty"`
}

// OutputParse reports reading a model's final text as SACP.
type OutputParse struct {
	Status string `json:"status"` // start, end or fail
	Error  string `json:"error,omitempty"`
}

// RepairCutOff among the steps of an [SACPRepaired] says that the text ended
// before the reply did: what was read is not all that was to be said.
const RepairCutOff = "cut off"

// SACPRepaired says that a reply could only be read after repairs.
type SACPRepaired struct {
	Steps []string `json:"steps"`
}

// SACPFallback says that a reply could not be read and was wrapped.
type SACPFallback struct {
	Hash string `json:"hash"` // SHA-256 of the raw text, hex
}

// Retry says that something is tried again after a failure.
type Retry struct {
	Operation string `json:"operation"` // llm_call or output_parse
	Attempt   int    `json:"attempt"`   // of the try that follows, from 2
	Reason    string `json:"reason"`
	DelayMS   int64  `json:"delay_ms,omitempty"`
}

// ExpertJoined says that an expert can be called from now on.
type ExpertJoined struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Transport   string   `json:"transport"`
	Tools       []string `json:"tools"`
	Rev         uint64   `json:"rev"`
	Count       int      `json:"count"` // experts in the room now
}

// ExpertLeft says that an expert cannot be called any more.
type ExpertLeft struct {
	Name   string      `json:"name"`
	Reason LeaveReason `json:"reason"`
	Detail string      `json:"detail,omitempty"`
	Rev    uint64      `json:"rev"`
	Count  int         `json:"count"`
}

// ExpertChanged says that an expert's description or tools are others now.
type ExpertChanged struct {
	Name    string   `json:"name"`
	Changed []string `json:"changed"`           // description, tools
	Added   []string `json:"added,omitempty"`   // tools that can be called now
	Removed []string `json:"removed,omitempty"` // tools that it has not got any more
	Hidden  []string `json:"hidden,omitempty"`  // tools that cannot be called until the user has seen how they changed
	Rev     uint64   `json:"rev"`
}

// ExpertStatus says that an expert's state changed.
type ExpertStatus struct {
	Name    string      `json:"name"`
	State   ExpertState `json:"state"`
	Message string      `json:"message,omitempty"`
}

// Notice is a line for the user.
type Notice struct {
	Level   string `json:"level"` // info, warn or error
	Text    string `json:"text"`
	Hint    string `json:"hint,omitempty"`
	Command string `json:"command,omitempty"` // a slash command that acts on it

	// About is the subject of what holds for longer than a room: it is not said
	// again before something else can be said of that. It is not stored.
	About string `json:"-"`
}

// Type implements [Body].
func (RunStart) Type() string { return "run_start" }

// Type implements [Body].
func (RunEnd) Type() string { return "run_end" }

// Type implements [Body].
func (AgentProcessing) Type() string { return "agent_processing" }

// Type implements [Body].
func (TurnStart) Type() string { return "turn_start" }

// Type implements [Body].
func (TurnEnd) Type() string { return "turn_end" }

// Type implements [Body].
func (LLMCallStart) Type() string { return "llm_call_start" }

// Type implements [Body].
func (LLMCallEnd) Type() string { return "llm_call_end" }

// Type implements [Body].
func (TokenUsage) Type() string { return "token_usage" }

// Type implements [Body].
func (Delta) Type() string { return "delta" }

// Type implements [Body].
func (AssistantMessage) Type() string { return "assistant_message" }

// Type implements [Body].
func (ToolRequests) Type() string { return "tool_requests" }

// Type implements [Body].
func (BeforeToolExecution) Type() string { return "before_tool_execution" }

// Type implements [Body].
func (ToolCallStart) Type() string { return "tool_call_start" }

// Type implements [Body].
func (ToolCallProgress) Type() string { return "tool_call_progress" }

// Type implements [Body].
func (ToolCallEnd) Type() string { return "tool_call_end" }

// Type implements [Body].
func (ToolResultsToLLM) Type() string { return "tool_results_to_llm" }

// Type implements [Body].
func (FinalOutput) Type() string { return "final_output" }

// Type implements [Body].
func (MemoryOperation) Type() string { return "memory_operation" }

// Type implements [Body].
func (OutputParse) Type() string { return "output_parse" }

// Type implements [Body].
func (SACPRepaired) Type() string { return "sacp_repaired" }

// Type implements [Body].
func (SACPFallback) Type() string { return "sacp_fallback" }

// Type implements [Body].
func (Retry) Type() string { return "retry" }

// Type implements [Body].
func (ExpertJoined) Type() string { return "expert_joined" }

// Type implements [Body].
func (ExpertLeft) Type() string { return "expert_left" }

// Type implements [Body].
func (ExpertChanged) Type() string { return "expert_changed" }

// Type implements [Body].
func (ExpertStatus) Type() string { return "expert_status" }

// Type implements [Body].
func (Notice) Type() string { return "notice" }

func (RunStart) body()            {}
func (RunEnd) body()              {}
func (AgentProcessing) body()     {}
func (TurnStart) body()           {}
func (TurnEnd) body()             {}
func (LLMCallStart) body()        {}
func (LLMCallEnd) body()          {}
func (TokenUsage) body()          {}
func (Delta) body()               {}
func (AssistantMessage) body()    {}
func (ToolRequests) body()        {}
func (BeforeToolExecution) body() {}
func (ToolCallStart) body()       {}
func (ToolCallProgress) body()    {}
func (ToolCallEnd) body()         {}
func (ToolResultsToLLM) body()    {}
func (FinalOutput) body()         {}
func (MemoryOperation) body()     {}
func (OutputParse) body()         {}
func (SACPRepaired) body()        {}
func (SACPFallback) body()        {}
func (Retry) body()               {}
func (ExpertJoined) body()        {}
func (ExpertLeft) body()          {}
func (ExpertChanged) body()       {}
func (ExpertStatus) body()        {}
func (Notice) body()              {}

func decodeBody(name string, raw json.RawMessage) (Body, error) {
	switch name {
	case "run_start":
		return decode[RunStart](raw)
	case "run_end":
		return decode[RunEnd](raw)
	case "agent_processing":
		return decode[AgentProcessing](raw)
	case "turn_start":
		return decode[TurnStart](raw)
	case "turn_end":
		return decode[TurnEnd](raw)
	case "llm_call_start":
		return decode[LLMCallStart](raw)
	case "llm_call_end":
		return decode[LLMCallEnd](raw)
	case "token_usage":
		return decode[TokenUsage](raw)
	case "delta":
		return decode[Delta](raw)
	case "assistant_message":
		return decode[AssistantMessage](raw)
	case "tool_requests":
		return decode[ToolRequests](raw)
	case "before_tool_execution":
		return decode[BeforeToolExecution](raw)
	case "tool_call_start":
		return decode[ToolCallStart](raw)
	case "tool_call_progress":
		return decode[ToolCallProgress](raw)
	case "tool_call_end":
		return decode[ToolCallEnd](raw)
	case "tool_results_to_llm":
		return decode[ToolResultsToLLM](raw)
	case "final_output":
		return decode[FinalOutput](raw)
	case "memory_operation":
		return decode[MemoryOperation](raw)
	case "output_parse":
		return decode[OutputParse](raw)
	case "sacp_repaired":
		return decode[SACPRepaired](raw)
	case "sacp_fallback":
		return decode[SACPFallback](raw)
	case "retry":
		return decode[Retry](raw)
	case "expert_joined":
		return decode[ExpertJoined](raw)
	case "expert_left":
		return decode[ExpertLeft](raw)
	case "expert_changed":
		return decode[ExpertChanged](raw)
	case "expert_status":
		return decode[ExpertStatus](raw)
	case "node_start":
		return decode[NodeStart](raw)
	case "node_end":
		return decode[NodeEnd](raw)
	case "edge_taken":
		return decode[EdgeTaken](raw)
	case "chain_paused":
		return decode[ChainPaused](raw)
	case "chain_resumed":
		return decode[ChainResumed](raw)
	case "clarification_requested":
		return decode[ClarificationRequested](raw)
	case "clarification_provided":
		return decode[ClarificationProvided](raw)
	case "decode_error":
		return decode[DecodeError](raw)
	case "notice":
		return decode[Notice](raw)
	}
	return decodeAgentBody(name, raw)
}

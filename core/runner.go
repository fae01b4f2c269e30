package core

import "context"

// Runner is anything that answers: an agent, an expert, the orchestrator.
type Runner interface {
	// Run answers in.Messages and blocks until it has, or ctx ends. Where the
	// journal holds steps of in.Run it goes on after them; finished calls are
	// not made again. It emits its own run_start and run_end and stores its
	// own messages.
	//
	// A nil error means completed. An [Error] tells why the run ended
	// otherwise, the turn limit included; the Result is valid beside it.
	Run(ctx context.Context, in Input) (Result, error)
}

// Input is what a run is given. It can be made again from what is stored.
type Input struct {
	Scope
	Messages    []Message         // the conversation, the question last
	Args        map[string]any    // the inputs of a chain that was started with some; kept by its first step
	NodeOptions *NodeOptions      // what the one who asks wants of an agent; may be nil
	Context     []Message         // what is recalled from elsewhere; handed on to children that inherit it
	Alive       func()            // called at every sign of life of the run; may be nil; never blocks
	Steer       func() RunControl // asked before every model call; may be nil
	Said        func() []Message  // what the user said since, each given once: for the next model call; may be nil
}

// Asked returns the question that the run began with: what else the user said
// in it were answers. Where it is not among the messages it is the last thing
// that the user said.
func (in Input) Asked() (question Message) {
	for _, m := range in.Messages {
		switch {
		case m.Role != RoleUser:
		case m.Run == in.Run:
			return m
		default:
			question = m
		}
	}
	return question
}

// NodeOptions are what a node of a chain sets for its agent.
type NodeOptions struct {
	Instructions string   // before the protocol's, after the agent's own
	Tools        []string // the only tools it may use, by name or owner; nil: all
}

// RunControl tells a run in progress what the user wants.
type RunControl struct {
	Stop bool // end after the calls that are running now
}

// Result is how a run ended or what it waits for.
//
// With Pauses the run waits for answers and its error is nil: it is called
// again when there is one.
type Result struct {
	Reply  Reply
	Pauses []Pause
	Usage  Usage
	Turns  int
}

// Lookup finds a Runner by name: agent/NAME, expert/NAME, chain/NAME.
type Lookup func(name string) (Runner, error)

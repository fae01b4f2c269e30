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
	Messages []Message    // the conversation, the question last
	Context  []Message    // what is recalled from elsewhere; handed on to children that inherit it
	Steer    func() Steer // asked before every model call; may be nil
}

// Steer is what the user wants of a run in progress.
type Steer struct {
	Stop bool // end after the calls that are running now
}

// Result is what a run came to.
type Result struct {
	Reply Reply
	Usage Usage
	Turns int
}

// Lookup finds a Runner by name: agent/NAME, expert/NAME.
type Lookup func(name string) (Runner, error)

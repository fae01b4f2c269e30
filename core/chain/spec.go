// Package chain runs chains: graphs of agents, experts and functions in which
// one's SACP reply decides where the work goes next.
//
// A chain is a file. [Compile] checks it, all faults at
// once; a [Chain] is then a Runner's plan. Every step is on disk before the
// next one begins, so that a run that was cut off anywhere goes on without
// doing anything twice.
package chain

import (
	"encoding/json"
	"time"
)

// Ids that an edge may name without a node being declared: work begins at
// Start and the chain is over when an edge leads to End.
const (
	Start = "start"
	End   = "end"
)

// Limits where a file says nothing.
const (
	DefaultSteps    = 100
	DefaultTimeout  = 300 * time.Second
	DefaultParallel = 4
	DefaultMaxItems = 1000
)

// Spec is a chain as it is written.
type Spec struct {
	Name        string
	Description string
	Version     string
	Inputs      json.RawMessage // JSON Schema of the inputs, an object; none: anything, as text
	Vars        map[string]any  // constants
	Limits      Limits
	Dynamic     bool   // dynamic_routing: a next_step_hint that names a neighbour is followed where no condition is true
	OnError     string // the node that gets what no edge handles
	Output      Output
	Nodes       []Node
	Edges       []Edge

	places places // of its texts in the file; none for a Spec made in Go
}

// Limits bound a run of a chain; 0 is the default.
type Limits struct {
	Steps    int           // visits of nodes in all
	Timeout  time.Duration // of the run, without the time in which it waits for the user
	Parallel int           // nodes that run at the same time
}

// Output is the reply of the chain; where it says nothing, it is that of the
// node that led to the end. Both may hold {{references}}.
type Output struct {
	Message string
	Data    map[string]any
	Pos     Pos
}

// Kind is what a node does.
type Kind string

// The kinds of nodes. One with Each set does its work once for every item.
const (
	KindAgent     Kind = "agent"
	KindExpert    Kind = "expert"
	KindFunction  Kind = "function"
	KindCondition Kind = "condition" // does nothing; its edges decide about the reply that came in
	KindAggregate Kind = "aggregate"
	KindChain     Kind = "chain"
)

// Node is one place of the graph.
type Node struct {
	ID        string
	Kind      Kind
	Name      string         // of the agent, expert, function or chain; merge, concat or first for an aggregate
	Prompt    string         // agent, expert: what is asked, with {{references}}
	System    string         // agent: instructions of its own; no references
	Tools     []string       // agent: the only ones it may use; nil: all, empty: none
	Input     map[string]any // function, chain: the inputs, with {{references}} at any depth
	Each      *Each
	Join      Join
	Fanout    bool // all edges that are true are followed, not only the first
	MaxVisits int  // 0: one, or in a cycle what another node of it says
	Attempts  Attempts
	Absent    Absent // what to do while the expert is not in the room
	Schemas   Schemas
	Pos       Pos
}

// Each makes a node work through a list.
type Each struct {
	Over     string // a {{reference}} to a list
	As       string // what an item is called in references; default "item". The index is {{index}}, from 0
	MaxItems int
	Parallel int
	Failure  OnFailure
}

// OnFailure says what becomes of a list when an item fails.
type OnFailure string

// What may become of it.
const (
	FailAll OnFailure = "fail"    // the node fails, the rest is cancelled; the default
	Skip    OnFailure = "skip"    // the item is left out
	Collect OnFailure = "collect" // data.failed tells which failed and why; the node fails only when all do
)

// JoinKind says when a node begins that several edges lead to.
type JoinKind string

// When it may begin.
const (
	JoinAll   JoinKind = "all"           // when no more edge can still lead to it; the default
	JoinAny   JoinKind = "any"           // with the first; later ones are ignored
	JoinCount JoinKind = "count"         // with the n-th
	JoinFirst JoinKind = "first_success" // with the first success; what else leads to it is cancelled
)

// Join is a JoinKind with its number.
type Join struct {
	Kind JoinKind
	N    int // JoinCount
}

// Attempts says how long an attempt at a node's work may take, and how often one
// that failed is made again.
type Attempts struct {
	Timeout time.Duration // of one; 0: only the chain's
	Idle    time.Duration // without a sign of life; 0: none
	Retries int
	Backoff time.Duration // before the first retry, doubled for each other; default 1 s
}

// Schemas are what goes in and out of a node must fit; nil: anything fits.
type Schemas struct {
	Input json.RawMessage // of the resolved Input
	Data  json.RawMessage // of the reply
}

// Absent says what to do while a node's expert is not in the room.
type Absent string

// What to do.
const (
	AbsentFail Absent = "fail" // it fails at once, and edges or on_error take over; the default
	AbsentWait Absent = "wait" // wait for it, until the node's or the chain's time is over
)

// Edge leads from one node to another. Of When, Default, OnError and On at most
// one is set; an edge without any is one that is followed after success when no
// condition before it is true, like Default.
type Edge struct {
	From, To string
	When     string // a condition
	Default  bool   // after success, when no condition is true
	OnError  bool   // after a failure, when no condition is true
	On       string // "clarification": instead of asking the user
	Label    string
	Pos      Pos
	WhenPos  Pos // where the text of When begins
}

// Pos is a place in the file; the zero Pos is no place.
type Pos struct{ Line, Col int } // from 1

package core

import "strings"

// Scope says where in the tree of runs something happens. It is the envelope
// of an [Event] and what a [Runner] and a [Tool] are told. The zero Scope is
// the room itself: experts joining and leaving belong to no run.
type Scope struct {
	Thread string `json:"thread,omitempty"` // the conversation
	Run    string `json:"run,omitempty"`    // one prompt being answered
	Parent string `json:"parent,omitempty"` // the run that started this one, empty for a root run
	Trace  string `json:"trace,omitempty"`  // the root run
	Agent  string `json:"agent,omitempty"`  // who acts
	Node   string `json:"node,omitempty"`   // of the chain that started the run
	Turn   int    `json:"turn,omitempty"`   // 1-based; 0 outside a turn
	Depth  int    `json:"depth,omitempty"`  // how many runs deep; 0 for a root run
}

// Child returns the scope of a run started by s under id, the id of a call, a
// node or an item. The same id gives the same child, so that a run that is
// resumed finds what its children stored.
func (s Scope) Child(id string) Scope {
	return Scope{Thread: s.Thread, Run: s.Run + "/" + id, Parent: s.Run, Trace: s.Trace, Depth: s.Depth + 1}
}

// anew ends the id of a run that begins anew for the same question.
const anew = "+"

// Anew returns the scope of another run for the same question: the expert that
// was asked in the one before had left.
func (s Scope) Anew() Scope {
	s.Run += anew
	return s
}

// CallKey names a call of the run for whoever is called. It is the same when the
// call is made again because it is not known whether it was answered: an expert
// that acts can tell that it has done it.
func (s Scope) CallKey(id string) string {
	return Hash(strings.TrimRight(s.Run, anew) + "/" + id)[:32]
}

package core

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
// gone on with finds what its children stored.
func (s Scope) Child(id string) Scope {
	return Scope{Thread: s.Thread, Run: s.Run + "/" + id, Parent: s.Run, Trace: s.Trace, Depth: s.Depth + 1}
}

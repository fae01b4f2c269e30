package chain

import (
	"encoding/json"
	"fmt"

	"github.com/yaap-chat/yaap/core"
)

// record is what one step of a run adds to its state: how one attempt of one
// piece of work ended. The records of a run in order are all that it takes to
// go on with it.
type record struct {
	Begin   *beginning      `json:"begin,omitempty"` // of the first; of a later one: the file that the run goes on with
	Node    string          `json:"node,omitempty"`
	Visit   int             `json:"visit,omitempty"`
	Item    *int            `json:"item,omitempty"`
	Attempt int             `json:"attempt,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	Reply   *core.Reply     `json:"reply,omitempty"`
	Fault   string          `json:"fault,omitempty"`
	Again   string          `json:"again,omitempty"`  // why there is another attempt: this one is not the last
	Pause   string          `json:"pause,omitempty"`  // the question that it waits with
	Answer  string          `json:"answer,omitempty"` // to that question, in a fork
	Usage   core.Usage      `json:"usage,omitzero"`
	// Reopened: the failure that this piece ended with last is void: it is worked
	// on again.
	Reopened bool   `json:"reopened,omitempty"`
	Child    string `json:"child,omitempty"` // the id of the child run that was resumed; empty: the attempt's own
}

// beginning is what a run begins with. A run that goes on with a changed file has
// another one, of which the hash counts.
type beginning struct {
	Chain string `json:"chain"`
	Hash  string `json:"hash"`
	Given given  `json:"given"`
	From  string `json:"from,omitempty"` // the run that it was forked from
}

// InitialArgs returns the arguments that a stored run of a chain was started with, as [core.Input] has them; ok is false for a run that began with
// steps of another, and for one that has no step.
func InitialArgs(saved core.Saved) (args map[string]any, ok bool) {
	var first record
	if len(saved.Steps) == 0 || core.DecodeJSON(saved.Steps[0].State, &first) != nil || first.Begin == nil || first.Begin.From != "" {
		return nil, false
	}
	if args = first.Begin.Given.Args; args == nil {
		args = map[string]any{textArg: first.Begin.Given.Text}
	}
	return args, true
}

// piece is what is done at once: a visit of a node, or one item of it.
type piece struct {
	node, visit int
	item        int // none where the node does not work through a list
}

// id names a piece within its run, for people and for its child's run.
func (p piece) id(c *Chain) string {
	id := fmt.Sprintf("%s#%d", c.nodes[p.node].ID, p.visit)
	if p.item >= 0 {
		id += fmt.Sprintf("[%d]", p.item)
	}
	return id
}

// attemptID names an attempt at a piece: its child run.
func (p piece) attemptID(c *Chain, attempt int) string {
	if attempt > 1 {
		return fmt.Sprintf("%s.%d", p.id(c), attempt)
	}
	return p.id(c)
}

func (r *run) record(w *work, o outcome) record {
	rec := record{
		Node: r.chain.nodes[w.node].ID, Visit: w.visit, Attempt: w.attempt, Fault: o.fault, Usage: w.usage, Child: r.of(w.piece).child,
	}
	if w.item >= 0 {
		rec.Item = &w.item
	}
	if o.reply.Status != "" {
		rec.Reply = &o.reply
	}
	return rec
}

// failed reports whether a piece ended with this record, and not well.
func (r record) failed() bool {
	return r.Begin == nil && !r.Reopened && r.Again == "" && r.Pause == "" && !r.outcome().ok()
}

// about names the piece of a record.
func (r record) about() string {
	item := none
	if r.Item != nil {
		item = *r.Item
	}
	return fmt.Sprintf("%s#%d[%d]", r.Node, r.Visit, item)
}

// piece returns what a record is about. It fails when the chain has no such
// node.
func (c *Chain) piece(rec record) (piece, error) {
	at, ok := c.index[rec.Node]
	if !ok {
		return piece{}, fmt.Errorf("node %q, which this run has passed, is not in the chain any more", rec.Node)
	}
	p := piece{node: at, visit: rec.Visit, item: none}
	if rec.Item != nil {
		p.item = *rec.Item
	}
	return p, nil
}

func (r record) outcome() outcome {
	o := outcome{fault: r.Fault}
	if r.Reply != nil {
		o.reply = *r.Reply
	}
	if o.reply.Status == "" {
		o.reply = core.Reply{Status: core.StatusFailure, Message: r.Fault, Data: map[string]any{}}
	}
	if len(r.Input) > 0 {
		_ = core.DecodeJSON(r.Input, &o.input) // it was written by us; without it a handler knows less
	}
	return o
}

package chain

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/yaap-chat/yaap/core"
)

// restore brings the run to where its records end. A run that has failed and is
// let run again goes on at the nodes that failed.
func (r *run) restore(ctx context.Context, saved core.Saved) error {
	for _, a := range saved.Answers {
		r.answers[a.Pause] = a
	}
	for _, p := range saved.Pauses {
		r.asked[p.ID] = p
	}
	if len(saved.Steps) == 0 {
		given, err := r.chain.accept(r.in)
		if err != nil {
			return err
		}
		r.write(record{Begin: &beginning{Chain: r.chain.Spec.Name, Hash: r.chain.Hash, Given: given}})
		r.reset(given)
		r.begin()
		return nil
	}
	records, err := readRecords(saved.Steps)
	if err != nil {
		return err
	}
	changed := false
	for _, rec := range records {
		if rec.Begin != nil {
			changed = rec.Begin.Hash != r.chain.Hash
		}
	}
	if changed && !r.cfg.Migrate {
		return core.Fail(core.CodeConflict, "the file of the chain "+r.chain.Spec.Name+" has changed since this run began",
			"go on with the new file: yaap chain resume --migrate "+r.in.Run)
	}
	if err := r.replay(records); err != nil {
		return err
	}
	var again []record
	last, ended := saved.LastReply()
	if ended && r.over && r.final.Status == core.StatusFailure && r.final.Message == last.Message { // that it ended so was told
		if again, err = r.reopen(ctx, records); err != nil {
			return err
		}
		if err := r.replay(slices.Concat(records, again)); err != nil {
			return err
		}
	}
	if changed && !r.over {
		r.write(record{Begin: &beginning{Chain: r.chain.Spec.Name, Hash: r.chain.Hash}})
	}
	for _, at := range r.busy {
		r.begunBefore[at] = r.nodes[at].visit
	}
	r.resumed(again)
	return nil
}

// reset brings the run to its beginning.
func (r *run) reset(g given) {
	r.state, r.usage, r.ready, r.pauses = newState(r.chain, g), core.Usage{}, nil, nil
	r.progress, r.lists, r.open = map[piece]*progress{}, map[int]*list{}, map[int]opening{}
}

// replay applies the records of a run in order. Nothing of it is reported.
func (r *run) replay(records []record) error {
	r.replaying = true
	defer func() { r.replaying = false }()
	r.reset(records[0].Begin.Given)
	r.begin()
	r.openAll()
	reopened := reopenedBy(records)
	for i, rec := range records {
		if rec.Begin != nil || rec.Reopened {
			continue
		}
		if by, ok := reopened[i]; ok {
			rec.Reopened, rec.Child = true, by.Child
		}
		p, err := r.chain.piece(rec)
		if err == nil {
			err = r.fits(p)
		}
		if err != nil {
			return core.Fail(core.CodeConflict, fmt.Sprintf("step %d of this run does not fit the chain", i+1),
				"start the chain again, or fork the run at an earlier step: yaap chain fork").Because(err)
		}
		r.usage = r.usage.Add(rec.Usage)
		r.apply(p, rec)
		r.openAll()
	}
	return nil
}

// fits reports why the run cannot have reached a piece.
func (r *run) fits(p piece) error {
	l := r.lists[p.node]
	switch {
	case !r.current(p):
		return fmt.Errorf("visit %d of node %q cannot have been reached", p.visit, r.chain.nodes[p.node].ID)
	case (l == nil) != (p.item < 0), l != nil && p.item >= len(l.items):
		return fmt.Errorf("node %q does not work through the same list any more", r.chain.nodes[p.node].ID)
	}
	return nil
}

// spent is what a run has used, by its steps.
func spent(steps []core.Checkpoint) (u core.Usage) {
	records, _ := readRecords(steps) // without them its reply is still its reply
	for _, rec := range records {
		u = u.Add(rec.Usage)
	}
	return u
}

// readRecords reads the steps of a run; the first tells how it began.
func readRecords(steps []core.Checkpoint) ([]record, error) {
	records := make([]record, len(steps))
	for i, c := range steps {
		rec := &records[i]
		if err := core.DecodeJSON(c.State, rec); err != nil || i == 0 && rec.Begin == nil || rec.Reply == nil && rec.Pause != "" {
			return nil, core.Fail(core.CodeCorrupt, fmt.Sprintf("step %d of run %s cannot be read", c.Step, c.Run), "start the chain again").Because(err)
		}
	}
	return records, nil
}

// reopen lets the nodes work again whose failures ended the run, and returns the
// records that say so. It fails where no work of a node failed: the same file
// would come to the same end.
func (r *run) reopen(ctx context.Context, records []record) ([]record, error) {
	done := reopenedBy(records)
	var again []record
	for _, at := range r.failures {
		id, visit := r.chain.nodes[at].ID, r.nodes[at].visit
		for i, rec := range records {
			if _, before := done[i]; before || rec.Node != id || rec.Visit != visit || !rec.failed() {
				continue
			}
			child, err := r.unfinished(ctx, rec)
			if err != nil {
				return nil, err
			}
			again = append(again, r.write(record{Node: rec.Node, Visit: rec.Visit, Item: rec.Item, Attempt: rec.Attempt, Reopened: true, Child: child}))
		}
	}
	if len(again) == 0 {
		return nil, core.Fail(core.CodeConflict, "this run has failed, and there is no work that could be done again: "+r.final.Message, r.mend())
	}
	return again, nil
}

// mend says what goes on with a run that reopen refuses.
func (r *run) mend() string {
	return "mend the file, then yaap chain resume --migrate " + r.in.Run + "; or start from an earlier step: yaap chain fork " + r.in.Run
}

// reopens reports whether a run that ended with a failure goes on with the same
// file: see reopen.
func (r *run) reopens() bool {
	for p, prog := range r.progress {
		if prog.failed && slices.Contains(r.failures, p.node) && p.visit == r.nodes[p.node].visit {
			return true
		}
	}
	return false
}

// unfinished returns the id of the child run of an attempt where that has not
// completed: it is resumed. It is empty where another one must begin.
func (r *run) unfinished(ctx context.Context, rec record) (string, error) {
	p, err := r.chain.piece(rec)
	if err != nil {
		return "", err
	}
	id := cmp.Or(rec.Child, p.attemptID(r.chain, rec.Attempt))
	saved, err := r.cfg.load(ctx, r.in.Child(id).Run)
	if err != nil || saved.Run.ID == "" || saved.Run.State == core.RunCompleted {
		return "", err
	}
	return id, nil
}

// reopenedBy returns the records that let work be done again, by the index of
// the record of the failure.
func reopenedBy(records []record) map[int]record {
	found := map[int]record{}
	for i, rec := range records {
		if !rec.Reopened {
			continue
		}
		for j, earlier := range slices.Backward(records[:i]) {
			if _, taken := found[j]; !taken && earlier.failed() && earlier.about() == rec.about() {
				found[j] = rec
				break
			}
		}
	}
	return found
}

// resumed reports that the run goes on: with which answers, or at which nodes
// that failed.
func (r *run) resumed(reopened []record) {
	told := map[string]bool{}
	for _, rec := range reopened {
		if !told[rec.Node] {
			told[rec.Node] = true
			r.emit(core.ChainResumed{Chain: r.chain.Spec.Name, Node: rec.Node})
		}
	}
	ready := make([]piece, 0, len(r.ready))
	for _, w := range r.ready {
		ready = append(ready, w.piece)
	}
	for _, at := range slices.Sorted(maps.Keys(r.lists)) {
		for _, i := range r.lists[at].again {
			ready = append(ready, piece{node: at, visit: r.nodes[at].visit, item: i})
		}
	}
	for _, p := range ready {
		if a := r.of(p).answer; a != nil {
			told[a.Pause] = true
			r.emit(core.ChainResumed{Chain: r.chain.Spec.Name, Node: r.chain.nodes[p.node].ID, Answer: a})
			r.emit(core.ClarificationProvided{ID: a.Pause, Selected: a.Text, Option: a.ID})
		}
	}
	if len(told) == 0 {
		r.emit(core.ChainResumed{Chain: r.chain.Spec.Name})
	}
}

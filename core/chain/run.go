package chain

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/yaap-chat/yaap/core"
	runs "github.com/yaap-chat/yaap/core/run"
)

const (
	cleanup  = runs.Cleanup // for what is cancelled to end, too
	maxDepth = 8            // of chains in chains
)

// Config is what a chain needs to run. Journal, Sink and Lookup are required.
type Config struct {
	Journal core.Journal
	Sink    core.Sink
	Lookup  core.Lookup // agent/NAME, expert/NAME, chain/NAME
	// Await blocks until an expert of that name is in the room or ctx ends. It
	// is asked for nodes that wait for theirs; nil: none waits.
	Await func(ctx context.Context, expert string) error
	// Answer is what the user answers to what the function ask asks at a node; with that
	// status still, nothing. nil: the run pauses there.
	Answer func(node string, asked core.Reply) (core.Reply, error)
	// Migrate lets runs go on that another version of the file began.
	Migrate bool
	Now     func() time.Time // default time.Now
}

// Runner makes a [core.Runner] of a chain. The question of a run is {{input}},
// or its Args are.
func (c *Chain) Runner(cfg Config) core.Runner {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return runner{c, &cfg}
}

type runner struct {
	chain *Chain
	cfg   *Config
}

// Run implements [core.Runner]. A failure of the chain is a reply with that
// status and no error; when the run is let run again it goes on at the nodes
// that failed. An error says that it was cut off and may be resumed:
// cancelled, stopped, out of time, or that it cannot be resumed: because
// the file has changed, or because no node failed.
func (r runner) Run(ctx context.Context, in core.Input) (core.Result, error) {
	in.Agent = r.chain.Spec.Name
	run := &run{
		Recorder: &runs.Recorder{Scope: in.Scope, Runner: "chain/" + in.Agent, Journal: r.cfg.Journal, Sink: r.cfg.Sink, Now: r.cfg.Now},
		cfg:      r.cfg, in: in, chain: r.chain, begunBefore: map[int]int{},
		attempts:  attempts{done: make(chan *work), gone: make(chan struct{})},
		questions: questions{asked: map[string]core.Pause{}, answers: map[string]core.Answer{}},
	}
	defer close(run.gone)
	return run.conduct(ctx)
}

// run is one run of a chain. All of it belongs to the goroutine that conducts
// it, except what a work in progress holds until it comes out of done.
type run struct {
	*runs.Recorder
	*state
	chain *Chain
	cfg   *Config
	in    core.Input

	attempts
	questions
	progress map[piece]*progress
	lists    map[int]*list   // of the nodes that work through one now
	open     map[int]opening // the nodes whose start was reported
	usage    core.Usage
	waits    bool // it had not failed and cannot go on: it is left as it was
	// replaying: what is done now was reported and stored when it was done first.
	replaying bool
	// begunBefore are the visits that may have begun before the run was cut off:
	// their children may be there.
	begunBefore map[int]int
}

// attempts are the works of a run.
type attempts struct {
	ready  []*work
	active []*work
	done   chan *work
	gone   chan struct{} // closed when nobody takes from done any more
}

// questions are what a run asks the user.
type questions struct {
	asked   map[string]core.Pause // by the run itself, answered or not
	answers map[string]core.Answer
	pauses  []waiting // what waits now, here and below
}

// opening is the start of a node as it was reported.
type opening struct {
	attempt int
	time    time.Time
}

// progress is what was done about a piece so far.
type progress struct {
	attempts  int
	failures  int            // that count against the retries
	failed    bool           // it ended, and not well
	corrected bool           // its data did not fit once already
	prompt    string         // as it was resolved
	input     map[string]any // as it was resolved
	before    []core.Message // what an earlier visit answered, and the instruction it was sent back with
	talk      []core.Message // what was answered and asked back since
	answer    *core.Answer   // that it goes on with
	child     string         // the id of the child run that it goes on with; empty: the attempt's own
	misfit    misfit
}

// misfit is the attempt whose data did not fit.
type misfit struct {
	child string // the id of its child run; empty: there was none
	at    int    // the place of its reply in the talk
}

// waiting is a piece that waits for the user.
type waiting struct {
	piece
	pause core.Pause
}

// conduct goes on from what is there, until nothing can be done.
func (r *run) conduct(ctx context.Context) (core.Result, error) {
	saved, err := r.Open(ctx, r.in.Asked())
	if err != nil {
		return r.finish(ctx, err)
	}
	if reply, ok := saved.Final(); ok {
		return core.Result{Reply: reply, Usage: spent(saved.Steps)}, nil
	}
	if err := r.restore(ctx, saved); err != nil {
		r.waits = len(saved.Steps) > 0 && saved.Run.Code == ""
		return r.finish(ctx, err)
	}
	limit := r.chain.Timeout()
	working, cancel := context.WithTimeoutCause(ctx, limit, core.Fail(core.CodeTimedOut, fmt.Sprintf("the chain took longer than its %s", limit),
		"go on with /continue, or give it more time: limits.timeout in its file"))
	defer cancel()
	return r.finish(ctx, r.loop(working))
}

// loop does what can be done until nothing can.
func (r *run) loop(ctx context.Context) error {
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	for {
		r.openAll()
		stopped := r.in.Steer != nil && r.in.Steer().Stop
		var begun []*work
		if !stopped && !r.over {
			begun = r.takeReady()
		}
		if err := r.put(ctx, begun); err != nil {
			r.abandon(cancel)
			return err
		}
		r.active = append(r.active, begun...)
		for _, w := range begun {
			r.launch(working, w)
		}
		switch {
		case r.over:
			r.abandon(cancel)
			return nil
		case len(r.active) == 0 && stopped && r.leftToDo():
			return core.Fail(core.CodeStopped, "stopped after the running nodes", "go on with /continue")
		case len(r.active) == 0:
			r.pauseLists()
			return nil // it waits for the user
		}
		select {
		case w := <-r.done:
			r.settleWork(ctx, w)
		case <-ctx.Done():
		}
		for drained := false; !drained; { // what ended at the same time goes to disk together
			select {
			case w := <-r.done:
				r.settleWork(ctx, w)
			default:
				drained = true
			}
		}
		if ctx.Err() != nil && !r.over {
			r.abandon(cancel)
			return context.Cause(ctx)
		}
	}
}

// current reports whether the visit of a piece is still under way.
func (r *run) current(p piece) bool {
	n := &r.nodes[p.node]
	return n.phase == busy && n.visit == p.visit
}

// leftToDo reports whether there is work that nobody has to be waited for.
func (r *run) leftToDo() bool {
	if len(r.ready) > 0 {
		return true
	}
	for _, l := range r.lists {
		if l.left() {
			return true
		}
	}
	return false
}

// openAll begins the nodes that were activated. What needs nobody is over at
// once, and may lead to more.
func (r *run) openAll() {
	r.report()
	for len(r.queue) > 0 {
		at := r.next()
		if o, instant := r.openNode(at); instant {
			r.endNode(at, o)
		}
	}
}

// endNode ends a node with its outcome.
func (r *run) endNode(at int, o outcome) {
	r.forget(at, core.Fail(core.CodeCancelled, r.chain.nodes[at].ID+" is over", ""))
	visit, attempt := r.nodes[at].visit, r.open[at].attempt
	if state, ok := r.end(at, o); ok {
		r.reportEnd(at, visit, attempt, state, o)
	}
	r.report()
}

// forget drops what is still under way or asked for a visit that is over, and
// tells it why.
func (r *run) forget(at int, why error) {
	delete(r.lists, at)
	r.pauses = slices.DeleteFunc(r.pauses, func(p waiting) bool { return p.node == at })
	for _, w := range r.active {
		if w.node == at && w.cancel != nil {
			w.cancel(why)
		}
	}
}

// takeReady takes the work that may begin now, within the limits.
func (r *run) takeReady() []*work {
	limit, single := cmp.Or(r.chain.Spec.Limits.Parallel, DefaultParallel), 0
	for _, w := range r.active {
		if w.item < 0 {
			single++
		}
	}
	var begun []*work
	for len(r.ready) > 0 && single < limit {
		w := r.ready[0]
		if r.ready = r.ready[1:]; r.current(w.piece) {
			single++
			begun = append(begun, w)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(r.lists)) {
		begun = r.lists[at].take(r, at, begun)
	}
	return begun
}

// settleWork takes the outcome of a work. What failed in a run that was cut off
// was cut off with it: it is done anew when the run goes on.
func (r *run) settleWork(ctx context.Context, w *work) {
	r.active = slices.DeleteFunc(r.active, func(other *work) bool { return other == w })
	r.usage = r.usage.Add(w.usage)
	if r.over || !r.current(w.piece) {
		return // it was cancelled meanwhile
	}
	if ctx.Err() != nil && (w.fault != "" || w.reply.Status == core.StatusFailure) {
		return
	}
	if w.item >= 0 {
		r.lists[w.node].running--
	}
	if w.stopped {
		r.again(w.piece)
		return
	}
	if len(w.pauses) > 0 { // somebody below waits for the user
		for _, p := range w.pauses {
			r.pauses = append(r.pauses, waiting{w.piece, p})
		}
		r.pauseNode(w.piece, record{Attempt: w.attempt})
		return
	}
	r.apply(w.piece, r.write(r.judge(w)))
}

// apply takes a record: one that was just made, or one of an earlier time.
func (r *run) apply(p piece, rec record) {
	prog := r.of(p)
	prog.attempts, prog.answer, prog.child, prog.failed = rec.Attempt, nil, "", rec.failed()
	switch {
	case rec.Reopened:
		prog.failures, prog.corrected, prog.child = 0, false, rec.Child
		r.again(p)
	case rec.Again != "" && rec.Reply != nil && rec.Reply.Status == core.StatusSuccess:
		prog.corrected, prog.misfit = true, misfit{cmp.Or(rec.Child, p.attemptID(r.chain, rec.Attempt)), len(prog.talk)}
		prog.talk = append(prog.talk, said(*rec.Reply), asked("That answer cannot be used: "+rec.Again+". Answer again."))
		r.again(p)
	case rec.Again != "":
		prog.failures++
		r.again(p)
	case rec.Pause != "":
		prog.talk = append(prog.talk, said(*rec.Reply))
		a, ok := r.answers[rec.Pause]
		if !ok && rec.Answer != "" {
			a, ok = core.Answer{Pause: rec.Pause, Text: rec.Answer}, true
		}
		if ok {
			prog.answer = &a
			prog.talk = append(prog.talk, asked(a.Text))
			r.again(p)
			return
		}
		r.pauses = append(r.pauses, waiting{p, r.asked[rec.Pause]})
		r.dequeue(p)
		r.pauseNode(p, rec)
	case p.item >= 0:
		r.dequeue(p)
		l := r.lists[p.node]
		if o, all := l.put(p.item, rec.outcome()); all {
			r.endNode(p.node, o)
		}
	default:
		r.dequeue(p)
		r.endNode(p.node, rec.outcome())
	}
}

func (r *run) of(p piece) *progress {
	prog := r.progress[p]
	if prog == nil {
		prog = &progress{}
		r.progress[p] = prog
	}
	return prog
}

// again lets a piece be worked on once more.
func (r *run) again(p piece) {
	r.dequeue(p)
	if l := r.lists[p.node]; p.item >= 0 {
		l.again = append(l.again, p.item)
		return
	}
	r.ready = append(r.ready, &work{piece: p})
}

// dequeue takes a piece off those that are ready: it has been done.
func (r *run) dequeue(p piece) {
	if l := r.lists[p.node]; p.item >= 0 {
		l.begun[p.item] = true
		l.again = slices.DeleteFunc(l.again, func(i int) bool { return i == p.item })
		return
	}
	r.ready = slices.DeleteFunc(r.ready, func(w *work) bool { return w.piece == p })
}

// abandon cancels what runs and waits for it, for a while: who runs stores how
// it ended.
func (r *run) abandon(cancel context.CancelFunc) {
	cancel()
	timer := time.NewTimer(cleanup)
	defer timer.Stop()
	for len(r.active) > 0 {
		select {
		case w := <-r.done:
			r.active = slices.DeleteFunc(r.active, func(other *work) bool { return other == w })
			r.usage = r.usage.Add(w.usage)
		case <-timer.C:
			return
		}
	}
}

// accept checks what a chain is started with. Inputs with a default may be
// left out; a single text input takes the question.
func (c *Chain) accept(in core.Input) (given, error) {
	g := given{Text: in.Asked().Text, Args: in.Args}
	if c.inputs == nil {
		if s, ok := g.Args[textArg].(string); ok {
			g.Text = s
		}
		g.Args = nil
		return g, nil
	}
	args, err := c.complete(g)
	if err != nil {
		return g, core.Fail(core.CodeInvalid, err.Error(), "give its inputs as name=value: "+c.Usage())
	}
	g.Args = args
	return g, nil
}

// said is a reply as a message of a conversation. Thought is for people: it is
// not shown to a model again.
func said(r core.Reply) core.Message {
	r.Thought = ""
	raw, err := json.Marshal(r)
	if err != nil {
		raw = []byte(r.Message)
	}
	return core.Message{Role: core.RoleAssistant, Text: string(raw)}
}

func asked(text string) core.Message { return core.Message{Role: core.RoleUser, Text: text} }

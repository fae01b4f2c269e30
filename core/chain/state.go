package chain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/chain/expr"
)

// state is how far a run of a chain is. It changes only by outcomes, in order:
// the same outcomes in the same order lead to the same state, which is how a
// run is resumed. It does nothing itself and belongs to one goroutine.
type state struct {
	*Chain
	given   given
	nodes   []nodeState
	visits  int   // of all nodes
	queue   []int // activated, not begun
	busy    []int // begun, not ended
	waiting []int // come to, waiting for what may still come
	over    bool
	final   core.Reply // once it is over
	reached []int      // the nodes that led to the end, in order
	judged  []judged   // since they were last taken
	dropped []dropped  // cancelled since they were last taken
	trouble string     // the last failure that nothing took care of
	// failures are the nodes whose failures nothing took care of: those that
	// ended the run.
	failures []int
}

// given is what a run was started with.
type given struct {
	Text string         `json:"text,omitempty"`
	Args map[string]any `json:"args,omitempty"`
}

// nodeState is one node in a run.
type nodeState struct {
	state   core.NodeState
	visit   int
	begun   int            // which activation of the run the visit was
	values  map[string]any // of its last reply, for references
	reply   core.Reply
	came    []arrival // that led to the present visit
	coming  []arrival // that will lead to the next one
	seen    []*Edge   // that arrived since the visit began: joins other than all ignore them
	phase   phase     // of the present visit
	waits   bool      // for what may still come to the next one
	blocker int       // what the wait was last seen to be for
	retry   string    // the instruction that the visit was sent back with
	failure map[string]any
}

// phase is where a visit is.
type phase int

const (
	nowhere phase = iota // there is none, or it is over
	queued               // activated, not begun
	busy                 // begun, not ended
)

// arrival is an edge that was followed.
type arrival struct {
	edge    *Edge
	pos     int            // of the edge in the file
	from    int            // none: start
	failure map[string]any // what is to be taken care of; nil: it was a success
	retry   string         // the instruction for the work to be done again
}

// outcome is how a visit ended.
type outcome struct {
	reply core.Reply
	fault string // why there is no reply, in words
	input any    // as it was resolved, for whoever handles a failure
}

// judged is an edge that was looked at.
type judged struct {
	edge    *Edge
	taken   bool
	why     string // the condition, or the rule that chose it
	verdict expr.Verdict
}

// dropped is a node that was cancelled.
type dropped struct {
	at  int
	why string
}

func newState(c *Chain, g given) *state {
	s := &state{Chain: c, given: g, nodes: make([]nodeState, len(c.nodes))}
	for i := range s.nodes {
		s.nodes[i].state = core.NodePending
	}
	return s
}

// begin follows the edges that leave start: those that are true, or else the
// others.
func (s *state) begin() {
	reply := core.Reply{Status: core.StatusSuccess, Message: s.given.Text, Data: s.given.Args}
	s.choose(none, s.first, outcome{reply: reply}, values(reply, "", 1), true)
	s.settle()
}

// end takes the outcome of a busy node and tells how its visit ended. It reports
// false when the node was cancelled meanwhile: the outcome is then of no use.
func (s *state) end(at int, o outcome) (ended core.NodeState, ok bool) {
	p, n := &s.nodes[at], &s.Chain.nodes[at]
	if p.phase != busy || s.over {
		return "", false
	}
	i := slices.Index(s.busy, at)
	s.busy = slices.Delete(s.busy, i, i+1)
	p.phase = nowhere
	p.reply, p.values = o.reply, values(o.reply, o.fault, p.visit)
	if in := s.cameFrom(at); in != nil && n.Kind == KindCondition {
		p.values["status"] = in["status"]
	}
	p.state, ended = core.NodeCompleted, core.NodeCompleted
	switch {
	case o.reply.Status == core.StatusCompleted:
		s.finish(o.reply)
	case o.reply.Retry() && s.sendBack(at, o):
	case o.reply.Status == core.StatusClarification:
		s.clarify(n)
	case o.reply.Status == core.StatusSuccess:
		s.choose(at, n.out, o, p.values, n.Fanout)
	default:
		p.state, ended = core.NodeFailed, core.NodeFailed
		s.fail(at, o)
	}
	s.settle()
	return ended, true
}

// cameFrom is the reply that led to a visit, for references.
func (s *state) cameFrom(at int) map[string]any {
	for _, a := range s.nodes[at].came {
		if a.from >= 0 {
			return s.nodes[a.from].values
		}
	}
	return nil
}

// clarify follows the edge for a question that the chain answers itself.
func (s *state) clarify(n *node) {
	for _, e := range n.out {
		if e.On == "clarification" {
			s.follow(e, "clarification", expr.Verdict{}, nil)
			return
		}
	}
}

// answersItself reports whether the chain handles a node's question.
func (n *node) answersItself() bool {
	return slices.ContainsFunc(n.out, func(e edge) bool { return e.On == "clarification" })
}

// choose follows the first edge whose condition is true, or all of them; else
// the one that the reply hints at, else the default.
func (s *state) choose(at int, out []edge, o outcome, response map[string]any, all bool) {
	look, taken := s.look(at, response), 0
	for _, e := range out {
		switch {
		case e.when != nil:
			verdict := e.when.Eval(look)
			if verdict.True = verdict.True && (taken == 0 || all); verdict.True {
				taken++
				s.follow(e, e.When, verdict, nil)
			} else if taken == 0 || all {
				s.judged = append(s.judged, judged{edge: e.Edge, why: e.When, verdict: verdict})
			}
		case all && plain(e):
			taken++
			s.follow(e, "", expr.Verdict{}, nil)
		}
	}
	if taken > 0 {
		return
	}
	if hint := o.reply.NextStepHint; s.Spec.Dynamic && hint != "" {
		for _, e := range out {
			if e.To == hint && !e.OnError && e.On == "" {
				s.follow(e, "hint", expr.Verdict{}, nil)
				return
			}
		}
	}
	for _, e := range out {
		if e.Default || plain(e) {
			s.follow(e, "default", expr.Verdict{}, nil)
			return
		}
	}
	if at >= 0 {
		s.trouble = fmt.Sprintf("no edge that leaves %s was true", s.Chain.nodes[at].ID)
	}
}

func plain(e edge) bool { return e.when == nil && !e.Default && !e.OnError && e.On == "" }

// fail follows an edge whose condition is true, or the one for errors; else the
// chain's own handler; else the chain is over.
func (s *state) fail(at int, o outcome) {
	n, p := &s.Chain.nodes[at], &s.nodes[at]
	problem, look := o.problem(), s.look(at, p.values)
	handled := map[string]any{"node": n.ID, "message": problem, "input": o.input, "data": anyMap(o.reply.Data)}
	for _, e := range n.out {
		if e.when == nil {
			continue
		}
		verdict := e.when.Eval(look)
		if verdict.True {
			s.follow(e, e.When, verdict, handled)
			return
		}
		s.judged = append(s.judged, judged{edge: e.Edge, why: e.When, verdict: verdict})
	}
	s.rescue(at, problem, handled)
}

// rescue is what is done about a failure when no condition is true.
func (s *state) rescue(at int, problem string, handled map[string]any) {
	n := &s.Chain.nodes[at]
	for _, e := range n.out {
		if e.OnError {
			s.follow(e, "on_error", expr.Verdict{}, handled)
			return
		}
	}
	if h := s.onError; h >= 0 && h != at && s.nodes[h].visit+len(s.nodes[h].coming) < s.Chain.nodes[h].visits() {
		e := &Edge{From: n.ID, To: s.Spec.OnError, OnError: true}
		s.follow(s.made(e, at, h), "on_error", expr.Verdict{}, handled)
		return
	}
	s.trouble = problem
	for _, e := range n.out {
		if e.to >= 0 && s.Chain.nodes[e.to].Join.Kind != JoinAll && s.Chain.nodes[e.to].Join.Kind != "" {
			s.failures = append(s.failures, at)
			return // it was one of several ways there
		}
	}
	reply := s.nodes[at].reply
	reply.Status, reply.Message = core.StatusFailure, problem
	s.failures = []int{at}
	s.finish(reply)
}

// made is an edge that the file does not have.
func (s *state) made(e *Edge, from, to int) edge {
	return edge{Edge: e, pos: len(s.Spec.Edges), from: from, to: to}
}

// sendBack lets the node before this one work again with an instruction. It
// reports false where that is not allowed any more.
func (s *state) sendBack(at int, o outcome) bool {
	n, from := &s.Chain.nodes[at], s.worker(at)
	if n.MaxVisits == 0 || s.nodes[at].visit >= n.MaxVisits || from < 0 || s.nodes[from].visit >= s.Chain.nodes[from].visits() {
		return false
	}
	instruction := o.reply.Message
	if text, ok := o.reply.Data["instruction"].(string); ok && text != "" {
		instruction = text
	}
	e := s.made(&Edge{From: n.ID, To: s.Chain.nodes[from].ID}, at, from)
	s.judged = append(s.judged, judged{edge: e.Edge, taken: true, why: "retry"})
	s.arrive(e, arrival{edge: e.Edge, pos: e.pos, from: at, retry: instruction})
	return true
}

// worker is the node whose work led to a visit: conditions do none.
func (s *state) worker(at int) int {
	for range s.nodes {
		if len(s.nodes[at].came) == 0 {
			return none
		}
		if at = s.nodes[at].came[0].from; at < 0 || s.Chain.nodes[at].Kind != KindCondition {
			return at
		}
	}
	return none
}

// follow goes along an edge, with a failure where there was one.
func (s *state) follow(e edge, why string, v expr.Verdict, failure map[string]any) {
	if s.over {
		return
	}
	if e.to >= 0 && e.from >= 0 && s.nodes[e.to].visit >= s.Chain.nodes[e.to].visits() && !s.late(e) {
		s.judged = append(s.judged, judged{edge: e.Edge, why: why, verdict: v})
		problem := fmt.Sprintf("%s was to be visited more than %d times", e.To, s.Chain.nodes[e.to].visits())
		if why == "on_error" {
			s.finish(core.Reply{Status: core.StatusFailure, Message: problem})
			return
		}
		s.rescue(e.from, problem, map[string]any{"node": e.From, "message": problem, "input": nil, "data": map[string]any{}})
		return
	}
	s.judged = append(s.judged, judged{edge: e.Edge, taken: true, why: why, verdict: v})
	if e.to == atEnd {
		s.reached = append(s.reached, e.from)
		return
	}
	s.arrive(e, arrival{edge: e.Edge, pos: e.pos, from: e.from, failure: failure})
}

// late reports whether an edge leads to a join that has begun without it. One
// that comes back from behind the join, in a loop, is not late but new.
func (s *state) late(e edge) bool {
	n, p := &s.Chain.nodes[e.to], &s.nodes[e.to]
	if n.Join.Kind == "" || n.Join.Kind == JoinAll || p.visit == 0 || e.from < 0 || slices.Contains(p.seen, e.Edge) {
		return false
	}
	return s.nodes[e.from].begun < p.begun || !s.precedes(e.to, e.from)
}

// arrive reaches a node.
func (s *state) arrive(e edge, a arrival) {
	n, p := &s.Chain.nodes[e.to], &s.nodes[e.to]
	if s.late(e) {
		p.seen = append(p.seen, e.Edge)
		return
	}
	p.coming = append(p.coming, a)
	ready := false
	switch n.Join.Kind {
	case JoinAny:
		ready = true
	case JoinCount:
		ready = len(p.coming) >= n.Join.N
	case JoinFirst:
		if ready = a.failure == nil; ready {
			s.drop(e.to, e.From+" was first")
		}
	default:
		if ready = s.urgent(e.to); !ready {
			s.wait(e.to)
		}
	}
	if ready && p.phase == nowhere {
		s.activate(e.to)
	} else if ready {
		s.wait(e.to)
	}
}

// urgent reports whether a node is the chain's handler and has a failure to
// handle: each has a visit of its own, and none waits for what may come.
func (s *state) urgent(at int) bool {
	coming := s.nodes[at].coming
	return at == s.onError && s.Chain.nodes[at].Join.Kind == "" && len(coming) > 0 && coming[0].edge.OnError
}

func (s *state) wait(at int) {
	if p := &s.nodes[at]; !p.waits {
		p.waits = true
		s.waiting = append(s.waiting, at)
	}
}

// drop cancels what else leads to a node. What would lead there only by a
// failure that the chain's handler handles is left alone.
func (s *state) drop(to int, why string) {
	before := s.findUpstream(to, false)
	for _, list := range []*[]int{&s.busy, &s.queue, &s.waiting} {
		*list = slices.DeleteFunc(*list, func(at int) bool {
			if at == to || !before.has(at) {
				return false
			}
			p := &s.nodes[at]
			if p.phase == busy {
				s.dropped = append(s.dropped, dropped{at, why})
			}
			p.state, p.phase, p.waits, p.coming = core.NodeCancelled, nowhere, false, nil
			return true
		})
	}
}

// settle activates the nodes that nothing more can lead to.
func (s *state) settle() {
	for !s.over {
		i := slices.IndexFunc(s.waiting, s.complete)
		if i < 0 && len(s.busy)+len(s.queue) == 0 && len(s.waiting) > 0 {
			i = slices.Index(s.waiting, slices.Min(s.waiting)) // they wait for each other
		}
		if i < 0 {
			break
		}
		s.activate(s.waiting[i])
	}
	if !s.over && len(s.busy)+len(s.queue)+len(s.waiting) == 0 {
		s.conclude()
	}
}

// complete reports whether a node that waits may begin: where it waits for all,
// no other edge can still be followed to it.
func (s *state) complete(at int) bool {
	n, p := &s.Chain.nodes[at], &s.nodes[at]
	if p.phase != nowhere {
		return false
	}
	if n.Join.Kind != "" && n.Join.Kind != JoinAll || n.in <= 1 && at != s.onError || s.urgent(at) {
		return true
	}
	blocks := func(other int) bool {
		o := &s.nodes[other]
		return other != at && (o.phase != nowhere || o.waits) && s.precedes(other, at)
	}
	if blocks(p.blocker) { // it is looked for only when it is gone
		return false
	}
	for _, list := range [][]int{s.busy, s.queue, s.waiting} {
		if i := slices.IndexFunc(list, blocks); i >= 0 {
			p.blocker = list[i]
			return false
		}
	}
	return true
}

// activate lets a node begin.
func (s *state) activate(at int) {
	n, p := &s.Chain.nodes[at], &s.nodes[at]
	if s.visits++; s.visits > s.steps() {
		s.finish(core.Reply{Status: core.StatusFailure, Message: fmt.Sprintf("the chain took more than its %d steps", s.steps())})
		return
	}
	if p.waits {
		i := slices.Index(s.waiting, at)
		s.waiting = slices.Delete(s.waiting, i, i+1)
		p.waits = false
	}
	p.visit++
	p.begun, p.state, p.phase = s.visits, core.NodeRunning, queued
	if s.urgent(at) {
		p.came, p.coming = p.coming[:1:1], p.coming[1:]
	} else {
		p.came, p.coming = p.coming, nil
	}
	if n.Join.Kind == "" || n.Join.Kind == JoinAll { // the order of the file, not of time
		slices.SortStableFunc(p.came, func(a, b arrival) int { return a.pos - b.pos })
	}
	p.given()
	s.queue = append(s.queue, at)
	if s.urgent(at) {
		s.wait(at)
	}
}

// given notes what came with the edges that led to a visit.
func (p *nodeState) given() {
	var failure map[string]any
	p.retry, p.seen = "", p.seen[:0]
	for _, a := range p.came {
		p.seen = append(p.seen, a.edge)
		if failure == nil {
			failure = a.failure
		}
		p.retry = cmp.Or(p.retry, a.retry)
	}
	if failure != nil || p.retry == "" { // work that is done again is about what it was about
		p.failure = failure
	}
}

func (s *state) steps() int { return cmp.Or(s.Spec.Limits.Steps, DefaultSteps) }

// next takes a node that may begin.
func (s *state) next() int {
	at := s.queue[0]
	s.queue = s.queue[1:]
	s.nodes[at].phase = busy
	s.busy = append(s.busy, at)
	return at
}

// conclude ends a chain in which nothing is left to do.
func (s *state) conclude() {
	if len(s.reached) == 0 {
		s.finish(core.Reply{Status: core.StatusFailure, Message: cmp.Or(s.trouble, "the chain came to no end")})
		return
	}
	reply := core.Reply{Status: core.StatusSuccess, Message: s.given.Text, Data: s.given.Args}
	if last := s.reached[len(s.reached)-1]; last >= 0 {
		reply = s.nodes[last].reply
		reply.NextStepHint = ""
	}
	s.finish(reply)
}

func (s *state) finish(reply core.Reply) {
	if s.over {
		return
	}
	s.over, s.final = true, reply
	for _, at := range s.busy {
		s.dropped = append(s.dropped, dropped{at, "the chain is over"})
	}
	for _, at := range slices.Concat(s.busy, s.queue) {
		s.nodes[at].state, s.nodes[at].phase = core.NodeCancelled, nowhere
	}
	s.busy, s.queue, s.waiting = nil, nil, nil
	for i := range s.nodes {
		if s.nodes[i].state == core.NodePending {
			s.nodes[i].state = core.NodeSkipped
		}
	}
}

// look resolves the roots of references: seen from a node, with the reply that
// is judged.
func (s *state) look(at int, response map[string]any) expr.Lookup {
	return func(root string) (any, bool) {
		switch root {
		case "response":
			return response, response != nil
		case "input":
			if s.given.Args == nil {
				return s.given.Text, true
			}
			return s.given.Args, true
		case "vars":
			return s.Spec.Vars, true
		case "visits":
			if at < 0 {
				return 0, true
			}
			return s.nodes[at].visit, true
		case "instruction":
			if at < 0 || s.nodes[at].retry == "" {
				return nil, false
			}
			return s.nodes[at].retry, true
		case "error":
			if at < 0 || s.nodes[at].failure == nil {
				return nil, false
			}
			return s.nodes[at].failure, true
		}
		if i, ok := s.index[root]; ok && s.nodes[i].values != nil {
			return s.nodes[i].values, true
		}
		return nil, false
	}
}

// values is a reply as references see it. Thought is not there: it is for
// people.
func values(r core.Reply, fault string, visit int) map[string]any {
	v := map[string]any{
		"status": string(r.Status), "message": r.Message, "data": anyMap(r.Data), "visits": visit,
	}
	if r.NextStepHint != "" {
		v["next_step_hint"] = r.NextStepHint
	}
	if fault != "" {
		v["error"] = fault
	}
	return v
}

func anyMap(m map[string]any) any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

package chain

import (
	"fmt"
	"slices"

	"yaap/core"
	"yaap/core/chain/expr"
)

// state is how far a run of a chain is. It changes only by outcomes, in order:
// the same outcomes in the same order lead to the same state, which is how a
// run is gone on with. It does nothing itself and belongs to one goroutine.
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
	dropped []int      // cancelled since they were last taken
	trouble string     // the last failure that nothing took care of
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
	retry   string    // the instruction it was sent back with
	failure map[string]any
}

// arrival is an edge that was followed.
type arrival struct {
	edge    *Edge
	from    int // none: start
	success bool
}

// outcome is how a visit ended.
type outcome struct {
	reply core.Reply
	fault string // why there is no reply, in words
	input any    // as it was resolved, for whoever takes care of a failure
}

// judged is an edge that was looked at.
type judged struct {
	edge    *Edge
	taken   bool
	why     string // the condition, or the rule that chose it
	verdict expr.Verdict
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

// end takes the outcome of a busy node. It reports false when the node was
// cancelled meanwhile: the outcome is then of no use.
func (s *state) end(at int, o outcome) bool {
	i := slices.Index(s.busy, at)
	if i < 0 || s.over {
		return false
	}
	s.busy = slices.Delete(s.busy, i, i+1)
	p, n := &s.nodes[at], &s.Chain.nodes[at]
	p.reply, p.values = o.reply, values(o.reply, o.fault, p.visit)
	p.state = core.NodeCompleted
	switch {
	case o.reply.Status == core.StatusCompleted:
		s.finish(o.reply)
	case o.reply.Retry() && s.sendBack(at, o):
	case o.reply.Status == core.StatusClarification:
		s.clarify(at, n)
	case o.reply.Status == core.StatusSuccess:
		s.choose(at, n.out, o, p.values, n.Fanout)
	default:
		p.state = core.NodeFailed
		s.fail(at, o)
	}
	s.settle()
	return true
}

// clarify follows the edge for a question that the chain answers itself.
func (s *state) clarify(at int, n *node) {
	for _, e := range n.out {
		if e.On == "clarification" {
			s.follow(e, "clarification", expr.Verdict{}, true)
			return
		}
	}
}

// answersItself reports whether the chain takes care of a node's question.
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
				s.follow(e, e.When, verdict, true)
			} else if taken == 0 || all {
				s.judged = append(s.judged, judged{edge: e.Edge, why: e.When, verdict: verdict})
			}
		case all && plain(e):
			taken++
			s.follow(e, "", expr.Verdict{}, true)
		}
	}
	if taken > 0 {
		return
	}
	if hint := o.reply.NextStepHint; s.Spec.Dynamic && hint != "" {
		for _, e := range out {
			if e.To == hint && !e.OnError && e.On == "" {
				s.follow(e, "hint", expr.Verdict{}, true)
				return
			}
		}
	}
	for _, e := range out {
		if e.Default || plain(e) {
			s.follow(e, "default", expr.Verdict{}, true)
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
	problem := o.fault
	if problem == "" {
		problem = o.reply.Message
	}
	look := s.look(at, p.values)
	handled := map[string]any{"node": n.ID, "message": problem, "input": o.input, "data": anyMap(o.reply.Data)}
	for _, e := range n.out {
		if e.when == nil {
			continue
		}
		verdict := e.when.Eval(look)
		if verdict.True {
			s.hand(e.to, handled)
			s.follow(e, e.When, verdict, false)
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
			s.hand(e.to, handled)
			s.follow(e, "on_error", expr.Verdict{}, false)
			return
		}
	}
	if h := s.onError; h >= 0 && h != at && s.nodes[h].visit < s.Chain.nodes[h].visits() {
		s.hand(h, handled)
		e := &Edge{From: n.ID, To: s.Spec.OnError, OnError: true}
		s.follow(edge{Edge: e, from: at, to: h}, "on_error", expr.Verdict{}, false)
		return
	}
	s.trouble = problem
	for _, e := range n.out {
		if e.to >= 0 && s.Chain.nodes[e.to].Join.Kind != JoinAll && s.Chain.nodes[e.to].Join.Kind != "" {
			return // it was one of several ways there
		}
	}
	reply := s.nodes[at].reply
	reply.Status, reply.Message = core.StatusFailure, problem
	s.finish(reply)
}

// hand gives a node the failure that it is to take care of.
func (s *state) hand(to int, failure map[string]any) {
	if to >= 0 {
		s.nodes[to].failure = failure
	}
}

// sendBack lets the node before this one work again with an instruction. It
// reports false where that is not allowed any more.
func (s *state) sendBack(at int, o outcome) bool {
	n, p := &s.Chain.nodes[at], &s.nodes[at]
	if n.MaxVisits == 0 || len(p.came) == 0 || p.visit >= n.MaxVisits {
		return false
	}
	from := p.came[0].from
	if from < 0 || s.nodes[from].visit >= s.Chain.nodes[from].visits() {
		return false
	}
	s.nodes[from].retry = o.reply.Message
	if text, ok := o.reply.Data["instruction"].(string); ok && text != "" {
		s.nodes[from].retry = text
	}
	e := &Edge{From: n.ID, To: s.Chain.nodes[from].ID}
	s.follow(edge{Edge: e, from: at, to: from}, "retry", expr.Verdict{}, true)
	return true
}

// follow goes along an edge.
func (s *state) follow(e edge, why string, v expr.Verdict, success bool) {
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
	s.arrive(e, success)
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

// arrive comes to a node.
func (s *state) arrive(e edge, success bool) {
	n, p := &s.Chain.nodes[e.to], &s.nodes[e.to]
	if s.late(e) {
		p.seen = append(p.seen, e.Edge)
		return
	}
	p.coming = append(p.coming, arrival{edge: e.Edge, from: e.from, success: success})
	switch n.Join.Kind {
	case JoinAny:
		s.activate(e.to)
	case JoinCount:
		if len(p.coming) >= n.Join.N {
			s.activate(e.to)
		}
	case JoinFirst:
		if success {
			s.drop(e.to)
			s.activate(e.to)
		}
	default:
		if e.to == s.onError && n.Join.Kind == "" && e.OnError {
			s.activate(e.to)
		} else if !slices.Contains(s.waiting, e.to) {
			s.waiting = append(s.waiting, e.to)
		}
	}
}

// drop cancels what else leads to a node.
func (s *state) drop(to int) {
	leads := func(at int) bool { return at != to && s.precedes(at, to) }
	for _, list := range []*[]int{&s.busy, &s.queue, &s.waiting} {
		*list = slices.DeleteFunc(*list, func(at int) bool {
			if !leads(at) {
				return false
			}
			s.nodes[at].state = core.NodeCancelled
			if list == &s.busy {
				s.dropped = append(s.dropped, at)
			}
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
		at := s.waiting[i]
		s.waiting = slices.Delete(s.waiting, i, i+1)
		s.activate(at)
	}
	if !s.over && len(s.busy)+len(s.queue)+len(s.waiting) == 0 {
		s.conclude()
	}
}

// complete reports whether no other edge can still be followed to a node.
func (s *state) complete(at int) bool {
	if slices.Contains(s.busy, at) || slices.Contains(s.queue, at) {
		return false
	}
	if s.Chain.nodes[at].in <= 1 && at != s.onError {
		return true
	}
	blocks := func(other int) bool { return other != at && s.precedes(other, at) }
	return !slices.ContainsFunc(s.busy, blocks) && !slices.ContainsFunc(s.queue, blocks) && !slices.ContainsFunc(s.waiting, blocks)
}

// activate lets a node begin.
func (s *state) activate(at int) {
	p := &s.nodes[at]
	if s.visits++; s.visits > s.steps() {
		s.finish(core.Reply{Status: core.StatusFailure, Message: fmt.Sprintf("the chain took more than its %d steps", s.steps())})
		return
	}
	p.visit++
	p.begun, p.state = s.visits, core.NodeRunning
	p.came, p.coming, p.seen = p.coming, nil, p.seen[:0]
	for _, a := range p.came {
		p.seen = append(p.seen, a.edge)
	}
	s.queue = append(s.queue, at)
}

func (s *state) steps() int {
	if s.Spec.Limits.Steps > 0 {
		return s.Spec.Limits.Steps
	}
	return DefaultSteps
}

// next takes a node that may begin.
func (s *state) next() int {
	at := s.queue[0]
	s.queue = s.queue[1:]
	s.busy = append(s.busy, at)
	return at
}

// conclude ends a chain in which nothing is left to do.
func (s *state) conclude() {
	if len(s.reached) == 0 {
		message := s.trouble
		if message == "" {
			message = "the chain came to no end"
		}
		s.finish(core.Reply{Status: core.StatusFailure, Message: message})
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
	s.dropped = append(s.dropped, s.busy...)
	for _, at := range slices.Concat(s.busy, s.queue) {
		s.nodes[at].state = core.NodeCancelled
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

package chain

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/yaap-chat/yaap/core"
	runs "github.com/yaap-chat/yaap/core/run"
)

// emit reports an event of the run and keeps it for the next step, unless it was
// when it was done first.
func (r *run) emit(b core.Body) {
	if !r.replaying {
		r.Emit(r.Scope, b)
	}
}

// write keeps a record for the next step and returns it as it was kept.
func (r *run) write(rec record) record {
	step, err := r.Step(rec)
	if err != nil { // somebody answered what JSON cannot hold
		rec.Reply, rec.Again, rec.Pause, rec.Fault = nil, "", "", "its answer cannot be stored: "+err.Error()
		step, _ = r.Step(rec)
	}
	r.Queue(step)
	return rec
}

// put takes what waits to disk, together with what is about to begin. Events
// alone wait for the next step.
func (r *run) put(ctx context.Context, begun []*work) error {
	for _, w := range begun {
		r.prepare(ctx, w)
	}
	if !r.IsDue() {
		return nil
	}
	return r.Put(ctx)
}

// finish stores how the run ended and closes it.
func (r *run) finish(ctx context.Context, cause error) (core.Result, error) {
	if ctx.Err() != nil && (cause != nil || r.state == nil || !r.over) {
		cancelled := core.Cancelled(ctx)
		cancelled.Hint = "go on with /continue"
		cause = cancelled
	}
	result := core.Result{Usage: r.usage}
	if r.state != nil {
		result.Turns = r.visits
		r.report()
		r.closeNodes(cause)
	}
	end := r.Ending(result, cause)
	switch {
	case cause != nil:
		if r.waits || end.Code == core.CodeTimedOut && ctx.Err() == nil {
			end.Outcome = "interrupted"
		}
	case r.over:
		result.Reply = r.output()
		if end.Status = result.Reply.Status; end.Status == core.StatusFailure {
			end.Outcome, end.Code, end.Error, end.Hint = "error", core.CodeFailed, result.Reply.Message, r.mend()
			if r.reopens() {
				end.Hint = "/continue goes on at the node that failed"
			}
		}
		r.answer(runs.NewID(), result.Reply)
		r.audit(r.Runner, r.in.Node, result.Reply, result.Reply.Status, "composed")
	default:
		for _, w := range r.pauses {
			result.Pauses = append(result.Pauses, w.pause)
		}
		result.Reply = waitsFor(result.Pauses)
		end.Outcome, end.Status = "interrupted", core.StatusClarification
		if len(result.Pauses) > 0 {
			r.answer(r.in.Run+"/"+result.Pauses[0].ID, result.Reply)
		}
	}
	if ctx.Err() != nil {
		err := r.Abort(ctx, end)
		return result, cmp.Or(cause, err)
	}
	stored := end
	if r.waits {
		stored.Code = ""
	}
	err := r.Store(ctx, stored)
	r.Close(ctx, end, err)
	return result, cmp.Or(cause, err)
}

// answer reports a reply and keeps it as a message of the run.
func (r *run) answer(id string, reply core.Reply) {
	r.emit(core.FinalOutput{Reply: reply})
	r.QueueMessage(core.Message{
		ID: id, Run: r.in.Run, Role: core.RoleAssistant, Name: r.chain.Spec.Name, Text: reply.Message, Reply: &reply, Time: r.cfg.Now(),
	})
}

// audit keeps a reply for the audit log, where it is not the one of a run below
// that keeps its own.
func (r *run) audit(actor, node string, reply core.Reply, said core.Status, outcome string) {
	r.QueueAudit(core.AuditRow{Actor: actor, Node: node, AuditReply: core.Audited(reply, said, text(anyMap(reply.Data)), outcome), Tokens: r.usage.Total()})
}

// waitsFor is a question to the user as a reply.
func waitsFor(pauses []core.Pause) core.Reply {
	if len(pauses) == 0 {
		return core.Reply{Status: core.StatusFailure, Message: "the chain came to no end", Data: map[string]any{}}
	}
	p := pauses[0]
	data := map[string]any{"pause": p.ID, "node": p.From}
	if len(p.Options) > 0 {
		options := make([]any, len(p.Options))
		for i, o := range p.Options {
			options[i] = o.Label
		}
		data["options"] = options
	}
	return core.Reply{Status: core.StatusClarification, Message: p.Question, Data: data}
}

// output is the reply of a chain that is over: as its file wants it, or that of
// the node that led to the end.
func (r *run) output() core.Reply {
	reply := r.final
	if reply.Data == nil {
		reply.Data = map[string]any{}
	}
	if reply.Status == core.StatusFailure {
		return reply
	}
	reply.Status = core.StatusSuccess
	look := r.look(none, nil)
	if r.chain.message != nil {
		v, err := r.chain.message.Resolve(look)
		if err != nil {
			return core.Reply{Status: core.StatusFailure, Message: "output.message: " + err.Error(), Data: reply.Data}
		}
		reply.Message = text(v)
	}
	if r.chain.data != nil {
		v, err := r.chain.data.Resolve(look)
		data, ok := v.(map[string]any)
		if err == nil && !ok {
			err = errors.New("is no object")
		}
		if err != nil {
			return core.Reply{Status: core.StatusFailure, Message: "output.data: " + err.Error(), Data: reply.Data}
		}
		reply.Data = data
	}
	return reply
}

// text is a value as text: strings as they are, anything else as JSON.
func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	raw, _ := json.Marshal(v) // what is no JSON is nothing
	return string(raw)
}

// report reports the edges that were judged and the nodes that were cancelled
// since the last time.
func (r *run) report() {
	for _, j := range r.judged {
		if !j.taken && j.why == "" {
			continue
		}
		b := core.EdgeTaken{Chain: r.chain.Spec.Name, From: j.edge.From, To: j.edge.To, Taken: j.taken, Condition: j.why, Values: j.verdict.Values}
		b.Problem = strings.Join(j.verdict.Problems, "; ")
		r.emit(b)
	}
	r.judged = r.judged[:0]
	for _, d := range r.dropped {
		why := core.Fail(core.CodeCancelled, r.chain.nodes[d.at].ID+" is not needed any more: "+d.why, "")
		r.forget(d.at, why)
		r.reportCancelled(d.at, why.Message)
	}
	r.dropped = r.dropped[:0]
}

// closeNodes ends the nodes that are still open.
func (r *run) closeNodes(cause error) {
	if cause == nil && !r.over {
		return // they wait for the user, and have said so
	}
	why := "the chain is over"
	if cause != nil {
		why = cause.Error()
	}
	for at := range r.nodes {
		if _, ok := r.open[at]; ok {
			r.reportCancelled(at, why)
		}
	}
}

func (r *run) reportCancelled(at int, why string) {
	attempt := r.open[at].attempt
	if ms, ok := r.close(at); ok {
		r.emit(core.NodeEnd{Chain: r.chain.Spec.Name, Node: r.chain.nodes[at].ID, Visit: r.nodes[at].visit, Attempt: attempt, State: core.NodeCancelled, Error: why, MS: ms})
	}
}

// reportStart reports that a node begins, or is tried again.
func (r *run) reportStart(at int) {
	n := &r.chain.nodes[at]
	if _, ok := r.open[at]; ok && n.Each != nil {
		return
	}
	p := piece{node: at, visit: r.nodes[at].visit, item: none}
	prog := r.of(p)
	r.open[at] = opening{attempt: prog.attempts + 1, time: r.cfg.Now()}
	b := core.NodeStart{Chain: r.chain.Spec.Name, Node: n.ID, Visit: p.visit, Attempt: prog.attempts + 1}
	if !r.replaying {
		b.Input = prog.shown()
	}
	r.emit(b)
}

// reportEnd reports how a visit ended.
func (r *run) reportEnd(at, visit, attempt int, state core.NodeState, o outcome) {
	ms, ok := r.close(at)
	if !ok || r.replaying {
		return
	}
	b := core.NodeEnd{
		Chain: r.chain.Spec.Name, Node: r.chain.nodes[at].ID, Visit: visit, Attempt: attempt, State: state,
		Status: o.reply.Status, Thought: o.reply.Thought, Message: o.reply.Message, Error: o.fault, MS: ms,
	}
	if len(o.reply.Data) > 0 {
		b.Data, _ = json.Marshal(o.reply.Data) // what cannot be shown is in the record
	}
	r.emit(b)
}

// close takes a node off those that were reported as begun, and tells how many
// milliseconds it has been one. It reports false when it was none.
func (r *run) close(at int) (ms int64, ok bool) {
	o, ok := r.open[at]
	delete(r.open, at)
	return r.cfg.Now().Sub(o.time).Milliseconds(), ok
}

// shown is what a piece is given, for people.
func (p *progress) shown() json.RawMessage {
	in := map[string]any{}
	if p.prompt != "" {
		in["prompt"] = p.prompt
	}
	if p.input != nil {
		in["input"] = p.input
	}
	if len(in) == 0 {
		return nil
	}
	raw, _ := json.Marshal(in) // what cannot be shown is left out
	return raw
}

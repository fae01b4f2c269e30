package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"yaap/core"
	"yaap/core/diagram"
)

func (r *room) Graph(_ context.Context, runner string) (diagram.Graph, error) {
	if runner != "chain/review-loop" {
		return diagram.Graph{}, &core.Error{Code: core.CodeNotFound, Message: "the demo has no " + runner, Hint: "it has review-loop"}
	}
	return diagram.Graph{
		Name: "review-loop",
		Nodes: []diagram.Node{
			{ID: "collect", Kind: "expert", Label: "files"}, {ID: "write", Kind: "agent", Label: "yaap"}, {ID: "review", Kind: "agent", Label: "yaap"},
			{ID: "approve", Kind: "agent", Label: "yaap"}, {ID: "publish", Kind: "function", Label: "format"}, {ID: "give_up", Kind: "function", Label: "format"},
		},
		Edges: []diagram.Edge{
			{From: "start", To: "collect"}, {From: "collect", To: "write"}, {From: "collect", To: "give_up", Label: "on_error"}, {From: "write", To: "review"},
			{From: "review", To: "approve", Label: "response.data.score > 0.8"}, {From: "review", To: "write", Label: "default", Back: true},
			{From: "approve", To: "publish", Label: `response.data.answer == "yes"`}, {From: "approve", To: "give_up", Label: "default"},
			{From: "publish", To: "end"}, {From: "give_up", To: "end"},
		},
	}, nil
}

func (r *room) RunEvents(_ context.Context, run string) ([]core.Event, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []core.Event
	for _, e := range r.past {
		if e.Trace == run {
			out = append(out, e)
		}
	}
	return out, nil
}

func (r *room) Audit(_ context.Context, q core.AuditQuery) ([]core.AuditEntry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []core.AuditEntry
	for _, e := range r.past {
		row := core.AuditRow{Time: e.Time, Thread: e.Thread, Run: e.Run, Trace: e.Trace, Actor: "agent/yaap", Node: e.Node, Model: r.model, Tokens: 412}
		row.Outcome, row.Severity = "read", "info"
		switch b := e.Body.(type) {
		case core.FinalOutput:
			row.Status, row.Thought, row.Message = b.Reply.Status, b.Reply.Thought, b.Reply.Message
		case core.NodeEnd:
			row.Status, row.Thought, row.Message, row.Data, row.Node, row.MS = b.Status, b.Thought, b.Message, string(b.Data), b.Node, b.MS
		default:
			continue
		}
		row.Said = row.Status
		if row.Status == core.StatusClarification {
			row.Said = "needs_input"
		}
		seq := int64(len(out) + 1)
		entry := core.AuditEntry{Seq: seq, Row: row, Hash: fmt.Sprintf("%064x", seq*0x9f3a77), PrevHash: fmt.Sprintf("%064x", (seq-1)*0x9f3a77)}
		if q.Matches(entry) {
			out = append(out, entry)
		}
	}
	return out, nil
}

func (r *room) VerifyAudit(ctx context.Context) (core.AuditReport, error) {
	rows, err := r.Audit(ctx, core.AuditQuery{})
	if err != nil || len(rows) == 0 {
		return core.AuditReport{}, err
	}
	return core.AuditReport{Rows: len(rows), Head: core.AuditHead{Rows: rows[len(rows)-1].Seq, Hash: rows[len(rows)-1].Hash}}, nil
}

// chain plays a run of review-loop: up to its question, or from the answer on.
func (r *room) chain(ctx context.Context, thread, id, text string) (core.Result, error) {
	begun := time.Now()
	resumed := r.waits != ""
	if resumed {
		id, r.waits = r.waits, ""
	}
	s := core.Scope{Thread: thread, Run: id, Trace: id, Agent: "review-loop"}
	r.emit(s, core.RunStart{Runner: "chain/review-loop", Prompt: text, Resumed: resumed})
	reply := r.toApprove
	if resumed {
		reply = r.fromApprove
	}
	out, steps := reply(ctx, s, text)
	end := core.RunEnd{Outcome: "completed", Status: out.Status, Turns: steps, MS: time.Since(begun).Milliseconds()}
	if ctx.Err() != nil {
		err := &core.Error{Code: core.CodeCancelled, Message: "cancelled", Hint: "go on with /continue"}
		end.Outcome, end.Code, end.Error, end.Hint = "error", err.Code, err.Message, err.Hint
		r.emit(s, end)
		return core.Result{}, err
	}
	r.emit(s, core.FinalOutput{Reply: out})
	if out.Status == core.StatusClarification {
		end.Outcome, r.waits = "interrupted", id
	}
	r.emit(s, end)
	return core.Result{Reply: out, Turns: steps}, nil
}

// node plays one visit.
func (r *room) node(ctx context.Context, s core.Scope, input string, e core.NodeEnd, d time.Duration) {
	e.Chain, e.Visit, e.Attempt = "review-loop", max(e.Visit, 1), max(e.Attempt, 1)
	r.emit(s, core.NodeStart{Chain: e.Chain, Node: e.Node, Visit: e.Visit, Attempt: e.Attempt, Input: json.RawMessage(input)})
	r.sleep(ctx, d)
	e.State, e.MS = core.NodeCompleted, d.Milliseconds()
	if e.Status == "" {
		e.Status = core.StatusSuccess
	}
	switch {
	case ctx.Err() != nil:
		e.State = core.NodeCancelled
	case e.Status == core.StatusClarification:
		e.State = core.NodePaused
	}
	r.emit(s, e)
}

func (r *room) lead(s core.Scope, from, to, why string, values map[string]any) {
	r.emit(s, core.EdgeTaken{Chain: "review-loop", From: from, To: to, Taken: true, Condition: why, Values: values})
}

func (r *room) toApprove(ctx context.Context, s core.Scope, _ string) (core.Reply, int) {
	r.lead(s, "start", "collect", "", nil)
	r.node(ctx, s, `{"prompt":"all commits since 0.2"}`, core.NodeEnd{Node: "collect", Message: "31 commits", Data: []byte(`{"commits":31}`)}, 700*time.Millisecond)
	r.lead(s, "collect", "write", "", nil)
	for visit := 1; visit <= 2 && ctx.Err() == nil; visit++ {
		r.node(ctx, s, `{"prompt":"Write release notes from: 31 commits since 0.2, the most important first, and name the commit of each claim."}`,
			core.NodeEnd{Node: "write", Visit: visit, Thought: "The lease and drain changes matter most to users.", Message: "Release notes for 0.3: experts may now join from another machine.", Data: []byte(`{"words":1204}`)}, 1400*time.Millisecond)
		r.lead(s, "write", "review", "", nil)
		score := []float64{0, 0.5, 0.86}[visit]
		values := map[string]any{"response.data.score": score}
		r.node(ctx, s, `{"prompt":"Judge these release notes.","input":{"draft":"Release notes for 0.3: experts may now join from another machine.","strict":true}}`, core.NodeEnd{
			Node: "review", Visit: visit, Thought: "The draft names every change; two claims still lack a commit. Good enough to ask.",
			Message: "Two claims have no commit yet.", Data: []byte(fmt.Sprintf(`{"score":%v,"missing":["commit for leases","commit for drain"]}`, score)),
		}, 900*time.Millisecond)
		if visit == 1 {
			r.emit(s, core.EdgeTaken{Chain: "review-loop", From: "review", To: "approve", Condition: "response.data.score > 0.8", Values: values})
			r.lead(s, "review", "write", "default", nil)
			continue
		}
		r.lead(s, "review", "approve", "response.data.score > 0.8", values)
	}
	question := "Two claims have no commit yet. Publish anyway?"
	labels := []string{"publish as it is", "send it back with the list", "give up"}
	r.node(ctx, s, `{"prompt":"May this be published?"}`, core.NodeEnd{Node: "approve", Status: core.StatusClarification, Message: question}, 300*time.Millisecond)
	p := core.Pause{ID: s.Run + "#approve#1.1", Run: s.Run, Root: s.Run, Kind: core.PauseClarification, From: "approve", Question: question}
	reply := core.Reply{Status: core.StatusClarification, Message: question, Data: map[string]any{"pause": p.ID}}
	var options []any
	for i, l := range labels {
		p.Options = append(p.Options, core.Option{ID: fmt.Sprint(i + 1), Label: l})
		options = append(options, l)
	}
	reply.Data["options"] = options
	r.emit(s, core.ChainPaused{Chain: "review-loop", Node: "approve", Pause: p})
	r.emit(s, core.ClarificationRequested{ID: p.ID, Question: question, Options: p.Options})
	return reply, 6
}

func (r *room) fromApprove(ctx context.Context, s core.Scope, text string) (core.Reply, int) {
	r.emit(s, core.ChainResumed{Chain: "review-loop", Node: "approve", Answer: &core.Answer{Pause: s.Run + "#approve#1.1", Text: text}})
	to, why, message := "publish", `response.data.answer == "yes"`, "Release notes for **0.3** are published: 1 204 words, two claims without a commit."
	answer := "yes"
	if text == "3" || strings.Contains(text, "give up") {
		to, why, message, answer = "give_up", "default", "Nothing was published.", "no"
	}
	r.node(ctx, s, `{"prompt":"May this be published?"}`, core.NodeEnd{Node: "approve", Attempt: 2, Message: answer, Data: []byte(`{"answer":"` + answer + `"}`)}, 400*time.Millisecond)
	r.lead(s, "approve", to, why, map[string]any{"response.data.answer": answer})
	r.node(ctx, s, `{"input":{"text":"Release notes for 0.3"}}`, core.NodeEnd{Node: to, Message: message}, 1200*time.Millisecond)
	r.lead(s, to, "end", "", nil)
	return core.Reply{Status: core.StatusSuccess, Thought: "It was approved.", Message: message}, 8
}

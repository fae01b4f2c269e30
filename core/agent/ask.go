package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/sacp"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxAnswer = 1 << 20 // bytes of text taken from a model
	maxCalls  = 64      // calls taken from one answer
)

// said is one answer of a model, whole.
type said struct {
	text     string
	thinking string
	calls    []core.Call
	opaque   json.RawMessage
	reason   llm.Reason
	usage    core.Usage
}

// ask puts a request to the model and, when it fails for good, one made again to the
// next model for the rest of the run.
func (r *run) ask(ctx context.Context, req func(again bool) llm.Request, purpose string) (said, error) {
	for again := false; ; again = true {
		asked := req(again)
		got, err := r.insist(ctx, asked, purpose)
		if core.CodeOf(err) == core.CodeContextFull && r.lessOf(asked) {
			r.emit(r.at(), core.Retry{Operation: "llm_call", Attempt: 2, Reason: err.Error()})
			continue
		}
		if err == nil || ctx.Err() != nil || len(r.fallbacks) == 0 {
			return got, err
		}
		from := r.model.Name()
		r.replaceModel()
		r.emit(r.at(), core.Fallback{From: from, To: r.model.Name(), Reason: err.Error()})
	}
}

// replaceModel puts another model in the place of one that failed: the one of
// the run where it was an agent's own, then the fallbacks.
func (r *run) replaceModel() {
	if p := r.has(); p != nil && p.Model != nil {
		p.Model = nil
	} else {
		r.ownModel, r.fallbacks = r.fallbacks[0], r.fallbacks[1:]
	}
	r.reads = 0
	r.become()
}

// insist puts a request to one model, again when that may help. An empty
// answer is a failure.
func (r *run) insist(ctx context.Context, req llm.Request, purpose string) (said, error) {
	scope := r.at()
	for attempt := 1; ; attempt++ {
		got, err := r.request(ctx, req, purpose)
		if err == nil && strings.TrimSpace(got.text) == "" && len(got.calls) == 0 {
			err = got.nothing(r.model.Name())
		}
		if err == nil {
			return got, nil
		}
		if ctx.Err() != nil {
			return said{}, core.Cancelled(ctx)
		}
		if core.CodeOf(err) == core.CodeCutOff && attempt == 1 {
			r.emit(scope, core.Retry{Operation: "llm_call", Attempt: 2, Reason: err.Error()})
			req.Now += "\nYour last reply reached its limit before it said anything: think little, and answer briefly."
			continue
		}
		delay, again := r.cfg.Backoff.Next(attempt, err)
		if !again {
			return said{}, err
		}
		r.emit(scope, core.Retry{Operation: "llm_call", Attempt: attempt + 1, Reason: err.Error(), DelayMS: delay.Milliseconds()})
		if llm.Sleep(ctx, delay) != nil {
			return said{}, core.Cancelled(ctx)
		}
	}
}

// nothing is the error of an answer that is empty.
func (got said) nothing(model string) error {
	if got.reason == llm.ReasonLength {
		return core.Fail(core.CodeCutOff, got.cutOff()+" before it said anything", hintCutOff+", or choose another model with /model")
	}
	return core.Fail(core.CodeModelBehavior, model+" answered nothing", "ask again, or choose another model with /model")
}

// request is one request to the model, streamed.
func (r *run) request(ctx context.Context, req llm.Request, purpose string) (got said, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	scope, start := r.at(), time.Now()
	req.Scope, req.Messages = scope, pictured(ctx, r.model, r.visibleToModel(req.Messages))
	r.requests++
	clear(r.streamed)
	id := fmt.Sprintf("llm_%d_%d", r.Turn, r.requests)
	r.cfg.Exchanges.Asked(id, r.model.Name(), req)
	r.emit(scope, core.LLMCallStart{Call: id, Model: r.model.Name(), Tools: len(req.Tools), Purpose: purpose})
	defer func() {
		end := core.LLMCallEnd{Call: id, Reason: string(got.reason), Usage: got.usage, MS: time.Since(start).Milliseconds()}
		answer := core.Message{Role: core.RoleAssistant, Name: scope.Agent, Text: got.text, Thinking: got.thinking, Calls: got.calls}
		if err != nil {
			end.Error, end.Thought, end.Text = err.Error(), r.beginning(core.FieldThought), cmp.Or(r.beginning(core.FieldMessage), r.beginning(core.FieldText)) // text is void where there is a message
			answer.Text, answer.Thinking = end.Text, end.Thought
		}
		r.cfg.Exchanges.Answered(scope.Run, id, answer, err)
		r.emit(scope, end)
		if err == nil {
			r.Usage = r.Usage.Add(got.usage)
			r.emit(scope, core.TokenUsage{Usage: r.Usage, Model: r.model.Name()})
		}
	}()
	defer func() { // a provider's fault must not take the room down
		if p := recover(); p != nil {
			err = core.Fail(core.CodeInternal, fmt.Sprintf("%s failed: %v", r.model.Name(), p), "")
		}
	}()
	return r.listen(ctx, req, id, purpose != purposeSummary)
}

// beginning is what was streamed of the last request, as it may be stored.
func (r *run) beginning(field string) string {
	text := r.streamed[field]
	if text == nil || r.cfg.Guards.Judge != nil && field != core.FieldThought {
		return ""
	}
	clean, hits := r.cfg.Guards.Output.Text(text.String())
	if slices.ContainsFunc(hits, func(h guard.Hit) bool { return h.Verdict == guard.Block }) {
		return ""
	}
	return safe.Prefix(clean, maxResultText)
}

// listen takes the answer as it arrives and, told, reports it.
func (r *run) listen(ctx context.Context, req llm.Request, id string, told bool) (said, error) {
	l := listener{run: r, scope: r.at(), id: id, told: told}
	for chunk, err := range r.model.Stream(ctx, req) {
		if l.err = err; err != nil || !l.take(chunk) {
			break
		}
	}
	if l.endless() {
		return said{}, core.Fail(core.CodeModelBehavior, r.model.Name()+" does not stop", "ask again, or choose another model with /model")
	}
	l.report(l.decoder.Close())
	if err := cmp.Or(l.err, ctx.Err()); err != nil {
		return said{}, err
	}
	l.got.text, l.got.thinking = l.text.String(), l.thinking.String()
	r.nameCalls(l.got.calls)
	return l.got, nil
}

// listener is what has arrived of an answer.
type listener struct {
	*run
	scope          core.Scope
	id             string
	told           bool
	got            said
	text, thinking strings.Builder
	decoder        sacp.Decoder
	err            error
}

// take takes a piece of the answer, and reports whether there may be more.
func (l *listener) take(chunk llm.Chunk) bool {
	if chunk.Thinking != "" {
		l.thinking.WriteString(chunk.Thinking)
		l.report([]core.Delta{{Field: core.FieldThought, Text: chunk.Thinking}})
	}
	if chunk.Text != "" {
		l.text.WriteString(chunk.Text)
		l.report(l.decoder.Write(chunk.Text))
	}
	l.got.calls = append(l.got.calls, chunk.Calls...)
	if chunk.Opaque != nil {
		l.got.opaque = chunk.Opaque
	}
	if chunk.Done != nil {
		l.got.reason, l.got.usage = chunk.Done.Reason, chunk.Done.Usage
	}
	return !l.endless()
}

// endless reports whether it is more than is taken from a model.
func (l *listener) endless() bool {
	return max(l.text.Len(), l.thinking.Len(), len(l.got.opaque)) > maxAnswer || len(l.got.calls) > maxCalls
}

// report keeps and reports what a piece of the answer adds to it.
func (l *listener) report(deltas []core.Delta) {
	for _, d := range deltas {
		said := l.streamed[d.Field]
		if said == nil || d.Reset {
			said = new(strings.Builder)
			l.streamed[d.Field] = said
		}
		said.WriteString(d.Text)
		if !l.told || l.cfg.Guards.Judge != nil && d.Field != core.FieldThought {
			l.alive() // nobody has judged it yet, or nobody is to see it
			continue
		}
		l.passing(l.scope, core.Delta{Stream: l.id, Field: d.Field, Text: d.Text, Reset: d.Reset})
	}
}

// nameCalls gives every call an id that no other call of the run has, and
// arguments that can be stored.
func (r *run) nameCalls(calls []core.Call) {
	taken := map[string]bool{}
	for _, m := range r.messages[r.first:] {
		for _, c := range m.Calls {
			taken[c.ID] = true
		}
	}
	for i := range calls {
		for n := 0; calls[i].ID == "" || taken[calls[i].ID]; n++ {
			calls[i].ID = fmt.Sprintf("call_%d_%d", r.Turn, i+1+n)
		}
		taken[calls[i].ID] = true
		calls[i].Args = storable(calls[i].Args)
	}
}

package orchestrator

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/schema"
)

const (
	askTime  = time.Minute      // for the user to answer
	formTime = 10 * time.Minute // to find out what an expert needs
	maxAsks  = 8                // that wait at the same time
)

var _ core.Asker = (*Orchestrator)(nil)

// asking is a question that somebody waits with in Ask.
type asking struct {
	pause  core.Pause
	usual  bool             // it has the usual options: a tool may be allowed until the program ends
	answer chan core.Answer // takes one, without blocking
}

// Ask implements [core.Asker]. The user sees the question as the event
// approval_requested or elicitation_requested, and has a minute, or ten to fill
// something in; the outcome is approval_given or elicitation_answered. A tool
// that was allowed for the session is not asked about again.
func (o *Orchestrator) Ask(ctx context.Context, p core.Pause) (core.Answer, error) {
	if !o.cfg.Attended || o.cfg.Sink == nil {
		return core.Answer{}, notAsked("nobody sits at this room who could be asked", "open the room with yaap, and try again")
	}
	p.ID, p.Time = uuid.Must(uuid.NewV7()).String(), time.Now()
	if p.Kind == core.PauseElicitation {
		return o.elicit(ctx, p)
	}
	usual := p.Kind == core.PauseApproval && len(p.Options) == 0
	if usual {
		p.Options = []core.Option{
			{ID: core.AllowOnce, Label: "Allow once"}, {ID: core.AllowSession, Label: "Allow until yaap is closed"}, {ID: core.Deny, Label: "Deny"},
		}
	}
	var call core.Call
	if p.Call != nil {
		call = *p.Call
	}
	ask := asking{pause: p, usual: usual, answer: make(chan core.Answer, 1)}
	if allowed, err := o.wait(ask, call.Tool); allowed || err != nil {
		return core.Answer{Pause: p.ID, ID: core.AllowSession, By: "user", Time: p.Time}, err
	}
	scope := core.Scope{Thread: p.Thread, Run: p.Run}
	o.cfg.Sink.Emit(scope, core.ApprovalRequested{
		Pause: p.ID, Call: call.ID, Tool: call.Tool, Expert: p.From, Args: call.Args, Reason: p.Question, Options: p.Options,
	})
	answer, ok := o.answered(ctx, ask, askTime)
	if !ok {
		answer.ID = core.Deny
	}
	o.cfg.Sink.Emit(scope, core.ApprovalGiven{Pause: p.ID, Call: call.ID, Decision: cmp.Or(answer.ID, answer.Text), Args: answer.Data, By: answer.By})
	if !ok {
		return core.Answer{}, notAsked("the user did not answer", "try again when somebody sits at the room")
	}
	return answer, nil
}

// elicit asks the user for what an expert needs.
func (o *Orchestrator) elicit(ctx context.Context, p core.Pause) (core.Answer, error) {
	p.Options = []core.Option{{ID: core.Accept, Label: "Send"}, {ID: core.Decline, Label: "Decline"}}
	if len(p.Schema) > 0 {
		if _, err := schema.Compile(p.Schema); err != nil {
			return core.Answer{}, err
		}
	}
	ask := asking{pause: p, answer: make(chan core.Answer, 1)}
	if _, err := o.wait(ask, ""); err != nil {
		return core.Answer{}, err
	}
	scope := core.Scope{Thread: p.Thread, Run: p.Run}
	o.cfg.Sink.Emit(scope, core.ElicitationRequested{Pause: p.ID, Expert: p.From, Message: p.Question, Schema: p.Schema, URL: p.URL})
	answer, ok := o.answered(ctx, ask, formTime)
	o.cfg.Sink.Emit(scope, core.ElicitationAnswered{Pause: p.ID, Expert: p.From, Action: cmp.Or(answer.ID, "cancel")})
	if !ok {
		return core.Answer{}, notAsked("the user did not answer", "ask again when somebody sits at the room")
	}
	return answer, nil
}

// wait lets an answer come. It reports true where none is needed, for the user
// has allowed that tool.
func (o *Orchestrator) wait(ask asking, tool string) (allowed bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if ask.usual && o.allowed[tool] {
		return true, nil
	}
	if len(o.asks) >= maxAsks {
		return false, notAsked("too many questions wait for the user already", "try again when they are answered")
	}
	o.asks[ask.pause.ID] = ask
	return false, nil
}

// answered waits for the answer; it reports false when there is none in time.
func (o *Orchestrator) answered(ctx context.Context, ask asking, limit time.Duration) (core.Answer, bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case a := <-ask.answer:
		return a, true
	case <-ctx.Done():
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.asks, ask.pause.ID)
	select {
	case a := <-ask.answer: // in the last moment
		return a, true
	default:
		return core.Answer{}, false
	}
}

// Decide answers a question that Ask waits with. The first answer wins. Without
// such a question it fails with [core.CodeNotFound], and with an answer that does
// not fit with [core.CodeInvalid]: the question goes on waiting.
func (o *Orchestrator) Decide(a core.Answer) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	ask, ok := o.asks[a.Pause]
	if !ok {
		return nobodyWaits()
	}
	a.Text = cmp.Or(a.ID, a.Text)
	if err := choose(ask.pause, &a); err != nil {
		return err
	}
	args, err := o.takenArgs(ask.pause.Thread, a.Data)
	if err != nil {
		return err
	}
	a.Data = args
	if err := filled(ask.pause, a); err != nil {
		return err
	}
	a.By, a.Time = cmp.Or(a.By, "user"), time.Now()
	if ask.usual && a.ID == core.AllowSession && ask.pause.Call != nil {
		o.allowed[ask.pause.Call.Tool] = true
	}
	delete(o.asks, a.Pause)
	ask.answer <- a
	return nil
}

// filled reports what is wrong with a form that is sent.
func filled(p core.Pause, a core.Answer) error {
	if len(p.Schema) == 0 || a.ID != core.Accept {
		return nil
	}
	wanted, err := schema.Compile(p.Schema)
	if err != nil {
		return err
	}
	if issues := wanted.Check(a.Data); len(issues) > 0 {
		return core.Fail(core.CodeInvalid, strings.Join(issues, "; "), "fix it and send it again, or decline")
	}
	return nil
}

func notAsked(message, hint string) error {
	return core.Fail(core.CodeRefused, message, hint)
}

func nobodyWaits() error {
	return core.Fail(core.CodeNotFound, "nobody waits for this answer any more", "it was answered already, or nobody answered in time; what asked may ask again")
}

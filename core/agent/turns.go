package agent

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
)

// run is one prompt being answered.
type run struct {
	*steps
	schemas   *schemas
	summaries *summaries
	model     llm.Model                   // that is asked
	fallbacks []llm.Model                 // that have not been used yet
	requests  int                         // made to a model
	project   string                      // instructions of the place
	standing  standing                    // what is told beside the conversation
	began     time.Time                   // that the model is told, the same in all turns
	streamed  map[string]*strings.Builder // of the last request, by field
	repeated  []string                    // calls that may have been made before the run was cut off

	contextFit
	own      Config // of the agent that was asked, whoever has the conversation
	ownModel llm.Model
	peers    []Peer
}

// loop takes turns until there is an answer.
func (r *run) loop(ctx context.Context, in core.Input) (answer, error) {
	r.become() // who had it when it was cut off
	for limit := r.Turn + r.cfg.MaxTurns; ; {
		if unanswered := r.unanswered(); len(unanswered) > 0 { // of a turn that was cut off
			if err := r.executeAgain(ctx, r.toolset(), unanswered); err != nil {
				return answer{}, err
			}
		}
		if in.Steer != nil && in.Steer().Stop {
			return answer{}, core.Fail(core.CodeStopped, "stopped after the running calls", "go on with /continue (outside the chat: yaap run --continue), or ask something else")
		}
		if r.Turn == limit {
			found := r.foundSoFar(fmt.Sprintf("I used all %d turns without coming to an answer.", limit), "the turn limit was reached")
			got := r.announce(r.guardAnswer(ctx, found))
			r.hooksAtEnd(ctx, r.at(), got, nil)
			return got, core.Fail(core.CodeMaxTurns, "no answer within the turn limit", "go on with /continue (outside the chat: yaap run --continue), or ask for less at once")
		}
		r.Turn++
		if err := r.takeIn(ctx, in); err != nil {
			return answer{}, err
		}
		got, done, err := r.takeTurn(ctx, r.Turn == limit)
		switch {
		case err != nil:
			return answer{}, err
		case done && r.Turn == limit:
			return got, core.Fail(core.CodeTurnLimit, "answered on the last turn, with what was there",
				"if something is missing: /continue (outside the chat: yaap run --continue) gives it more turns")
		case done:
			return got, nil
		}
	}
}

// takeIn adds what the user said since the last request to the conversation.
func (r *run) takeIn(ctx context.Context, in core.Input) error {
	if in.Said == nil {
		return nil
	}
	said := in.Said()
	if len(said) == 0 {
		return nil
	}
	for i := range said {
		m := &said[i]
		m.Run, m.Role, m.Name, m.Time = r.Scope.Run, core.RoleUser, core.Steer, r.cfg.Now()
		r.emit(r.at(), core.Steered{ID: m.ID, Text: m.Text})
	}
	return r.step(ctx, said...)
}

// takeTurn is one answer of the model and its calls.
func (r *run) takeTurn(ctx context.Context, last bool) (got answer, done bool, err error) {
	tools := r.toolset()
	specs := r.offered(ctx, tools)
	scope := r.at()
	r.emit(scope, core.AgentProcessing{
		Messages: len(r.messages), Tools: core.Names(specs), Rev: tools.Rev, Model: r.model.Name(), MaxTurns: r.cfg.MaxTurns, Handoffs: namesOf(r.mayHandTo()),
	})
	r.emit(scope, core.TurnStart{})
	from := len(r.messages)
	defer func() {
		r.emit(scope, core.IterationSummary{Text: r.summary(from, got, err)})
		r.hooksAtEnd(ctx, scope, got, err)
		r.emit(scope, core.TurnEnd{})
	}()

	said, err := r.ask(ctx, func(again bool) (req llm.Request) {
		for ; ; again = true {
			if again { // another model may be shown others
				tools = r.toolset()
				specs = r.offered(ctx, tools)
			}
			var shown core.ContextFitted
			req, shown = r.fit(ctx, llm.Request{System: r.instructions(specs), Now: r.now(last), Tools: specs, NoCalls: last})
			switch {
			case r.sums(ctx, shown):
			case shown.Shortened > 0 && !r.rereads:
				r.rereads = true // from now on it may read what it is shown the beginning of
			default:
				r.tellFit(shown)
				return req
			}
		}
	}, "")
	if code := core.CodeOf(err); last && (code == core.CodeModelBehavior || code == core.CodeCutOff) {
		return answer{}, false, nil // it has nothing to say; what was found is put together instead
	}
	if err != nil {
		return answer{}, false, err
	}
	message := r.newMessage(core.RoleAssistant, said.text)
	message.Thinking, message.Model, message.Opaque = said.thinking, r.model.Name(), said.opaque
	calls := said.calls
	if len(calls) == 0 {
		if got, err = r.readAnswer(ctx, said, last); err != nil {
			return answer{}, false, err
		}
		back, ok := r.givesBack(got)
		if !ok || last {
			return r.announce(got), true, nil
		}
		calls = []core.Call{back}
		message.ID, message.Text, message.Thinking, message.Opaque = got.id, got.text, cmp.Or(got.thinking, got.reply.Thought), nil
		r.audit(message, got)
	} else {
		if last { // it was told not to; there is no turn left to use a result in
			return answer{}, false, nil
		}
		message = r.guardBeside(message)
		r.emit(scope, core.AssistantMessage{ID: message.ID, Text: message.Text, Calls: len(calls)})
	}
	if a, ok := r.endRepeated(calls); ok {
		return r.announce(r.guardAnswer(ctx, a)), true, nil
	}
	message.Calls = r.guardCalls(calls)
	r.emit(scope, core.ToolRequests{Calls: message.Calls})
	r.beginCalls(calls)
	if err := r.step(ctx, message); err != nil {
		return answer{}, false, err
	}
	return answer{}, false, r.execute(ctx, tools, calls)
}

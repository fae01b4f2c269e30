package orchestrator

import (
	"encoding/json"
	"slices"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
)

// taken is what the user says as it may be stored and passed on: what the
// guardrails redact is not in it. What they block is refused, and kept nowhere.
func (o *Orchestrator) taken(thread, text string) (string, error) {
	p := o.cfg.Guard
	if err := check(text); err != nil || !p.Active() {
		return text, err
	}
	clean, hits := p.Text(text)
	return clean, o.judge(thread, hits)
}

// takenArgs is taken for the arguments that the user gives a call. What the
// guardrails redact is refused, too: the tool would act on the mark in its place.
func (o *Orchestrator) takenArgs(thread string, args json.RawMessage) (json.RawMessage, error) {
	p := o.cfg.Guard
	if len(args) == 0 || !p.Active() {
		return args, nil
	}
	_, hits := p.JSON(args)
	if err := o.judge(thread, hits); err != nil || len(hits) == 0 {
		return args, err
	}
	return nil, core.Fail(core.CodeRefused, "the call was not made: its arguments hold "+guard.Reasons(hits)+", which does not go to an expert",
		"put the value where it belongs yourself, or into the environment of the expert (env: in the configuration)")
}

// judge reports what was found, and refuses what may not be passed on.
func (o *Orchestrator) judge(thread string, hits []guard.Hit) error {
	if o.cfg.Sink != nil {
		o.report(core.Scope{Thread: thread}, hits)
	}
	held := slices.DeleteFunc(slices.Clone(hits), func(h guard.Hit) bool { return h.Verdict == guard.Redact })
	if len(held) == 0 {
		return nil
	}
	return core.Fail(core.CodeRefused, "that was not passed on, and is kept nowhere: it holds "+guard.Reasons(held), "leave it out, or change guard in the configuration")
}

func (o *Orchestrator) report(scope core.Scope, hits []guard.Hit) {
	for _, name := range o.cfg.Guard.Names() {
		i := slices.IndexFunc(hits, func(h guard.Hit) bool { return h.Guardrail == name })
		check := core.GuardrailCheck{Guardrail: name, Stage: core.GuardInput, Valid: i < 0}
		if i >= 0 && hits[i].Err != nil {
			check.Error = hits[i].Err.Error()
		}
		o.cfg.Sink.Emit(scope, check)
		if i >= 0 {
			o.cfg.Sink.Emit(scope, core.GuardrailViolation{
				Guardrail: name, Stage: core.GuardInput, Reason: hits[i].Reason, Verdict: string(hits[i].Verdict),
			})
		}
	}
}

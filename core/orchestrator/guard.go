package orchestrator

import (
	"encoding/json"
	"slices"
	"strings"

	"yaap/core"
	"yaap/core/guard"
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

// takenArgs is taken for the arguments that the user gives a call.
func (o *Orchestrator) takenArgs(thread string, args json.RawMessage) (json.RawMessage, error) {
	p := o.cfg.Guard
	if len(args) == 0 || !p.Active() {
		return args, nil
	}
	clean, hits := p.JSON(args)
	return clean, o.judge(thread, hits)
}

// judge reports what was found, and refuses what may not be passed on.
func (o *Orchestrator) judge(thread string, hits []guard.Hit) error {
	if o.cfg.Sink != nil {
		o.report(core.Scope{Thread: thread}, hits)
	}
	var held []string
	for _, h := range hits {
		if h.Verdict != guard.Redact {
			held = append(held, h.Reason)
		}
	}
	if len(held) == 0 {
		return nil
	}
	return &core.Error{
		Code: core.CodeRefused, Op: "orchestrator: prompt", Message: "that was not passed on, and is kept nowhere: it holds " + strings.Join(held, ", "),
		Hint: "leave it out, or change guard in the configuration",
	}
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

package tui

import (
	"cmp"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
)

// lineNote is a line that an answer tells beside its calls: who has it now, what
// was removed from it, what the user allowed.
type lineNote struct {
	sign, head, text string
	tone             tone
	least            detail // shown from this detail on
}

// remark is the note as a line of its own.
func (n lineNote) remark() *remark {
	text := n.text
	if text != "" {
		n.head += ":"
	}
	return &remark{sign: n.sign, head: n.head, text: text, tone: n.tone}
}

// noted returns the line that an event is worth, without a sign where it is
// worth none.
func (a *answer) noted(p *pen, e core.Event) (n lineNote) {
	switch b := e.Body.(type) {
	case core.Fallback:
		return fellBack(b)
	case core.ContextFitted:
		return fittedNote(p, b)
	case core.Steered:
		return lineNote{sign: p.prompt, head: safe.Cut(core.WithoutAttached(b.Text), 400)}
	case core.Handoff:
		n = lineNote{sign: p.dot, head: named(b.From) + " " + p.into + " " + named(b.To), text: safe.Cut(b.Reason, 200)}
		if b.Returned && n.text == "" {
			n.text = "it is done"
		}
	case core.HandoffDenied:
		return lineNote{sign: "!", head: named(b.From) + " may not hand over to " + named(b.To), text: safe.Cut(b.Reason, 200), tone: toneAsk, least: detailTurns}
	case core.GuardrailViolation:
		return guarded(b, a.named(e, b.Call))
	case core.HookRan:
		return hooked(p, b, a.named(e, b.Call))
	case core.ApprovalGiven:
		n = given(p, b, subject{name: a.decidedOn(e, b)})
		if plain(b) && a.chain() == "" { // the facts tell
			n.least = detailTurns
		}
		return n
	case core.IterationSummary:
		if text := safe.Cut(b.Text, 300); text != "" {
			return lineNote{sign: p.dot, text: text, least: detailTurns}
		}
	default:
	}
	return n
}

func named(agent string) string { return safe.Cut(agent, 40) }

// named is the name of a call, empty where it is not known.
func (a *answer) named(e core.Event, id string) string {
	if r := a.run.Find(e.Run); r != nil {
		if c := r.Call(id); c != nil {
			return callName(safe.Line(c.Tool), safe.Line(c.Expert))
		}
	}
	return ""
}

// decidedOn is the name of the call that was decided on.
func (a *answer) decidedOn(e core.Event, b core.ApprovalGiven) string {
	if asked := a.run.FindAsk(b.Pause); asked != nil {
		return askName(asked.Tool, asked.Expert)
	}
	return a.named(e, b.Call)
}

// plain reports whether a decision is the user's own, on the call as it was asked for.
func plain(b core.ApprovalGiven) bool {
	return len(b.Args) == 0 && (b.By == "" || b.By == "user")
}

func fellBack(b core.Fallback) lineNote {
	why, from := safe.Cut(b.Reason, 200), named(b.From)
	switch {
	case why == "":
		why = from + " does not answer"
	case from != "" && !strings.Contains(why, from):
		why = from + ": " + why
	}
	return lineNote{sign: "!", head: named(b.To) + " answers from here", text: why, tone: toneAsk}
}

// fittedNote tells what a model is not shown of the conversation. That results are
// shortened is a detail.
func fittedNote(p *pen, b core.ContextFitted) lineNote {
	if b.Summed > 0 {
		return lineNote{sign: p.dot, text: "what was said first, " + count(b.Summed, "question") + ", is summed up for " + named(b.Model)}
	}
	if b.LeftOut == 0 {
		return lineNote{sign: p.dot, text: count(b.Shortened, "result") + " shortened for " + named(b.Model), least: detailTurns}
	}
	return lineNote{sign: p.dot, text: named(b.Model) + " is not shown the first " + count(b.LeftOut, "question") + " any more"}
}

// guarded tells what a guardrail did.
func guarded(b core.GuardrailViolation, call string) lineNote {
	call = cmp.Or(call, "a tool")
	what := map[string]string{"secrets": "a secret", "personal": "personal data", "injection": "an order to the model"}[b.Guardrail]
	what = cmp.Or(what, "something")
	var where string
	switch b.Stage {
	case core.GuardInput:
		where = "what you said"
	case core.GuardArgs:
		where = "what " + call + " was given"
	case core.GuardResult:
		where = "what " + call + " answered"
	case core.GuardOutput:
		where = "the answer"
	default:
		where = safe.Cut(string(b.Stage), 40)
	}
	head := where + " holds " + what
	switch b.Verdict {
	case "redact":
		head = what + " was removed from " + where
	case "block":
		head = where + " was held back, as it holds " + what
	case "force_failure":
		head = where + " counts as failed, as it holds " + what
	}
	return lineNote{sign: "!", head: head, text: safe.Cut(b.Reason, 120), tone: toneAsk}
}

// hooked tells what a hook changed, nothing where it changed nothing.
func hooked(p *pen, b core.HookRan, call string) lineNote {
	call = cmp.Or(call, "a tool")
	n := lineNote{sign: p.dot}
	switch {
	case b.Decision == core.HookDeny && b.Event == core.HookAfterTool:
		n.text = "what " + call + " answered is held back by a hook"
	case b.Decision == core.HookDeny:
		n.text = call + " is not called: a hook denies it"
	case b.Decision == core.HookChange && b.Event == core.HookAfterTool:
		n.text = "a hook changed what " + call + " answered"
	case b.Decision == core.HookChange:
		n.text = "a hook changed what " + call + " is given"
	case b.Decision == core.HookRemark:
		return lineNote{sign: p.dot, text: safe.Cut(safe.Line(b.Reason), 300)}
	case b.Decision == core.HookFail:
		n.text = "a hook failed"
	default:
		return lineNote{}
	}
	if b.Decision == core.HookDeny || b.Decision == core.HookFail {
		n.sign, n.tone = "!", toneAsk
	}
	n.text += " (" + safe.Cut(safe.Line(b.Hook), 30) + ")"
	if why := safe.Cut(safe.Line(b.Reason), 300); why != "" {
		n.text += ": " + why
	}
	return n
}

// given tells what was decided.
func given(p *pen, b core.ApprovalGiven, of subject) lineNote {
	n := lineNote{sign: p.done, head: decisionWords(b.Decision, of.joins), text: of.name, tone: toneGood}
	if b.Decision == core.Deny {
		n.sign, n.tone = p.dash, toneAsk
	}
	if b.Decision == core.Deny && b.By == "" { // who asked went away, or the time was over
		n.head = "not answered"
	}
	if len(b.Args) > 0 {
		n.text = strings.TrimSpace(n.text + " with other arguments")
	}
	if b.By != "" && b.By != "user" {
		n.text = strings.TrimSpace(n.text + " by " + named(b.By))
	}
	return n
}

// notesOf draws all that the turns tell in lines.
func (a *answer) notesOf(c *canvas) {
	for _, t := range a.run.Turns {
		a.noteRows(c, t, true, "")
		a.noteRows(c, t, false, "")
	}
}

// noteRows draws what a turn tells in lines, before its calls or after them.
func (a *answer) noteRows(c *canvas, t *runlog.Turn, first bool, indent string) {
	for _, note := range t.Notes {
		n := a.noted(c.pen, note.Event)
		if n.sign == "" || n.least > c.detail || note.First != first {
			continue
		}
		text := n.text
		if n.head != "" && text != "" {
			text = ": " + text
		}
		lines := headed(firstLines(n.head+text, c.body()-2-len(indent), thoughtLines, c.ellipsis), n.head, c.text, c.dim)
		a.view.head = append(a.view.head, hung(indent+c.tone(n.tone).on(n.sign)+" ", lines)...)
	}
}

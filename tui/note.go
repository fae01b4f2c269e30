package tui

import (
	"strings"

	"yaap/core"
	"yaap/core/safe"
)

const maxNotes = 50 // of a turn

// lineNote is a line that an answer tells beside its calls: who has it now, what
// was removed from it, what the user allowed.
type lineNote struct {
	sign, head, text string
	tone             tone
	least            detail // shown from this detail on
	first            bool   // it came before the calls of its turn
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
	case core.Handoff:
		n = lineNote{sign: p.dot, head: named(b.From) + " " + p.into + " " + named(b.To), text: safe.Cut(b.Reason, 200)}
		if b.Returned && n.text == "" {
			n.text = "it is done"
		}
	case core.HandoffDenied:
		return lineNote{sign: "!", head: named(b.From) + " may not hand over to " + named(b.To), text: safe.Cut(b.Reason, 200), tone: toneAsk, least: detailTurns}
	case core.GuardrailViolation:
		return guarded(b, a.named(e, b.Call))
	case core.ApprovalGiven:
		name := a.named(e, b.Call)
		if w := a.allow[b.Pause]; w != nil {
			name = w.name
		}
		return given(p, b, name)
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
	if c := a.calls[e.Run+"/"+id]; c != nil {
		return c.name
	}
	return ""
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

// guarded tells what a guardrail did.
func guarded(b core.GuardrailViolation, call string) lineNote {
	if call == "" {
		call = "a tool"
	}
	what := map[string]string{"secrets": "a secret", "personal": "personal data", "injection": "an order to the model"}[b.Guardrail]
	if what == "" {
		what = "something"
	}
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

// given tells what was decided.
func given(p *pen, b core.ApprovalGiven, name string) lineNote {
	n := lineNote{sign: p.done, head: decisionWords(b.Decision), text: name, tone: toneGood}
	if b.Decision == core.Deny {
		n.sign, n.tone = p.dash, toneAsk
	}
	if len(b.Args) > 0 {
		n.text = strings.TrimSpace(n.text + " with other arguments")
	}
	if b.By != "" && b.By != "user" {
		n.text = strings.TrimSpace(n.text + " by " + named(b.By))
	}
	return n
}

// waited is an approval that a run asked for.
type waited struct {
	name string
	over bool
}

// wait notes that the run waits until the user allows something: the call of
// that key, where there is one. What was read from the store as cut off waits.
func (a *answer) wait(pause, name, key string) {
	if a.allow == nil {
		a.allow = map[string]*waited{}
	}
	if a.allow[pause] != nil || len(a.allow) >= maxCalls {
		return
	}
	a.allow[pause] = &waited{name: name}
	if c := a.calls[key]; c != nil && !c.ok {
		c.wait()
	}
	if a.end != nil && a.end.Outcome == "interrupted" {
		a.end.Code, a.end.Error, a.end.Hint = "", "", ""
	}
	a.touch()
}

// wait shows that a call waits for the user.
func (k *call) wait() {
	k.over, k.ok, k.state, k.took, k.text = true, false, core.NodePaused, -1, ""
}

// held reports whether the run waits until the user allows something.
func (a *answer) held() bool {
	for _, w := range a.allow {
		if !w.over {
			return true
		}
	}
	return false
}

// applyNote takes what is told in a line, of the run or of one below it.
func (a *answer) applyNote(p *pen, e core.Event) {
	switch b := e.Body.(type) {
	case core.ApprovalRequested:
		r := requested(e, b)
		a.wait(b.Pause, r.name(), r.key)
		a.busy = "waiting for you"
	case core.Handoff:
		if e.Depth == 0 {
			a.facts.has = named(b.To)
		}
	default:
	}
	n := a.noted(p, e)
	if b, ok := e.Body.(core.ApprovalGiven); ok && a.allow[b.Pause] != nil {
		a.allow[b.Pause].over, a.busy = true, a.calling()
	}
	if n.sign == "" {
		return
	}
	turn := e.Turn
	if e.Depth > 0 || turn == 0 && len(a.steps) > 0 {
		turn = 0
		if len(a.steps) > 0 {
			turn = a.steps[len(a.steps)-1].turn
		}
	}
	if s := a.step(turn); len(s.notes) < maxNotes {
		_, sum := e.Body.(core.IterationSummary)
		n.first = len(s.calls) == 0 && !sum
		s.notes = append(s.notes, n)
	}
}

// notesOf draws all that the turns tell in lines.
func (a *answer) notesOf(c *canvas) {
	for _, s := range a.steps {
		a.noteRows(c, s, true)
		a.noteRows(c, s, false)
	}
}

// noteRows draws what a turn tells in lines, before its calls or after them.
func (a *answer) noteRows(c *canvas, s *step, first bool) {
	for _, n := range s.notes {
		if n.least > c.detail || n.first != first {
			continue
		}
		text := n.text
		if n.head != "" && text != "" {
			text = ": " + text
		}
		head, lead := n.head, c.tone(n.tone).on(n.sign)+" "
		for _, line := range firstLines(n.head+text, c.body()-2, thoughtLines, c.ellipsis) {
			rest, whole := strings.CutPrefix(line, head)
			if !whole || head == "" {
				rest, head = line, ""
			}
			a.view.head = append(a.view.head, lead+c.text.on(head)+c.dim.on(rest))
			lead, head = "  ", ""
		}
	}
}

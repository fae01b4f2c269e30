package diagram

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

const (
	maxWords    = 60     // cells of what is said
	maxSequence = 45_000 // bytes: Mermaid draws no more than 50 000 characters
)

// readSequence reads who asked whom, and what came back, from the events of a run.
func readSequence(events []core.Event) *sequence {
	q := &sequence{
		names: map[string]int{}, runs: map[string]int{},
		calls: map[string]int{}, said: map[string]bool{},
	}
	q.user, q.yaap = q.who("user", "you"), q.who("yaap", "yaap")
	for i, e := range events {
		if q.size > maxSequence {
			q.note(q.yaap, "and "+strconv.Itoa(len(events)-i)+" more events")
			break
		}
		q.event(e)
	}
	return q
}

// step is one arrow of a sequence, or a note at one participant.
type step struct {
	from, to    int
	arrow, text string // no arrow: a note
}

type sequence struct {
	people     []string
	steps      []step
	size       int            // bytes that it takes as Mermaid, at the least
	names      map[string]int // participant by what it stands for
	runs       map[string]int // participant by run
	calls      map[string]int // expert's participant by call
	said       map[string]bool
	user, yaap int
}

// Arrows.
const (
	asks    = "->>"
	answers = "-->>"
	fails   = "--x"
)

// who returns the participant for key, who is called name.
func (q *sequence) who(key, name string) int {
	id, ok := q.names[key]
	if !ok {
		id = len(q.people)
		q.names[key] = id
		q.people = append(q.people, spoken(name, "unnamed"))
		q.size += len(mermaidText(q.people[id])) + 24
	}
	return id
}

func (q *sequence) node(id string) int     { return q.who("node "+id, id) }
func (q *sequence) expert(name string) int { return q.who("expert "+name, name) }

// actor returns who acts in s: the node that a run belongs to, or yaap.
func (q *sequence) actor(s core.Scope) int {
	if s.Node != "" {
		id := q.node(s.Node)
		q.runs[s.Run] = id
		return id
	}
	if id, ok := q.runs[s.Run]; ok {
		return id
	}
	id := q.parent(s)
	q.runs[s.Run] = id
	return id
}

// parent returns who acts in the run that started that of s.
func (q *sequence) parent(s core.Scope) int {
	if id, ok := q.runs[s.Parent]; ok {
		return id
	}
	return q.yaap
}

func (q *sequence) say(from int, arrow string, to int, text string) {
	q.steps = append(q.steps, step{from: from, to: to, arrow: arrow, text: spoken(text, "done")})
	q.size += len(mermaidText(q.steps[len(q.steps)-1].text)) + 20
}

func (q *sequence) note(at int, text string) { q.say(at, "", at, text) }

// once says what the user is asked, or answers, the first time it is reported.
func (q *sequence) once(key string, from int, arrow string, to int, text string) {
	if !q.said[key] {
		q.said[key] = true
		q.say(from, arrow, to, text)
	}
}

func (q *sequence) event(e core.Event) {
	q.actor(e.Scope) // a run is known by the first that it reports, whatever it is
	switch b := e.Body.(type) {
	case core.RunStart:
		switch {
		case e.Parent != "":
		case b.Resumed:
			q.note(q.yaap, "goes on")
		default:
			q.say(q.user, asks, q.yaap, b.Prompt)
		}
	case core.FinalOutput:
		pause, _ := b.Reply.Data["pause"].(string)
		if e.Parent == "" && !q.said["ask "+pause] {
			q.say(q.yaap, answers, q.user, b.Reply.Message)
		}
	case core.RunEnd:
		if e.Parent == "" && b.Error != "" {
			q.say(q.yaap, fails, q.user, b.Error)
		}
	case core.Retry:
		q.note(q.actor(e.Scope), "tries again: "+b.Reason)
	case core.ToolCallStart, core.ToolCallEnd:
		q.call(e)
	case core.ExpertJoined:
		q.note(q.expert(b.Name), "joined")
	case core.ExpertLeft:
		q.note(q.expert(b.Name), "left: "+string(b.Reason))
	default:
		q.chain(e)
	}
}

func (q *sequence) call(e core.Event) {
	from := q.actor(e.Scope)
	switch b := e.Body.(type) {
	case core.ToolCallStart:
		to := from // a tool of its own
		if b.Expert != "" {
			to = q.expert(b.Expert)
		}
		q.calls[e.Run+" "+b.Call] = to
		q.say(from, asks, to, b.Tool)
	case core.ToolCallEnd:
		to, known := q.calls[e.Run+" "+b.Call]
		if !known && b.Expert != "" {
			to, known = q.expert(b.Expert), true
		}
		failed := b.Status != core.ToolSuccess
		switch {
		case b.Status == core.ToolWaiting: // the user is asked
		case known && to != from && failed:
			q.say(to, fails, from, cmp.Or(b.Text, string(b.Status)))
		case known && to != from:
			q.say(to, answers, from, b.Text)
		case failed:
			q.note(from, b.Tool+": "+cmp.Or(b.Text, string(b.Status)))
		}
	default:
	}
}

// decided is what the user said to a call that has to be allowed.
func decided(decision string) string {
	switch decision {
	case core.AllowOnce:
		return "allowed once"
	case core.AllowSession:
		return "allowed in this conversation"
	case core.AllowAlways:
		return "always allowed"
	case core.Deny:
		return "denied"
	}
	return decision
}

// chain reports what happens in a chain, and what the user is asked.
func (q *sequence) chain(e core.Event) {
	switch b := e.Body.(type) {
	case core.NodeStart:
		text := "begin"
		if b.Visit > 1 {
			text = "visit " + strconv.Itoa(b.Visit)
		}
		if b.Attempt > 1 {
			text += ", attempt " + strconv.Itoa(b.Attempt)
		}
		q.say(q.above(e.Scope, b.Node), asks, q.node(b.Node), text)
	case core.NodeEnd:
		arrow, text := answers, cmp.Or(b.Message, string(b.State))
		if b.State == core.NodeFailed || b.State == core.NodeCancelled {
			arrow, text = fails, cmp.Or(b.Error, string(b.State))
		}
		q.say(q.node(b.Node), arrow, q.above(e.Scope, b.Node), text)
	case core.EdgeTaken:
		if b.Taken && b.Condition != "" {
			q.note(q.node(b.From), "to "+b.To+": "+b.Condition)
		}
	case core.ChainPaused:
		q.once("ask "+b.Pause.ID, q.at(e.Scope, b.Node), asks, q.user, b.Pause.Question)
	case core.ChainResumed:
		if b.Answer == nil {
			q.note(q.yaap, "goes on")
			break
		}
		q.once("answer "+b.Answer.Pause, q.user, answers, q.at(e.Scope, b.Node), b.Answer.Text)
	case core.ApprovalRequested:
		q.once("ask "+b.Pause, q.actor(e.Scope), asks, q.user, "may "+b.Tool+" be called?")
	case core.ApprovalGiven:
		q.once("answer "+b.Pause, q.user, answers, q.actor(e.Scope), decided(b.Decision))
	case core.Steered:
		q.once("steer "+b.ID, q.user, asks, q.actor(e.Scope), b.Text)
	case core.ClarificationRequested:
		q.once("ask "+b.ID, q.actor(e.Scope), asks, q.user, b.Question)
	case core.ClarificationProvided:
		q.once("answer "+b.ID, q.user, answers, q.actor(e.Scope), b.Selected)
	default:
	}
}

// at returns the participant of a node, or of who acts in s when none is named.
func (q *sequence) at(s core.Scope, node string) int {
	if node == "" {
		return q.actor(s)
	}
	return q.node(node)
}

// above returns who started the node: another node, of the chain around, or
// yaap.
func (q *sequence) above(s core.Scope, node string) int {
	if s.Node == node {
		return q.parent(s)
	}
	return q.actor(s)
}

// spoken is untrusted text as a short line, or other where there
// is nothing to see.
func spoken(s, other string) string {
	return cut(cmp.Or(strings.ReplaceAll(clean(s), "**", ""), other), maxWords, "…") // the marks of Markdown are no words
}

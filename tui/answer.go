package tui

import (
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxDraft = 1 << 20 // bytes of an answer kept while it streams
	maxCalls = 200     // runs below one whose last thought is kept
	maxAsk   = 400     // bytes of what was thought that are shown in a row
)

// answer is one run of the conversation as it is shown: what its events have come
// to, and while it runs what is not stored of them.
type answer struct {
	run      *runlog.Run
	draft    draft
	said     map[string]string                // the last that runs below it thought, by run
	progress map[string]core.ToolCallProgress // by the run that calls, "/" and the call's id
	busy     string                           // what it is doing, in words
	open     *bool                            // folded by the user; nil: as the detail level says
	past     bool                             // something else was asked since: it is not gone on with
	thoughts map[int]thought                  // by turn, as drawn last
	view     answerView
}

// thought is a text with its rows.
type thought struct {
	raw  string
	w    int
	rows []string
}

func newAnswer(r *runlog.Run) *answer {
	return &answer{
		run: r, said: map[string]string{}, progress: map[string]core.ToolCallProgress{}, thoughts: map[int]thought{}, busy: "starting",
	}
}

// running reports whether the run goes on.
func (a *answer) running() bool { return a.run.End == nil }

// begun reports whether an event of the run has come.
func (a *answer) begun() bool { return !a.run.Began.IsZero() }

// touch makes the rows be drawn again.
func (a *answer) touch() { a.view.version++ }

func (a *answer) folds() bool { return true }

func (a *answer) fold() {
	open := a.open == nil || !*a.open
	a.open = &open
	a.touch()
}

func (a *answer) copied() string {
	if a.run.Final != nil {
		return a.run.Final.Reply.Message
	}
	return a.draft.text.String()
}

// filesOf are those of a run's calls, and of the runs below it.
func filesOf(r *runlog.Run) (all []core.File) {
	for _, c := range r.Calls() {
		if c.End != nil {
			all = append(all, c.End.Files...)
		}
	}
	for _, below := range r.Below {
		all = append(all, filesOf(below)...)
	}
	return eachOnce(all)
}

// eachOnce are files without those whose name is there already.
func eachOnce(files []core.File) (all []core.File) {
	for _, f := range files {
		if !slices.ContainsFunc(all, func(g core.File) bool { return g.Name == f.Name }) {
			all = append(all, f)
		}
	}
	return all
}

// namesOf are the names of files.
func namesOf(files []core.File) (names string) {
	for _, f := range files {
		names += f.Name + " "
	}
	return names
}

// chain is the name of the chain that is run; empty for another run.
func (a *answer) chain() string {
	name, _ := a.run.Chain()
	return name
}

// settle returns what led to an event that says that the thought of its turn is
// whole.
func (a *answer) settle(e core.Event) string {
	switch e.Body.(type) {
	case core.AssistantMessage, core.ToolRequests, core.FinalOutput:
		if e.Depth == 0 && e.Turn == a.draft.turn {
			whole := string(a.draft.thought)
			a.draft.thought = nil
			return whole
		}
	default:
	}
	return ""
}

// apply takes an event of the run, or of one below it, that the run has taken
// already.
func (a *answer) apply(e core.Event) {
	a.touch()
	switch b := e.Body.(type) {
	case core.Delta:
		a.delta(e, b)
	case core.ToolCallProgress:
		a.progress[e.Run+"/"+b.Call] = b
	case core.ToolCallStart, core.ToolCallEnd, core.ApprovalGiven:
		a.busy = a.calling()
	case core.ApprovalRequested:
		a.busy = busyWaiting
	case core.GuardrailViolation: // what was streamed is taken back; what is said instead follows
		if b.Stage == core.GuardOutput && e.Depth == 0 {
			a.draft = draft{turn: a.draft.turn, stream: a.draft.stream}
		}
		delete(a.said, e.Run)
	default:
		if e.Depth == 0 {
			a.applyOwn(e)
		}
	}
}

// applyOwn takes an event of the run itself.
func (a *answer) applyOwn(e core.Event) {
	switch b := e.Body.(type) {
	case core.RunStart:
		a.draft.reset()
		a.busy = "starting"
	case core.TurnStart:
		a.busy = busyThinking
	case core.LLMCallStart:
		a.draft, a.busy = draft{turn: e.Turn, stream: b.Call}, busyThinking
	case core.AssistantMessage:
		if b.Calls > 0 {
			a.draft.reset()
		}
	case core.ToolRequests, core.FinalOutput:
		a.draft.reset()
	case core.Retry:
		a.busy = "trying again: " + safe.Line(b.Reason)
	case core.NodeStart:
		a.busy = safe.Cut(b.Node, 40)
	case core.RunEnd: // what stays is what is stored
		a.draft, a.busy = draft{}, ""
		clear(a.said)
		clear(a.progress)
		if a.run.Final == nil {
			a.draft.write(core.FieldText, a.run.Last().Cut)
		}
	default:
	}
}

// delta takes a piece of what is streamed.
func (a *answer) delta(e core.Event, b core.Delta) {
	if e.Depth > 0 {
		if b.Field == core.FieldThought && (a.said[e.Run] != "" || len(a.said) < maxCalls) {
			said := a.said[e.Run] + safe.Line(b.Text)
			a.said[e.Run] = said[max(0, len(said)-maxAsk):]
		}
		return
	}
	if a.draft.stream != "" && b.Stream != a.draft.stream {
		return
	}
	a.draft.turn = e.Turn
	switch b.Field {
	case core.FieldThought:
		a.draft.think(b.Text)
		a.busy = busyThinking
	case core.FieldMessage, core.FieldText:
		if b.Reset {
			a.draft.reset()
		}
		if a.draft.since.IsZero() {
			a.draft.since = e.Time
		}
		a.draft.write(b.Field, b.Text)
		a.busy = busyAnswering
	}
}

// calling says in words which calls run.
func (a *answer) calling() string {
	var names []string
	for _, c := range a.run.Calls() {
		if c.End == nil && !c.Waits {
			names = append(names, callName(safe.Line(c.Tool), safe.Line(c.Expert)))
		}
	}
	switch len(names) {
	case 0:
		return busyThinking
	case 1:
		return "calling " + names[0]
	}
	return "calling " + itoa(len(names)) + " experts"
}

// asks reports whether the run waits for what the user types. One that is over
// may have asked, too: what is typed next is then another prompt. What has to be
// allowed is asked in a dialog.
func (a *answer) asks() bool {
	r := a.run
	if r.End == nil || !r.AsksBack() || r.WaitsForApproval() {
		return false
	}
	id, stored := r.Final.Reply.Data["pause"].(string)
	return r.FindAsk(id) == nil && (stored || r.End.Outcome == "interrupted")
}

// labels are what the user may choose from now: the options of a question that
// waits, or prompts.
func (a *answer) labels() (labels []string) {
	switch {
	case a.running() || !a.run.AsksBack() || a.run.WaitsForApproval():
	case a.asks():
		for _, o := range a.run.Options {
			labels = append(labels, safe.Cut(o.Label, 300))
		}
	default:
		return sendable(a.run.Options)
	}
	return labels
}

// failed reports whether the run came to nothing, other than by the user's will.
func (a *answer) failed() bool {
	switch {
	case a.running() || runlog.Waits(*a.run.End):
		return false
	case a.run.Final != nil:
		return a.run.Final.Reply.Status == core.StatusFailure
	case !a.begun() && a.run.End.Code == core.CodeInvalid: // it was refused, and would be again
		return false
	}
	return a.run.End.Outcome != "completed" && !slices.Contains([]core.Code{core.CodeCancelled, core.CodeStopped, core.CodeTurnLimit}, a.run.End.Code)
}

// turns is how many there were.
func (a *answer) turns() int {
	if a.run.End != nil && a.run.End.Turns > 0 {
		return a.run.End.Turns
	}
	return a.run.Last().N
}

// reasoning is the thought of a turn and what was said beside its calls.
func (a *answer) reasoning(c *canvas, t *runlog.Turn) (rows []string) {
	raw, w := t.Thought, c.body()-2
	if raw == "" && a.draft.turn == t.N {
		raw = string(a.draft.thought)
	}
	if raw != "" {
		if shown := a.thoughts[t.N]; shown.raw != raw || shown.w != w {
			a.thoughts[t.N] = thought{raw, w, wrap(strings.TrimSpace(safe.Text(raw)), w)}
		}
		rows = append(rows, a.thoughts[t.N].rows...)
	}
	if said := strings.TrimSpace(safe.Text(t.Said)); said != "" {
		rows = append(rows, wrap(said, w)...)
	}
	return trimmed(rows)
}

// since is how long the run goes on.
func (a *answer) since(p *pen) time.Duration { return p.since(a.run.Since) }

package tui

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	armAfter    = 425 * time.Millisecond // without a key, before one decides
	armAgain    = time.Second            // the same, of somebody who types
	settleFor   = 600 * time.Millisecond // after a letter, before it decides: it may begin a sentence
	maxWaiting  = 100                    // approvals that wait at the same time
	maxRemember = 1000                   // approvals whose names are kept
)

// approval is something that waits until the user allows it. Its texts are as
// they came.
type approval struct {
	pause  string
	root   string // the run that goes on with the answer; empty: somebody waits for it
	thread string
	tool   string
	expert string
	why    string
	claims string   // what its owner says of its effects
	may    []string // the answers that there are; none: those that there always are
	args   json.RawMessage
	edited json.RawMessage // by the user; nil: as they came
	drawn  paneCache
}

// decision is what the user said to an approval.
type decision struct {
	approval
	answer core.Answer
}

// subject is what is told of an approval when it is decided.
type subject struct {
	name  string
	joins bool // it is no call, but somebody who wants to join
}

// approvals is what waits until the user allows it. The user is asked about the
// first; the next follows.
type approvals struct {
	list   []*approval
	at     int                // how many before the first were decided
	names  map[string]subject // of what was asked about, by pause
	since  time.Time          // when it was shown, or a key was typed that does not decide
	shown  time.Time
	typing bool             // one was typed
	aside  bool             // the user looks at something else first
	meant  *tea.KeyPressMsg // a letter that decides when none follows
	scroll int
	edit   *editor // open over the arguments; nil: they are shown
	ready  []decision
	going  map[string]bool // root runs that asked and go on still
	told   map[string]bool // root runs that are being told an answer
}

// first is what the user is asked about, nil when nothing waits.
func (q *approvals) first() *approval {
	if len(q.list) == 0 {
		return nil
	}
	return q.list[0]
}

// add has the user asked. It reports false where that was done already; an
// event tells more than what a run returns.
func (q *approvals) add(a approval, now time.Time) bool {
	for _, other := range q.list {
		if other.pause == a.pause && other.expert == "" {
			other.expert = a.expert
		}
	}
	if _, known := q.names[a.pause]; known || a.pause == "" || len(q.list) >= maxWaiting {
		return false
	}
	if len(q.names) >= maxRemember {
		clear(q.names)
		for _, other := range q.list {
			q.names[other.pause] = other.subject()
		}
	}
	q.names[a.pause] = a.subject()
	q.list = append(q.list, &a)
	if len(q.list) == 1 {
		q.show(now)
	}
	return true
}

// show begins to ask about the first.
func (q *approvals) show(now time.Time) {
	q.since, q.shown, q.typing, q.aside, q.meant, q.scroll, q.edit = now, now, false, false, nil, 0, nil
}

// drop forgets what was decided.
func (q *approvals) drop(pause string, now time.Time) {
	i := slices.IndexFunc(q.list, func(a *approval) bool { return a.pause == pause })
	if i < 0 {
		return
	}
	q.list = slices.Delete(q.list, i, i+1)
	q.at++
	if len(q.list) == 0 {
		q.at = 0
	}
	if i == 0 {
		q.show(now)
	}
}

// leave forgets what a run waited for that is over. It reports whether the user
// is asked about something else now.
func (q *approvals) leave(root string, now time.Time) bool {
	first := q.first()
	for _, a := range slices.Clone(q.list) {
		if a.root == root {
			q.drop(a.pause, now)
		}
	}
	q.ready = slices.DeleteFunc(q.ready, func(d decision) bool { return d.root == root })
	return q.first() != nil && q.first() != first
}

// armed reports whether a key may decide.
func (q *approvals) armed(now time.Time) bool { return now.Sub(q.since) >= q.wait() }

// wait is how long no key may have come before one decides.
func (q *approvals) wait() time.Duration {
	if q.typing {
		return armAgain
	}
	return armAfter
}

// holds reports whether a run of a conversation waits for a decision, or for
// one to reach it.
func (q *approvals) holds(thread string) bool {
	return slices.ContainsFunc(q.list, func(a *approval) bool { return a.root != "" && a.thread == thread }) ||
		slices.ContainsFunc(q.ready, func(d decision) bool { return d.root != "" && d.thread == thread })
}

func (a *approval) subject() subject { return subject{askName(a.tool, a.expert), a.joins()} }

// joins reports whether it is no call, but somebody who wants to join.
func (a *approval) joins() bool { return !a.offers(core.AllowOnce) }

func askName(tool, expert string) string { return safe.Cut(callName(tool, safe.Line(expert)), 60) }

// requested is an approval as its event tells it. With a pause that is named
// after the run, the run is suspended; with any other somebody waits.
func requested(e core.Event, b core.ApprovalRequested) approval {
	a := approval{pause: b.Pause, thread: e.Thread, tool: b.Tool, expert: b.Expert, why: b.Reason, claims: b.Claims, may: optionIDs(b.Options), args: b.Args}
	if strings.Contains(b.Pause, "#") {
		a.root = runlog.Root(e)
	}
	return a
}

// fromStore is an approval as it waits in the store. It reports false for a
// question of another kind.
func fromStore(p core.Pause) (approval, bool) {
	if p.Kind != core.PauseApproval || p.Call == nil {
		return approval{}, false
	}
	a := approval{pause: p.ID, root: p.Root, thread: p.Thread, tool: p.Call.Tool, why: p.Question, may: optionIDs(p.Options), args: p.Call.Args}
	if a.expert = p.Tool.Owner; p.Tool.Name != "" {
		a.claims, a.why = p.Tool.Claims.String(), p.Tool.Reason()
	}
	if owner, _, typed := strings.Cut(a.tool, "__"); typed && a.expert == "" {
		a.expert = owner
	}
	return a, true
}

func optionIDs(options []core.Option) []string {
	var ids []string
	for _, option := range options {
		ids = append(ids, option.ID)
	}
	return ids
}

// offers reports whether an answer may be given.
func (a *approval) offers(id string) bool {
	if len(a.may) == 0 {
		return id != core.AllowAlways
	}
	return slices.Contains(a.may, id)
}

// askAbout has the user asked what may be done.
func (m *model) askAbout(a approval) tea.Cmd {
	if !m.asks.add(a, time.Now()) || len(m.asks.list) > 1 {
		return nil
	}
	m.asks.aside = m.panes.over.kind == overList // the keys are the list's until it is closed
	return tea.Batch(m.arm(), m.ring("waits until you allow a call"))
}

// askStored has the user asked about what waits in the store.
func (m *model) askStored(pauses []core.Pause) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range pauses {
		if a, ok := fromStore(p); ok {
			if answer := m.chat.runs[p.Root]; answer != nil {
				answer.run.Wait(runlog.Ask{Pause: p.ID, Run: p.Run, Call: p.Call.ID, Tool: a.tool, Expert: a.expert})
				answer.touch()
			}
			cmds = append(cmds, m.askAbout(a))
		}
	}
	return tea.Batch(cmds...)
}

// arm draws the dialog anew when a key may decide.
func (m *model) arm() tea.Cmd { return m.after(armAfter, then(nil)) }

// approving takes what the room reports of approvals.
func (m *model) approving(e core.Event) tea.Cmd {
	q := &m.asks
	switch b := e.Body.(type) {
	case core.ApprovalRequested:
		a := requested(e, b)
		if a.root != "" {
			q.going[a.root] = true
		}
		return m.askAbout(a)
	case core.ApprovalGiven:
		if m.chat.of(e) == nil { // no answer tells of it
			m.chat.push(given(m.pen, b, q.names[b.Pause]).remark())
		}
		q.drop(b.Pause, time.Now())
		if q.first() != nil {
			return m.arm()
		}
	case core.RunEnd:
		delete(q.going, e.Run)
		if b.Outcome != "interrupted" && q.leave(e.Run, time.Now()) {
			return m.arm()
		}
	default:
	}
	return nil
}

// deciding is what the keys decide about, nil where they do not: nothing waits, or the
// user looks at something else first.
func (m *model) deciding() *approval {
	if m.asks.aside && (m.panes.focus == inInspector || m.panes.over.kind != overNone) {
		return nil
	}
	return m.asks.first()
}

// lookAside shows what a key opens that decides nothing. It reports false for another key.
func (m *model) lookAside(name string) (tea.Cmd, bool) {
	do := m.keys.find(inInput, name)
	switch {
	case do == actDetail:
		return m.act(do), true
	case do < actPane && !slices.Contains([]action{actPalette, actHelp, actLeader}, do):
		return nil, false
	}
	m.asks.aside, m.asks.meant = true, nil
	if m.panes.focus == inInspector && do == opens(m.panes.tab) { // it is there already, below the dialog
		return nil, true
	}
	return m.act(do), true
}

// keyApproval takes a key while something waits to be allowed. One that comes too early,
// or does not decide, was meant for something else: what is typed goes into the input, and
// the wait begins again. A letter decides when no other follows it, and nothing stands in
// the input: it may begin what somebody wants to say.
func (m *model) keyApproval(msg tea.KeyPressMsg) tea.Cmd {
	q, now := &m.asks, time.Now()
	if q.edit != nil {
		return m.keyEdit(msg)
	}
	if cmd, ok := m.lookAside(msg.String()); ok {
		return cmd
	}
	if q.meant != nil {
		return m.keyAfter(msg)
	}
	if msg.String() == "enter" && !m.input.empty() {
		return m.say(toneAsk, "decide first: ctrl+c clears the input, esc denies")
	}
	denies := msg.String() == "esc" && now.Sub(q.shown) >= armAfter && !m.input.vi.on // at once, whatever was typed before
	if !denies && !q.armed(now) || m.screen.size == sizeTiny || msg.Text != "" && !m.input.empty() {
		return m.typedBeside(msg)
	}
	do := m.keys.by[inApproval][msg.String()]
	if msg.Text != "" && (q.first().choice(msg, do) != "" || do == actEdit) {
		q.meant = &msg
		return m.after(settleFor, then(func() tea.Cmd {
			if q.meant != &msg {
				return nil
			}
			return m.settleOn(msg)
		}))
	}
	switch do {
	case actDeny:
		return m.decide(core.Deny)
	case actUp:
		q.scroll--
	case actDown:
		q.scroll++
	case actPageUp:
		q.scroll -= pageArgs
	case actPageDown:
		q.scroll += pageArgs
	default:
		return m.typedBeside(msg)
	}
	return nil
}

// keyAfter takes the key after a letter that may decide: enter has it decide at once, and
// another letter makes both the beginning of a sentence.
func (m *model) keyAfter(msg tea.KeyPressMsg) tea.Cmd {
	first := *m.asks.meant
	m.asks.meant = nil
	switch {
	case msg.String() == "enter":
		return m.settleOn(first)
	case msg.Text != "":
		return tea.Batch(m.typedBeside(first), m.typedBeside(msg))
	}
	return nil
}

// settleOn does what a letter means.
func (m *model) settleOn(msg tea.KeyPressMsg) tea.Cmd {
	a, do := m.asks.first(), m.keys.by[inApproval][msg.String()]
	m.asks.meant = nil
	switch {
	case a == nil:
		return nil
	case do == actEdit && a.offers(core.AllowOnce):
		return m.editArgs()
	case do == actEdit:
		return nil
	}
	return m.decide(a.choice(msg, do))
}

// choice is the answer that a key means: that of its letter, or of its number among those
// that there are. It is empty where it means none.
func (a *approval) choice(msg tea.KeyPressMsg, do action) string {
	n := 0
	for _, one := range []struct {
		id string
		do action
	}{{core.AllowOnce, actAllow}, {core.AllowSession, actAllowSession}, {core.AllowAlways, actAllowAlways}, {core.Deny, actDeny}} {
		if !a.offers(one.id) {
			continue
		}
		if n++; one.do == do || msg.Text == strconv.Itoa(n) {
			return one.id
		}
	}
	return ""
}

// typedBeside takes a key that decides nothing.
func (m *model) typedBeside(msg tea.KeyPressMsg) tea.Cmd {
	q := &m.asks
	types := msg.Text != "" || msg.String() == "backspace"
	q.since, q.typing = time.Now(), q.typing || types
	again := m.after(q.wait(), then(nil))
	if !types {
		return again
	}
	if cmd, ok := m.viKey(msg); ok {
		return tea.Batch(cmd, again)
	}
	m.toInput()
	return tea.Batch(m.typed(msg), again)
}

// decide takes the user's decision about the first.
func (m *model) decide(id string) tea.Cmd {
	q := &m.asks
	if !q.first().offers(id) {
		return nil
	}
	d := decision{approval: *q.list[0], answer: core.Answer{Pause: q.list[0].pause, ID: id, Text: decisionWords(id, false), By: "user"}}
	if id != core.Deny {
		d.answer.Data = d.edited
	}
	q.drop(d.pause, time.Now())
	if id == core.AllowSession || id == core.AllowAlways { // it holds for the calls of the run that wait beside it
		for _, other := range slices.Clone(q.list) {
			if other.root != "" && other.root == d.root && other.tool == d.tool {
				q.drop(other.pause, time.Now())
			}
		}
	}
	q.ready = append(q.ready, d)
	cmds := []tea.Cmd{m.tell()}
	if len(q.ready) > 0 {
		cmds = append(cmds, m.say(toneQuiet, decisionWords(id, d.joins())+"; it takes effect when what runs now is over"))
	}
	if q.first() != nil {
		cmds = append(cmds, m.arm())
	}
	return tea.Batch(cmds...)
}

// tell hands decisions to those that wait for them. A run is told when it has
// come to its end, one answer after the other.
func (m *model) tell() tea.Cmd {
	q := &m.asks
	var cmds []tea.Cmd
	ready := q.ready
	q.ready = nil
	for _, d := range ready {
		here := d.root != "" && d.thread == m.chat.thread
		switch {
		case d.root != "" && (q.going[d.root] || q.told[d.root]), here && m.run.cancel != nil:
			q.ready = append(q.ready, d)
			continue
		case d.root != "":
			q.told[d.root] = true
		}
		answer := func(ctx context.Context, b Backend) (core.Result, error) { return b.Answer(ctx, d.answer) }
		if here {
			cmds = append(cmds, m.start(answered{thread: d.thread, decision: &d}, false, answer))
			continue
		}
		cmds = append(cmds, await(m, answer, func(_ core.Result, err error) tea.Cmd {
			if err != nil && core.CodeOf(err) != core.CodeCancelled {
				m.chat.fail(err)
			}
			return m.decided(d, err)
		}))
	}
	return tea.Batch(cmds...)
}

// decided takes the outcome of a decision. What still waits is asked about again.
func (m *model) decided(d decision, err error) tea.Cmd {
	q := &m.asks
	delete(q.told, d.root)
	next := m.tell()
	switch core.CodeOf(err) {
	case "", core.CodeCancelled, core.CodeConflict, core.CodeNotFound:
		return next
	case core.CodeInvalid:
		if d.root == "" {
			delete(q.names, d.pause)
			return tea.Batch(next, m.askAbout(d.approval))
		}
	default:
	}
	if d.root == "" {
		return next
	}
	waiting := func(ctx context.Context, b Backend) ([]core.Pause, error) { return b.Waiting(ctx, d.thread) }
	return tea.Batch(next, await(m, waiting, func(pauses []core.Pause, _ error) tea.Cmd { // why the answer failed is told already
		if slices.ContainsFunc(pauses, func(p core.Pause) bool { return p.ID == d.pause }) {
			delete(q.names, d.pause)
		}
		return m.askStored(pauses)
	}))
}

// decisionWords is a decision in words, about a call or about somebody who wants to join.
func decisionWords(id string, joins bool) string {
	switch id {
	case core.AllowOnce:
		return "allowed once"
	case core.AllowSession:
		if joins {
			return "allowed until yaap closes"
		}
		return "allowed in this conversation"
	case core.AllowAlways:
		return "always allowed here"
	case core.Deny:
		return "denied"
	}
	return safe.Cut(id, 40)
}

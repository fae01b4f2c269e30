package tui

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/tui/markdown"
)

const thoughtLines = 3 // rows of a thought that is not opened

// answerView is an answer's rows: a head that is drawn again whenever something
// happens, a body that only grows, and how the run ended. Rows of the body get
// their gutter when they are looked at, so that a long answer that streams in
// costs no more than a short one.
type answerView struct {
	version int
	made    drawn
	frame   int
	head    []string // the facts, and what is opened below them
	body    []string
	tail    []endRow
	label   string // gutter of the first row of what is said
	blank   string
	sign    string // of the body, in the gutter of the row signed
	signed  int    // the first, or where only a part was answered, that of the rest
	cursor  string // ends the body's last row
	whole   drawn  // what body was rendered for, once the reply is there
	parts   []markdown.Part
}

// endRow is a row about the end of a run, with its sign in the gutter.
type endRow struct{ sign, text string }

func (a *answer) arrange(c *canvas) int {
	v := &a.view
	key := c.drawn(v.version)
	if v.made == key && (v.frame == c.frame || !a.running()) && v.label != "" {
		return v.count()
	}
	v.made, v.frame = key, c.frame
	a.arrangeBody(c)
	a.arrangeTail(c)
	sign := v.sign
	if v.signed > 0 {
		sign = ""
	}
	if len(v.body) == 0 && len(v.tail) > 0 {
		sign = v.tail[0].sign
	}
	v.label, v.blank = c.signed("yaap", c.dot, c.agent, sign), c.blank()
	a.arrangeHead(c)
	return v.count()
}

// arrangeHead draws the facts, and of what led to the answer, thoughts and calls with
// their results, as much as is opened.
func (a *answer) arrangeHead(c *canvas) {
	v := &a.view
	v.head = v.head[:0]
	if facts := a.facts(c); facts != "" {
		v.head = append(v.head, facts)
	}
	switch {
	case a.opened(c):
		const indent = "  "
		if a.chain() != "" {
			a.callRows(c, a.calls(a.run), indent)
		}
		for _, t := range a.run.Turns {
			a.turnRows(c, t, indent)
		}
	case a.running() || a.run.WaitsForApproval():
		rows := a.reasoning(c, a.run.Last())
		for _, row := range rows[max(0, len(rows)-thoughtLines):] {
			v.head = append(v.head, c.dim.on(row))
		}
		a.notesOf(c)
	case a.open == nil && c.detail == detailThoughts:
		for _, t := range a.run.Turns {
			a.thoughtRows(c, t, "")
		}
		a.notesOf(c)
	default:
		a.notesOf(c)
	}
	v.head = append(v.head, todoRows(c, a.run.Todo, a.running())...)
}

func (v *answerView) count() int { return len(v.head) + len(v.body) + len(v.tail) }

func (a *answer) row(i int) string { return a.view.row(i) }

func (v *answerView) row(i int) string {
	if i < len(v.head) {
		return v.blank + v.head[i]
	}
	gutter := v.blank
	if i -= len(v.head); i == 0 {
		gutter = v.label
	} else if i == v.signed && i < len(v.body) {
		gutter = v.blank[:len(v.blank)-2] + v.sign + " "
	}
	if i < len(v.body)-1 {
		return gutter + v.body[i]
	} else if i == len(v.body)-1 {
		return gutter + v.body[i] + v.cursor
	}
	end := v.tail[i-len(v.body)]
	if end.sign != "" && i > 0 {
		gutter = v.blank[:len(v.blank)-2] + end.sign + " "
	}
	return gutter + end.text
}

// at is the time of what is drawn.
func (p *pen) at() time.Time { return time.Unix(0, p.now) }

func (p *pen) since(t time.Time) time.Duration {
	return max(time.Duration(p.now-t.UnixNano()), 0)
}

// opened reports whether everything is shown.
func (a *answer) opened(c *canvas) bool {
	if a.open != nil {
		return *a.open
	}
	return c.detail == detailTurns
}

// turnRows draws a turn: who was asked, what was thought and bid, and the calls.
func (a *answer) turnRows(c *canvas, t *runlog.Turn, indent string) {
	v := &a.view
	if c.detail == detailTurns && t.Model != "" {
		note := "turn " + itoa(t.N) + ", "
		if t.Model != a.run.Plan.Model {
			note += safe.Line(t.Model) + ", "
		}
		note += count(t.Tools, "tool")
		if t.Tokens > 0 && modelName(t.Model) != "" {
			note += ", " + short(t.Tokens) + " tokens"
		}
		v.head = append(v.head, indent+c.dim.on(cut(note, c.body()-len(indent), c.ellipsis)))
	}
	a.noteRows(c, t, true, indent)
	a.thoughtRows(c, t, indent)
	for _, row := range bidRows(c, t.Bids, c.body()-2-len(indent)) {
		v.head = append(v.head, indent+"  "+c.dim.on(row))
	}
	if a.chain() == "" {
		a.callRows(c, a.called(a.run, t.Calls), indent)
	}
	a.noteRows(c, t, false, indent)
}

// thoughtRows draws what was thought in a turn, its first rows where it is not opened.
func (a *answer) thoughtRows(c *canvas, t *runlog.Turn, indent string) {
	v, rows, more := &a.view, a.reasoning(c, t), 0
	if !a.opened(c) && len(rows) > thoughtLines {
		rows, more = rows[:thoughtLines], len(rows)-thoughtLines
	}
	for _, row := range rows {
		v.head = append(v.head, indent+c.thought.on(row))
	}
	if more > 0 {
		v.head = append(v.head, indent+c.dim.on(c.ellipsis+" "+count(more, "more line")))
	}
}

// callRows draws calls as the branches of a tree, each with its time.
func (a *answer) callRows(c *canvas, calls []*call, indent string) {
	name := 0
	for _, call := range calls {
		name = max(name, min(width(call.name), max(16, c.body()/3)))
	}
	for i, call := range calls {
		branch, below := c.branch, c.vertical+" "
		if i == len(calls)-1 {
			branch, below = c.corner, "  "
		}
		sign, tone := call.sign(c)
		left := indent + c.border.on(branch) + " " + tone.on(sign) + " " + c.strong.on(fit(cut(call.name, name, c.ellipsis), name))
		when := diagram.FormatDuration(call.took)
		switch {
		case !call.over:
			when = elapsed(c.since(call.began))
		case call.took < 0:
			when = ""
		}
		room := c.body() - width(left) - width(when) - 4
		left += "  " + c.dim.on(cut(call.ask, room, c.ellipsis))
		a.view.head = append(a.view.head, ends(left, c.dim.on(when), c.body(), ""))
		a.callBelow(c, call, indent+c.border.on(below))
	}
}

// callBelow draws what belongs to a call: its progress, its failure, its
// result when the run is opened, and the calls of the run that it started.
func (a *answer) callBelow(c *canvas, call *call, indent string) {
	room := c.body() - width(indent) - 2
	add := func(rows ...string) {
		for _, row := range rows {
			a.view.head = append(a.view.head, indent+"  "+row)
		}
	}
	if call.again {
		add(c.warn.on("! asked again: it was not known whether it had answered"))
	}
	if done := min(call.progress.Fraction, 1); !call.over && (done > 0 || call.progress.Message != "") {
		row := ""
		if done > 0 {
			full := int(done*20 + 0.5)
			row = c.accent.on(strings.Repeat(c.full, full)) + c.border.on(strings.Repeat(c.empty, 20-full)) + " "
		}
		add(row + c.dim.on(cut(safe.Line(call.progress.Message), room-width(row), c.ellipsis)))
	}
	text := strings.TrimSpace(call.text)
	switch {
	case !call.over || text == "" || a.run.Final != nil && text == strings.TrimSpace(safe.Text(a.run.Final.Reply.Message)):
	case !call.ok:
		lines := wrap(safe.Cut(text, 400), room)
		if !a.opened(c) {
			lines = first(lines, thoughtLines)
		}
		add(c.bad.each(lines)...)
	case a.opened(c):
		rows := wrap(text, room)
		if !strings.Contains(text, "\n") && len(text) < 4*maxAsk { // several lines may be anything
			rows = markdown.Render(text, room, markdown.Style{})
		}
		add(c.dim.each(first(rows, foldedLines))...)
		if more := len(rows) - foldedLines; more > 0 {
			add(c.dim.on(c.ellipsis + " " + count(more, "more line")))
		}
	}
	if call.said != "" && (!call.over || a.opened(c)) {
		add(c.thought.on(cut(call.said, room, c.ellipsis)))
	}
	a.callRows(c, call.calls, indent+"  ")
}

func (k *call) sign(c *canvas) (string, style) {
	switch {
	case k.state != "" && k.state != core.NodeRunning:
		sign, _, tone := c.node(k.state)
		return sign, tone
	case !k.over:
		return c.spin(), c.accent
	case k.ok:
		return c.done, c.ok
	}
	return c.failed, c.bad
}

// arrangeBody renders the answer: the draft while it streams, and once more
// and whole when the reply is there.
func (a *answer) arrangeBody(c *canvas) {
	v := &a.view
	v.sign, v.cursor = "", ""
	if a.run.Final == nil {
		v.body, v.whole = a.draft.lines(c, c.body()), drawn{}
		if a.running() && len(v.body) > 0 {
			v.cursor = c.text.on(c.block)
		}
		return
	}
	w, reply := c.body(), a.run.Final.Reply
	if a.run.WaitsForApproval() && len(a.run.Options) == 0 { // what is asked stands below
		v.body, v.whole = nil, drawn{}
		return
	}
	switch reply.Status {
	case core.StatusClarification:
		v.sign = c.warn.on(c.ask)
	case core.StatusFailure:
		v.sign = c.bad.on(c.failed)
	}
	if key := (drawn{w: w, compact: c.compact, look: c.look, version: a.run.Version + 1}); v.whole != key {
		v.whole = key
		v.signed = 0
		if answered, rest := reply.Parts(); rest != "" {
			v.body, v.parts = markdown.RenderParts(answered, w, c.brief())
			v.signed = len(v.body)
			v.body = append(v.body, markdown.Render(rest, w, c.markdown)...)
		} else {
			v.body, v.parts = markdown.RenderParts(a.marked(shown(reply)), w, c.brief())
		}
		v.body = append(v.body, a.choices(c, w)...)
	}
}

// marked is an answer with its result in bold, where no model wrote it.
func (a *answer) marked(text string) string {
	if a.run.Final.Reply.Status != core.StatusSuccess || a.chain() != "" || modelName(a.run.Plan.Model) != "" {
		return text
	}
	return lang.MarkResult(text)
}

// shown is what a reply says. What a model said that could not be read is
// still what the user asked for, and so is data that came without a message.
func shown(r core.Reply) string {
	if raw, ok := r.Data["raw_output"].(string); ok && r.Status == core.StatusFailure {
		return r.Message + "\n\n" + raw
	}
	if strings.TrimSpace(safe.Text(r.Message)) != "" {
		return r.Message
	}
	if data, err := json.MarshalIndent(r.Data, "", "  "); err == nil && len(r.Data) > 0 {
		return "*There is no message, only data:*\n\n```json\n" + safe.JSON(string(data)) + "\n```"
	}
	return "*There is no message.*"
}

// arrangeTail draws how the run ended.
func (a *answer) arrangeTail(c *canvas) {
	v := &a.view
	end, final := a.run.End, a.run.Final
	named := ""
	if final != nil {
		named = final.Reply.Message
	}
	v.tail = v.tail[:0]
	for _, row := range c.pictured(filesOf(a.run), named) {
		v.tail = append(v.tail, endRow{text: row})
	}
	if a.running() {
		return
	}
	if end.Outcome != "completed" && !runlog.Waits(*end) {
		a.brokenOff(c, *end)
	} else if a.failed() && c.again != "" {
		hint := c.again + " tries again"
		if len(a.decided()) == 0 && slices.ContainsFunc(a.calls(a.run), func(one *call) bool { return one.over && !one.ok }) {
			hint += "   f2 shows what it printed"
		}
		v.tail = append(v.tail, endRow{text: c.dim.on(cut(hint, c.body(), c.ellipsis))})
	}
	switch {
	case a.run.WaitsForApproval() && final == nil:
		v.tail = append(v.tail, endRow{c.warn.on(c.ask), c.dim.on("waits until you allow it")})
	case len(v.body)+len(v.tail) == 0 && !runlog.Waits(*end):
		v.tail = append(v.tail, endRow{text: c.dim.on(cut("There is nothing to see in the message.", c.body(), c.ellipsis))})
	}
}

// brokenOff says why a run did not come to its end, and what to type.
func (a *answer) brokenOff(c *canvas, end core.RunEnd) {
	v := &a.view
	sign, tone, why := c.failed, c.bad, safe.Text(end.Error)
	switch end.Code {
	case core.CodeCancelled, core.CodeStopped, core.CodeTurnLimit:
		sign, tone = c.dash, c.warn
	}
	switch {
	case end.Code == core.CodeCancelled && why == "cancelled":
		why = "Stopped by you."
	case why == "":
		why = "this answer was interrupted"
	}
	var rows []endRow
	if a.stopped() && len(v.body) == 0 {
		if rows = a.soFar(c); len(rows) > 0 && end.Code == core.CodeCancelled {
			why += " What was there so far:"
		}
	}
	mark := tone.on(sign)
	if final := a.run.Final; final == nil || why != strings.TrimSpace(safe.Text(final.Reply.Message)) { // else it stands above
		for _, line := range wrap(why, c.body()) {
			if line != "" {
				v.tail = append(v.tail, endRow{mark, tone.on(line)})
				mark = ""
			}
		}
	}
	v.tail = append(v.tail, rows...)
	hint := safe.Text(end.Hint)
	if a.stopped() && (hint != "" || len(v.body)+len(rows) > 0) {
		hint = "/continue goes on with it"
	}
	if a.stopped() && a.past {
		hint = ""
	}
	if c.again != "" && a.failed() {
		again := c.again + " tries again"
		if rest, ok := strings.CutPrefix(hint, "try again"); ok {
			hint = again + rest
		} else {
			hint = strings.TrimSpace(again + "   " + hint)
		}
	}
	if hint != "" {
		for _, line := range wrap(hint, c.body()) {
			v.tail = append(v.tail, endRow{text: c.dim.on(line)})
		}
	}
}

// soFar is what had been answered when the user stopped the run.
func (a *answer) soFar(c *canvas) (rows []endRow) {
	for _, call := range a.calls(a.run) {
		if !call.over || !call.ok || strings.TrimSpace(call.text) == "" {
			continue
		}
		lead := c.dim.on(call.name + ": ")
		for _, row := range hung(lead, c.text.each(firstLines(strings.TrimSpace(call.text), max(c.body()-width(lead), 8), thoughtLines, c.ellipsis))) {
			rows = append(rows, endRow{text: row})
		}
	}
	return rows
}

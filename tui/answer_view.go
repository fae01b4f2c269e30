package tui

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/tui/markdown"
)

const thoughtLines = 3 // rows of a thought that is not opened

// answerView is an answer's rows: a head that is drawn again whenever something
// happens, a body that only grows, and a tail. Rows of the body get their
// gutter when they are looked at, so that a long answer that streams in costs
// no more than a short one.
type answerView struct {
	version int
	made    drawn
	frame   int
	head    []string
	brief   int // rows of head that end with the summary
	body    []string
	tail    []string
	label   string // gutter of the first row with text
	blank   string
	indent  string // of the body's rows
	sign    string // in place of the indent on the body's first row
	cursor  string // ends the body's last row
	whole   drawn  // what body was rendered for, once the reply is there
}

func (a *answer) arrange(c *canvas) int {
	v := &a.view
	key := c.drawn(v.version)
	if v.made == key && (v.frame == c.frame || !a.running()) && v.label != "" {
		return v.count()
	}
	v.made, v.frame = key, c.frame
	v.label, v.blank = c.label("yaap", c.dot, c.agent), c.blank()
	a.arrangeBody(c)
	v.head, v.brief = v.head[:0], 0
	if !c.compact {
		v.head = append(v.head, "")
	}
	if a.chain() != "" {
		a.chainRows(c)
	} else if a.brief(c) {
		a.summary(c)
	} else {
		for i, t := range a.run.Turns {
			a.turnRows(c, t, i == len(a.run.Turns)-1)
		}
	}
	v.head = append(v.head, todoRows(c, a.run.Todo, a.running())...)
	if len(v.head) > 1 && len(v.body) > 0 && !c.compact {
		v.head = append(v.head, "")
	}
	a.arrangeTail(c)
	if first := len(v.head); v.count() == 0 || !c.compact && v.count() == 1 {
		v.head = append(v.head, "")[:first]
		if a.running() {
			v.tail = append(v.tail, c.accent.on(c.spin())+" "+c.dim.on(a.working(c)))
		} else {
			v.tail = append(v.tail, c.dim.on("There is nothing to see in the message."))
		}
	}
	return v.count()
}

func (v *answerView) count() int { return len(v.head) + len(v.body) + len(v.tail) }

func (v *answerView) row(i int) string {
	gutter := v.blank
	if first := len(v.head) > 0 && v.head[0] == ""; i == 0 && !first || i == 1 && first {
		gutter = v.label
	}
	switch {
	case i < len(v.head):
		if v.head[i] == "" {
			return ""
		}
		return gutter + v.head[i]
	case i < len(v.head)+len(v.body):
		i -= len(v.head)
		lead := v.indent
		if i == 0 {
			lead = v.sign
		}
		row := gutter + lead + v.body[i]
		if i == len(v.body)-1 {
			row += v.cursor
		}
		return row
	}
	return gutter + v.tail[i-len(v.head)-len(v.body)]
}

func (a *answer) row(i int) string { return a.view.row(i) }

// working says what the run does, for the first moments when there is nothing
// else to show.
func (a *answer) working(c *canvas) string {
	return a.busy + "  " + elapsed(a.since(c.pen))
}

// at is the time of what is drawn.
func (p *pen) at() time.Time { return time.Unix(0, p.now) }

func (p *pen) since(t time.Time) time.Duration {
	return max(time.Duration(p.now-t.UnixNano()), 0)
}

// brief reports whether thought and calls take one line.
func (a *answer) brief(c *canvas) bool {
	if a.open != nil {
		return !*a.open
	}
	return c.detail == detailMessages || c.compact && !a.running() && c.detail < detailTurns
}

// opened reports whether everything is shown.
func (a *answer) opened(c *canvas) bool {
	return a.open != nil && *a.open || c.detail == detailTurns
}

// summary is thought and calls on one line.
func (a *answer) summary(c *canvas) {
	n, only := 0, ""
	for _, t := range a.run.Turns {
		rows := a.reasoning(c, t)
		if n += len(rows); len(rows) == 1 {
			only = rows[0]
		}
	}
	var parts []string
	switch {
	case n > 1:
		parts = append(parts, c.thought.on(c.closed+" thought "+c.dot+" "+count(n, "line")))
	case n == 1:
		parts = append(parts, c.thought.on(c.closed+" "+only))
	}
	for _, call := range a.calls(a.run) {
		sign, tone := call.sign(c)
		text := " " + call.name
		if call.took > 0 {
			text += " " + took(call.took)
		}
		parts = append(parts, tone.on(sign)+c.dim.on(text))
	}
	if a.running() && len(a.view.body) == 0 {
		parts = append(parts, c.accent.on(c.spin())+" "+c.dim.on(a.working(c)))
	}
	line, used := "", 0
	for _, part := range parts {
		if n := width(part); used > 0 && used+n+3 > c.body() {
			a.view.head, line, used = append(a.view.head, line), "  ", 2
		} else if used > 0 {
			line, used = line+"   ", used+3
		}
		line, used = line+part, used+width(part)
	}
	if line != "" {
		a.view.head = append(a.view.head, line)
	}
	a.view.brief = len(a.view.head)
	a.notesOf(c)
}

func (a *answer) turnRows(c *canvas, t *runlog.Turn, last bool) {
	v := &a.view
	if c.detail == detailTurns && t.Model != "" {
		note := "turn " + itoa(t.N) + ", " + safe.Line(t.Model) + ", " + count(t.Tools, "tool")
		if t.Tokens > 0 {
			note += ", " + short(t.Tokens) + " tokens"
		}
		v.head = append(v.head, c.dim.on(cut(note, c.body(), c.ellipsis)))
	}
	a.noteRows(c, t, true)
	rows, more := a.reasoning(c, t), 0
	if last && len(v.head) > 1 && len(t.Calls) == 0 && len(rows) > 0 && !a.running() && !a.opened(c) {
		// What was thought before the calls stands above; the answer says the rest.
		v.head = append(v.head, c.thought.on(c.closed+" thought "+c.dot+" "+count(len(rows), "line")))
		rows = nil
	}
	if !a.opened(c) && len(rows) > thoughtLines {
		more = len(rows) - thoughtLines
		if a.running() && last {
			rows = rows[more:]
		} else {
			rows = rows[:thoughtLines]
		}
	}
	sign := c.open + " "
	for _, row := range rows {
		v.head = append(v.head, c.thought.on(sign+row))
		sign = "  "
	}
	if more > 0 && !a.running() {
		v.head = append(v.head, "  "+c.dim.on(c.ellipsis+" "+count(more, "more line")))
	}
	if a.opened(c) {
		for _, row := range readBids(t.Bids).rows(c, c.body()-2) {
			v.head = append(v.head, "  "+c.dim.on(row))
		}
	}
	if a.chain() == "" {
		a.callRows(c, a.called(a.run, t.Calls), "")
	}
	a.noteRows(c, t, false)
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
		when := took(call.took)
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
	add := func(row string) { a.view.head = append(a.view.head, indent+"  "+row) }
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
		for i, line := range wrap(safe.Cut(text, 400), room) {
			if i < thoughtLines || a.opened(c) {
				add(c.bad.on(line))
			}
		}
	case a.opened(c):
		rows := wrap(text, room)
		if !strings.Contains(text, "\n") && len(text) < 4*maxAsk { // several lines may be anything
			rows = markdown.Render(text, room, markdown.Style{})
		}
		for _, line := range rows[:min(len(rows), foldedLines)] {
			add(c.dim.on(line))
		}
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
	v.sign, v.indent, v.cursor = "", "", ""
	if a.run.Final == nil {
		v.body, v.whole = a.draft.lines(c, c.body()), drawn{}
		if a.running() && len(v.body) > 0 {
			v.cursor = c.text.on(c.block())
		}
		return
	}
	w, reply := c.body(), a.run.Final.Reply
	switch reply.Status {
	case core.StatusClarification:
		v.sign, v.indent = c.warn.on(c.ask)+" ", "  "
	case core.StatusFailure:
		v.sign, v.indent = c.bad.on(c.failed)+" ", "  "
	}
	w -= len(v.indent)
	if key := (drawn{w: w, look: c.look, version: a.run.Version + 1}); v.whole != key {
		v.whole = key
		v.body = nil
		if text := shown(reply); text != "" {
			v.body = markdown.Render(text, w, c.markdown)
		}
		v.body = append(v.body, a.choices(c, w)...)
	}
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

func (p *pen) block() string {
	if p.full == "#" {
		return "_"
	}
	return "▌"
}

// arrangeTail draws how the run ended.
func (a *answer) arrangeTail(c *canvas) {
	v := &a.view
	v.tail = v.tail[:0]
	end, final := a.run.End, a.run.Final
	named := ""
	if final != nil {
		named = final.Reply.Message
	}
	if v.tail = append(v.tail, c.pictured(filesOf(a.run), named)...); a.running() {
		return
	}
	if end.Outcome != "completed" && !runlog.Waits(*end) {
		sign, tone, why := c.failed, c.bad, safe.Text(end.Error)
		switch end.Code {
		case core.CodeCancelled, core.CodeStopped, core.CodeTurnLimit:
			sign, tone = c.dash, c.warn
		}
		if why == "" {
			why = "this answer was interrupted"
		}
		if final != nil && why == strings.TrimSpace(safe.Text(final.Reply.Message)) {
			sign, why = " ", "" // it stands above
		}
		for _, line := range wrap(why, c.body()-2) {
			if line != "" {
				v.tail = append(v.tail, tone.on(sign+" "+line))
				sign = " "
			}
		}
		if hint := safe.Text(end.Hint); hint != "" {
			for _, line := range wrap(hint, c.body()-2) {
				v.tail = append(v.tail, "  "+c.dim.on(line))
			}
		}
	}
	if a.run.Held() && final == nil {
		v.tail = append(v.tail, c.warn.on(c.ask)+" "+c.dim.on("waits until you allow it"))
	}
	tag, model := a.tag(c), safe.Line(a.run.Plan.Model)
	switch {
	case tag == "":
	case !c.compact:
		v.tail = append(v.tail, c.dim.on(cut(tag, c.body(), c.ellipsis)))
	case v.brief > 0 && width(v.head[v.brief-1])+width(model)+2 <= c.body():
		last := &v.head[v.brief-1]
		*last = ends(*last, c.dim.on(model), c.body(), "")
	} // else the header names it: it is worth no row
}

// tag tells how an answer was come by: "offline · 2 experts · 1 turn · 11 ms".
func (a *answer) tag(c *canvas) string {
	if a.run.Final == nil && a.turns() == 0 {
		return ""
	}
	var parts []string
	model, chain := safe.Line(a.run.Plan.Model), a.chain()
	if model != "" {
		parts = append(parts, model)
	}
	if n := a.experts(); chain != "" {
		parts = append(parts, "chain "+safe.Cut(chain, 40))
	} else if strings.HasPrefix(a.run.Runner, "expert/") && model == "" {
		parts = append(parts, safe.Line(a.run.Agent))
	} else if n > 0 {
		parts = append(parts, count(n, "expert"))
	}
	if n := a.turns(); chain != "" && n > 0 {
		parts = append(parts, count(n, "step"))
	} else if n > 0 {
		parts = append(parts, count(n, "turn"))
	}
	if a.run.Final != nil && a.run.Final.Fallback {
		parts = append(parts, "put together from what was gathered")
	}
	if a.run.End.MS > 0 {
		parts = append(parts, tookMS(a.run.End.MS))
	}
	return strings.Join(parts, " "+c.dot+" ")
}

package tui

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"yaap/core"
	"yaap/core/runlog"
	"yaap/core/safe"
)

const maxAudit = 300 // entries that are shown

// auditLog is the newest entries of the audit log.
type auditLog struct {
	browser
	rows    []core.AuditEntry // newest first
	report  core.AuditReport
	checked time.Time // when the log was checked; zero: not yet
	busy    bool
	err     error
	asked   string            // the words that the store searched for
	shown   []core.AuditEntry // what the filter leaves of rows
	stale   bool
	detail  paneCache
}

// audited is what the log holds, read for the words asked.
type audited struct {
	asked  string
	rows   []core.AuditEntry
	report *core.AuditReport
	err    error
}

func newAuditLog() auditLog { return auditLog{browser: browser{unfolded: true}} }

// readAudit reads the newest entries, those that hold the words of the filter,
// and checks the log.
func (m *model) readAudit(check bool) tea.Cmd {
	m.audit.busy = true
	b, ctx, asked := m.b, m.ctx, m.audit.filter
	return m.jobs.command(func() tea.Msg {
		out := audited{asked: asked}
		out.rows, out.err = b.Audit(ctx, core.AuditQuery{Text: asked, Limit: maxAudit})
		if check && out.err == nil {
			report, err := b.VerifyAudit(ctx)
			out.report, out.err = &report, err
		}
		return out
	})
}

// set takes what was read.
func (l *auditLog) set(msg audited, now time.Time) {
	chosen := l.seq()
	l.busy, l.err, l.stale = false, msg.err, true
	if msg.report != nil && msg.err == nil {
		l.report, l.checked = *msg.report, now
	}
	if msg.err != nil {
		return
	}
	l.asked, l.rows = msg.asked, msg.rows[max(len(msg.rows)-maxAudit, 0):]
	for i := range l.rows {
		row := &l.rows[i].Row
		row.Thought, row.Data, row.Message = runlog.Shorten(row.Thought), runlog.Shorten(row.Data), runlog.Shorten(row.Message)
	}
	slices.SortFunc(l.rows, func(a, b core.AuditEntry) int { return int(b.Seq - a.Seq) })
	if i := slices.IndexFunc(l.visible(), func(e core.AuditEntry) bool { return e.Seq == chosen }); l.cursor > 0 && i >= 0 {
		l.cursor = i // at the first row the newest is shown
	}
}

func (l *auditLog) seq() int64 {
	if e, ok := l.chosen(); ok {
		return e.Seq
	}
	return 0
}

// visible lists the entries that the filter leaves. Those that the store found
// for it are all shown.
func (l *auditLog) visible() []core.AuditEntry {
	if !l.stale {
		return l.shown
	}
	l.stale = false
	l.shown = l.shown[:0]
	words := strings.Fields(strings.ToLower(l.filter))
	for _, e := range l.rows {
		r := e.Row
		if l.filter != l.asked && !holdsAll(strings.ToLower(r.Actor+" "+r.Node+" "+string(r.Status)+" "+r.Message+" "+r.Thought), words) {
			continue
		}
		l.shown = append(l.shown, e)
	}
	l.clamp(len(l.shown))
	return l.shown
}

func (l *auditLog) chosen() (core.AuditEntry, bool) {
	shown := l.visible()
	if l.cursor < len(shown) {
		return shown[l.cursor], true
	}
	return core.AuditEntry{}, false
}

// draw implements [pane].
func (l *auditLog) draw(p *pen, w, h int, focused bool) []string {
	rows := []string{l.head(p, w)}
	if l.err != nil {
		for _, line := range wrap(safe.Text(l.err.Error()), w-4) {
			rows = append(rows, fit(" "+p.bad.on(p.failed+" "+line), w))
		}
		rows = append(rows, fit("   "+p.dim.on(cut(safe.Line(core.HintOf(l.err)), w-4, p.ellipsis)), w))
	}
	shown := l.visible()
	if len(shown) == 0 {
		words := "Nothing has been answered yet."
		switch {
		case l.filter != "":
			words = "No entry holds " + p.quoted(safe.Line(l.filter)) + "."
		case l.busy:
			words = ""
		}
		return append(rows, fit("", w), fit(" "+p.dim.on(words), w))
	}
	table := h - len(rows)
	if l.unfolded {
		table = min(max(table*2/5, min(3, table)), len(shown))
	}
	l.top = window(l.cursor, l.top, table, len(shown))
	status := 10
	for i := l.top; i < len(shown) && i < l.top+table; i++ {
		status = min(max(status, width(p.routed(shown[i].Row))), w/3)
	}
	for i := l.top; i < len(shown) && i < l.top+table; i++ {
		row := l.line(p, shown[i], status, w)
		if i == l.cursor && (focused || l.unfolded) {
			row = p.selected.under(row)
		}
		rows = append(rows, row)
	}
	if !l.unfolded || h-len(rows) < 2 {
		return rows
	}
	e := shown[l.cursor]
	rows = append(rows, rule(p, "#"+itoa(int(e.Seq))+" "+who(e.Row), "", w))
	return append(rows, l.part(l.describe(p, e, w), h-len(rows))...)
}

// head says whether the log is as it was written.
func (l *auditLog) head(p *pen, w int) string {
	dot := p.dim.on("  " + p.dot + "  ")
	right := ""
	if !l.checked.IsZero() {
		right = p.dim.on("checked "+l.checked.Format("15:04:05")) + " "
	}
	switch {
	case l.busy && l.checked.IsZero():
		return fit(" "+p.dim.on("checking the log "+p.ellipsis), w)
	case l.checked.IsZero():
		return fit("", w)
	case len(l.report.Faults) > 0:
		first := l.report.Faults[0]
		broken := " broken"
		if first.Row != 0 {
			broken += " at #" + itoa(int(first.Row))
		}
		return ends(" "+p.bad.on(p.failed+broken)+dot+p.text.on(safe.Line(first.Why)), right, w, p.ellipsis)
	}
	if l.report.Rows == 0 { // it could be one of which all was taken away
		return ends(" "+p.dim.on("0 rows")+dot+p.dim.on("no head was kept, so nothing shows whether there were more"), right, w, p.ellipsis)
	}
	left := " " + p.ok.on(p.done+" intact") + dot + p.dim.on(count(l.report.Rows, "row"))
	if l.report.Redacted > 0 {
		left += dot + p.dim.on(itoa(l.report.Redacted)+" redacted")
	}
	left += dot + p.dim.on("head "+cut(safe.Line(l.report.Head.Hash), 13, p.ellipsis))
	return ends(left, right, w, p.ellipsis)
}

// who answered, at which node.
func who(r core.AuditRow) string {
	s := safe.Line(r.Actor)
	if r.Node != "" {
		s += " at " + safe.Line(r.Node)
	}
	return s
}

// routed is the status of a reply, and the one it was routed on where that is
// another.
func (p *pen) routed(r core.AuditRow) string {
	status := safe.Line(string(r.Status))
	if r.Said != r.Status && r.Said != "" {
		status = safe.Line(string(r.Said)) + " " + p.into + " " + status
	}
	return status
}

func (p *pen) status(s core.Status) style {
	switch s {
	case core.StatusFailure:
		return p.bad
	case core.StatusClarification:
		return p.warn
	}
	return p.ok
}

func (l *auditLog) line(p *pen, e core.AuditEntry, status, w int) string {
	r := e.Row
	actor := min(max(w/4, 12), 28)
	row := " " + p.dim.on(r.Time.Format("15:04:05")) + "  " + p.text.on(fit(cut(who(r), actor, p.ellipsis), actor)) + "  "
	row += p.status(r.Status).on(fit(cut(p.routed(r), status, p.ellipsis), status)) + "  "
	message := p.dim
	if r.Severity == "error" {
		message = p.text
	}
	return fit(row+message.on(cut(safe.Line(r.Message), max(w-width(row)-1, 0), p.ellipsis)), w)
}

// describe tells all about one entry.
func (l *auditLog) describe(p *pen, e core.AuditEntry, w int) []string {
	key := paneKey{node: e.Hash, version: int(e.Seq), w: w, look: p.look}
	if l.detail.rows != nil && l.detail.key == key {
		return l.detail.rows
	}
	r := e.Row
	s := &sheet{pen: p, w: w}
	s.field("when", p.text, r.Time.Format("2006-01-02 15:04:05.000")+"  "+tookMS(r.MS))
	s.field("status", p.status(r.Status), p.routed(r))
	if r.Outcome != "" && r.Outcome != "read" {
		s.field("", p.warn, "it had to be "+r.Outcome)
	}
	s.field("thought", p.thought, r.Thought)
	s.json("data", json.RawMessage(r.Data))
	s.field("message", p.text, r.Message)
	s.field("run", p.dim, r.Run)
	model := r.Model
	if r.Tokens > 0 {
		model = strings.TrimSpace(model + "  " + count(r.Tokens, "token"))
	}
	s.field("model", p.dim, model)
	s.field("hash", p.dim, e.Hash)
	s.field("before", p.dim, e.PrevHash)
	s.field("raw", p.dim, r.RawHash)
	l.detail.key, l.detail.rows = key, s.rows
	return s.rows
}

// open implements [pane].
func (l *auditLog) open(m *model) tea.Cmd { return m.readAudit(true) }

// event implements [pane].
func (l *auditLog) event(m *model, e core.Event) tea.Cmd {
	if _, ended := e.Body.(core.RunEnd); ended && e.Depth == 0 {
		return m.readAudit(false)
	}
	return nil
}

// key implements [pane].
func (l *auditLog) key(m *model, k press) (tea.Cmd, bool) {
	if k.do == actRefresh {
		return m.readAudit(true), true
	}
	return nil, l.steer(k, l.unfolded, func(n int) {
		l.move(n)
		l.clamp(len(l.visible()))
	})
}

// look shows the entries that hold all words, of the whole log when they are typed.
func (l *auditLog) look(m *model, words string, typed bool) tea.Cmd {
	if l.filter, l.stale = words, true; typed {
		return m.readAudit(false)
	}
	return nil
}

func (l *auditLog) hints() [][2]string {
	return [][2]string{{"j k", "choose"}, {"/", "filter"}, {"r", "check again"}, {"y", "copy"}}
}

// copied is the chosen entry as JSON.
func (l *auditLog) copied() string {
	e, ok := l.chosen()
	if !ok {
		return ""
	}
	raw, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return ""
	}
	return safe.JSON(string(raw))
}

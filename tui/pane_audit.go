package tui

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxAudit  = 300 // entries that are shown
	wordsFrom = 60  // cells from which on a status is told in words
)

// auditPane shows the newest entries of the audit log.
type auditPane struct {
	host
	lister[core.AuditEntry] // newest first
	report                  core.AuditReport
	checked                 time.Time // when the log was checked; zero: not yet
	busy                    bool
	again                   bool // a run has ended meanwhile
	err                     error
	asked                   string // the words that the store searched for
	actor, status           int    // cells of the widest one
	detail                  paneCache
}

// audited is what the log holds, read for the words asked.
type audited struct {
	asked  string
	rows   []core.AuditEntry
	report *core.AuditReport
}

func newAuditPane(h host) pane {
	l := &auditPane{host: h}
	l.fits, l.unfolded = l.holds, true
	return l
}

func (l *auditPane) Open() tea.Cmd { return l.read(true) }

// Event implements [pane]: after a run what is seen is read again.
func (l *auditPane) Event(e core.Event) tea.Cmd {
	switch {
	case !l.Seen() || !endsRun(e):
		return nil
	case l.busy:
		l.again = true
		return nil
	}
	return l.read(false)
}

// read reads the newest entries, those that hold the words of the filter, and
// checks the log.
func (l *auditPane) read(check bool) tea.Cmd {
	l.busy = true
	asked := l.filter
	return await(l.m, func(ctx context.Context, b Backend) (out audited, err error) {
		out.asked = asked
		if out.rows, err = b.Audit(ctx, core.AuditQuery{Text: asked, Limit: maxAudit}); check && err == nil {
			out.report = new(core.AuditReport)
			*out.report, err = b.VerifyAudit(ctx)
		}
		return out, err
	}, l.set)
}

// set takes what was read.
func (l *auditPane) set(msg audited, err error) tea.Cmd {
	chosen := l.chosen().Seq
	if l.busy, l.err, l.stale = false, err, true; err != nil {
		return nil
	}
	if msg.report != nil {
		l.report, l.checked = *msg.report, time.Now()
	}
	l.asked, l.all = msg.asked, msg.rows[max(len(msg.rows)-maxAudit, 0):]
	l.actor, l.status = 0, 0
	for i := range l.all {
		row := &l.all[i].Row
		l.actor, l.status = max(l.actor, width(who(*row))), max(l.status, width(l.m.pen.routed(*row)))
		row.Time = row.Time.Local()
		row.Thought, row.Data, row.Message = runlog.Shorten(row.Thought), runlog.Shorten(row.Data), runlog.Shorten(row.Message)
	}
	slices.SortFunc(l.all, func(a, b core.AuditEntry) int { return int(b.Seq - a.Seq) })
	if i := slices.IndexFunc(l.visible(), func(e core.AuditEntry) bool { return e.Seq == chosen }); l.cursor > 0 && i >= 0 {
		l.cursor = i // at the first row the newest is shown
	}
	if l.again {
		l.again = false
		return l.read(false)
	}
	return nil
}

// holds reports whether the filter leaves an entry: what the store found for it is shown.
func (l *auditPane) holds(e core.AuditEntry, words []string) bool {
	r := e.Row
	return l.filter == l.asked || holdsAll(strings.ToLower(r.Actor+" "+r.Node+" "+string(r.Status)+" "+r.Message+" "+r.Thought), words)
}

func (l *auditPane) View(f field) []string {
	p, w := f.pen, f.w
	rows := []string{l.head(p, w)}
	if l.err != nil {
		rows = append(rows, p.fault(l.err.Error(), core.HintOf(l.err), w)...)
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
		return append(rows, p.nothing(words, w)...)
	}
	f.h -= len(rows)
	actor, status := min(l.actor, 28, max(w/4, 12)), min(l.status, w/3)
	line := func(i int) string { return l.line(p, shown[i], actor, status, w) }
	return append(rows, l.table(f, len(shown), line, func(i int) (string, []string) {
		e := shown[i]
		return "#" + itoa(int(e.Seq)) + " " + who(e.Row), l.describe(p, e, w)
	})...)
}

// head says whether the log is as it was written.
func (l *auditPane) head(p *pen, w int) string {
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

// status is a status in one cell, and its colour.
func (p *pen) status(s core.Status) (sign string, tone style) {
	switch s {
	case core.StatusFailure:
		return p.failed, p.bad
	case core.StatusClarification:
		return p.ask, p.warn
	case core.StatusSuccess, core.StatusCompleted:
		return p.done, p.ok
	}
	return p.dot, p.ok
}

func (l *auditPane) line(p *pen, e core.AuditEntry, actor, status, w int) string {
	r := e.Row
	row := " " + p.dim.on(r.Time.Format("15:04:05")) + "  " + p.text.on(fit(cut(who(r), actor, p.ellipsis), actor)) + "  "
	word, tone := p.status(r.Status)
	if w >= wordsFrom {
		word = fit(cut(p.routed(r), status, p.ellipsis), status)
	}
	row += tone.on(word) + "  "
	message := p.dim
	if r.Severity == "error" {
		message = p.text
	}
	return fit(row+message.on(cut(unmarked(safe.Line(r.Message)), max(w-width(row)-1, 0), p.ellipsis)), w)
}

// describe tells all about one entry.
func (l *auditPane) describe(p *pen, e core.AuditEntry, w int) []string {
	return l.detail.draw([3]any{e.Hash, w, p.look}, func() []string {
		r := e.Row
		s := &sheet{pen: p, w: w}
		s.field("when", p.text, r.Time.Format("2006-01-02 15:04:05.000")+"  "+tookMS(r.MS))
		_, tone := p.status(r.Status)
		s.field("status", tone, p.routed(r))
		if r.Outcome != "" && r.Outcome != "read" {
			s.field("", p.warn, "it had to be "+r.Outcome)
		}
		s.field("thought", p.thought, r.Thought)
		s.json("data", json.RawMessage(r.Data))
		s.prose("message", r.Message)
		s.field("run", p.dim, r.Run)
		model := r.Model
		if r.Tokens > 0 && modelName(r.Model) != "" {
			model = strings.TrimSpace(model + "  " + count(r.Tokens, "token"))
		}
		s.field("model", p.dim, model)
		s.field("hash", p.dim, e.Hash)
		s.field("before", p.dim, e.PrevHash)
		s.field("raw", p.dim, r.RawHash)
		return s.rows
	})
}

// Key implements [pane]. Entries that hold all words are shown, of the whole log
// when they are typed.
func (l *auditPane) Key(k press) (tea.Cmd, bool) {
	switch k.do {
	case actRefresh:
		return l.read(true), true
	case actFilter:
		if l.filter, l.stale = k.text, true; k.typed {
			return l.read(false), true
		}
		return nil, true
	}
	return nil, l.steer(k, l.unfolded, func(n int) {
		l.browser.move(n)
		l.clamp(len(l.visible()))
	})
}

func (l *auditPane) Hints() hints {
	return hints{keys: [][2]string{{"j k", "choose"}, {"/", "filter"}, {"r", "check again"}, {"y", "copy"}}, words: l.filter}
}

// copied is the chosen entry as JSON.
func (l *auditPane) copied() string {
	if e := l.chosen(); e.Seq > 0 {
		return jsonOf(e)
	}
	return ""
}

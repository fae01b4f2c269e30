package tui

import (
	"encoding/json"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxRecords = 5000
	maxPretty  = 2000    // rows of an event that are shown
	maxMerged  = 1 << 16 // bytes of streamed text kept in one record
	maxLog     = 1 << 24 // bytes of text kept in all of them
)

// record is one event as the inspector keeps it. The pieces of one stream share
// a record.
type record struct {
	core.Event
	kind string
	text string
	tone tone
	n    int // pieces
	size int // bytes of text in the body
}

// eventsPane shows what happened, the newest last.
type eventsPane struct {
	host
	lister[*record]
	streams map[string]*record // deltas by stream and field, progress by call
	folded  map[string]bool    // runs of which only the start is shown
	size    int                // bytes of text in all records
	asked   exchange
	pretty  paneCache
}

func newEventsPane(h host) pane {
	l := &eventsPane{host: h, streams: map[string]*record{}, folded: map[string]bool{}}
	l.fits, l.follow, l.stale = l.holds, true, true
	return l
}

func (l *eventsPane) Open() tea.Cmd { return l.ask() }

func (l *eventsPane) Event(e core.Event) tea.Cmd {
	l.take(e)
	return l.ask()
}

func (l *eventsPane) take(e core.Event) {
	l.stale = true
	switch b := e.Body.(type) {
	case core.Delta:
		l.addDelta(e, b)
		return
	case core.ToolCallProgress:
		l.addProgress(e, b)
		return
	case core.LLMCallEnd:
		l.asked.ended(e.Run, b.Call)
	case core.GuardrailViolation:
		if b.Stage == core.GuardOutput {
			l.takeBack(e.Scope)
		}
	case core.RunEnd:
		clear(l.streams)
	default:
	}
	l.keep(&record{Event: e, kind: e.Type(), text: describe(e.Body), tone: eventTone(e.Body)})
}

func (l *eventsPane) addDelta(e core.Event, d core.Delta) {
	key := e.Run + " " + d.Stream + " " + d.Field
	r := l.streams[key]
	if r == nil {
		r = &record{Event: e, kind: e.Type()}
		r.Body = core.Delta{Stream: d.Stream, Field: d.Field, FirstSeq: e.Seq}
		l.streams[key] = r
		l.keep(r)
	}
	merged, _ := r.Body.(core.Delta)
	if d.Reset {
		merged.Text = ""
	}
	if len(merged.Text) < maxMerged {
		merged.Text += d.Text
	}
	merged.LastSeq = max(d.LastSeq, e.Seq)
	r.Body, r.n = merged, r.n+1
	r.text = safe.Line(d.Field) + " " + short(len(merged.Text)) + " bytes"
}

// takeBack removes what a turn streamed.
func (l *eventsPane) takeBack(turn core.Scope) {
	for _, r := range l.streams {
		if d, ok := r.Body.(core.Delta); ok && r.Run == turn.Run && r.Turn == turn.Turn {
			d.Text = ""
			r.Body, r.text, r.n = d, safe.Line(d.Field)+" taken back", r.n+1 // it is drawn anew
		}
	}
}

// addProgress keeps the last that each call said.
func (l *eventsPane) addProgress(e core.Event, b core.ToolCallProgress) {
	key := e.Run + "/" + b.Call
	if r := l.streams[key]; r != nil {
		e.Time = r.Time // it stays where it began
		r.Event, r.text, r.n = e, describe(b), r.n+1
		return
	}
	r := &record{Event: e, kind: e.Type(), text: describe(b)}
	l.streams[key] = r
	l.keep(r)
}

func (l *eventsPane) keep(r *record) {
	r.size = weight(r.Body)
	l.size += r.size
	l.all = append(l.all, r)
	over := len(l.all) - maxRecords
	if over < maxRecords/10 && l.size < maxLog {
		return
	}
	n := 0
	for n < len(l.all)-1 && (n < over || l.size > maxLog*3/4) {
		l.size -= l.all[n].size
		n++
	}
	l.all = slices.Delete(l.all, 0, n)
	l.cursor = max(l.cursor-n, 0)
}

// weight is how much text a body holds.
func weight(b core.Body) int {
	if _, ok := b.(core.Delta); ok {
		return maxMerged / 4 // it grows
	}
	raw, _ := json.Marshal(b) // what cannot be written is small
	return len(raw)
}

// holds reports whether filter and folds leave a record.
func (l *eventsPane) holds(r *record, words []string) bool {
	return !l.hidden(r) && (len(words) == 0 || holdsAll(strings.ToLower(r.kind+" "+r.text+" "+r.Agent+" "+r.Run), words))
}

func (l *eventsPane) hidden(r *record) bool {
	if len(l.folded) == 0 {
		return false
	}
	if _, start := r.Body.(core.RunStart); start {
		return l.folded[r.Parent] && r.Parent != ""
	}
	for run := r.Run; run != ""; {
		if l.folded[run] {
			return true
		}
		i := strings.LastIndexByte(run, '/')
		run = run[:max(i, 0)]
	}
	return false
}

// fold hides or shows the events of the chosen record's run.
func (l *eventsPane) fold() {
	r := l.chosen()
	if r == nil || r.Run == "" {
		return
	}
	run := r.Run
	l.folded[run] = !l.folded[run]
	if !l.folded[run] {
		delete(l.folded, run)
	}
	l.stale = true
	for i, r := range l.visible() {
		if _, ok := r.Body.(core.RunStart); ok && r.Run == run {
			l.cursor, l.follow = i, false
		}
	}
}

func (l *eventsPane) copied() string {
	r := l.chosen()
	if r == nil {
		return ""
	}
	if x, ok := l.asked.of(r); ok {
		return jsonOf([]any{r.Event, x})
	}
	return jsonOf(r.Event)
}

// kind is the style of an event's name: what begins stands out.
func (p *pen) kind(r *record) style {
	if r.tone != toneQuiet {
		return p.tone(r.tone)
	}
	switch r.Body.(type) {
	case core.RunStart, core.TurnStart, core.ToolCallStart, core.NodeStart, core.FinalOutput, core.ExpertStatus, core.Notice, core.Handoff:
		return p.text
	default:
	}
	return p.dim
}

// View implements [pane]: the log, and the chosen record below it when it is open.
func (l *eventsPane) View(f field) []string {
	p, w, shown := f.pen, f.w, l.visible()
	if len(shown) == 0 {
		words := l.Nothing("Nothing has happened yet.")
		if l.filter != "" {
			words = "No event holds " + p.quoted(l.filter) + "."
		}
		return p.nothing(words, w)
	}
	return l.table(f, len(shown), func(i int) string { return l.line(p, shown[i], w) }, func(i int) (string, []string) {
		r := shown[i]
		title := strings.TrimSuffix(r.kind+"  "+r.text, "  ")
		return "#" + itoa(int(r.Seq)) + " " + cut(title, w-16, p.ellipsis), l.detail(p, r, w)
	})
}

// Key implements [pane]. Events that hold all words are shown.
func (l *eventsPane) Key(k press) (tea.Cmd, bool) {
	switch k.do {
	case actFold:
		l.fold()
	case actFilter:
		l.filter, l.stale = k.text, true
	default:
		ok := l.steer(k, l.unfolded, l.move)
		return l.ask(), ok
	}
	return l.ask(), true
}

func (l *eventsPane) Hints() hints {
	return hints{keys: [][2]string{{"j k", "choose"}, {"enter", "detail"}, {"/", "filter"}, {"y", "copy"}, {"space", "fold"}}, words: l.filter}
}

func (l *eventsPane) line(p *pen, r *record, w int) string {
	indent := min(r.Depth, 6) * 2
	sign := " "
	if _, ok := r.Body.(core.RunStart); ok {
		sign = p.open
		if l.folded[r.Run] {
			sign = p.closed
		}
	} else if r.Run != "" {
		indent += 2
	}
	clock := r.Time.Format("15:04:05.000")
	if w < 60 {
		clock = r.Time.Format("05.000")
	}
	kind := max(min(23, w/3)-indent, len(r.kind))
	row := " " + p.dim.on(clock) + " " + strings.Repeat(" ", indent) + p.dim.on(sign) + " " + p.kind(r).on(fit(r.kind, kind))
	return fit(row+"  "+p.dim.on(cut(r.text, max(w-width(row)-3, 0), p.ellipsis)), w)
}

// detail is where a record belongs and its body as JSON, w cells wide. The
// whole event is what y copies.
func (l *eventsPane) detail(p *pen, r *record, w int) []string {
	return l.pretty.draw([4]any{r.Seq, r.n, w, l.asked.answers}, func() []string {
		where := []string{r.Time.Format("15:04:05.000")}
		for _, f := range [][2]string{{"thread", r.Thread}, {"run", r.Run}, {"agent", r.Agent}} {
			if f[1] != "" {
				where = append(where, f[0]+" "+p.tail(safe.Line(f[1])))
			}
		}
		if r.Turn > 0 {
			where = append(where, "turn "+itoa(r.Turn))
		}
		if step, ok := core.StepOf(r.Event); ok {
			where = append(where, "step "+step.Type)
		}
		rows := hung(" ", p.dim.each(wrap(strings.Join(where, " "+p.dot+" "), max(w-2, 8))))
		rows = append(rows, prettyJSON(p, r.Body, w)...)
		rows = append(rows, l.asked.rows(p, r, w)...)
		return rows
	})
}

// tail is the end of a long id, which is what tells two apart.
func (p *pen) tail(id string) string {
	if r := []rune(id); len(r) > 20 {
		return p.ellipsis + string(r[len(r)-12:])
	}
	return id
}

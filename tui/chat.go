package tui

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
)

// resident is how many items of a conversation are kept; older ones are read
// from the store again when the user scrolls to them.
const resident = 500

// chat is the conversation: what was said, and who came and went meanwhile.
type chat struct {
	list
	storedPart
	canvas  canvas
	thread  string
	title   string
	log     runlog.Set         // the runs of the answers in the list, and those below them
	runs    map[string]*answer // by run, those in the list
	queue   []*queued          // typed while a run goes on
	room    joinLine
	detail  detail // as the user chose it
	started time.Time
	said    bool     // the user has said something since the start
	limit   int      // items to keep while the user looks at older ones
	noted   []string // runs of which the memory has noted what was said
	screen  struct {
		rows  []string
		owner []int
		bare  bool     // nothing is laid over them: the user selects of them
		seen  struct { // of the last item when the user scrolled up
			of      item
			w, rows int
		}
	}
}

func newChat(p *pen, thread, title string, now time.Time) chat {
	return chat{
		list: newList(), canvas: canvas{pen: p, graphs: map[string]diagram.Graph{}}, thread: thread, title: safe.Line(title),
		runs: map[string]*answer{}, started: now, limit: resident,
	}
}

// ask shows a prompt and the answer that is to come of its run.
func (c *chat) ask(text, run string, now time.Time) *answer {
	c.said = true
	c.toEnd()
	c.push(newSpoken(text, len(c.items) == 0))
	return c.answer(run, now)
}

// answer shows a run that is to begin. One that is shown already goes on with the
// answer to what it asked.
func (c *chat) answer(run string, now time.Time) *answer {
	if last := c.last(); last != nil {
		last.past = true
		last.touch()
	}
	a := newAnswer(&runlog.Run{ID: run, Since: now})
	if c.runs[run] == nil {
		c.log.Add(a.run)
		c.runs[run] = a
	}
	c.push(a)
	return a
}

func (c *chat) push(it item) {
	c.add(it)
	if c.follow {
		c.limit = resident
	}
	if over := len(c.items) - c.limit; over > resident/4 {
		c.forget(over)
	}
}

// forget drops the oldest n items; they stay in the store.
func (c *chat) forget(n int) {
	for _, it := range c.items[:n] {
		if a, ok := it.(*answer); ok && c.runs[a.run.ID] == a {
			delete(c.runs, a.run.ID)
			c.log.Forget(a.run.ID)
		}
	}
	c.drop(n)
	c.earlier = true
}

// apply shows an event.
func (c *chat) apply(e core.Event) {
	switch b := e.Body.(type) {
	case core.ExpertJoined:
		c.join(b)
		return
	case core.ExpertLeft:
		c.leave(b)
		return
	case core.ExpertChanged:
		c.changed(b)
		return
	case core.ExpertStatus:
		c.status(b)
		return
	case core.Notice:
		c.notice(b)
		return
	case core.GuardrailViolation:
		if e.Run == "" { // before there is one
			c.guarded(e, b)
			return
		}
	default:
	}
	if e.Thread != c.thread || e.Run == "" {
		return
	}
	a := c.of(e)
	if a != nil {
		c.log.SetThought(e, a.settle(e))
	}
	if start, ok := e.Body.(core.RunStart); ok && e.Depth == 0 {
		a = c.begin(e, start)
	}
	c.log.Apply(e)
	if a != nil {
		a.apply(e)
	}
}

// guarded tells what a guardrail did to a prompt that has no run yet.
func (c *chat) guarded(e core.Event, b core.GuardrailViolation) {
	if e.Thread != c.thread {
		return
	}
	a := c.waiting()
	if a == nil {
		c.push(guarded(b, "").remark())
		return
	}
	if s := c.above(a); s != nil && b.Verdict == "redact" {
		s.masked = true
	}
	a.run.Note(e)
	a.touch()
}

// of is the answer that an event belongs to, nil where there is none.
func (c *chat) of(e core.Event) *answer {
	if e.Thread != c.thread {
		return nil
	}
	return c.runs[runlog.Root(e)]
}

// begin finds the answer that shows a run that begins: the one that was asked for
// it, or where the user has answered what the run asked the one below that. A run
// that was asked for elsewhere gets one of its own.
func (c *chat) begin(e core.Event, b core.RunStart) *answer {
	a := c.runs[e.Run]
	waiting := c.waiting()
	switch {
	case b.Resumed && waiting != nil && waiting != a && (a == nil || a.asks()):
		c.follows(waiting, e.Run)
		a = waiting
	case a == nil:
		c.push(newSpoken(b.Prompt, len(c.items) == 0))
		a = c.answer(e.Run, time.Unix(0, c.canvas.now))
	}
	if s := c.above(a); s != nil {
		if s.masked {
			s.set(b.Prompt)
		}
		if len(b.Files) > 0 {
			s.files = eachOnce(b.Files)
			s.version++
		}
	}
	if c.title == "" { // not before: what was typed may hold what nobody shall see
		c.title = safe.Cut(b.Prompt, 40)
	}
	return a
}

// follows shows in an answer how a run goes on.
func (c *chat) follows(a *answer, run string) {
	if c.runs[a.run.ID] == a {
		delete(c.runs, a.run.ID)
		c.log.Forget(a.run.ID)
	}
	notes := a.run.Turns
	if before := c.log.Run(run); before != nil {
		a.run = c.log.Continue(before)
	} else {
		a.run = &runlog.Run{ID: run}
		c.log.Add(a.run)
	}
	a.run.Turns = notes
	c.runs[run] = a
}

// above is the prompt that stands above an answer, nil where there is none.
func (c *chat) above(a *answer) *spoken {
	i := slices.IndexFunc(c.items, func(it item) bool { return it == item(a) })
	for i--; i >= 0; i-- { // who joined meanwhile stands between them
		if _, ok := c.items[i].(*remark); !ok {
			s, _ := c.items[i].(*spoken)
			return s
		}
	}
	return nil
}

// waiting is the first answer since the last that began whose run has not begun,
// nil where there is none.
func (c *chat) waiting() (first *answer) {
	for _, it := range slices.Backward(c.items) {
		if a, ok := it.(*answer); ok {
			if a.begun() {
				return first
			}
			if a.running() || a.run.End.Code == core.CodeCancelled {
				first = a
			}
		}
	}
	return first
}

// refused shows why a prompt came to nothing. Where its run has begun, events tell.
func (c *chat) refused(a *answer, err error) {
	if err == nil || a.begun() {
		return
	}
	a.run.End = &core.RunEnd{Outcome: "error", Code: core.CodeOf(err), Error: err.Error(), Hint: core.HintOf(err)}
	a.run.Version++
	a.touch()
}

func (c *chat) notice(b core.Notice) {
	r := &remark{sign: c.canvas.dot, text: safe.Text(b.Text), hint: safe.Line(b.Hint), whole: true, progress: b.Progress}
	switch b.Level {
	case "warn":
		r.sign, r.tone = "!", toneAsk
	case "error":
		r.sign, r.tone = c.canvas.failed, toneBad
	}
	if b.Command != "" {
		r.hint = strings.TrimSpace(r.hint + "  " + safe.Line(b.Command))
	}
	if n := len(c.items); b.Progress != "" && n > 0 {
		if last, ok := c.items[n-1].(*remark); ok && last.progress == b.Progress {
			r.tight, c.items[n-1] = last.tight, r
			return
		}
	}
	c.push(r)
}

// tell shows what a slash command said, a long text from its beginning.
func (c *chat) tell(name, text string) {
	n := &notice{name: safe.Line(name), text: safe.Text(text)}
	c.toEnd()
	c.push(n)
	if n.arrange(&c.canvas) > c.h {
		c.top, c.off, c.follow = len(c.items)-1, 0, false
	}
}

func (c *chat) fail(err error) {
	c.toEnd()
	c.push(&remark{sign: c.canvas.failed, text: safe.Text(err.Error()), hint: safe.Text(core.HintOf(err)), tone: toneBad, whole: true})
}

// silent reports whether nothing was said yet: what there is are remarks.
func (c *chat) silent() bool {
	for _, it := range c.items {
		if _, ok := it.(*remark); !ok {
			return false
		}
	}
	return true
}

// touch has some answers drawn anew. A run that was resumed has several.
func (c *chat) touch(which func(*answer) bool) {
	for _, it := range c.items {
		if a, ok := it.(*answer); ok && which(a) {
			a.touch()
		}
	}
}

// active returns the run that goes on in this conversation, the newest one.
func (c *chat) active() *answer {
	for _, it := range slices.Backward(c.items) {
		if a, ok := it.(*answer); ok && a.running() {
			return a
		}
		if _, ok := it.(*spoken); ok {
			return nil
		}
	}
	return nil
}

// last returns the newest answer, without one that was refused before it began.
func (c *chat) last() *answer {
	for _, it := range slices.Backward(c.items) {
		if a, ok := it.(*answer); ok && (a.begun() || a.running()) {
			return a
		}
	}
	return nil
}

// newest returns the newest answer, one that was refused before it began too.
func (c *chat) newest() *answer {
	for _, it := range slices.Backward(c.items) {
		if a, ok := it.(*answer); ok {
			return a
		}
	}
	return nil
}

// asking returns the answer that asks the user something, when nothing was
// asked since.
func (c *chat) asking() *answer {
	if a := c.last(); a != nil && a.asks() {
		return a
	}
	return nil
}

// tick makes what runs be drawn again.
func (c *chat) tick() {
	if a := c.active(); a != nil {
		a.touch()
	}
}

// resize fits the chat to a rectangle.
func (c *chat) resize(r rect, s size) {
	c.canvas.w, c.canvas.compact, c.canvas.detail = r.w, s <= sizeSmall, c.detail
	if s == sizeBare {
		c.canvas.detail = detailCalm
	}
	c.h = max(r.h-len(c.strip()), 1)
}

// news is how many items came since the user scrolled up, or how many rows the last one
// has grown by.
func (c *chat) news() int {
	if c.unseen > 0 || len(c.items) == 0 {
		return c.unseen
	}
	last, seen := c.items[len(c.items)-1], &c.screen.seen
	rows := last.arrange(&c.canvas)
	if c.follow || seen.of != last || seen.w != c.canvas.w {
		seen.of, seen.w, seen.rows = last, c.canvas.w, rows
	}
	return max(rows-seen.rows, 0)
}

// draw returns the rows of the chat in a rectangle.
func (c *chat) draw(r rect, focused bool) []string {
	strip := c.strip()
	c.h = max(r.h-len(strip), 1)
	c.screen.rows, c.screen.owner = c.rows(&c.canvas, c.screen.rows, c.screen.owner)
	out := make([]string, 0, r.h)
	for i, row := range c.screen.rows {
		row = fit(row, r.w)
		if focused && len(c.found) > 0 {
			row = c.marked(row, r.w)
		}
		within := i > 0 && c.screen.owner[i-1] == c.sel // the row above a question is none of it
		if focused && c.sel >= 0 && c.screen.owner[i] == c.sel && (within || strings.TrimSpace(row) != "") {
			row = c.canvas.accent.on(c.canvas.bar) + ansi.TruncateLeft(row, 1, "")
		}
		out = append(out, row)
	}
	news := c.news()
	if !c.follow && !c.screen.bare && len(out) > 0 {
		chip := " " + c.canvas.down + " end "
		if news > 0 {
			chip = " " + c.canvas.down + " " + itoa(news) + " new "
		}
		w := width(chip)
		if r.w > w+2 {
			out[len(out)-1] = put(out[len(out)-1], r.w-w-2, c.canvas.selected.under(c.canvas.accent.on(chip)), r.w)
		}
	}
	for _, row := range strip {
		out = append(out, fit(row, r.w))
	}
	return out[:min(len(out), r.h)]
}

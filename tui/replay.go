package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/wire"
)

const (
	mostGap     = 3 * time.Second        // of silence that is waited for
	leastGap    = 120 * time.Millisecond // before something that is to be seen
	questionGap = 800 * time.Millisecond // before a question, however long the user thought
)

// speeds are how much faster than it happened something is shown.
func speeds() []float64 { return []float64{0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32} }

// speedOf is the place of the least of them that is as fast, or of the fastest.
func speedOf(speed float64) int {
	i, _ := slices.BinarySearch(speeds(), speed)
	return min(i, len(speeds())-1)
}

// Show is a conversation that is shown again. As a [Backend] it is a room in which nobody is and nothing can be asked.
type Show struct {
	Thread string
	Title  string
	Pages  []core.Page // all of it, the first first
	Speed  float64     // how much faster than it happened; 0: as it did
	// Graphs reads how a chain is written that it tells of; nil: none is drawn.
	Graphs func(runner string) (diagram.Graph, error)
	// Wait waits for a while, unless ctx ends; nil: it does.
	Wait func(ctx context.Context, d time.Duration) error

	readOnlyBackend
	experts []core.Expert
	tap     wire.Tap
}

// RunShow shows a conversation again, in the terminal, until the user leaves it or ctx ends.
func RunShow(ctx context.Context, o Options, s *Show) error {
	o.Thread, o.Title, o.Commands = cmp.Or(s.Thread, "shown"), s.Title, nil
	return Run(ctx, o, s)
}

// Transcript is a conversation as the terminal shows it, in plain rows of at most w cells.
func Transcript(title string, pages []core.Page, w int, env func(string) string) (rows []string) {
	p := newPen(env)
	p.theme, p.colour = theme{}, false
	for _, page := range pages {
		if len(page.Messages) > 0 {
			p.now = page.Messages[0].Time.UnixNano()
		}
		c := newChat(&p, "shown", title, time.Now())
		c.detail = detailTurns
		c.resize(rect{w: w, h: 1}, sizeLarge)
		page.Earlier = false
		c.restore(page)
		for i, it := range c.items {
			for n := range it.arrange(&c.canvas) {
				row := strings.TrimRight(ansi.Strip(it.row(n)), " ")
				if i == 0 && n == 0 && row != "" && len(rows) > 0 {
					rows = append(rows, "")
				}
				rows = append(rows, row)
			}
		}
	}
	for len(rows) > 0 && rows[0] == "" {
		rows = rows[1:]
	}
	return rows
}

// shownStep is a thing that happened: an event, or a question where it has none.
type shownStep struct {
	at        time.Time
	event     core.Event
	text, run string
}

func (s shownStep) asks() bool { return s.event.Body == nil }

// tells reports whether a step is one to be seen by itself.
func (s shownStep) tells() bool {
	switch b := s.event.Body.(type) {
	case nil, core.RunStart, core.LLMCallEnd, core.ToolCallStart, core.ToolCallEnd, core.NodeStart, core.NodeEnd, core.Handoff, core.FinalOutput, core.RunEnd,
		core.ExpertJoined, core.ExpertLeft, core.ApprovalRequested, core.ApprovalGiven, core.Steered, core.Notice:
		return true
	case core.LLMCallStart:
		return b.Purpose == ""
	default:
		return false
	}
}

// showing is how far a conversation is shown.
type showing struct {
	*Show
	steps     []shownStep
	questions []int // their places
	at        int   // the next step
	speed     int   // among the speeds
	paused    bool
	owed      time.Duration // too short to be waited for by itself
	live      bool          // it looks as it did then
	n         int           // rises when what is waited for is void
}

// newShowing puts what was said and what happened in the order of time. What was found in a prompt before it was stored comes after it.
func newShowing(s *Show) *showing {
	show := &showing{Show: s}
	for _, page := range s.Pages {
		var steps []shownStep
		for _, m := range page.Messages {
			if m.Role == core.RoleUser && !m.Steers() {
				steps = append(steps, shownStep{at: m.Time, text: core.Reattached(m.Text), run: m.Run})
			}
		}
		for _, e := range page.Events {
			steps = append(steps, shownStep{at: e.Time, event: e})
			s.knows(e)
		}
		slices.SortStableFunc(steps, func(a, b shownStep) int { return a.at.Compare(b.at) })
		show.steps = append(show.steps, steps...)
	}
	for i, step := range show.steps {
		if step.asks() {
			show.questions = append(show.questions, i)
		}
	}
	show.speed = speedOf(cmp.Or(s.Speed, 1))
	return show
}

// knows notes the experts that were asked.
func (s *Show) knows(e core.Event) {
	start, ok := e.Body.(core.ToolCallStart)
	if !ok || start.Expert == "" || slices.ContainsFunc(s.experts, func(x core.Expert) bool { return x.Name == start.Expert }) {
		return
	}
	s.experts = append(s.experts, core.Expert{Name: start.Expert, State: core.ExpertReady, Since: e.Time})
	slices.SortFunc(s.experts, func(a, b core.Expert) int { return strings.Compare(a.Name, b.Name) })
}

func (s *showing) over() bool { return s.at >= len(s.steps) }

// now is the time that is shown: that of the last step.
func (s *showing) now() time.Time {
	if s.at == 0 {
		return time.Now()
	}
	return s.steps[s.at-1].at
}

// gap is how long it is until the next step, at the speed that is chosen.
func (s *showing) gap() time.Duration {
	if s.over() {
		return 0
	}
	next, gap := s.steps[s.at], mostGap
	if s.at > 0 {
		gap = min(max(next.at.Sub(s.steps[s.at-1].at), 0), mostGap)
	}
	switch {
	case s.at == 0:
		gap = 0
	case next.asks():
		gap = questionGap
	case next.tells():
		gap = max(gap, leastGap)
	}
	return time.Duration(float64(gap) / speeds()[s.speed])
}

// question is the number of the question that is shown, from 1; 0 before the first.
func (s *showing) question() int {
	n, _ := slices.BinarySearch(s.questions, s.at)
	return n
}

// play shows what comes, until there is something to wait for.
func (m *model) play() tea.Cmd {
	s := m.panes.show
	var cmds []tea.Cmd
	for !s.paused && !s.over() {
		if s.owed += s.gap(); s.owed >= frameEvery {
			d, n := s.owed, s.n
			s.owed = 0
			waits := func(ctx context.Context, _ Backend) (bool, error) { return true, s.wait(ctx, d) }
			return tea.Batch(append(cmds, await(m, waits, func(_ bool, err error) tea.Cmd {
				if err != nil || n != s.n || s.paused {
					return nil
				}
				return tea.Batch(m.showStep(), m.play())
			}))...)
		}
		cmds = append(cmds, m.showStep())
	}
	return tea.Batch(cmds...)
}

func (s *showing) wait(ctx context.Context, d time.Duration) error {
	if s.Wait != nil {
		return s.Wait(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return ctx.Err()
}

// showStep shows the next step.
func (m *model) showStep() (cmd tea.Cmd) {
	s := m.panes.show
	if s.over() {
		return nil
	}
	step := s.steps[s.at]
	s.at++
	m.pen.now = step.at.UnixNano()
	if step.asks() {
		m.chat.cutOff() // what was said before and never ended
		m.chat.ask(step.text, step.run, time.Unix(0, m.pen.now))
		cmd = m.tick()
	} else {
		e := step.event
		e.Thread = m.chat.thread // of the conversation that this one goes on from, it is told here
		cmd = m.happened(batch{events: []core.Event{e}})
	}
	if s.over() {
		m.chat.cutOff()
	}
	return cmd
}

// showTo shows all up to a step, or takes back what comes after it.
func (m *model) showTo(at int) tea.Cmd {
	s := m.panes.show
	s.n++ // what is waited for is void
	s.owed = 0
	var cmds []tea.Cmd
	if at < s.at {
		c := newChat(m.pen, m.chat.thread, m.o.Title, time.Now())
		c.detail, c.canvas.graphs, c.said = m.chat.detail, m.chat.canvas.graphs, true
		m.chat = &c
		m.fit()
		m.panes.tools, m.panes.tokens, s.at = 0, 0, 0
		for i, row := range paneTable() {
			m.panes.all[i] = row.of(host{m, i})
		}
		cmds = append(cmds, m.shown().Open())
	}
	for s.at < at && !s.over() {
		cmds = append(cmds, m.showStep())
	}
	return tea.Batch(append(cmds, m.play())...)
}

// showQuestion goes to a question, from 1; the first where there is none before it, and the end where there is none after.
func (m *model) showQuestion(n int) tea.Cmd {
	s := m.panes.show
	if n > len(s.questions) {
		return m.showTo(len(s.steps))
	}
	if n < 1 || len(s.questions) == 0 {
		return m.showTo(0)
	}
	return m.showTo(s.questions[n-1] + 1)
}

// stepOn pauses and shows all up to the next thing to be seen, or takes the last one back.
func (m *model) stepOn(by int) tea.Cmd {
	s := m.panes.show
	s.paused = true
	at := s.at
	if by < 0 {
		for at -= 2; at >= 0 && !s.steps[at].tells(); at-- {
		}
		return m.showTo(max(at+1, 0))
	}
	for at < len(s.steps) && !s.steps[at].tells() {
		at++
	}
	return m.showTo(min(at+1, len(s.steps)))
}

// keyShow takes a key while a conversation is shown again.
func (m *model) keyShow(name string) tea.Cmd {
	s := m.panes.show
	switch do := m.keys.find(inShow, name); do {
	case actPause:
		s.n++
		if s.paused = !s.paused; s.paused && s.over() { // again from its beginning
			s.paused = false
			return m.showTo(0)
		}
		return tea.Batch(m.play(), m.tick())
	case actStep:
		return m.stepOn(1)
	case actBack:
		return m.stepOn(-1)
	case actOlderRun:
		n := s.question()
		if n > 0 && s.at <= s.questions[n-1]+1 { // it has only begun
			n--
		}
		return m.showQuestion(n)
	case actNewerRun:
		return m.showQuestion(s.question() + 1)
	case actChoose:
		return m.showQuestion(min(int(name[0]-'0'), len(s.questions)))
	case actTop:
		return m.showTo(0)
	case actBottom:
		return m.showTo(len(s.steps))
	case actFaster, actSlower:
		if do == actFaster {
			s.speed = min(s.speed+1, len(speeds())-1)
		} else {
			s.speed = max(s.speed-1, 0)
		}
		s.n++
		s.owed = 0
		return m.play()
	case actUp, actDown:
		m.chat.scroll(&m.chat.canvas, map[action]int{actUp: -1, actDown: 1}[do])
	case actStop:
		if !m.panes.full && m.chat.follow {
			return tea.Quit
		}
		return m.stop()
	case actQuit, actInterrupt:
		return tea.Quit
	case actQuestion:
		return m.act(actHelp)
	case actNone:
	default:
		return m.act(do)
	}
	return nil
}

// asksForMore reports whether something needs a room, and not only what was said in one.
func asksForMore(do action) bool {
	return slices.Contains([]action{actSend, actNewline, actPalette, actSearch, actSessions, actNew, actContinue, actTakeBack, actQueue, actReplay, actRetry, actCancelRun, actForkRun}, do)
}

// speedWords is a speed for people.
func speedWords(speed float64) string {
	if speed < 1 {
		return "1/" + itoa(int(1/speed)) + "×"
	}
	return itoa(int(speed)) + "×"
}

// drawShow is the row that stands in the place of the input.
func (m *model) drawShow(r rect) []string {
	p, s := m.pen, m.panes.show
	state, tone := "playing", p.ok
	switch {
	case s.over():
		state, tone = "over", p.dim
	case s.paused:
		state, tone = "paused", p.warn
	}
	left := " " + p.accent.on(p.prompt) + " " + tone.on(fit(state, 7)) + " " + p.text.on(speedWords(speeds()[s.speed]))
	if n := len(s.questions); n > 0 {
		left += p.dim.on("  question " + itoa(max(s.question(), 1)) + " of " + itoa(n))
	}
	right := p.dim.on(itoa(s.at)+" of "+itoa(len(s.steps))) + " "
	if room := r.w - width(left) - width(right) - 4; room >= 8 && len(s.steps) > 0 {
		done := room * s.at / len(s.steps)
		left += "  " + p.accent.on(strings.Repeat(p.horizontal, done)) + p.border.on(strings.Repeat(p.dot, room-done))
	}
	return exactly([]string{ends(left, right, r.w, p.ellipsis)}, r.w, r.h)
}

// Next implements [Backend]: nothing happens.
func (s *Show) Next(ctx context.Context) ([]core.Event, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// Experts implements [Backend].
func (s *Show) Experts() []core.Expert { return s.experts }

// Graph implements [Backend].
func (s *Show) Graph(_ context.Context, runner string) (diagram.Graph, error) {
	if s.Graphs == nil {
		return diagram.Graph{}, core.Fail(core.CodeNotFound, "it is not known how "+runner+" is written", "")
	}
	return s.Graphs(runner)
}

// RunEvents implements [Backend].
func (s *Show) RunEvents(_ context.Context, run string) (events []core.Event, err error) {
	for _, page := range s.Pages {
		for _, e := range page.Events {
			if e.Run == run || e.Trace == run {
				events = append(events, e)
			}
		}
	}
	return events, nil
}

// Exchange implements [Backend]: what was sent to models is not shown again.
func (s *Show) Exchange(context.Context, string, string) (core.Exchange, error) {
	return core.Exchange{}, nothingCanBeAsked()
}

// Audit implements [Backend]: there is no log.
func (s *Show) Audit(context.Context, core.AuditQuery) ([]core.AuditEntry, error) { return nil, nil }

// VerifyAudit implements [Backend]: there is no log.
func (s *Show) VerifyAudit(context.Context) (core.AuditReport, error) {
	return core.AuditReport{}, nothingCanBeAsked()
}

// Memory implements [Backend]: nothing is remembered.
func (s *Show) Memory(context.Context, core.MemoryQuery) (core.MemoryView, error) {
	return core.MemoryView{}, nil
}

// Wire implements [Backend]: nothing passes.
func (s *Show) Wire() *wire.Tap { return &s.tap }

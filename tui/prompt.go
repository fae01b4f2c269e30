package tui

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
)

// send takes what was typed: a command, a prompt, or one for the queue.
func (m *model) send() tea.Cmd {
	if a := m.wantsAgain(); a != nil {
		m.input.clear()
		return m.askAgain(a)
	}
	text := m.input.take()
	switch words, steers := steering(text); {
	case text == "":
		return m.giveLast()
	case steers:
		return m.steer(words)
	case isCommand(text) && !isPrompt(m.commands, text):
		return m.command(text)
	}
	return m.ask(text)
}

// ask asks the room, or queues where that has to wait.
func (m *model) ask(text string) tea.Cmd {
	if m.jobs.moving || m.run.cancel != nil || m.asks.holds(m.chat.thread) {
		m.enqueue(text)
		return nil
	}
	if m.input.strayed && m.chat.asking() == nil { // nobody chose to look at the pane meanwhile
		m.panes.full = false
	}
	return m.prompt(text)
}

// chosen is what the option of that number says, empty where there is none to
// choose now.
func (m *model) chosen(n int) string {
	a := m.chat.last()
	if a == nil || !m.input.empty() || m.running() || m.asks.holds(m.chat.thread) {
		return ""
	}
	labels := a.labels()
	switch {
	case n > len(labels) || len(labels) > maxChoices:
		return ""
	case a.asks() && (labels[n-1] != a.run.Options[n-1].Label || isCommand(labels[n-1])):
		return itoa(n) // the run knows it by its number, too
	}
	return labels[n-1]
}

// take asks the room what was chosen.
func (m *model) take(text string) tea.Cmd {
	m.input.remember(text)
	return m.prompt(text)
}

// prompt asks the room.
func (m *model) prompt(text string) tea.Cmd {
	thread, run := m.chat.thread, m.b.NewRun()
	name, _ := core.Address(text)
	name, _, _ = strings.Cut(name, "__")
	direct := slices.ContainsFunc(m.experts.all, func(e core.Expert) bool { return e.Name == name })
	return m.start(answered{answer: m.chat.ask(text, run, time.Now()), thread: thread}, direct, func(ctx context.Context, b Backend) (core.Result, error) {
		return b.Prompt(ctx, thread, run, text)
	})
}

// goOn goes on with the last answer. Its events open it again.
func (m *model) goOn() tea.Cmd {
	thread := m.chat.thread
	m.chat.toEnd()
	return m.start(answered{thread: thread}, false, func(ctx context.Context, b Backend) (core.Result, error) { return b.Continue(ctx, thread) })
}

// retry asks the question of the chosen answer again, which failed.
func (m *model) retry() tea.Cmd {
	a, ok := m.chat.chosen().(*answer)
	switch {
	case !ok || !a.failed():
		return m.say(toneAsk, "this answer did not fail")
	case m.pen.again == "":
		return m.say(toneAsk, "nothing can be asked again here")
	}
	return m.askAgain(a)
}

// wantsAgain is the newest answer, where that failed and the input has the key that tries
// again and nothing else: the answer names the key, which is a letter like any other there.
func (m *model) wantsAgain() *answer {
	if a := m.chat.newest(); a != nil && a.failed() && m.pen.again != "" && m.input.value() == m.pen.again {
		return a
	}
	return nil
}

// askAgain asks the question of an answer again: the last one instead of it, another one at
// the end.
func (m *model) askAgain(a *answer) tea.Cmd {
	if a == m.chat.last() && a.begun() {
		return m.command("/retry")
	}
	said := m.chat.above(a)
	switch {
	case said == nil:
		return nil
	case m.run.cancel != nil || m.asks.holds(m.chat.thread):
		m.enqueue(said.text)
		return nil
	}
	return m.take(said.text)
}

// start has a run done; what it comes to completes msg.
func (m *model) start(msg answered, direct bool, do func(context.Context, Backend) (core.Result, error)) tea.Cmd {
	ctx, cancel := context.WithCancel(m.ctx)
	m.run = run{cancel: cancel, direct: direct, ticking: m.run.ticking}
	ask := await(m, func(_ context.Context, b Backend) (core.Result, error) {
		defer cancel()
		return do(ctx, b)
	}, func(res core.Result, err error) tea.Cmd {
		msg.res, msg.err = res, err
		return m.answered(msg)
	})
	return tea.Batch(ask, m.tick())
}

// answered takes the result of a run, and goes on with the queue. After a
// stop the queue goes back to the input, or stays in the history where the user
// is saying something else already.
func (m *model) answered(msg answered) tea.Cmd {
	var note tea.Cmd
	switch {
	case msg.thread != m.chat.thread:
	case msg.answer != nil:
		m.chat.refused(msg.answer, msg.err)
	case msg.decision == nil && core.CodeOf(msg.err) == core.CodeNotFound: // there was nothing to go on with
		note = m.say(toneAsk, msg.err.Error())
	case msg.err != nil && msg.res.Turns == 0: // no run says so
		m.chat.fail(msg.err)
	}
	stopped := m.run.cut || !m.run.stopping.IsZero() || errors.Is(msg.err, context.Canceled)
	m.run = run{ticking: m.run.ticking}
	ask := tea.Batch(note, m.askStored(msg.res.Pauses))
	if msg.decision != nil {
		ask = tea.Batch(ask, m.decided(*msg.decision, msg.err))
	} else {
		ask = tea.Batch(ask, m.tell())
	}
	switch clarifies := slices.ContainsFunc(msg.res.Pauses, func(p core.Pause) bool { return p.Kind == core.PauseClarification }); {
	case clarifies:
		ask = tea.Batch(ask, m.ring("asks you something"))
	case len(msg.res.Pauses) == 0 && !stopped:
		ask = tea.Batch(ask, m.ring("has answered"))
	}
	return tea.Batch(ask, m.unqueue(stopped))
}

// stop is esc: it closes what is open, and then stops the run.
func (m *model) stop() tea.Cmd {
	switch {
	case len(m.input.menu.choices) > 0:
		m.input.menu = menu{}
	case m.chat.words != nil:
		m.chat.words = nil
		return m.say(toneAsk, "not looked for any more")
	case m.panes.full:
		m.panes.full = false
		m.panes.focus = inInput
	case m.panes.focus != inInput:
		m.toInput()
	case m.run.cancel != nil:
		return m.stopRun()
	case m.jobs.stop != nil:
		return m.stopCommand()
	case !m.chat.follow:
		m.chat.toEnd()
	}
	return nil
}

// toInput gives the input the keys. The chat goes to its end again, where the last of it was
// chosen.
func (m *model) toInput() {
	if m.chat.sel >= 0 && m.chat.sel == len(m.chat.items)-1 {
		m.chat.toEnd()
	}
	m.panes.focus, m.chat.sel = inInput, -1
}

// stopRun stops the run after its calls; at once where there are none to wait for, and the
// second time.
func (m *model) stopRun() tea.Cmd {
	calls := func() bool {
		a := m.chat.active()
		return a == nil || a.chain() != "" || slices.ContainsFunc(a.run.Calls(), func(c *runlog.Call) bool { return c.End == nil && !c.Waits })
	}
	if m.run.direct || !m.run.stopping.IsZero() || !calls() {
		return m.cutRun()
	}
	m.run.stopping = time.Now()
	m.b.Steer(m.chat.thread, core.RunControl{Stop: true})
	return m.say(toneAsk, "stopping after the running calls; esc again to stop now")
}

func (m *model) cutRun() tea.Cmd {
	m.run.cut = true
	m.run.cancel()
	return m.say(toneAsk, "stopped")
}

// stopCommand gives a slash command up that is still at it.
func (m *model) stopCommand() tea.Cmd {
	m.jobs.stop()
	m.jobs.stop = nil
	return m.say(toneAsk, "given up")
}

// interrupt is ctrl+c: it clears the input, then stops the run, then quits.
func (m *model) interrupt() tea.Cmd {
	switch {
	case m.asks.edit != nil:
		m.asks.edit = nil
	case m.asks.first() != nil && !m.input.empty():
		m.input.clear() // so that the keys decide again
		m.asks.meant = nil
	case m.deciding() != nil || m.form() != nil:
		return m.leave()
	case m.panes.over.kind == overPicture:
		return m.keyPicture("esc")
	case m.panes.over.kind != overNone:
		m.panes.over, m.panes.entry.kind = overlay{n: m.panes.over.n}, actNone
	case !m.input.empty():
		m.input.clear()
		return m.goBack()
	case m.run.cancel != nil && !m.run.cut:
		return m.cutRun()
	case m.jobs.stop != nil:
		return m.stopCommand()
	default:
		return m.leave()
	}
	return nil
}

// leave quits when it was asked for twice.
func (m *model) leave() tea.Cmd {
	if m.panes.quit {
		return m.quit()
	}
	cmd := m.say(toneAsk, "ctrl+c again to leave")
	m.panes.quit = true
	return cmd
}

// quit ends the program. Inline, nothing is left below what was said.
func (m *model) quit() tea.Cmd {
	m.above.left = true
	return tea.Quit
}

// command runs a slash command.
func (m *model) command(line string) tea.Cmd {
	c, args, err := parseCommand(m.commands, line)
	if err != nil {
		m.chat.fail(err)
		return nil
	}
	if m.jobs.moving || c.Idle && m.run.cancel != nil {
		m.enqueue(line)
		return nil
	}
	switch {
	case c.own == actTheme:
		return m.theme(args[1:]...)
	case c.own == actAttach && len(args) > 1:
		return m.attach(args[1:]...)
	}
	if c.own != actNone && len(args) == 1 {
		return m.act(c.own)
	}
	if c.Picks && len(args) == 1 {
		return m.pick(c)
	}
	m.chat.said = true
	thread := m.chat.thread
	ctx, over := m.jobs.begin(m.ctx)
	m.jobs.moving = c.Idle
	do := func(_ context.Context, b Backend) (core.Doc, error) { return b.Do(ctx, thread, args) }
	return await(m, do, func(out core.Doc, err error) tea.Cmd {
		over()
		return m.done(c.Name, out, err)
	})
}

// pick lets the user choose what stands behind a command.
func (m *model) pick(c command) tea.Cmd {
	typed := "/" + c.Name + " "
	return await(m, func(ctx context.Context, b Backend) ([]core.Suggestion, error) { return b.Suggest(ctx, typed), nil },
		func(list []core.Suggestion, _ error) tea.Cmd {
			var choices []choice
			for _, s := range list {
				choices = append(choices, choice{text: s.Text, help: s.Help, key: s.Insert})
			}
			m.choose("/"+c.Name, choices, func(one choice) tea.Cmd { return m.command(typed + one.key) })
			return nil
		})
}

// done takes what a slash command said. A pane of its name may show something else
// now.
func (m *model) done(name string, out core.Doc, err error) tea.Cmd {
	var open tea.Cmd
	if m.row().name == name && m.screen.inspector.h > 0 {
		open = m.shown().Open()
	}
	if err != nil {
		if core.CodeOf(err) != core.CodeCancelled {
			m.chat.fail(err)
		}
		m.jobs.moving = false
		return tea.Batch(open, m.unqueue(false))
	}
	if out.Model != "" {
		m.panes.model = safe.Line(out.Model)
	}
	if name == "logs" && len(out.Parts) > 0 && out.Parts[0].Kind == core.Block { // is read, and is no part of what was said
		text := safe.Text(out.Parts[0].Text)
		lines := strings.Split(text, "\n")
		m.read(&textReader{name: "LOGS", text: text, lines: lines, top: len(lines)})
		out.Parts = out.Parts[1:]
	}
	text, other := markdownOf(out), out.Thread != "" && out.Thread != m.chat.thread
	if out.Title != "" && !other {
		m.chat.title = safe.Line(out.Title)
	}
	switch {
	case text == "":
	case other: // where this conversation is not shown any more
		open = tea.Batch(open, m.say(toneQuiet, text))
	default:
		m.chat.tell("/"+name, text)
	}
	m.jobs.moving = m.jobs.moving && other
	switch {
	case other:
		if out.Trial {
			m.jobs.back = back{m.chat.thread, m.chat.title, out.Thread}
		}
		return tea.Batch(open, m.open(opened{thread: out.Thread, title: out.Title, draft: out.Draft, told: text, question: out.Send, moves: true}))
	case out.Draft != "":
		return tea.Batch(open, m.draft(out.Draft, text))
	}
	return tea.Batch(open, m.unqueue(false))
}

// draft puts a text into the input, and says what was told of it. Nothing is sent unasked, and
// what the user has typed stays.
func (m *model) draft(text, told string) tea.Cmd {
	m.panes.focus = inInput
	if !m.input.empty() {
		m.input.remember(text)
		return m.say(toneAsk, "what you typed stays: "+m.pen.up+" puts the other prompt here")
	}
	if err := m.input.paste(text); err != nil {
		m.chat.fail(err)
	}
	if m.jobs.back.from == m.chat.thread {
		told = "change it as you like: enter sends it, ctrl+c goes back"
	}
	return m.say(toneQuiet, cmp.Or(told, "change it as you like: enter sends it"))
}

// goBack shows the conversation again in which a question was to be changed and is not,
// and removes the one that was begun for it.
func (m *model) goBack() tea.Cmd {
	b := m.jobs.back
	if b.from == "" || b.from != m.chat.thread || m.chat.said {
		return nil
	}
	m.jobs.back = back{}
	forget := m.forget(b.thread, b.from, func() tea.Cmd { return nil })
	return tea.Batch(m.open(opened{thread: b.thread, title: b.title}), forget)
}

// open reads what is to be opened, and shows it.
func (m *model) open(msg opened) tea.Cmd {
	before := ""
	if msg.older {
		before = m.chat.firstRun()
	}
	return await(m, func(ctx context.Context, b Backend) (opened, error) {
		var err error
		if msg.page, err = b.Page(ctx, msg.thread, before); err == nil && !msg.older {
			msg.pauses, err = b.Waiting(ctx, msg.thread)
		}
		return msg, err
	}, func(msg opened, err error) tea.Cmd {
		m.opened(msg, err)
		if msg.moves {
			m.jobs.moving = false
		}
		show := tea.Batch(m.askStored(msg.pauses), m.readOldGraphs())
		if m.chat.thread != msg.thread || m.run.cancel != nil {
			return show
		}
		if msg.draft != "" {
			show = tea.Batch(show, m.draft(msg.draft, msg.told))
		}
		if msg.found != "" {
			m.panes.entry.last = msg.found
			show = tea.Batch(show, m.find(-1))
		}
		if msg.question != "" {
			m.input.remember(msg.question)
			return tea.Batch(show, m.prompt(msg.question))
		}
		return tea.Batch(show, m.unqueue(false))
	})
}

// opened shows a conversation that was read, or older messages of this one.
func (m *model) opened(msg opened, err error) {
	if msg.older {
		if msg.thread != m.chat.thread {
			return
		}
		m.chat.reading = false
	}
	switch core.CodeOf(err) {
	case "", core.CodeNotFound: // a new conversation is not stored before something is said
	case core.CodeCancelled:
		return
	default:
		m.chat.fail(err)
		return
	}
	if msg.older {
		m.chat.prepend(m.chat.replayPage(msg.page), msg.page.Earlier)
		return
	}
	if msg.thread != m.chat.thread {
		if m.run.cancel != nil {
			m.chat.fail(core.Fail(core.CodeBusy, "a turn is running here", "esc stops it; then choose the session again"))
			return
		}
		c := newChat(m.pen, msg.thread, msg.title, time.Now())
		c.detail, c.room.count, c.canvas.graphs, c.queue = m.chat.detail, m.chat.room.count, m.chat.canvas.graphs, m.chat.queue
		m.chat = &c
		m.panes.tokens = 0
	}
	if len(msg.page.Messages) == 0 || m.chat.said {
		return
	}
	m.chat.restore(msg.page)
	m.chat.toEnd()
}

// paste takes pasted text.
func (m *model) paste(text string) tea.Cmd {
	if m.asks.edit != nil {
		return m.asks.edit.paste(text)
	}
	if b := m.form().blank(); b != nil && b.edit != nil {
		return b.edit.paste(strings.ReplaceAll(text, "\n", " "))
	}
	if m.asks.first() != nil || m.form() != nil || m.panes.over.kind != overNone || m.panes.entry.kind != actNone {
		return nil
	}
	m.panes.focus = inInput
	m.input.taken(text)
	if err := m.input.paste(text); err != nil {
		return m.say(toneAsk, err.Error()+"; "+core.HintOf(err))
	}
	return m.suggest()
}

// ofOthers is text that may go on as others say: @FILE, @EXPERT:RESOURCE,
// /EXPERT:PROMPT, /model NAME, /chain run NAME, /help TOPIC, /export FILE, /trust revoke NAME.
var ofOthers = regexp.MustCompile(`(?:^|\s)@(?:\S*|"[^"\n]*)$|^/[^\s:]+:[^\n]*$|^/(?:model|help|export|chain\s+\w+|trust\s+revoke)\s+\S*$`)

// attach begins a prompt with files, or where none is named with the mark that lists them.
func (m *model) attach(files ...string) tea.Cmd {
	text := "@"
	if len(files) > 0 {
		text = ""
	}
	for _, name := range files {
		text += "@" + core.QuotePath(strings.TrimPrefix(name, "@")) + " "
	}
	m.input.set(text)
	return m.suggest()
}

// suggest looks for completions of what is being typed.
func (m *model) suggest() tea.Cmd {
	before := m.input.before()
	m.input.seek()
	choices := complete(m.commands, m.experts.all, before)
	if len(choices) == 1 && strings.TrimSpace(before[choices[0].at:]) == strings.TrimSpace(choices[0].key) {
		choices = nil
	}
	m.input.menu.set(choices)
	if ofOthers.MatchString(before) {
		return m.askOthers(before, choices)
	}
	return nil
}

// askOthers has others say what the text may go on as beside choices, unless the user
// types on.
func (m *model) askOthers(before string, choices []choice) tea.Cmd {
	ctx, cancel := context.WithCancel(m.ctx)
	m.input.seek = cancel
	return await(m, func(_ context.Context, b Backend) ([]core.Suggestion, error) { return b.Suggest(ctx, before), nil },
		func(list []core.Suggestion, _ error) tea.Cmd {
			cancel()
			if m.input.before() != before {
				return nil
			}
			for _, s := range list {
				choices = append(choices, choice{text: s.Text, help: s.Help, key: s.Insert, at: s.At, runs: s.Last})
			}
			m.input.menu.set(choices)
			return nil
		})
}

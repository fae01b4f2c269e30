package tui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

const maxHistory = 500 // prompts

// input is the line, or the few lines, that the user types.
type input struct {
	area    textarea.Model
	history []string
	at      int    // in history; len(history): what is being typed
	typed   string // what was being typed when history was entered
	chips   map[string]string
	offered bool // it holds what was queued, for which the user has done nothing yet
	strayed bool // typing began with a letter where something else had the keys
	vi      vi
	menu    menu   // completion; no choices: not shown
	seek    func() // ends the search for one that is under way
	rows    []string
	stale   bool
}

func newInput(p *pen) input {
	in := input{area: textarea.New(), chips: map[string]string{}, seek: func() {}, stale: true}
	a := &in.area
	a.ShowLineNumbers, a.CharLimit = false, 0
	a.DynamicHeight, a.MinHeight, a.MaxHeight, a.MaxContentHeight = true, 1, maxInput, 1<<16
	a.MaxWidth = 0
	a.SetVirtualCursor(false)
	a.KeyMap.InsertNewline = key.NewBinding(key.WithDisabled())
	a.Placeholder = placeAsk
	in.restyle(p)
	a.Focus()
	return in
}

// areaStyles is how an area looks in which the user writes.
func areaStyles(p *pen, hint lipgloss.Style, cursor tea.CursorShape) textarea.Styles {
	plain := lipgloss.NewStyle()
	state := textarea.StyleState{Text: plain, CursorLine: plain, Placeholder: hint, Prompt: plain, EndOfBuffer: plain, Selection: plain.Reverse(true)}
	return textarea.Styles{Focused: state, Blurred: state, Cursor: textarea.CursorStyle{Color: p.cursor, Shape: cursor, Blink: true}}
}

func (in *input) restyle(p *pen) {
	hint := lipgloss.NewStyle()
	if p.colour {
		hint = hint.Foreground(p.placeholder)
	}
	in.area.SetStyles(areaStyles(p, hint, in.cursorShape()))
	first := " " + p.accent.on(p.prompt) + " "
	in.area.SetPromptFunc(3, func(i textarea.PromptInfo) string {
		if i.LineNumber == 0 {
			return first
		}
		return "   "
	})
	in.stale = true
}

// What an empty input says.
const (
	placeAsk    = "ask the room, or @name"
	placeAnswer = "answers the question"
)

// hint fits what an empty input says to whether something was asked.
func (in *input) hint(asked bool) {
	words := placeAsk
	if asked {
		words = placeAnswer
	}
	if in.area.Placeholder != words {
		in.area.Placeholder, in.stale = words, true
	}
}

func (in *input) resize(w int) {
	in.area.SetWidth(max(w-1, 8))
	in.stale = true
}

func (in *input) height() int { return in.area.Height() }

func (in *input) empty() bool { return in.area.Length() == 0 }

func (in *input) value() string { return in.area.Value() }

func (in *input) set(s string) {
	in.offered = false
	in.area.SetValue(s)
	in.area.MoveToEnd()
	in.stale = true
}

// offer puts prompts that were not sent into the history, and the last of them into
// the input, where what is typed takes its place.
func (in *input) offer(prompts []string) {
	in.rememberEach(prompts)
	last := prompts[len(prompts)-1]
	in.set(last)
	in.offered, in.typed = true, ""
	for i, text := range in.history {
		if text == last {
			in.at = i
		}
	}
}

// taken says that the user types: a word takes the place of what is offered, other keys
// change it. It reports whether something was replaced.
func (in *input) taken(text string) bool {
	replaced := in.offered && strings.TrimSpace(text) != ""
	if in.offered = false; replaced {
		in.clear()
	}
	return replaced
}

func (in *input) clear() {
	in.set("")
	in.commands(false)
	in.chips, in.at = map[string]string{}, len(in.history)
	in.menu = menu{}
}

// update gives a message to the text area.
func (in *input) update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	in.area, cmd = in.area.Update(msg)
	in.stale = true
	return cmd
}

// take returns what was typed, chips written out, and empties the input.
func (in *input) take() string {
	text, shown := in.whole(), in.value()
	if strings.TrimSpace(shown) != "" && shown == text {
		in.remember(strings.TrimSpace(shown))
	}
	in.clear()
	return strings.TrimSpace(text)
}

// remember makes what was sent the newest of the history.
func (in *input) remember(text string) {
	if n := len(in.history); n == 0 || in.history[n-1] != text {
		in.history = append(in.history, text)
	}
	in.history = in.history[max(0, len(in.history)-maxHistory):]
	in.at = len(in.history)
}

// rememberEach puts what was not sent into the history, where it is not yet.
func (in *input) rememberEach(prompts []string) {
	for _, text := range prompts {
		if !slices.Contains(in.history, text) {
			in.remember(text)
		}
	}
}

// older and newer walk through what was typed before. They report false where
// the key should move the cursor instead.
func (in *input) older() bool {
	if in.area.Line() > 0 || in.at == 0 {
		return in.at == 0 && in.area.Line() == 0
	}
	if in.at == len(in.history) {
		in.typed = in.value()
	}
	in.at--
	in.set(in.history[in.at])
	return true
}

func (in *input) newer() bool {
	if in.area.Line() < in.area.LineCount()-1 {
		return false
	}
	if in.at >= len(in.history) {
		return true
	}
	in.at++
	if in.at == len(in.history) {
		in.set(in.typed)
		return true
	}
	in.set(in.history[in.at])
	return true
}

// before is the text up to the cursor.
func (in *input) before() string {
	lines := strings.Split(in.value(), "\n")
	n := min(in.area.Line(), len(lines)-1)
	runes := []rune(lines[n])
	lines[n] = string(runes[:min(in.area.Column(), len(runes))])
	return strings.Join(lines[:n+1], "\n")
}

// accept puts a completion in place of what was typed of it.
func (in *input) accept(c choice) {
	before := in.before()
	after := strings.TrimPrefix(in.value(), before)
	in.set(before[:min(c.at, len(before))] + c.key + after)
	in.menu = menu{}
}

// draw returns the rows of the input.
func (in *input) draw(r rect) []string {
	if in.stale {
		in.rows = strings.Split(in.area.View(), "\n")
		in.stale = false
	}
	rows := in.rows
	if len(rows) > r.h {
		from := 0
		if c := in.area.Cursor(); c != nil {
			from = min(max(c.Y-r.h+1, 0), len(rows)-r.h)
		}
		rows = rows[from:]
	}
	return exactly(rows, r.w, r.h)
}

package tui

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	castIdle  = 2 * time.Second       // that nothing happens, at most
	castFrame = 40 * time.Millisecond // between two frames, at least
	castTyped = 40                    // frames of a question that is typed, at most
)

// Cast writes frames as an asciicast of version 2, for asciinema and its players: of each frame the rows that are not as before.
type Cast struct {
	w     io.Writer
	rows  []string
	idle  time.Duration // that nothing happens, at most; 0: for as long as it did
	since time.Duration // of the frame before, as it was
	at    time.Duration // of the frame before, as it is written
}

// NewCast begins a cast of a terminal of so many columns and rows.
func NewCast(w io.Writer, width, height int, began time.Time, title string) (*Cast, error) {
	head, err := json.Marshal(struct {
		Version   int               `json:"version"`
		Width     int               `json:"width"`
		Height    int               `json:"height"`
		Timestamp int64             `json:"timestamp"`
		Title     string            `json:"title"`
		Env       map[string]string `json:"env"`
	}{2, width, height, began.Unix(), safe.Line(title), map[string]string{"TERM": "xterm-256color"}})
	if err != nil {
		return nil, err
	}
	if _, err = fmt.Fprintf(w, "%s\n", head); err != nil {
		return nil, err
	}
	return &Cast{w: w, rows: make([]string, height)}, nil
}

// Frame writes a frame that was seen so long after the beginning.
func (c *Cast) Frame(since time.Duration, rows []string) error {
	var b strings.Builder
	if c.at == 0 {
		b.WriteString("\x1b[?25l\x1b[2J") // no cursor, and nothing else
	}
	for i := range c.rows {
		row := ""
		if i < len(rows) {
			row = strings.TrimRight(rows[i], " ")
		}
		if row != c.rows[i] {
			fmt.Fprintf(&b, "\x1b[%d;1H\x1b[2K%s", i+1, row) // a full row leaves no place to clear from
			c.rows[i] = row
		}
	}
	if b.Len() == 0 {
		return nil
	}
	return c.write(since, b.String())
}

// End leaves the cursor below what was shown last.
func (c *Cast) End(since time.Duration) error {
	return c.write(since, fmt.Sprintf("\x1b[%d;1H\x1b[?25h", len(c.rows)))
}

func (c *Cast) write(since time.Duration, text string) error {
	gap := max(since-c.since, time.Millisecond)
	if c.idle > 0 {
		gap = min(gap, c.idle)
	}
	c.at += gap
	c.since = since
	line, err := json.Marshal([]any{c.at.Seconds(), "o", text})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.w, "%s\n", line)
	return err
}

// WriteCast writes a conversation as a terminal of that size has shown it, with its questions typed.
func WriteCast(w io.Writer, s *Show, width, height int, env func(string) string) error {
	done, cancel := context.WithCancel(context.Background())
	cancel() // no time passes but that of the conversation
	m := newModel(done, Options{Thread: cmp.Or(s.Thread, "shown"), Title: s.Title, Env: env, Model: s.model()}, s, &jobs{})
	show := m.panes.show
	show.live, show.paused = true, true
	m.settle(func() tea.Msg { return tea.WindowSizeMsg{Width: width, Height: height} })
	began := time.Now()
	if len(show.steps) > 0 {
		began = show.steps[0].at
	}
	m.experts.set(s.experts, began)
	c, err := NewCast(w, width, height, began, s.Title)
	if err != nil {
		return err
	}
	c.idle = castIdle
	var now, drawn time.Duration
	draw := func() {
		m.frame.stale = true
		m.fit()
		if err == nil {
			err, drawn = c.Frame(now, m.compose()), now
		}
	}
	draw()
	for !show.over() && err == nil {
		step := show.steps[show.at]
		if now += show.gap(); step.asks() {
			typed := []rune(safe.Line(step.text))
			for n, by := 0, max(len(typed)/castTyped, 1); n < len(typed); now += keyGap {
				n = min(n+by, len(typed))
				m.input.area.SetValue(string(typed[:n]))
				m.input.stale = true
				draw()
			}
			m.input.area.SetValue("")
			m.input.stale = true
		}
		m.settle(m.showStep())
		if now-drawn >= castFrame || show.over() || step.tells() {
			draw()
		}
	}
	if err != nil {
		return err
	}
	return c.End(now)
}

// model is the one that was asked last.
func (s *Show) model() (name string) {
	for _, page := range s.Pages {
		for _, e := range page.Events {
			if b, ok := e.Body.(core.LLMCallStart); ok && b.Purpose == "" {
				name = b.Model
			}
		}
	}
	return name
}

// settle does what follows from something at once.
func (m *model) settle(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, each := range msg {
			m.settle(each)
		}
	default:
		_, next := m.Update(msg)
		m.settle(next)
	}
}

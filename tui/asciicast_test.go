package tui

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
)

// played is an asciicast that was played.
type played struct {
	Version, Width, Height int
	Timestamp              int64
	Title                  string
	times                  []float64
	screen                 string // the last one
}

// playCast plays an asciicast of version 2, as its specification has it.
func playCast(t *testing.T, cast string) (p played) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(cast))
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() {
		t.Fatal("it has no head")
	}
	if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	x := &terminal{emu: vt.NewEmulator(p.Width, p.Height)}
	go func() { _, _ = io.Copy(io.Discard, x.emu) }()
	for lines.Scan() {
		var at float64
		var kind, text string
		if err := json.Unmarshal(lines.Bytes(), &[]any{&at, &kind, &text}); err != nil || kind != "o" {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		p.times = append(p.times, at)
		if _, err := x.emu.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	p.screen = x.read()
	if c, ok := x.emu.InputPipe().(io.Closer); ok {
		_ = c.Close()
	}
	return p
}

func TestACastEndsAsTheTerminalDoes(t *testing.T) {
	for name, size := range map[string][2]int{"small": {80, 24}, "medium": {120, 40}, "large": {200, 60}} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
			var cast bytes.Buffer
			if err := WriteCast(&cast, &Show{Thread: "t1", Title: "sums", Pages: []core.Page{twoQuestions()}}, size[0], size[1], func(name string) string { return env[name] }); err != nil {
				t.Fatal(err)
			}
			p := playCast(t, cast.String())
			if p.Version != 2 || p.Width != size[0] || p.Height != size[1] || p.Title != "sums" || p.Timestamp != twoQuestions().Messages[0].Time.Unix() {
				t.Errorf("the head is %+v", p)
			}
			last := 0.0
			for _, at := range p.times {
				if at <= last || at-last > castIdle.Seconds()+0.001 {
					t.Errorf("%v follows %v", at, last)
				}
				last = at
			}
			if last < 8 || last > 20 {
				t.Errorf("it lasts %v s", last)
			}
			x := start(t, setup{w: size[0], h: size[1], o: Options{Title: "sums"}}, again(newMetronome()))
			body := func(screen string) string { // all but the input and the keys
				rows := strings.Split(screen, "\n")
				return strings.Join(rows[:min(size[1]-2, len(rows))], "\n")
			}
			x.press("G")
			x.see("over")
			shown, _ := x.until(func(s string) bool { return body(s) == body(p.screen) })
			if diff := cmp.Diff(body(shown), body(p.screen)); diff != "" {
				t.Errorf("what is shown again and the cast (-shown +cast)\n%s", diff)
			}
		})
	}
}

func TestTheQuestionsOfACastAreTypedAndNothingInItIsMoreThanText(t *testing.T) {
	page := twoQuestions()
	page.Messages[0].Text = "what is \x1b]0;evil\a2 + 2?\x1b[2J"
	var cast bytes.Buffer
	if err := WriteCast(&cast, &Show{Title: "\x1b[31m", Pages: []core.Page{page}}, 80, 24, func(string) string { return "" }); err != nil {
		t.Fatal(err)
	}
	if text := cast.String(); !strings.Contains(text, "what is ") || strings.Contains(text, "evil\\u0007") || strings.Count(text, `\u001b[2J`) != 1 {
		t.Errorf("it holds what it should not:\n%.2000s", text)
	}
}

func TestACastOfNothingIsAnEmptyTerminal(t *testing.T) {
	var cast bytes.Buffer
	if err := WriteCast(&cast, &Show{}, 80, 24, func(string) string { return "" }); err != nil {
		t.Fatal(err)
	}
	if p := playCast(t, cast.String()); !strings.Contains(p.screen, "ask the room") {
		t.Errorf("it shows:\n%s", p.screen)
	}
	c, err := NewCast(&cast, 80, 24, time.Now(), "")
	if err != nil {
		t.Fatal(err)
	}
	before := cast.Len()
	if err := c.Frame(0, []string{"a"}); err != nil || cast.Len() == before {
		t.Errorf("a frame is not written: %v", err)
	}
	before = cast.Len()
	if err := c.Frame(time.Second, []string{"a"}); err != nil || cast.Len() != before {
		t.Errorf("a frame that is as the one before is written: %v", err)
	}
}

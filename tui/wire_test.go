package tui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core/wire"
)

// pass has frames pass between a fake room and others.
func (f *fake) pass() {
	at := time.Date(2026, 3, 2, 12, 2, 11, 204e6, time.Local)
	f.tap.Now = func() time.Time { at = at.Add(100 * time.Microsecond); return at }
	see := func(l *wire.Line, dir wire.Direction, text string) { l.RecordRPC(dir, []byte(text), len(text)) }
	calc, owl := f.tap.Line("calc", "stdio"), f.tap.Line("owl", "http")
	see(calc, wire.Out, `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"calc","arguments":{"prompt":"what is 12% of 840?"}}}`)
	see(owl, wire.Out, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"hunt","arguments":{"what":"mice"}}}`)
	see(calc, wire.In, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`)
	see(calc, wire.In, `{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"100.8"}]}}`)
	see(owl, wire.In, `{"jsonrpc":"2.0","id":9,"error":{"code":-32000,"message":"the owl sleeps"}}`)
	see(calc, wire.In, "loading \x1b[2J tables")
	model := f.tap.Line("ollama", "model")
	model.RecordHTTP(wire.Out, wire.Request, "POST /api/chat", []byte(`{"model":"qwen3.5:4b"}`), 22)
}

func TestTheWireInspector(t *testing.T) {
	for _, c := range []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", c.w, c.h), func(t *testing.T) {
			f := settled()
			x := start(t, setup{w: c.w, h: c.h, o: Options{Title: "infra-notes", Model: "offline"}}, f)
			x.press("f3")
			x.see("Nothing has passed yet.")
			f.pass()
			x.see("POST /api/chat")
			x.press("k", "k", "k")
			x.golden("answer  ")
		})
	}
}

func TestARequestStandsBesideItsAnswerAndTheFilterNarrows(t *testing.T) {
	f := settled()
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("/wire", "enter")
	x.see("looking")
	f.pass()
	x.see("no message: loading")
	x.see("no answer yet") // of the model
	x.press("g")
	s := x.see("← answer")
	if !regexp.MustCompile(`→ request .*│ ← answer .*ms`).MatchString(s) || !regexp.MustCompile(`│ +"text": "100.8"`).MatchString(s) {
		t.Errorf("the answer does not stand beside its request:\n%s", s)
	}
	x.press("/", "owl sleeps", "enter")
	x.gone("no message")
	x.see("tools/call hunt failed")
	x.see(`"what": "mice"`)
	x.press("/", "esc")
	x.see("no message")
	x.press("/", "nobody", "enter")
	x.see("No frame holds “nobody”.")
}

func TestTheWireIsLookedAtUntilItIsClosed(t *testing.T) {
	f := settled()
	x := start(t, setup{w: 120, h: 40}, f)
	f.pass()
	if f.tap.On() || len(f.tap.Since(0)) > 0 {
		t.Error("frames are kept before the pane was opened")
	}
	x.press("f3")
	x.see("looking")
	x.press("esc") // the user goes back to the chat, and asks
	x.gone("looking")
	f.pass()
	x.press("f3")
	x.see("7 frames")
	x.press("x")
	x.see("not looking")
	f.pass()
	if n := len(f.tap.Since(0)); f.tap.On() || n != 7 {
		t.Errorf("it looks on after x: %d frames", n)
	}
	x.press("x")
	x.gone("not looking")
}

func TestAnotherPaneEndsTheLookAtTheWire(t *testing.T) {
	f := settled()
	m := modelOf(t, 120, 40, f)
	m.openPane(paneNamed("wire"))
	l := of[*wirePane](m)
	m.openPane(paneNamed("wire")) // it is hidden, and still the one that is chosen
	l.watch(l.looks)
	if !f.tap.On() {
		t.Error("it does not look while the user is in the chat")
	}
	l.stop()
	l.Open()
	if l.watch(l.looks-1) != nil {
		t.Error("what watched before goes on beside the new one")
	}
	m.openPane(paneNamed("events"))
	if l.watch(l.looks) != nil || f.tap.On() {
		t.Error("it looks on while another pane is chosen")
	}
}

func TestAFloodOnTheWireCostsOneScreen(t *testing.T) {
	m := modelOf(t, 120, 40, settled())
	m.openPane(paneNamed("wire"))
	l := of[*wirePane](m)
	line, raw := l.m.b.Wire().Line("calc", "stdio"), []byte(`{"jsonrpc":"2.0","method":"notifications/progress"}`)
	for range 2 * wire.MaxFrames {
		line.RecordRPC(wire.In, raw, len(raw))
	}
	l.refresh()
	m.fit()
	s := strings.Join(m.compose(), "\n")
	if len(l.all) != wire.MaxFrames || !strings.Contains(s, fmt.Sprintf("the last %d of %d frames", wire.MaxFrames, 2*wire.MaxFrames)) {
		t.Errorf("%d frames are held:\n%s", len(l.all), s)
	}
}

package tui

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"

	"github.com/yaap-chat/yaap/core"
)

// flagFile is a picture of four colours, each in its corner, on disk.
func flagFile(t *testing.T, dir, name string, w, h int) core.File {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 0, 255}}[2*(2*y/h)+2*x/w])
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return onDisk(t, dir, name, b.Bytes(), w, h)
}

// onDisk is a file of a room that says it is a picture of that size.
func onDisk(t *testing.T, dir, name string, raw []byte, w, h int) core.File {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return core.File{Name: name, Path: path, Type: "image/png", Size: len(raw), Width: w, Height: h}
}

// drawing is a room that answers with files, and sees those that are attached.
func drawing(attached []core.File, files ...core.File) *fake {
	f := settled()
	f.prompt = func(_ context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		s.Turn = 1
		f.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: text, Files: attached}, core.TurnStart{}, core.ToolRequests{Calls: []core.Call{{ID: "c", Tool: "draw"}}},
			core.ToolCallStart{Call: "c", Tool: "draw"}, core.ToolCallEnd{Call: "c", Tool: "draw", Status: core.ToolSuccess, Files: files})
		reply := core.Reply{Status: core.StatusSuccess, Message: "It is drawn."}
		f.emit(s, core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "completed", Status: reply.Status, Turns: 1})
		return core.Result{Reply: reply, Turns: 1}, nil
	}
	return f
}

func TestAPictureIsDrawnBelowItsAnswerInHalfBlocks(t *testing.T) {
	dir := t.TempDir()
	x := start(t, setup{w: 80, h: 24, o: Options{Files: dir, Pictures: "auto"}}, drawing(nil, flagFile(t, dir, "flag-1.png", 60, 40)))
	x.press("draw a flag", "enter")
	x.golden("▀▀▀▀", "It is drawn.", "enter send")
	seen := map[string]bool{}
	x.cells(func(_, _ int, cell *uv.Cell) {
		if cell.Content == "▀" {
			r, g, b, _ := cell.Style.Fg.RGBA()
			seen[fmt.Sprintf("%d %d %d over %v", r>>8, g>>8, b>>8, cell.Style.Bg)] = true
		}
	})
	want := []string{"255 0 0 over {255 0 0 255}", "0 255 0 over {0 255 0 255}", "0 0 255 over {0 0 255 255}", "255 255 0 over {255 255 0 255}"}
	for _, w := range want {
		if !seen[w] {
			t.Errorf("no cell is %s: %v", w, seen)
		}
	}
}

func TestAPictureThatTheUserAttachedIsDrawnBelowTheQuestion(t *testing.T) {
	dir := t.TempDir()
	attached := []core.File{flagFile(t, dir, "flag-2.png", 60, 40)}
	x := start(t, setup{w: 80, h: 24, o: Options{Files: dir, Pictures: "blocks"}}, drawing(attached))
	x.press("what is on flag.png?", "enter")
	s := x.see("▀▀▀▀")
	if at := strings.Index(s, "▀▀▀▀"); at < strings.Index(s, "what is on") || at > strings.Index(s, "It is drawn") && strings.Contains(s, "It is drawn") {
		t.Errorf("it is drawn elsewhere:\n%s", s)
	}
}

func TestThePicturesOfAConversationAreDrawnAgainFromItsEvents(t *testing.T) {
	dir := t.TempDir()
	file, attached := flagFile(t, dir, "flag-3.png", 60, 40), flagFile(t, dir, "flag-4.png", 16, 16)
	x := start(t, setup{w: 80, h: 40, o: Options{Files: dir, Pictures: "blocks"}}, drawing([]core.File{attached}, file))
	x.press("draw a flag", "enter")
	live := x.wait("two pictures", func(s string) bool { return strings.Count(s, "▀") == 16*8+36*12 })
	again := settled()
	page := drawing([]core.File{attached}, file)
	run := "run1"
	s := core.Scope{Thread: "t1", Run: run, Trace: run, Agent: "yaap"}
	if _, err := page.prompt(t.Context(), page, s, "draw a flag"); err != nil {
		t.Fatal(err)
	}
	again.told = map[string][]core.Event{}
	again.messages = map[string][]core.Message{"t1": {{ID: "m", Run: run, Role: core.RoleUser, Text: "draw a flag"}}}
	for _, e := range page.events {
		if e.Run == run {
			again.told["t1"] = append(again.told["t1"], e)
		}
	}
	y := start(t, setup{w: 80, h: 40, o: Options{Files: dir, Pictures: "blocks"}}, again)
	y.wait("the same pictures", func(s string) bool { return strings.Count(s, "▀") == strings.Count(live, "▀") })
}

// transmitted are the pictures that a terminal was given by kitty's protocol, and what it was
// told to forget.
func transmitted(x *terminal) (pictures func() map[string][]byte, forgotten func() string) {
	all := map[string][]byte{}
	data, id, gone := "", "", ""
	x.mu.Lock()
	defer x.mu.Unlock()
	x.emu.RegisterApcHandler(func(b []byte) bool {
		head, payload, _ := strings.Cut(strings.TrimPrefix(string(b), "G"), ";")
		if strings.Contains(head, "a=d") {
			gone += head + "\n"
			return true
		}
		if m := regexp.MustCompile(`i=(\d+).*U=1.*c=(\d+),r=(\d+).*a=T`).FindStringSubmatch(head); m != nil {
			id, data = strings.Join(m[1:], " "), ""
			if !strings.Contains(head, "q=2") {
				id += " and it answers"
			}
		}
		if data += payload; !strings.Contains(head, "m=1") {
			all[id], _ = base64.StdEncoding.DecodeString(data)
		}
		return true
	})
	return func() map[string][]byte { x.mu.Lock(); defer x.mu.Unlock(); return all }, func() string { x.mu.Lock(); defer x.mu.Unlock(); return gone }
}

func TestKittyIsGivenThePictureOnceAndShowsItInCellsOfText(t *testing.T) {
	dir := t.TempDir()
	file := flagFile(t, dir, "flag-5.png", 200, 100)
	x := start(t, setup{w: 80, h: 24, o: Options{Files: dir, Pictures: "kitty"}}, drawing(nil, file))
	pictures, _ := transmitted(x)
	x.press("draw a flag", "enter")
	x.see(string(kitty.Placeholder))
	x.press("again", "enter")
	x.wait("two pictures", func(s string) bool { return strings.Count(s, string(kitty.Placeholder)) == 2*20*5 })
	all := pictures()
	if len(all) != 1 {
		t.Fatalf("it was given %d pictures", len(all))
	}
	var id, cols, rows int
	for key, raw := range all {
		if _, err := fmt.Sscanf(key, "%d %d %d", &id, &cols, &rows); err != nil || cols != 20 || rows != 5 || strings.Contains(key, "answers") {
			t.Fatalf("it is %s (%v)", key, err)
		}
		if img, err := png.Decode(bytes.NewReader(raw)); err != nil || img.Bounds().Size() != image.Pt(200, 100) {
			t.Errorf("the picture is %v (%v)", img, err)
		}
	}
	row := -1
	x.cells(func(c, _ int, cell *uv.Cell) {
		signs := []rune(cell.Content)
		if len(signs) == 0 || signs[0] != kitty.Placeholder {
			return
		}
		if len(signs) != 3 || cell.Width != 1 {
			t.Fatalf("a cell is %q and %d wide", cell.Content, cell.Width)
		}
		col := c - gutterWide
		if col == 0 {
			row++
		}
		if signs[1] != kitty.Diacritic(row%5) || signs[2] != kitty.Diacritic(col) {
			t.Fatalf("the cell of row %d and column %d is %q", row, col, cell.Content)
		}
		if r, g, b, _ := cell.Style.Fg.RGBA(); int(r>>8)<<16|int(g>>8)<<8|int(b>>8) != id {
			t.Fatalf("the colour of a cell is %v, its picture %d", cell.Style.Fg, id)
		}
	})
}

func TestAPictureIsLookedAtOnTheWholeScreen(t *testing.T) {
	dir := t.TempDir()
	f := drawing(nil, flagFile(t, dir, "flag-6.png", 60, 40), flagFile(t, dir, "flag-7.png", 40, 60))
	x := start(t, setup{w: 80, h: 40, o: Options{Files: dir, Pictures: "blocks", Commands: []core.Command{{Name: "open", Args: "FILE", Does: "open"}}}}, f)
	x.press("draw a flag", "enter")
	x.see("flag-7.png")
	x.press("tab", "G", "enter")
	x.see("2 of 2")
	x.see("flag-7.png · 40×60")
	x.press("right")
	x.see("flag-6.png · 60×40")
	x.gone("It is drawn.")
	x.press("esc")
	x.see("It is drawn.")
	x.press("k", "enter")
	x.see("there is no picture to look at here")
}

func TestWhatPaintsOverCellsIsSentWhereItStands(t *testing.T) {
	dir := t.TempDir()
	file := flagFile(t, dir, "flag-8.png", 100, 60)
	x := start(t, setup{w: 80, h: 24, o: Options{Files: dir, Pictures: "iterm2"}}, drawing(nil, file))
	painted := make(chan string, 1)
	x.mu.Lock()
	x.emu.RegisterOscHandler(1337, func(data []byte) bool {
		at := x.emu.CursorPosition()
		painted <- fmt.Sprint(at.X, " ", at.Y, " ", string(data))
		return true
	})
	x.mu.Unlock()
	x.press("draw a flag", "enter")
	x.see("▀▀▀▀") // among the text it is made of cells
	x.press("tab", "G", "enter")
	head, data, _ := strings.Cut(<-painted, ":")
	if want := "35 10 1337;File=inline=1;size="; !strings.HasPrefix(head, want) || !strings.HasSuffix(head, "width=10;height=3;preserveAspectRatio=1;doNotMoveCursor=1") {
		t.Errorf("it is painted as %q, want %q", head, want)
	}
	if raw, err := base64.StdEncoding.DecodeString(data); err != nil || !bytes.HasPrefix(raw, []byte("\x89PNG")) {
		t.Errorf("it is %q (%v)", raw[:min(len(raw), 8)], err)
	}
	if s := x.see("esc closes"); strings.Contains(s, "▀") {
		t.Errorf("cells are drawn, too:\n%s", s)
	}
	x.press("esc")
	x.see("▀▀▀▀")
}

func TestAHostilePictureIsItsLine(t *testing.T) {
	dir := t.TempDir()
	bomb := onDisk(t, dir, "bomb-1.png", []byte("\x89PNG\r\n\x1a\nwhat follows is none"), 60, 40)
	gone := core.File{Name: "gone-1.png", Type: "image/png", Width: 60, Height: 40, Size: 12}
	other := flagFile(t, t.TempDir(), "other-1.png", 60, 40) // not a file of the room, whatever is said
	sound := core.File{Name: "sound-1.wav", Type: "audio/wav", Size: 2048}
	x := start(t, setup{w: 160, h: 30, o: Options{Files: dir, Pictures: "blocks"}}, drawing(nil, bomb, gone, other, sound))
	x.press("draw a flag", "enter")
	x.see("bomb-1.png · 60×40 · 28 B, not shown: it is no PNG")
	x.see("gone-1.png · 60×40 · 12 B, not shown: it is not there")
	x.see("other-1.png · 60×40 · " + strings.SplitN(other.String(), " · ", 3)[2] + ", not shown: it is not there")
	if s := x.see("sound-1.wav · 2 KB"); strings.ContainsAny(s, "▀▄") {
		t.Errorf("something is drawn:\n%s", s)
	}
}

func TestPicturesAreOffWhereTheyCannotBeShown(t *testing.T) {
	dir := t.TempDir()
	file := flagFile(t, dir, "flag-9.png", 60, 40)
	for name, s := range map[string]setup{
		"by the setting":    {o: Options{Files: dir, Pictures: "off"}},
		"without colours":   {o: Options{Files: dir, Pictures: "auto"}, env: map[string]string{"NO_COLOR": "1"}},
		"in ASCII":          {o: Options{Files: dir, Pictures: "auto"}, env: map[string]string{"LANG": "C"}},
		"of nobody's files": {o: Options{Pictures: "auto"}},
	} {
		s.w, s.h = 80, 24
		t.Run(name, func(t *testing.T) {
			x := start(t, s, drawing(nil, file))
			x.press("draw", "enter")
			if s := x.see("It is"); strings.Contains(s, "▀▀") {
				t.Errorf("a picture is drawn:\n%s", s)
			}
		})
	}
}

func TestTheWayToShowPicturesIsThatOfTheTerminal(t *testing.T) {
	for _, c := range []struct {
		name, wish, colours string
		sixel               bool
		env                 map[string]string
		inline, whole       string
	}{
		{name: "kitty(0.41.1)", inline: asKitty, whole: asKitty},
		{name: "kitty(0.28.0)", inline: asKitty, whole: asKitty},
		{name: "kitty(0.26.5)", inline: asBlocks, whole: asBlocks},
		{name: "kitty(0.9.0)", inline: asBlocks, whole: asBlocks},
		{name: "kitty(1.0.0)", inline: asKitty, whole: asKitty},
		{name: "kitty(0.41.1)", colours: "ANSI256", inline: asBlocks, whole: asBlocks},
		{name: "ghostty 1.1.3", inline: asKitty, whole: asKitty},
		{name: "tmux 3.4", env: map[string]string{"TMUX": "/tmp/tmux", "LC_TERMINAL": "iTerm2", "KITTY_WINDOW_ID": "1"}, inline: asBlocks, whole: asBlocks},
		{name: "tmux 3.5", sixel: true, env: map[string]string{"TMUX": "/tmp/tmux"}, inline: asBlocks, whole: asSixel},
		{name: "iTerm2 3.5.3", inline: asBlocks, whole: asITerm2},
		{env: map[string]string{"TERM_PROGRAM": "iTerm.app"}, inline: asBlocks, whole: asITerm2},
		{name: "WezTerm 20240203", sixel: true, inline: asBlocks, whole: asITerm2},
		{name: "foot(1.13.1)", sixel: true, inline: asBlocks, whole: asSixel},
		{name: "XTerm(379)", inline: asBlocks, whole: asBlocks},
		{colours: "ANSI"},
		{name: "kitty(0.41.1)", wish: "off"},
		{name: "kitty(0.41.1)", wish: asBlocks, inline: asBlocks, whole: asBlocks},
		{name: "foot(1.13.1)", wish: asKitty, inline: asKitty, whole: asKitty},
		{name: "foot(1.13.1)", wish: asSixel, inline: asBlocks, whole: asSixel},
	} {
		if c.wish == "" {
			c.wish = "auto"
		}
		if c.colours == "" {
			c.colours = "TrueColor"
		}
		p := newPen(func(string) string { return "" })
		g := newGallery(Options{Files: "/state/files", Pictures: c.wish, Env: func(name string) string { return c.env[name] }}, &p)
		g.seen.name, g.seen.sixel, g.seen.colours = c.name, c.sixel, c.colours
		if inline, whole := g.inline(), g.whole(); inline != c.inline || whole != c.whole {
			t.Errorf("%+v: %q and %q", c, inline, whole)
		}
	}
}

func TestPicturesThatWereLookedAtLongAgoAreForgottenByTheTerminalToo(t *testing.T) {
	p := newPen(func(string) string { return "" })
	g := newGallery(Options{Files: "/state/files", Pictures: "kitty"}, &p)
	const fit = keptCells / (6*2 + pictureCosts)
	for i := range fit + 10 {
		f := core.File{Name: fmt.Sprintf("flag-%d.png", i), Type: "image/png", Width: 60, Height: 40}
		if rows, fault := g.rows(f, asKitty, cells{80, 12}); len(rows) != 2 || fault != "" {
			t.Fatalf("got %d rows, %q", len(rows), fault)
		}
	}
	for _, made := range g.wanted {
		g.id++
		made.id, made.ready = g.id, true
	}
	send := g.forget()
	if n := strings.Count(send, "\x1b_Ga=d,d=I,i="); n != 10 || len(g.made) != fit {
		t.Errorf("%d are forgotten, %d are kept", n, len(g.made))
	}
	if _, kept := g.made[pictureKey{"flag-9.png", asKitty, cells{6, 2}}]; kept {
		t.Error("it is not the oldest that are forgotten")
	}
	if n := strings.Count(g.close(), "a=d"); n != fit {
		t.Errorf("at the end %d are forgotten", n)
	}
}

func TestAPictureKeepsItsShape(t *testing.T) {
	for _, c := range []struct {
		w, h int
		room cells
		most dots
		want cells
	}{
		{640, 480, cells{100, 12}, dots{1, 2}, cells{32, 12}},
		{1920, 1080, cells{30, 12}, dots{1, 2}, cells{30, 8}},
		{16, 16, cells{100, 12}, dots{1, 2}, cells{16, 8}},
		{16, 16, cells{100, 12}, dots{10, 20}, cells{2, 1}},
		{60_000, 1, cells{100, 12}, dots{1, 2}, cells{100, 1}},
		{1, 60_000, cells{100, 12}, dots{1, 2}, cells{1, 12}},
		{1200, 600, cells{100, 12}, dots{10, 20}, cells{48, 12}},
	} {
		if got := fitted(c.w, c.h, c.room, c.most); got != c.want {
			t.Errorf("%d×%d in %v: %v, want %v", c.w, c.h, c.room, got, c.want)
		}
	}
}

func TestSixelsAreThePicture(t *testing.T) {
	dir := t.TempDir()
	raw, err := os.ReadFile(flagFile(t, dir, "flag.png", 20, 13).Path)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	text := toSixel(img, cells{2, 1}, dots{10, 13})
	body := strings.TrimSuffix(strings.TrimPrefix(text, "\x1bP0;1q"), "\x1b\\")
	if len(body)+len("\x1bP0;1q\x1b\\") != len(text) || !strings.HasPrefix(body, `"1;1;18;12#`) {
		t.Fatalf("it begins with %q", body[:20])
	}
	bands := strings.Split(strings.TrimSuffix(body[strings.LastIndex(body, ";")+1:], "-"), "-")
	if len(bands) != 2 {
		t.Fatalf("it has %d bands", len(bands))
	}
	for i, b := range bands {
		dots := 0
		for _, m := range regexp.MustCompile(`!(\d+)([?-~])|#\d+|([?-~])`).FindAllStringSubmatch(b, -1) {
			n, sign := 1, m[3]
			if m[1] != "" {
				_, _ = fmt.Sscan(m[1], &n)
				sign = m[2]
			}
			for ; sign != "" && n > 0; n-- {
				for bits := sign[0] - '?'; bits > 0; bits &= bits - 1 {
					dots++
				}
			}
		}
		if dots != 18*6 {
			t.Errorf("band %d paints %d pixels of %d: %q", i, dots, 18*6, b)
		}
	}
}

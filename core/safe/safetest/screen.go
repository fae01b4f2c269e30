package safetest

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"github.com/yaap-chat/yaap/core/safe"
)

// Show returns a terminal of that size that was given output, in which a line
// feed returns the carriage.
func Show(t testing.TB, width, height int, output string) *vt.Emulator {
	t.Helper()
	emu := vt.NewEmulator(width, height)
	var answers sync.WaitGroup
	answers.Go(func() { _, _ = io.Copy(io.Discard, emu) }) // it waits for who reads its answers
	if _, err := emu.Write(bytes.ReplaceAll([]byte(output), []byte("\n"), []byte("\r\n"))); err != nil {
		t.Error(err)
	}
	if c, ok := emu.InputPipe().(io.Closer); ok {
		_ = c.Close() // a pipe
	}
	answers.Wait()
	return emu
}

// Rows returns the cells of a terminal, a row each: the text with the style and
// the link of each run of cells that have the same.
func Rows(emu *vt.Emulator) []string {
	rows := make([]string, emu.Height())
	for y := range rows {
		var b strings.Builder
		look := ""
		for _, cell := range row(emu, y) {
			now := target(cell)
			if !cell.Style.IsZero() {
				now += cell.Style.String()
			}
			if now != look {
				fmt.Fprintf(&b, "{%q}", now)
				look = now
			}
			b.WriteString(cell.Content)
		}
		rows[y] = strings.TrimRight(b.String(), " ")
	}
	return rows
}

func row(emu *vt.Emulator, y int) []uv.Cell {
	var cells []uv.Cell
	for x := 0; x < emu.Width(); {
		cell := uv.EmptyCell
		if c := emu.CellAt(x, y); c != nil && c.Content != "" {
			cell = *c
		}
		cells = append(cells, cell)
		x += max(cell.Width, 1)
	}
	return cells
}

// target is where a cell leads. The emulator takes an OSC 8 sequence's parameters
// for its target, and the other way round.
func target(cell uv.Cell) string { return cell.Link.Params }

// Check fails unless what a terminal shows is what a person reads: no cell is
// concealed, blinks, has the colour of its background or holds what cannot be
// seen, and what can be followed is what is shown.
func Check(t testing.TB, name string, emu *vt.Emulator) {
	t.Helper()
	links := map[string]string{}
	for y := range emu.Height() {
		for x, cell := range row(emu, y) {
			// The emulator puts the marks on a character near the end of a line into a
			// cell of their own, the last one or the first of the next line.
			edge := x == 0 && y > 0 || x >= emu.Width()-1
			wrapped := edge && strings.TrimFunc(cell.Content, unicode.IsMark) == ""
			if text := safe.Text(cell.Content); text != cell.Content && !wrapped {
				t.Errorf("%s: a cell holds %q", name, cell.Content)
			}
			if cell.Width != ansi.StringWidth(cell.Content) {
				t.Errorf("%s: %q takes %d cells", name, cell.Content, cell.Width)
			}
			s := cell.Style
			if s.Attrs&(uv.AttrConceal|uv.AttrBlink|uv.AttrRapidBlink) != 0 || s.Fg != nil && s.Fg == s.Bg {
				t.Errorf("%s: %q is hidden by %q", name, cell.Content, s.String())
			}
			if url := target(cell); url != "" {
				links[url] += strings.TrimSpace(cell.Content)
			}
		}
	}
	for url, shown := range links {
		if strings.ReplaceAll(shown, url, "") != "" {
			t.Errorf("%s: %q leads to %s", name, shown, url)
		}
	}
}

// Sequences returns the escape sequences of an output that do something else than
// style text and link it.
func Sequences(output string) []string {
	var found []string
	for len(output) > 0 {
		seq, _, n, _ := ansi.DecodeSequence(output, ansi.NormalState, nil)
		output = output[n:]
		control := seq != "\n" && strings.IndexFunc(seq, func(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 }) == 0
		styles := ansi.HasCsiPrefix(seq) && strings.HasSuffix(seq, "m") && !strings.ContainsAny(seq, "<=>?")
		if control && !styles && !ansi.HasOscPrefix(seq) || ansi.HasOscPrefix(seq) && !strings.HasPrefix(seq, "\x1b]8;") {
			found = append(found, seq)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// cell is where a text stands on the screen.
func (d *desk) cell(text string) (x, y int) {
	d.t.Helper()
	for y, row := range strings.Split(d.screenText(), "\n") {
		if before, _, ok := strings.Cut(row, text); ok {
			return width(before), y
		}
	}
	d.t.Fatalf("there is no %q on the screen:\n%s", text, d.screenText())
	return 0, 0
}

// drags holds the button at one cell and lets it go at another.
func (d *desk) drags(x, y, toX, toY int) {
	d.once = true
	d.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	d.Update(tea.MouseMotionMsg{X: toX, Y: toY, Button: tea.MouseLeft})
	_, cmd := d.Update(tea.MouseReleaseMsg{X: toX, Y: toY, Button: tea.MouseLeft})
	d.carry(cmd)
}

func TestDraggingCopiesWhatIsOnTheScreen(t *testing.T) {
	d := answering(t, 100, 30, "first line\n\nsecond 漢字 line\n\nthird")
	x, y := d.cell("first")
	endX, endY := d.cell("second")
	for _, c := range []struct {
		name          string
		x, y, toX, y2 int
		want, note    string
	}{
		{"within a row", x, y, x + 4, y, "first", "1 line given to the terminal's clipboard"},
		{"backwards", x + 4, y, x, y, "first", "1 line given to the terminal's clipboard"},
		{"over rows, from the gutter", 0, y, endX + 5, endY, "first line\n\nsecond", "3 lines given to the terminal's clipboard"},
		{"out of the conversation", x + 6, y, 99, endY, "line\n\nsecond 漢字 line", "3 lines given to the terminal's clipboard"},
		{"half of a wide letter", endX + 8, endY, endX + 9, endY, "漢字", "1 line given to the terminal's clipboard"},
	} {
		d.copied = ""
		d.drags(c.x, c.y, c.toX, c.y2)
		if d.copied != c.want {
			t.Errorf("%s: %q, want %q", c.name, d.copied, c.want)
		}
		d.sees(c.note)
	}
}

func TestWhatIsDraggedOverIsMarkedUntilTheButtonIsLetGo(t *testing.T) {
	d := answering(t, 100, 30, "first line")
	x, y := d.cell("first")
	mark := func() bool { d.frame.stale = true; return strings.Contains(d.View().Content, string(d.pen.selected)) }
	d.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	if mark() {
		t.Error("a press alone marks something")
	}
	d.Update(tea.MouseMotionMsg{X: x + 3, Y: y, Button: tea.MouseLeft})
	if !mark() {
		t.Error("nothing is marked")
	}
	d.Update(tea.MouseReleaseMsg{X: x + 3, Y: y, Button: tea.MouseLeft})
	if mark() {
		t.Error("it stays marked")
	}
}

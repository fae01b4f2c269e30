package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe/safetest"
	"github.com/yaap-chat/yaap/tui/markdown"
)

// desk is a terminal whose frames are looked at one by one.
type desk struct {
	*model
	t      *testing.T
	copied string // into the clipboard, the last
}

// cells are those of the screen, with their columns and rows.
func (x *terminal) cells(each func(col, row int, cell *uv.Cell)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for y := range x.emu.Height() {
		for c := range x.emu.Width() {
			if cell := x.emu.CellAt(c, y); cell != nil {
				each(c, y, cell)
			}
		}
	}
}

// fits fails unless a frame fills its terminal.
func fits(t *testing.T, when string, rows []string, w, h int) {
	t.Helper()
	if w > 0 && len(rows) != h {
		t.Fatalf("%s at %dx%d: %d rows", when, w, h, len(rows))
	}
	for y, row := range rows {
		if ansi.StringWidth(row) > w {
			t.Fatalf("%s at %dx%d: row %d is %d wide: %q", when, w, h, y, ansi.StringWidth(row), row)
		}
	}
}

// modelOf is a terminal of that size without a program around it.
func modelOf(t *testing.T, w, h int, b Backend) *model {
	t.Helper()
	m := newModel(t.Context(), Options{Thread: "t1"}, b, &jobs{})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	return m
}

// answering is a terminal in which a question was answered, and the answer is chosen.
func answering(t *testing.T, w, h int, message string, files ...core.File) *desk {
	t.Helper()
	m := newModel(t.Context(), Options{Thread: "t1", Model: "offline", Commands: []core.Command{{Name: "open", Args: "FILE", Does: "open"}}}, newFake(), &jobs{})
	d := &desk{model: m, t: t}
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	tell(m, at(0), core.RunStart{Prompt: "q"})
	tell(m, at(1), core.ToolCallStart{Call: "c", Tool: "t", Expert: "data"}, core.ToolCallEnd{Call: "c", Tool: "t", Expert: "data", Status: core.ToolSuccess, Files: files})
	tell(m, at(0), core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: message}}, core.RunEnd{Outcome: "completed"})
	d.press("tab", "G")
	return d
}

// press presses keys, and does what they lead to.
func (d *desk) press(keys ...string) {
	d.t.Helper()
	codes := map[string]tea.KeyPressMsg{
		"tab": {Code: tea.KeyTab}, "enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "space": {Code: tea.KeySpace, Text: " "},
		"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "pgdown": {Code: tea.KeyPgDown},
		"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+t": {Code: 't', Mod: tea.ModCtrl}, "f2": {Code: tea.KeyF2}, "f7": {Code: tea.KeyF7}, "backspace": {Code: tea.KeyBackspace},
	}
	for _, key := range keys {
		msg, ok := codes[key]
		if !ok {
			msg = tea.KeyPressMsg{Code: []rune(key)[0], Text: key}
		}
		_, cmd := d.Update(msg)
		d.once = true // no timers
		d.carry(cmd)
	}
}

func (d *desk) carry(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, cmd := range msg {
			d.carry(cmd)
		}
	case nil:
	default:
		if fmt.Sprintf("%T", msg) == "tea.setClipboardMsg" {
			d.copied = fmt.Sprint(msg)
			return
		}
		_, next := d.Update(msg)
		d.carry(next)
	}
}

func (d *desk) screenText() string {
	rows := strings.Split(ansi.Strip(d.View().Content), "\n")
	for i, row := range rows {
		rows[i] = strings.TrimRight(row, " ")
	}
	return strings.Join(rows, "\n")
}

func (d *desk) sees(texts ...string) {
	d.t.Helper()
	screen := d.screenText()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			d.t.Fatalf("there is no %q on the screen:\n%s", text, screen)
		}
	}
}

func (d *desk) seesNo(text string) {
	d.t.Helper()
	if screen := d.screenText(); strings.Contains(screen, text) {
		d.t.Fatalf("there is %q on the screen:\n%s", text, screen)
	}
}

// sales is a table of so many rows.
func sales(rows int) string {
	var b strings.Builder
	b.WriteString("Sales:\n\n| region | orders | revenue | share | note |\n|--|--:|--:|--:|--|\n")
	for i := range rows {
		fmt.Fprintf(&b, "| region %d | %d | %d 000 | %d.5 %% | %s |\n", i+1, (i*7)%20, 90-i, i, strings.Repeat("word ", i+1)+"end")
	}
	return b.String()
}

func TestALongTableOfAnAnswerIsShortAndIsOpenedByAKey(t *testing.T) {
	d := answering(t, 80, 24, sales(17))
	d.sees("region 8", "… 9 more rows   o opens the table   y copies CSV", "o open")
	d.seesNo("region 9")
	d.press("o")
	d.sees("TABLE  17 rows", "row 1  column 1 of 5", "region 14", "s sort", "esc back")
	d.seesNo("Sales:")
	d.press("down", "down", "right", "right")
	d.sees("row 3  column 3 of 5")
	d.press("G", "right", "right", "right", "right")
	d.sees("row 17  column 5 of 5", "region 17")
	d.press("esc")
	d.sees("Sales:", "more rows")

	wide := answering(t, 120, 40, sales(17))
	wide.sees("region 12", "… 5 more rows   o opens the table   y copies CSV")
	wide.seesNo("region 13")
}

func TestATableIsSortedByItsColumnAndThenBackwardsAndThenAsItCame(t *testing.T) {
	d := answering(t, 80, 24, sales(5))
	first := func() string { return strings.Fields(strings.Split(d.screenText(), "\n")[3])[1] }
	d.press("o", "right", "s")
	d.sees("5 rows by orders ↑", "orders ↑")
	if got := first(); got != "1" {
		t.Errorf("the least is that of region %s", got)
	}
	d.press("s")
	d.sees("orders ↓")
	if got := first(); got != "3" { // 14 of 0, 7, 14, 1, 8
		t.Errorf("the most is that of region %s", got)
	}
	d.press("s")
	d.seesNo("by orders")
	d.press("right", "s")
	if got := first(); got != "5" {
		t.Errorf("the least revenue is that of region %s", got)
	}
}

func TestTheChatIsAtItsEndAgainAfterWhatWasRead(t *testing.T) {
	d := answering(t, 80, 24, strings.Repeat("Before it.\n\n", 20)+sales(17)+"\n\nThe very end.\n")
	d.press("esc")
	d.sees("The very end.")
	d.press("tab", "o", "esc", "esc")
	d.sees("The very end.")
	if !d.chat.follow {
		t.Error("it does not follow what is said next")
	}
}

func TestALetterThatDoesNothingInATableBeginsToType(t *testing.T) {
	d := answering(t, 80, 24, sales(17))
	d.press("o", "w", "h", "y", "space", "s", "o")
	d.sees("❯ why so", "Sales:")
	d.seesNo("TABLE")
}

func TestATableIsFiltered(t *testing.T) {
	d := answering(t, 80, 24, sales(17))
	d.press("o", "/", "7", "9")
	d.sees("filter 79", "enter keeps, esc clears", "1 of 17 rows with “79”", "region 12")
	d.press("enter")
	d.sees("s sort", "region 12")
	d.press("/", "x", "z")
	d.sees("nothing fits")
	d.press("enter", "down", "right", "enter", "s") // of nothing
	d.press("/", "esc")
	d.sees("TABLE  17 rows", "region 1 ")
	d.press("/", "1", "ctrl+c")
	d.sees("Sales:")
}

func TestACellThatIsCutIsReadWhole(t *testing.T) {
	d := answering(t, 60, 24, sales(17))
	d.press("o", "G", "right", "right", "right", "right")
	d.sees("word word word word word word word word word word word\n") // below the rows
	d.press("enter")
	d.sees("note", "word end")
	d.press("y")
	if d.copied != strings.Repeat("word ", 17)+"end" {
		t.Errorf("copied is %q", d.copied)
	}
	d.press("q")
	d.sees("TABLE  17 rows", "row 17  column 5 of 5")
}

func TestATableIsCopiedAsCSV(t *testing.T) {
	message := "| name | says |\n|--|--|\n| a \\| b | \"hi\", he said |\n| `x` | **y** |\n" + strings.Repeat("| more | |\n", 9)
	want := "name,says\na | b,\"\"\"hi\"\", he said\"\nx,y\n" + strings.Repeat("more,\n", 9)
	d := answering(t, 80, 24, message)
	d.press("y")
	if diff := cmp.Diff(want, d.copied); diff != "" {
		t.Errorf("in the chat (-want +got):\n%s", diff)
	}
	d.copied = ""
	d.press("o", "y")
	if diff := cmp.Diff(want, d.copied); diff != "" {
		t.Errorf("in the table (-want +got):\n%s", diff)
	}
	d.press("s", "s", "/", "h", "i", "enter", "y") // what is seen, as it is seen
	if diff := cmp.Diff("name,says\na | b,\"\"\"hi\"\", he said\"\n", d.copied); diff != "" {
		t.Errorf("of the rows that are shown (-want +got):\n%s", diff)
	}
	d.press("/", "esc", "y")
	if !strings.HasPrefix(d.copied, "name,says\nx,y\nmore,") {
		t.Errorf("sorted it is copied as %q", d.copied)
	}
	d = answering(t, 80, 24, "| a | b |\n|-|-|\n| 1 | 2 |") // all of it is seen
	d.press("y")
	if d.copied != "| a | b |\n|-|-|\n| 1 | 2 |" {
		t.Errorf("copied is %q", d.copied)
	}
}

func code(n int) string {
	return "Here:\n\n```go\n" + strings.Repeat("\tfmt.Println(\"a line of code that is longer than there is room for in a terminal of eighty\", i)\n", n) + "```\n"
}

func TestCodeOfAnAnswerIsCopiedAndOpened(t *testing.T) {
	d := answering(t, 80, 40, code(61))
	d.sees("go · 61 lines · y", "… 41 more lines   o opens", "longer than there is room f…")
	d.press("y")
	if strings.Count(d.copied, "\n") != 60 || !strings.HasPrefix(d.copied, "\tfmt.Println") {
		t.Errorf("copied is %q", d.copied)
	}
	d.press("Y")
	if !strings.HasPrefix(d.copied, "Here:\n\n```go\n\tfmt") {
		t.Errorf("copied is %q", d.copied)
	}
	d.press("o")
	d.sees("go, 61 lines", "of 61", "there is room for in a ter…")
	d.seesNo("i)")
	d.press("right", "right", "right", "right")
	d.sees("i)", "column ")
	d.press("G")
	d.sees("61 of 61")
	d.press("y", "esc")
	d.sees("Here:")
}

func TestSeveralThingsOfAnAnswerAreChosenFromAList(t *testing.T) {
	d := answering(t, 80, 40, code(3)+"\n"+sales(17), core.File{Name: "chart.pdf", Type: "application/pdf"}, core.File{Name: "chart.pdf", Type: "application/pdf"})
	d.press("o")
	d.sees("Open", "go, 3 lines", "table of 17 rows", "region, orders, revenue", "chart.pdf")
	d.press("2")
	d.sees("TABLE  17 rows")
	d.press("esc", "o", "3")
	if b := d.b.(*fake); len(b.done) != 1 || b.done[0][0] != "open" || b.done[0][1] != "chart.pdf" {
		t.Errorf("asked is %q", b.done)
	}
	d.press("y")
	d.sees("Copy", "go, 3 lines", "table of 17 rows", "the whole answer")
	d.press("down", "enter")
	if !strings.HasPrefix(d.copied, "region,orders,") {
		t.Errorf("copied is %q", d.copied)
	}
	d.press("y", "3")
	if !strings.HasPrefix(d.copied, "Here:") {
		t.Errorf("copied is %q", d.copied)
	}
	d.press("y", "9", "esc")
	d.sees("Sales:")
}

func TestWhatIsReadFitsEveryScreenWhateverItHolds(t *testing.T) {
	var cells strings.Builder
	for _, text := range safetest.Texts() {
		line := strings.NewReplacer("\n", " ", "|", `\|`).Replace(text.Raw)
		cells.WriteString("| " + line + " | 日本語の長い文字列 " + line + " | مرحبا\tبالعالم | " + strings.Repeat("x", 3000) + " |\n")
	}
	messages := map[string]string{
		"a table": "| a | b | c | d |\n|--|--|--|--|\n" + cells.String(),
		"code":    "```go\n" + strings.ReplaceAll(cells.String(), "`", "'") + "```",
	}
	for name, message := range messages {
		for _, size := range [][2]int{{20, 5}, {21, 10}, {40, 12}, {80, 24}, {120, 40}, {400, 120}} {
			w, h := size[0], size[1]
			d := answering(t, w, h, message)
			for _, key := range []string{"o", "down", "right", "right", "s", "s", "right", "enter", "down", "right", "G", "esc", "G", "left", "/", "a", "enter", "pgdown", "g", "y"} {
				d.press(key)
				frame := d.View().Content
				fits(t, name+" after "+key, strings.Split(frame, "\n"), w, h)
				if found := safetest.Sequences(frame); len(found) > 0 {
					t.Errorf("%s at %dx%d after %s sends %q", name, w, h, key, found)
				}
			}
			d.Update(tea.WindowSizeMsg{Width: 20, Height: 5})
			d.View()
			d.Update(tea.WindowSizeMsg{Width: 1, Height: 1})
			d.View()
		}
	}
}

func TestCellsAreComparedAsPeopleReadThem(t *testing.T) {
	ascending := [][]string{
		{"-3", "0", "0.5", ".75", "2", "10", "1 204", "81 220", "1,234,567"},
		{"1,5", "2", "1.204,50", "1 300"},
		{"9.2 %", "26.9 %", "100 %"},
		{"$9", "$10", "$1,200.50"},
		{"EUR 9", "EUR 10"},
		{"(12)", "-3", "3"},
		{"900 ms", "1.2 s", "2 min"},
		{"12 B", "900 KB", "1.2 MB"},
		{"2026-02-01", "2026-11-22"},
		{"Apollo 11", "Gemini 4"},
		{"alpha", "Beta", "gamma"},
		{"1", "two", ""},
		{"09:12", "21:45"},
		{"10.0.0.1", "9.0.0.1"},
	}
	for _, cells := range ascending {
		for i := range cells[1:] {
			a, b := cells[i], cells[i+1]
			if compareCells(a, b, false) >= 0 || compareCells(b, a, false) <= 0 {
				t.Errorf("%q does not come before %q", a, b)
			}
		}
	}
	if compareCells("", "1", true) <= 0 || compareCells("9", "10", true) <= 0 {
		t.Error("backwards, what is empty comes first, or 9 before 10")
	}
}

func TestAColumnThatIsChosenIsAlwaysSeen(t *testing.T) {
	table := &markdown.Table{}
	for i := range 40 {
		table.Head = append(table.Head, fmt.Sprintf("column%d", i))
		table.Right = append(table.Right, i%2 == 0)
	}
	cells := make([]string, 40)
	for i := range cells {
		cells[i] = fmt.Sprintf("cell%d", i) + strings.Repeat("x", i)
	}
	table.Rows = [][]string{cells}
	for _, w := range []int{18, 40, 80, 400} {
		r := newTableReader(table)
		for _, do := range append(slicesOf(actRight, 45), slicesOf(actLeft, 45)...) {
			r.key(do, 1)
			found := false
			for _, c := range r.columns(w) {
				found = found || c.at == r.col
			}
			if !found {
				t.Fatalf("at %d cells column %d is not seen: %+v", w, r.col, r.columns(w))
			}
		}
	}
}

func slicesOf(do action, n int) (all []action) {
	for range n {
		all = append(all, do)
	}
	return all
}

func TestTheBarOfWhatIsChosenHasNoHoles(t *testing.T) {
	d := answering(t, 80, 24, "Herons wade.\n\nThey eat fish.")
	rows := strings.Split(d.screenText(), "\n")
	for i, row := range rows {
		if strings.Contains(row, "Herons wade.") && !strings.HasPrefix(rows[i+1], d.chat.canvas.bar) {
			t.Errorf("the row below %q is %q", row, rows[i+1])
		}
	}
}

func TestWhatWasTypedTwiceIsListedOnce(t *testing.T) {
	d := answering(t, 80, 24, "Fish.")
	d.input.history = []string{"what is 2+2?", "why?", "what is 2+2?"}
	d.openOver(actSearch)
	if all := d.panes.over.all; len(all) != 2 || all[0].text != "what is 2+2?" {
		t.Errorf("it lists %+v", all)
	}
}

func TestTheLogIsReadByItself(t *testing.T) {
	d := answering(t, 80, 24, "Fish.")
	log := strings.Repeat("a line\n", 100) + `{"level":"ERROR","msg":"the last one"}`
	d.done("logs", core.Doc{Parts: []core.Part{{Kind: core.Block, Text: log}, {Kind: core.Remark, Text: "the log is yaap.log"}}}, nil)
	d.frame.stale = true
	d.sees("LOGS", "the last one")
	d.press("esc")
	d.sees("the log is yaap.log")
	d.seesNo("a line")
}

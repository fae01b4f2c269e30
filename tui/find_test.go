package tui

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// archive is a room with a long conversation in its store, read in pages of 20 questions.
type archive struct {
	*fake
	n     int                 // questions
	text  func(i int) string  // of a question
	reads func(before string) // called for each page
}

func (a *archive) Page(ctx context.Context, _, before string) (p core.Page, _ error) {
	to := a.n
	if before != "" {
		to, _ = strconv.Atoi(before[1:])
	}
	if a.reads != nil {
		a.reads(before)
	}
	for i := max(to-20, 0); i < to; i++ {
		run, at := fmt.Sprint("r", i), time.Unix(int64(i), 0)
		p.Messages = append(p.Messages, core.Message{Run: run, Role: core.RoleUser, Text: a.text(i), Time: at})
		p.Events = append(p.Events, reported(run, at, 1, core.RunStart{}, core.FinalOutput{Reply: core.Reply{Message: fmt.Sprint("answer ", i)}}, core.RunEnd{Outcome: "completed"})...)
	}
	p.Earlier = to > 20
	return p, ctx.Err()
}

// herons is an archive in which some questions are about herons.
func herons(n int, at ...int) *archive {
	return &archive{fake: newFake(), n: n, text: func(i int) string {
		for _, h := range at {
			if i == h {
				return fmt.Sprintf("question %d about herons", i)
			}
		}
		return fmt.Sprintf("question %d", i)
	}}
}

// reads is a terminal with an archive whose end is read.
func reads(t *testing.T, a *archive) *desk {
	t.Helper()
	m := modelOf(t, 100, 30, a)
	d := &desk{model: m, t: t}
	m.once = true
	d.carry(m.open(opened{thread: "t1"}))
	return d
}

func (d *desk) finds(words string) {
	d.press("tab")
	d.seeks(words)
}

func (d *desk) seeks(words string) {
	d.press("/")
	d.press(strings.Split(words, "")...)
	d.press("enter")
}

func TestFindLooksIntoWhatIsStored(t *testing.T) {
	d := reads(t, herons(400, 45, 47))
	d.finds("herons")
	d.sees("question 47 about herons", "found in what was said earlier")
	if n := len(d.chat.items); n > 100 {
		t.Errorf("%d items are kept for one that was found", n)
	}
	d.press("N")
	d.sees("question 45 about herons")
	d.press("N")
	d.sees("question 47 about herons", "the beginning was reached; found again from the end")
}

func TestFindGoesUpPageByPage(t *testing.T) {
	d := reads(t, herons(100, 75, 3))
	d.finds("herons")
	d.sees("question 75 about herons")
	if d.chat.gapIndex() >= 0 {
		t.Error("the next page is told to be far away")
	}
	d.press("N")
	d.sees("question 3 about herons")
	if d.chat.gapIndex() < 0 {
		t.Error("nothing says that pages are left out")
	}
}

func TestFindSaysThatTheBeginningWasReached(t *testing.T) {
	pages := 0
	a := herons(400)
	a.reads = func(string) { pages++ }
	d := reads(t, a)
	before := len(d.chat.items)
	d.finds("herons")
	d.sees("not found in this conversation; the beginning was reached")
	if pages != 20 || len(d.chat.items) != before {
		t.Errorf("%d pages were read, %d items are kept instead of %d", pages, len(d.chat.items), before)
	}
	d.press("n")
	d.sees("not found in this conversation")
}

func TestWhatIsLeftOutIsReadWhereTheUserScrollsUpFromBelow(t *testing.T) {
	d := reads(t, herons(400, 45))
	d.finds("herons")
	d.press("G", "g")
	d.press("u", "u", "u", "u", "g", "g")
	if d.chat.gapIndex() >= 0 {
		t.Fatal("it is still left out")
	}
	runs := d.chat.runs
	for i := 380 - 20; i < 400; i++ {
		if runs[fmt.Sprint("r", i)] == nil {
			t.Errorf("question %d is not read", i)
		}
	}
}

func TestHoweverMuchIsFoundOnlySoMuchIsKept(t *testing.T) {
	var all []int
	for i := 5; i < 6000; i += 30 {
		all = append(all, i)
	}
	d := reads(t, herons(6000, all...))
	d.finds("herons")
	for range 190 {
		d.press("N")
	}
	if n := len(d.chat.items); n > 5*resident {
		t.Errorf("%d items are kept", n)
	}
	if d.chat.chosen().(*spoken).text != "question 275 about herons" {
		t.Errorf("it is at %q", d.chat.copied())
	}
}

func TestFindIsEndedByEsc(t *testing.T) {
	a := herons(400, 5)
	d := reads(t, a)
	pages := 0
	a.reads = func(string) {
		if pages++; pages == 3 {
			d.press("esc")
		}
	}
	d.finds("herons")
	d.sees("not looked for any more")
	if pages != 3 {
		t.Errorf("%d pages were read", pages)
	}
	d.press("/", "enter")
	d.sees("question 5 about herons")
}

func TestFindGoesToTheRowWithinALongAnswer(t *testing.T) {
	text := "# Herons\n"
	for i := range 40 {
		text += fmt.Sprintf("\n## Part %d\n\nHerons stand in water for hours and wait, and this paragraph is so long that it is broken near number %d.\n", i, i)
	}
	d := answering(t, 100, 30, text)
	d.seeks("number 20")
	d.sees("near number 20.")
	shown := d.View().Content
	if mark := d.chat.canvas.selected.under(d.chat.canvas.warn.on("number 20")); !strings.Contains(shown, mark) {
		t.Errorf("it is not marked:\n%s", shown)
	}
	d.press("n")
	d.sees("it is nowhere else in this conversation", "near number 20.")
	d.seeks("herons stand") // upwards from there
	d.sees("Part 20")
	d.press("N")
	d.sees("Part 19")
	d.press("n", "n")
	d.sees("Part 21")
	d.seeks("broken near number 3.") // over the end of a row
	d.sees("Part 3")
}

func TestFindStartsEmptyAndEnterLooksForTheLastAgain(t *testing.T) {
	d := reads(t, herons(100, 75, 95))
	d.finds("herons")
	d.seeks("question 99")
	d.sees("question 99")
	d.press("/", "x", "esc", "/", "enter")
	d.sees("question 99")
}
